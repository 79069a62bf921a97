"""Settings shared by all tests."""

import os
from html.parser import HTMLParser

import hypothesis
import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import kstwo

# The makers of reference values are run by hand, and may need more than the tests do.
collect_ignore_glob = ["reference/make_*.py", "reference/generators"]

# Tests run on all cores already: threads of the linear algebra would only wait for one another.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

# No window is opened, and none is needed.
os.environ.setdefault("MPLBACKEND", "Agg")

# The first example of a property may pay for an import or a cache: no deadline.
# The examples are the same in every run; "thorough", which nox chooses, has more of them. Others
# are looked for by hand, with --hypothesis-profile=default --hypothesis-seed=N.
hypothesis.settings.register_profile("thorough", deadline=None, derandomize=True)
hypothesis.settings.register_profile(
    "quick", hypothesis.settings.get_profile("thorough"), max_examples=25
)
hypothesis.settings.load_profile("quick")


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


class HtmlPage(HTMLParser):
    """The tags with their attributes, the rows of the tables and the text of a piece of HTML."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.rows, self.text, self.in_cell = [], [], [], False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
            self.in_cell = True

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self.in_cell = False

    def handle_data(self, data):
        self.text.append(data)
        if self.in_cell:
            self.rows[-1][-1] += data


@pytest.fixture
def read_html():
    """Return the parser of a piece of HTML."""
    return HtmlPage


@pytest.fixture(scope="session")
def shortest_interval():
    """The interval of highest density of a distribution of SciPy with its mode inside."""

    def interval(frozen, level):
        def excess(p):
            return frozen.pdf(frozen.ppf(p)) - frozen.pdf(frozen.ppf(p + level))

        p = brentq(excess, 1e-12, 1 - level - 1e-12, xtol=1e-15)
        return frozen.ppf(p), frozen.ppf(p + level)

    return interval
