"""Settings shared by all tests."""

import os
from html.parser import HTMLParser

import hypothesis
import pytest

# The makers of reference values are run by hand, and may need more than the tests do.
collect_ignore_glob = ["reference/make_*.py", "reference/generators"]

# Tests run on all cores already: threads of the linear algebra would only wait for one another.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

# No window is opened, and none is needed.
os.environ.setdefault("MPLBACKEND", "Agg")

# The first example of a property may pay for an import or a cache: no deadline.
# The examples are the same in every run; a longer search is started by hand, with
# --hypothesis-profile=default --hypothesis-seed=N.
hypothesis.settings.register_profile("skpostbac", deadline=None, derandomize=True)
hypothesis.settings.load_profile("skpostbac")


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
