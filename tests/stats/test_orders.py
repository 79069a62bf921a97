"""How a Fourier series is completed follows from its number of orders."""

import numpy as np
import pytest

from skpostbac.stats import BetaAverage
from skpostbac.stats._beta import characteristic
from skpostbac.stats._fourier import Truncation, orders

# Ends resolved early, or never for a narrow variable beside a wide one.
WIDE = BetaAverage([0.1, 0.2], [0.1, 1.0])
NARROW = BetaAverage([0.1, 0.2, 0.3], [0.1, 1.0, 50.0], weights=[1.0, 1e-5, 1e-6])
CASES = pytest.mark.parametrize(
    ("a", "b", "weights"),
    [(d.a, d.b, d.weights) for d in (WIDE, NARROW)],
    ids=["wide", "narrow"],
)


@CASES
@pytest.mark.parametrize("share", [0.5, 0.25])
def test_fewer_orders_raise(monkeypatch, a, b, weights, share):
    """Instead of a Gauss rule for a variable that is not narrow."""
    monkeypatch.setattr(
        characteristic, "orders", lambda *given: np.ceil(share * orders(*given))
    )
    with pytest.raises(RuntimeError, match="ends before its variables are resolved"):
        BetaAverage(a, b, weights=weights).cdf(0.4)


@CASES
def test_more_orders_agree(monkeypatch, a, b, weights):
    """What sums over corners leave out is not missed."""
    x = np.array([0.3, 0.4, 0.8])
    expected = BetaAverage(a, b, weights=weights).cdf(x)
    monkeypatch.setattr(characteristic, "orders", lambda *given: 2 * orders(*given))
    assert BetaAverage(a, b, weights=weights).cdf(x) == pytest.approx(
        expected, abs=1e-10
    )


@pytest.mark.parametrize(
    ("vanished", "resolved", "n_orders", "has_corners", "is_narrow"),
    [
        (500.0, [100.0, 1e9], 501, False, [False, False]),
        (1e9, [100.0, 3000.0], 3001, True, [False, False]),
        (2000.0, [100.0, 3000.0], 2001, False, [False, False]),
        (1e9, [100.0, 1e8], 2**16, True, [False, True]),
    ],
    ids=["vanished early", "resolved", "vanished first", "narrow"],
)
def test_truncation(vanished, resolved, n_orders, has_corners, is_narrow):
    """Three facts of each series: orders, corners and narrow variables."""
    resolved = np.array([resolved])
    vanished = np.array([vanished])
    count = orders(vanished, resolved.max(axis=1), 2)
    truncation = Truncation.of(count, vanished, resolved)
    assert truncation.n_orders == n_orders
    assert truncation.has_corners == has_corners
    assert truncation.is_narrow.tolist() == [is_narrow]
