"""The studies of all public calls find what they look for."""

import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("resource", reason="the studies limit what processes take")
ROOT = Path(__file__).parents[1]

WRONG = """
import os, fuzz_api
from skpostbac import ClassCounts, PosteriorAccuracy
PosteriorAccuracy.mean = lambda self: -1.0
ClassCounts.to_json = lambda self: os.abort()
kept = ("ClassCounts([", "PosteriorAccuracy")
fuzz_api.OBJECTS[:] = [text for text in fuzz_api.OBJECTS if text.startswith(kept)]
fuzz_api.main({arguments})
"""
SLOW = """
import slow_calls
from skpostbac.stats import BetaAverage
def forever(self):
    while True:
        pass
BetaAverage.mode = forever
slow_calls.TURNS[:] = ["sum of Beta variables"]
slow_calls.METHODS = 1
for inputs in {inputs}:
    slow_calls.main([*{arguments}, "--inputs", inputs])
"""


def run(script, path, *options, **others):
    """Run a script on few calls, and return what it saved."""
    arguments = [*options, "--jobs", "1", "--results", str(path)]
    code = script.format(arguments=arguments, **others)
    path_of_modules = os.pathsep.join([str(ROOT), str(ROOT / "benchmarks")])
    environment = {**os.environ, "PYTHONPATH": path_of_modules, "OMP_NUM_THREADS": "1"}
    subprocess.run([sys.executable, "-c", code], env=environment, check=True, capture_output=True)
    return json.loads(path.read_text())


@pytest.fixture
def fuzz_api(monkeypatch):
    """The fuzzer, whose tables of arguments are not kept."""
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    module = importlib.import_module("fuzz_api")
    monkeypatch.setattr(module, "VALID", {**module.VALID})
    monkeypatch.setattr(module, "OBJECTS", [*module.OBJECTS])
    yield module
    module.targets.cache_clear()


def test_fuzzer_knows_all_that_is_public(fuzz_api):
    """All parameters have valid arguments, and all classes objects whose methods are called."""
    assert fuzz_api.unknown_parameters() == []
    assert fuzz_api.classes_without_object() == []


@pytest.mark.slow
def test_fuzzer_gets_results_of_all_that_is_public(fuzz_api):
    """Its valid arguments are valid: a function that refuses all of them is not tested."""
    assert fuzz_api.never_right() == []


def test_what_the_fuzzer_does_not_know_is_told(fuzz_api):
    """A new parameter, a new class, and arguments that are refused."""
    del fuzz_api.VALID["search"]
    assert fuzz_api.unknown_parameters() == ["PosteriorSearchDisplay.from_search(search)"]
    fuzz_api.OBJECTS.remove("Hyperprior()")
    assert fuzz_api.classes_without_object() == ["Hyperprior"]
    fuzz_api.VALID["n_classes"] = ["0"]
    match = "^(binary_equivalent|class_)"
    assert fuzz_api.never_right(match, tries=5) == ["binary_equivalent_accuracy"]


@pytest.mark.slow
def test_fuzzer_finds_wrong_results_and_crashes(tmp_path):
    """A mean outside the support and an abort are told apart from all that is right."""
    match = r"PosteriorAccuracy\.(mean|median)$|ClassCounts.to_json$"
    state = run(WRONG, tmp_path / "wrong.json", "--calls", "20", "--match", match)
    assert set(state["found"]) == {
        "PosteriorAccuracy.mean |  | wrong",
        "ClassCounts.to_json |  | ended the process: SIGABRT",
    }
    call = state["found"]["PosteriorAccuracy.mean |  | wrong"]["call"]
    assert call == "(PosteriorAccuracy.from_counts([3, 5], [4, 9])).mean()"
    assert state["calls"] == 20


@pytest.mark.slow
def test_study_of_slow_calls_outlives_a_call_without_end(tmp_path):
    """A call without end is stopped and saved with its input, and the study goes on."""
    path, match = tmp_path / "slow.json", r"BetaAverage\.(mode|mean)$"
    options = ("--limit", "1", "--match", match, "--resume")
    state = run(SLOW, path, *options, inputs=["1", "2"])
    assert state["inputs"] == 2
    assert state["calls"]["BetaAverage.mean"]["times"] == 1
    (rows,) = state["missed"].values()
    label, text, _, error, *_ = rows[-1]
    assert label == "BetaAverage.mode"
    assert error.startswith("lost")
    assert text.startswith("(BetaAverage(")
    assert text.endswith(".mode()")
    assert text in path.with_suffix(".rst").read_text()
