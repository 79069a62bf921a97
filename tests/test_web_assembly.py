"""The package without processes, threads and compiled files, as in a browser."""

import re
import runpy
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

DOC = Path(__file__).parents[1] / "doc"

pytestmark = pytest.mark.skipif(
    not DOC.is_dir(), reason="doc/ is not part of this copy"
)

# What Pyodide lacks: it has no processes, and its threads cannot be started.
BROWSER = """
import sys

# They are built for this machine, and come before it looks like another one.
import scipy.special, sklearn.metrics, sklearn.model_selection, sklearn.linear_model

sys.path.insert(0, {folder!r})
sys.platform = "emscripten"
for name in ("_multiprocessing", "_posixshmem", "_posixsubprocess", "multiprocessing.synchronize"):
    sys.modules[name] = None

import threading
def refuse(thread):
    raise RuntimeError("can't start new thread")
threading.Thread.start = refuse

import builtins
open_file = builtins.open
def read_only(path, mode="r", *arguments, **parameters):
    assert not set(mode) & set("wax+"), path
    return open_file(path, mode, *arguments, **parameters)
builtins.open = read_only

import skpostbac
assert skpostbac.__file__.startswith({folder!r})
{code}
"""

CALLS = """
import warnings
import numpy as np
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV

warnings.simplefilter("error")
X, y = make_classification(300, weights=[0.8], random_state=0)
model = LogisticRegression()
better = model.fit(X[:150], y[:150]).predict(X)
y_preds = {"better": better, "worse": np.where(np.arange(300) % 5, better, 1 - better)}

print(skpostbac.posterior_balanced_accuracy(y, better))
print(skpostbac.compare_predictions(y, y_preds, random_state=0))
print(skpostbac.compare_predictions(y, y_preds, metric="f1", random_state=0))
print(skpostbac.posterior_confusion_metric(y, better, metric="f1", random_state=0))
print(skpostbac.cross_val_posterior(model, X, y, cv=3))
print(skpostbac.required_test_size([0.9, 0.8], width=0.1))
print(skpostbac.subgroup_posteriors(y, better, sensitive_features=np.arange(300) % 2).gap)
search = GridSearchCV(
    model, {"C": [0.1, 1]}, scoring=skpostbac.ClassCountsScorer(),
    refit=skpostbac.PosteriorRefit(), cv=3,
)
print(search.fit(X, y).best_params_)
"""


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """The source as the site offers it, unpacked."""
    folder = tmp_path_factory.mktemp("browser")
    archive = folder / "skpostbac.zip"
    runpy.run_path(str(DOC / "browser_archive.py"))["write_archive"](archive)
    with ZipFile(archive) as opened:
        opened.extractall(folder / "source")
    return folder / "source"


def run(source, code):
    """Run code on the unpacked source in a process that refuses what a browser does."""
    done = subprocess.run(
        [sys.executable, "-c", BROWSER.format(folder=str(source), code=code)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_archive_is_pure_python(source):
    """It has the modules and the data of the package, and nothing compiled."""
    kinds = {path.suffix for path in source.rglob("*") if path.is_file()}
    assert kinds == {".py", ".typed", ".csv", ".html"}


def test_main_calls_need_no_threads_or_processes(source):
    """They work in order, and write no files."""
    printed = run(source, CALLS)
    assert "balanced accuracy is" in printed
    assert re.search(r"\{'C': [\d.]+\}", printed)


def test_code_of_the_page_runs(source):
    """What stands in the editor works as it is."""
    page = (DOC / "user_guide" / "try.rst").read_text("utf-8")
    (code,) = re.findall(r"<textarea.*?>\n(.*?)</textarea>", page, flags=re.S)
    lines = [line.removeprefix("   ") for line in code.splitlines()]
    printed = run(source, "\n".join(lines))
    # The page has the first report, as Python prints it.
    shown = page[page.index("    The balanced accuracy") :].partition("\n\n")[0]
    assert printed.startswith("\n".join(line[4:] for line in shown.splitlines()))
