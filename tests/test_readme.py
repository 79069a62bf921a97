"""The figures of the first page that are not printed by its code."""

import re
import runpy
import shutil
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from docutils import core, nodes
from scipy.stats import binom

from skpostbac import ClassCounts, PosteriorBalancedAccuracy
from skpostbac.__main__ import main

SAMPLES, RECALL = 5, 0.9


def bootstrap_interval(counts):
    """Return the 95 % percentile interval of two classes, over all bootstrap samples."""
    hits = np.arange(SAMPLES + 1)
    one, other = (binom.pmf(hits, SAMPLES, count / SAMPLES) for count in counts)
    below = np.cumsum(np.convolve(one, other))
    return [np.searchsorted(below, p) / (2 * SAMPLES) for p in (0.025, 0.975)]


def posterior_interval(counts):
    """Return the default interval."""
    return PosteriorBalancedAccuracy(
        ClassCounts([0, 1], counts, [SAMPLES, SAMPLES])
    ).credible_interval()


@pytest.mark.parametrize(
    ("interval", "coverage"),
    [
        pytest.param(bootstrap_interval, 0.65, id="bootstrap"),
        pytest.param(posterior_interval, 0.98, id="posterior"),
    ],
)
def test_coverage_over_all_outcomes(interval, coverage):
    """Two classes of five samples, recalls of 90 %: a sum over all 36 outcomes."""
    held = 0.0
    for counts in product(range(SAMPLES + 1), repeat=2):
        low, high = interval(counts)
        held += (low <= RECALL <= high) * binom.pmf(counts, SAMPLES, RECALL).prod()
    assert round(held, 2) == coverage


def test_site_begins_as_the_first_page():
    """The site's first page has the command that installs, and an answer, as this one has."""
    root = Path(__file__).parents[1]
    block = r"(?m)^\.\. code-block:: \w+\n\n(?:    .*\n)+"
    shown = re.findall(block, (root / "doc" / "index.rst").read_text("utf-8"))
    assert len(shown) == 2
    assert set(shown) <= set(
        re.findall(block, (root / "README.rst").read_text("utf-8"))
    )


def test_links_of_the_package_index_are_absolute(tmp_path):
    """With an address, no link or picture is relative, and without one the text is the file."""
    pytest.importorskip("nox")
    root = Path(__file__).parents[1]
    link_pages = runpy.run_path(str(root / "noxfile.py"))["link_pages"]
    readme = tmp_path / "README.rst"
    shutil.copy(root / "README.rst", readme)
    (tmp_path / "skpostbac").mkdir()
    shutil.copy(root / "skpostbac" / "__init__.py", tmp_path / "skpostbac")

    (tmp_path / "pyproject.toml").write_text("[project]\n")
    link_pages(tmp_path)
    assert readme.read_text("utf-8") == (root / "README.rst").read_text("utf-8")

    address = "https://host.org/skpostbac"
    (tmp_path / "pyproject.toml").write_text(f'[project.urls]\nSource = "{address}"\n')
    link_pages(tmp_path)
    page = core.publish_doctree(readme.read_text("utf-8"))
    links = [node["refuri"] for node in page.findall(nodes.reference)]
    links += [node["uri"] for node in page.findall(nodes.image)]
    assert len(links) > 5
    assert all(link.startswith(f"{address}/") for link in links)
    assert any(link.endswith("/doc/_static/overview.svg") for link in links)


def test_command_works_as_printed(tmp_path, monkeypatch, capsys):
    """The lines that write a file of predictions and read it, in an empty folder."""
    pytest.importorskip("matplotlib")
    root = Path(__file__).parents[1]
    lines = (
        (root / "README.rst").read_text("utf-8").partition("    printf")[2].splitlines()
    )
    command = lines[1].strip()
    assert command.startswith("skpostbac ")
    text = lines[0].partition("'")[2].partition("'")[0].replace("\\n", "\n")
    (tmp_path / "predictions.csv").write_text(text)
    monkeypatch.chdir(tmp_path)
    assert main(command.split()[1:]) == 0
    assert "Truth     column species of predictions.csv" in capsys.readouterr().out
    assert (tmp_path / "report.html").stat().st_size > 1000
