"""The calculator of the site, in a real browser, beside the package."""

import re
import shutil
import textwrap
from pathlib import Path

import numpy as np
import pytest

from skpostbac import PosteriorBalancedAccuracy
from skpostbac.metrics import PriorInfluenceWarning

sync_api = pytest.importorskip(
    "playwright.sync_api", reason="playwright is not installed"
)

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
DOC = Path(__file__).parents[2] / "doc"
# A number that is shown with three decimals differs by less than its last digit.
ENDS = 1e-5
PROBABILITIES = 5e-4

pytestmark = [
    pytest.mark.skipif(not DOC.is_dir(), reason="doc/ is not part of this copy"),
    pytest.mark.filterwarnings(
        f"ignore::{PriorInfluenceWarning.__module__}.{PriorInfluenceWarning.__name__}"
    ),
]


@pytest.fixture(scope="module")
def page():
    """The form of the page, with its script and no other."""
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.skip(f"none of {', '.join(BROWSERS)} is installed")
    text = (DOC / "user_guide" / "calculator.rst").read_text("utf-8")
    (form,) = re.findall(r"( *<form.*</form>)", text, flags=re.S)
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=path, args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page()
        page.set_content(textwrap.dedent(form))
        page.add_script_tag(path=DOC / "_static" / "calculator.js")
        yield page
        browser.close()


def random_counts():
    """Yield counts of two to four classes, small and large, perfect and always wrong."""
    rng = np.random.default_rng(0)
    for n_classes in [2, 3, 4] * 10:
        largest = rng.choice([30, 10_000])
        total = np.exp(rng.uniform(0, np.log(largest), n_classes)).round().astype(int)
        recalls = rng.choice([0, 0.3, 0.7, 0.95, 1], n_classes)
        yield rng.binomial(total, recalls).tolist(), total.tolist()


EXTREME = [
    ([1, 1], [1, 1]),
    ([0, 0], [1, 1]),
    ([10_000, 10_000], [10_000, 10_000]),
    ([10_000, 0], [10_000, 1]),
    ([1, 0, 1, 0], [1, 1, 1, 1]),
    ([9_990, 1], [10_000, 1]),
]


@pytest.mark.parametrize(("correct", "total"), [*EXTREME, *random_counts()])
def test_numbers_are_those_of_the_package(page, correct, total):
    """Mean, interval and probability differ by less than the last digit that is shown."""
    value = 0.6
    mean, low, high, above = page.evaluate(
        """([correct, total, value]) => {
          const found = calculator.evaluate(correct, total);
          return [found.mean, found.low, found.high, found.probAbove(value)];
        }""",
        [correct, total, value],
    )
    posterior = PosteriorBalancedAccuracy.from_counts(correct, total)
    interval = posterior.credible_interval()
    # Narrow intervals are shown with more decimals.
    tolerance = min(ENDS, 1e-3 * (interval.high - interval.low))
    assert mean == pytest.approx(posterior.mean(), abs=1e-12)
    assert (low, high) == pytest.approx(interval, abs=tolerance)
    assert above == pytest.approx(posterior.prob_above(value), abs=PROBABILITIES)


SENTENCES = [
    ([85, 8], [90, 10]),
    ([30, 8, 3], [32, 10, 4]),
    ([10, 10], [10, 10]),
    ([9990, 9500], [10_000, 10_000]),
    ([10_000, 10_000], [10_000, 10_000]),
    ([9, 0], [9, 3]),
    ([0, 0, 0], [5, 5, 5]),
    ([1, 0, 0, 0], [8, 8, 8, 8]),  # 1/32, halfway between two numbers shown
    ([7, 5, 4, 3], [8, 8, 8, 8]),
]


@pytest.mark.parametrize(("correct", "total"), SENTENCES)
def test_sentence_is_that_of_the_report(page, correct, total):
    """The form shows the first sentence of the report, and the probability."""
    for i in range(4):
        k, n = (correct[i], total[i]) if i < len(correct) else ("", "")
        page.fill(f"[name=correct-{i}]", str(k))
        page.fill(f"[name=total-{i}]", str(n))
    page.fill("[name=value]", "0.9")
    page.click("button")
    *sentences, probability = page.locator("output p").all_inner_texts()

    posterior = PosteriorBalancedAccuracy.from_counts(correct, total)
    report = posterior.report().replace("\n  ", " ").splitlines()
    assert sentences == report[: len(sentences)]
    assert sentences[-1].startswith("The balanced accuracy is")
    above = posterior.prob_above(0.9)
    shown = f"{above:.3f}"
    if above < 0.0005 or above > 0.9995:
        shown = "< 0.001" if above < 0.5 else "> 0.999"
    assert probability == f"The probability of more than 0.9 is {shown}."


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ("8/10", "Fill in at least two classes."),
        ("8/10 11/10", "Class 1: 11 correct of 10 is not possible."),
        ("8/10 0/0", "Class 1: both must be whole numbers, with 1 to 10,000 samples."),
        ("8/10 x/5", "Class 1: both must be whole numbers, with 1 to 10,000 samples."),
        ("8/10 /5", "Class 1: both must be whole numbers, with 1 to 10,000 samples."),
        (
            "1/10001 1/5",
            "Class 0: both must be whole numbers, with 1 to 10,000 samples.",
        ),
    ],
)
def test_wrong_counts_are_refused(page, counts, message):
    """A message says which class is wrong, and there are no numbers."""
    cells = [pair.split("/") for pair in counts.split()] + [["", ""]] * 4
    for i, (k, n) in enumerate(cells[:4]):
        page.fill(f"[name=correct-{i}]", k)
        page.fill(f"[name=total-{i}]", n)
    page.click("button")
    assert page.locator("output p").all_inner_texts() == [message]
