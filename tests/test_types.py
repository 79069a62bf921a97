"""What a type checker tells those who use the package."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CLIENT = """
from typing import assert_type

import numpy as np

from skpostbac import (
    ClassCounts,
    class_counts,
    compare_predictions,
    make_posterior_scorer,
    posterior_balanced_accuracy,
)
from skpostbac.metrics import make_ranking_scorer
from skpostbac.stats import BetaAverage, Interval

y = [0, 1, 1]
counts = class_counts(y, y)
assert_type(counts + counts, ClassCounts)
assert_type(sum([counts], start=counts), ClassCounts)
posterior = posterior_balanced_accuracy(y, y, prior="uniform")
posterior_balanced_accuracy(y, y, prior=(0.5, 0.5))
posterior_balanced_accuracy(y, y, prior=[[0.5, 0.5], [1, 2]])
posterior_balanced_accuracy(y, y, prior=np.ones((2, 2)))
posterior_balanced_accuracy(y, y, prior=posterior.prior)
assert_type(posterior.prob_above(0.5), float)
assert_type(posterior.prob_below(1), float)
posterior.prob_above(np.array([0.5])).max()
posterior.prob_below([0.5, 0.6]).max()
assert_type(posterior.distribution.icdf(0.5), float)
assert_type(posterior.sample(), float)
assert_type(posterior.confidence_sequence(0.9), Interval)
comparison = compare_predictions(y, {"one": y, "two": y})
assert_type(comparison.confidence_sequence("one", "two"), Interval)
assert_type(comparison.sequential_p_value("one", "two"), float)
posterior.distribution.cdf(np.array([0.5]), 1).max()
posterior.sample(3).max()
average = BetaAverage([9.0, 5.0], [2.0, 1.0])
assert_type(average.logcdf(0.5), float)
average.pdf([0.5, 0.6]).max()
score: float = make_posterior_scorer("lower", prior="jeffreys")(None, y, y)
score = make_ranking_scorer(objective="median")(None, y, y, sample_weight=y)
make_posterior_scorer().set_score_request(sample_weight=True)
posterior_balanced_accuracy(y, y, prior="unifrm")  # refused
make_posterior_scorer("lowr")  # refused
make_posterior_scorer().fit()  # refused
posterior.credible_interval(method="shortest")  # refused
"""


@pytest.mark.slow
def test_types_of_a_client(tmp_path):
    """Only what is wrong is refused, without an ignored or unused line."""
    pytest.importorskip("mypy")
    path = tmp_path / "client.py"
    path.write_text(CLIENT, encoding="utf-8")
    options = ["--strict", "--no-error-summary"]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *options, path],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    lines = [int(line) for line in re.findall(r"client\.py:(\d+): error", done.stdout)]
    refused = [
        number
        for number, line in enumerate(CLIENT.splitlines(), start=1)
        if line.endswith("# refused")
    ]
    assert lines == refused, done.stdout
