"""Settings shared by all tests."""

import os
import re
import sys
from types import SimpleNamespace
from xml.etree import ElementTree as ET

import hypothesis
import numpy as np
import pytest
from scipy.stats import kstwo
from threadpoolctl import threadpool_limits

# The makers of reference values are run by hand, and may need more than the tests do.
collect_ignore_glob = ["reference/make_*.py", "reference/generators"]

# Tests run on all cores already: threads of the linear algebra, in this process and in those that
# it starts, would only wait for one another.
threadpool_limits(1)
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

# No window is opened, and none is needed.
os.environ.setdefault("MPLBACKEND", "Agg")

# The first example of a property may pay for an import or a cache: no deadline.
# The examples are the same in every run; "thorough", which nox chooses, has more of them. Others
# are looked for by hand, with --hypothesis-profile=default --hypothesis-seed=N.
hypothesis.settings.register_profile(
    "thorough", deadline=None, derandomize=True, max_examples=25
)
hypothesis.settings.register_profile(
    "quick", hypothesis.settings.get_profile("thorough"), max_examples=10
)
hypothesis.settings.load_profile("quick")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Leave the pages of the user guide to a thorough run, as their doctests are long."""
    for item in items:
        if item.path.suffix == ".rst" and item.path.parent.name == "user_guide":
            item.add_marker("slow")


@pytest.fixture(autouse=True)
def _no_figure_is_left():
    """Close the figures of a test, so that the next one sees its own."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.fixture(autouse=True, scope="module")
def _no_worker_is_left():
    """Shut down the processes of joblib after each module.

    They end by themselves after five minutes without work; a task that is sent at that very moment
    may never be done.
    """
    yield
    loky = sys.modules.get("joblib.externals.loky.reusable_executor")
    if loky is not None and loky._executor is not None:
        loky.get_reusable_executor().shutdown(wait=True)


def pvalue_of_draws(draws, cdf):
    """Return the p-value of the test of Kolmogorov and Smirnov, looking at 200 of the draws.

    From one of these to the next the empirical cdf rises by 1/200, so that little of the largest
    deviation is missed: near 1e-3 the p-value is less than twice that of the whole test, at a
    hundredth of the cost of 20,000 values of the cdf.
    """
    n = len(draws)
    places = np.unique(np.linspace(0, n - 1, 200).astype(int))
    values = np.asarray(cdf(np.sort(draws)[places]))
    return kstwo.sf(np.abs(values - (places + 0.5) / n).max(), n)


@pytest.fixture
def draws_pvalue():
    """Return the function that tests whether draws follow a cdf."""
    return pvalue_of_draws


@pytest.fixture
def read_html():
    """Return the parser of a view: its tags with their attributes, rows of tables and texts."""

    def read(view):
        root = ET.fromstring(view)
        return SimpleNamespace(
            tags=[(node.tag, node.attrib) for node in root.iter()],
            rows=[
                ["".join(cell.itertext()) for cell in row] for row in root.iter("tr")
            ],
            text=list(root.itertext()),
        )

    return read


# Tags that fetch, run or restyle something.
ACTIVE = {"script", "link", "img", "iframe", "style", "object", "embed", "form", "a"}


def check_view(text):
    """Check the view of a notebook: well-formed, alone, of any theme, with columns that line up."""
    root = ET.fromstring(
        text
    )  # all tags are closed, and all that is special is escaped
    for node in root.iter():
        assert node.tag not in ACTIVE
        assert not {
            name for name in node.attrib if name in ("href", "src") or name[:2] == "on"
        }
    # Text has the colour of the page, on its background; what has one of its own is seen on both.
    colors = set(
        re.findall(r"#[0-9a-f]{3,8}\b", re.split("</code>|</p>", text, maxsplit=1)[1])
    )
    assert colors <= {"#3388cc", "#8888"}
    assert not re.findall(r"[\";]background|[\";]color:(?!inherit)", text)
    for table in root.iter("table"):
        rows = [[cell.text or "" for cell in row] for row in table.find("tbody")]
        width = len(table.find("thead").find("tr"))
        # The last row may be a note across all columns.
        cells = [row for row in rows if len(row) == width]
        assert len(rows) - len(cells) <= 1
        assert cells
        if table.find("thead")[0][0].text != "parameter":
            for column in list(zip(*cells, strict=True))[1:]:
                assert len(decimals_of(column)) <= 1, column


def decimals_of(cells):
    """Return the numbers of decimals that there are in some cells."""
    return {
        len(digits)
        for cell in cells
        for digits in re.findall(r"\d(?:\.(\d+))?(?!\d|\.)", cell)
    }


@pytest.fixture(name="check_view")
def check_view_fixture():
    """Return the function that checks the view of a notebook."""
    return check_view
