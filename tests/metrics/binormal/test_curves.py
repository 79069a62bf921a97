"""Areas and curves of two normal distributions, against mpmath and closed forms."""

import json
from pathlib import Path

import numpy as np
import pytest
from mpmath import mp, mpf
from scipy.special import logit, ndtr, ndtri

from skpostbac.binormal._curves import average_precision, precision, roc_auc

REFERENCE = Path(__file__).parents[2] / "reference" / "binormal.json"


def area(shift, ratio, fraction):
    """Return the average precision of one pair of distributions."""
    columns = (np.array([float(value)]) for value in (shift, ratio, logit(fraction)))
    return average_precision(*columns).item()


@pytest.mark.parametrize(
    "record",
    json.loads(REFERENCE.read_text(encoding="utf-8")),
    ids=lambda record: "{shift:g}-{ratio:g}-{fraction:g}".format(**record),
)
def test_average_precision_against_mpmath(record):
    """To 1e-10, relative to a value that may be 1e-6."""
    assert record["digits"] >= 12
    expected = float(record["average_precision"])
    value = area(record["shift"], record["ratio"], record["fraction"])
    assert value == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("fraction", [1e-300, 1e-6, 0.3, 0.999])
def test_equal_distributions_have_the_precision_of_guessing(fraction):
    """It is the share of the positives everywhere."""
    assert area(0, 1, fraction) == pytest.approx(fraction, rel=1e-12)
    curve = precision(np.array([-np.inf, -30, 0, 5]), 0.0, 1.0, logit(fraction))
    np.testing.assert_allclose(curve, fraction, rtol=1e-12)


@pytest.mark.parametrize("fraction", [1e-6, 0.3, 0.999])
@pytest.mark.parametrize("ratio", [0.1, 1, 10])
def test_positives_far_below_the_negatives(ratio, fraction):
    """Every negative is above: q alpha / (q alpha + 1 - alpha), integrated over the recall q."""
    odds = fraction / (1 - fraction)
    with mp.workdps(30):
        expected = float(1 - mp.log1p(mpf(odds)) / mpf(odds))
    assert area(-40 * np.hypot(1, ratio), ratio, fraction) == pytest.approx(expected, rel=1e-9)


def test_blocks_do_not_show():
    """More pairs than are integrated at a time, each as if it were alone."""
    rng = np.random.default_rng(0)
    columns = rng.normal(1, 1, 2500), np.exp(rng.normal(0, 1, 2500)), rng.normal(-2, 1, 2500)
    together = average_precision(*columns)
    for i in (0, 1023, 1024, 2499):
        alone = average_precision(*(column[i : i + 1] for column in columns))
        assert together[i] == pytest.approx(alone.item(), rel=1e-12)


@pytest.mark.parametrize("ratio", [0.2, 1, 5])
def test_area_under_the_roc_curve(ratio):
    """The closed form is the integral of the curve."""
    fpr = ndtr(np.linspace(-9, 9, 20_001))
    curve = ndtr((1.5 + ndtri(fpr)) / ratio)
    assert roc_auc(1.5, ratio) == pytest.approx(np.trapezoid(curve, fpr), abs=1e-6)


def test_precision_in_the_far_tail():
    """Both rates underflow, their quotient does not."""
    recall = ndtri(1e-300)
    with mp.workdps(400):
        true = mp.ncdf(mpf(recall))
        false = mp.ncdf(mpf(1.5) * mpf(recall) + 20)
        expected = float(true / (true + false))
    assert 0 < expected < 1
    assert precision(recall, -20.0, 1.5, 0.0) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("shift", "ratio", "limit"),
    [(1, 1, 1), (-1, 1, 0), (0, 1, 0.25), (-5, 1.1, 1), (5, 0.9, 0)],
)
def test_limit_at_recall_zero(shift, ratio, limit):
    """The wider distribution wins in the end, and of two alike the upper one."""
    log_odds = logit(0.25)
    assert precision(np.float64(-np.inf), shift, ratio, log_odds) == pytest.approx(limit)
    near = precision(np.float64(-1e8), shift, ratio, log_odds)
    assert near == pytest.approx(limit, abs=1e-9)
