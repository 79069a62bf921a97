"""The page that the command line writes, and the notebook tables, in a real browser."""

import shutil

import pytest

from skpostbac import PosteriorBalancedAccuracy, compare_posteriors
from skpostbac._cli import main

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
HOSTILE = "<script>document.title = 'hacked'</script>"


@pytest.fixture(scope="module")
def browser():
    """A browser without a window; one of the system, as none is downloaded."""
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.skip(f"none of {', '.join(BROWSERS)} is installed")
    with sync_api.sync_playwright() as playwright:
        # Its sandbox needs rights that containers rarely give.
        browser = playwright.chromium.launch(
            executable_path=path, args=["--no-sandbox", "--disable-gpu"]
        )
        yield browser
        browser.close()


@pytest.fixture(params=["light", "dark"])
def page(browser, request):
    """An empty page that keeps what is logged, thrown and asked for."""
    page = browser.new_page(color_scheme=request.param)
    page.complaints, page.requests = [], []
    page.on("console", lambda message: page.complaints.append(message.text))
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    page.on("request", lambda asked: page.requests.append(asked.url))
    yield page
    page.close()


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """The report on two classifiers, with markup in a name and in a label."""
    folder = tmp_path_factory.mktemp("report")
    source, path = folder / "predictions.csv", folder / "report.html"
    rows = [("truth", HOSTILE, "second")]
    rows += [("a", "a", "a")] * 8 + [("a", HOSTILE, "a")] * 2
    rows += [(HOSTILE, HOSTILE, HOSTILE)] * 6 + [(HOSTILE, "a", HOSTILE)]
    source.write_text("\n".join(map(",".join, rows)) + "\n", encoding="utf-8")
    assert main([str(source), "--truth", "truth", "--html", str(path)]) == 0
    return path


def test_report_shows_the_ranking(page, report):
    """The ranking is on the screen, best first, and nothing is complained of or fetched."""
    page.goto(report.as_uri())
    heading = page.get_by_role("heading", name="Ranking, by posterior mean")
    assert heading.is_visible()
    table = heading.locator("xpath=following::table[1]")
    header, first, second = table.locator("tr").all()
    assert header.inner_text().split("\t")[:2] == ["classifier", "P(best)"]
    assert first.inner_text().startswith("1 second")
    assert second.inner_text().startswith(f"2 {HOSTILE}")
    assert page.complaints == []
    assert page.requests == [report.as_uri()]


def test_report_runs_nothing(page, report):
    """Markup out of the file is text: the title is still that of the report."""
    page.goto(report.as_uri())
    assert page.title().startswith("Posterior balanced accuracy: ")
    assert page.evaluate("document.scripts.length") == 0


def test_report_has_its_pictures(page, report):
    """All are drawn, with the names of the classifiers, and no wider than the page."""
    page.goto(report.as_uri())
    densities, difference, recalls = pictures = page.locator("figure svg").all()
    assert "second" in densities.text_content()
    assert "second better" in difference.text_content()
    assert HOSTILE[:10] in recalls.text_content()
    width = page.evaluate("document.body.clientWidth")
    for picture in pictures:
        box = picture.bounding_box()
        assert 100 < box["width"] <= width
        assert box["height"] > 100


def test_text_is_seen_in_light_and_dark(page, report):
    """Text and background contrast by at least 7 to 1, as WCAG asks of the highest level."""
    page.goto(report.as_uri())
    text = page.evaluate("getComputedStyle(document.querySelector('td')).color")
    dark = page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    # The browser paints the canvas of a page that takes both schemes.
    background = 0.0061 if dark else 1.0  # luminance of #121212 and of white
    ink = luminance(*map(int, text.removeprefix("rgb(").rstrip(")").split(",")[:3]))
    low, high = sorted((ink, background))
    assert (high + 0.05) / (low + 0.05) >= 7


def luminance(*channels):
    """Return the relative luminance of a colour of the web, as WCAG defines it."""
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
        for c in (channel / 255 for channel in channels)
    ]
    return sum(share * part for share, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize("color", ["rgb(0, 0, 0)", "rgb(221, 221, 221)"])
def test_notebook_tables_take_the_colour_of_the_page(color, page):
    """Whatever theme a notebook has, text and axis are as legible as its own text."""
    one = PosteriorBalancedAccuracy.from_counts([30, 8], [32, 10], classes=[HOSTILE, "b"])
    two = PosteriorBalancedAccuracy.from_counts([25, 9], [32, 10], classes=[HOSTILE, "b"])
    results = [one, compare_posteriors({HOSTILE: one, "two": two})]
    body = "".join(result._repr_html_() for result in results)
    page.set_content(f"<!DOCTYPE html><body style='color: {color}'>{body}")
    seen = "node => getComputedStyle(node).color"
    for tag in ("td", "th", "code"):
        assert set(page.locator(tag).evaluate_all(f"nodes => nodes.map({seen})")) == {color}
    axis = page.locator("svg path").evaluate("node => getComputedStyle(node).stroke")
    assert axis == color
    assert page.title() == ""
    assert page.complaints == []
