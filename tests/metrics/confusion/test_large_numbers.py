"""Texts of metrics without an upper bound, whose numbers may have any size."""

import re
import warnings

import numpy as np
import pytest

from skpostbac import PosteriorConfusionMetric
from skpostbac._utils import format_estimates, round_estimate
from skpostbac.metrics import NetBenefit, PriorInfluenceWarning


@pytest.mark.parametrize(
    ("mean", "interval", "expected"),
    [
        (99_999.4, (99_999.0, 99_999.9), ("99999.400", "99999.000", "99999.900")),
        (123_456.7, (123_000.0, 124_000.0), ("1.2346e+05", "1.2300e+05", "1.2400e+05")),
        (5e28, (2e3, 3e29), ("5.000e+28", "2000", "3.000e+29")),
        (-9e14, (-1.4e15, -4e14), ("-9.000e+14", "-1.400e+15", "-4.000e+14")),
        (np.inf, (2e7, 3e8), ("inf", "2.000e+07", "3.000e+08")),
        (1e9, (1e9, 1e9), ("1.000e+09", "1.000e+09", "1.000e+09")),
    ],
)
def test_large_estimates_have_significant_digits(mean, interval, expected):
    assert round_estimate(mean, interval) == expected


def test_rows_of_a_table_are_formatted_alone():
    rows = format_estimates([0.5, 2e7], [(0.2, 0.8), (1e7, 3e7)])
    assert rows == [("0.500", "[0.200, 0.800]"), ("2.000e+07", "[1.000e+07, 3.000e+07]")]


def test_threshold_next_to_one_is_told_from_one():
    metric = NetBenefit(1 - 1e-16)
    posterior = PosteriorConfusionMetric.from_confusion_matrix([[50, 10], [5, 35]], metric)
    assert posterior.metric == "net benefit of 1 at 0.9999999999999999"
    for text in (posterior.report(), repr(posterior), posterior._repr_html_()):
        assert not re.search(r"\d{10}", text.replace("0.9999999999999999", ""))


def test_infinite_ratio_without_errors_gives_no_warning():
    """Any prior moves it, and no other prior would help."""
    with warnings.catch_warnings(action="error", category=PriorInfluenceWarning):
        posterior = PosteriorConfusionMetric.from_confusion_matrix(
            [[50, 0], [0, 50]], "positive_likelihood_ratio", prior="jeffreys"
        )
    assert posterior.observed == np.inf
