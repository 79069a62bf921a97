"""How many orders a series has, and what completes it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skpostbac.stats import BetaAverage, _fourier
from skpostbac.stats._fourier import CHEAP, MAX_ORDERS, Truncation
from skpostbac.stats._numerics import sums_at

ORDER = st.floats(1, 1e12)


@pytest.mark.parametrize(
    ("vanishing", "resolved", "n_orders", "completion"),
    [
        (100.0, 1e9, 101, "nothing"),
        (1e9, 1500.0, 1501, "corners"),
        (2000.0, 1e9, 2001, "nothing"),
        (1e9, 1e7, MAX_ORDERS, "level"),
        (CHEAP, 20.0, CHEAP + 1, "nothing"),
    ],
    ids=["vanished early", "resolved", "vanished first", "neither", "cheap"],
)
def test_truncation(vanishing, resolved, n_orders, completion):
    """Orders end where the transform has vanished or is a sum over corners, or go on."""
    chosen = Truncation.of(*np.array([[vanishing], [resolved], [0.0]]))
    # Rounded up to one of four numbers for each power of two.
    assert n_orders <= chosen.n_orders[0] <= 1.25 * n_orders
    assert chosen.has_corners.tolist() == [completion == "corners"]
    assert chosen.has_level.tolist() == [completion == "level"]


@given(
    vanishing=ORDER, resolved=ORDER, begun=st.sampled_from([0.0, 7.0, 500.0, 40_000.0])
)
def test_a_series_is_complete(vanishing, resolved, begun):
    """Where nothing completes a series it has vanished; a level reaches eight times as far."""
    chosen = Truncation.of(*np.array([[vanishing], [resolved], [begun]]))
    n_orders = chosen.n_orders[0]
    is_vanished = vanishing <= n_orders
    assert [is_vanished] == list(~(chosen.has_corners | chosen.has_level))
    assert not chosen.has_corners[0] or resolved <= n_orders
    assert not chosen.has_level[0] or n_orders >= max(MAX_ORDERS, 8 * begun)
    assert n_orders > begun


@pytest.mark.parametrize(
    ("a", "b", "weights"),
    [
        ([0.5, 0.5], [30.5, 3e6], [0.5, 0.5]),
        ([0.5, 10.5], [30.5, 3e7], [0.5, -0.5]),
        ([0.1, 0.2, 0.3], [0.1, 1.0, 50.0], [1.0, 1e-5, 1e-6]),
        ([0.05, 20.5, 3.0], [5.0, 1e5, 9e8], [0.4, 0.3, 0.3]),
    ],
    ids=["perfect", "difference", "weights", "three scales"],
)
def test_more_orders_agree(monkeypatch, a, b, weights):
    """Where a level takes over from the series before it is not seen."""
    variable = BetaAverage(a, b, weights=weights)
    x = variable.icdf(np.linspace(0.001, 0.999, 50))
    expected = variable.cdf(x)
    monkeypatch.setattr(_fourier, "MAX_ORDERS", 2**13)
    found = BetaAverage(a, b, weights=weights).cdf(x)
    # Beside corners, the rule that sums the remainder leaves up to 1e-9.
    assert 0 < np.abs(found - expected).max() < 1e-9


def test_levels_of_arrays_are_those_of_single_sums():
    """Of different numbers of levels and corners, together and one by one."""
    rng = np.random.default_rng(0)
    a = np.where(rng.random((40, 5)) < 0.5, 0.5, rng.uniform(0.3, 30, (40, 5)))
    b = 10 ** rng.uniform(0.5, 8, (40, 5))
    together = BetaAverage(a, b)
    factors = np.array([[0.01], [0.1], [0.5], [1], [2]])
    x = factors * together.mean()
    alone = np.array(
        [BetaAverage(*ab).cdf(x[:, i]) for i, ab in enumerate(zip(a, b, strict=True))]
    )
    assert np.abs(together.cdf(x).T - alone).max() < 1e-12


@pytest.mark.parametrize("n_orders", [8, 75, 2047])
def test_sums_on_a_grid_are_those_at_each_point(n_orders):
    rng = np.random.default_rng(0)
    coefficients = rng.normal(size=(3, 2, n_orders, 2)) @ [1, 1j]
    turns = rng.uniform(-2, 2, (3, 101))
    phases = np.multiply.outer(turns, np.arange(1, n_orders + 1))
    expected = np.einsum("mdk,mnk->mdn", coefficients, np.exp(-2j * np.pi * phases))
    actual = sums_at(coefficients, turns)
    assert actual == pytest.approx(expected.real, abs=1e-13 * n_orders)


def test_many_points_at_a_time_are_those_of_a_few():
    """They are interpolated on a grid, and a few are summed."""
    one = BetaAverage([30.5, 999_990.5, 0.4], [0.5, 10.5, 3.4])
    x = np.linspace(0, 1, 301)
    few = np.concatenate([one.cdf(part) for part in np.array_split(x, 43)])
    assert one.cdf(x) == pytest.approx(few, abs=1e-13)


def test_only_the_strongest_remainders_of_a_level_are_summed(monkeypatch):
    """Here 512 of 16,384 corners: more of them move probabilities by less than 1e-9."""
    rng = np.random.default_rng(665257)
    one = BetaAverage(
        np.append(np.full(45, 0.2839), np.full(5, 0.2351)),
        np.append(np.full(45, 0.002885), [1.0, 4.0, 14.0, 54.0, 204.0]),
        weights=np.append(rng.normal(size=45), [1.0, -1.0, 1.0, -1.0, 1.0]),
    )
    x = one.mean() + one.standard_deviation() * np.array([-1.5, -0.3, 0.4])
    probabilities = one.cdf(x)
    monkeypatch.setattr(_fourier, "_MAX_REMAINDERS", 2_048)
    assert probabilities == pytest.approx(
        BetaAverage(one.a, one.b, weights=one.weights).cdf(x), abs=1e-9
    )
