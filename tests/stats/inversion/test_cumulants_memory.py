"""Room that the bound of the range of many rough terms takes."""

import tracemalloc

import numpy as np

from skpostbac.stats._beta.terms import WeightedBetas


def test_cumulant_functions_take_room_for_one_rate():
    """They are those of a direct sum, for 400 rates in the room of a few."""
    exponents, weights = np.full(200, 0.01), np.linspace(1.0, 2.0, 200)
    distribution = WeightedBetas.of(exponents, exponents, weights).tilted(0.1)
    rates = np.linspace(-20.0, 20.0, 400)
    nodes = distribution.terms.quadrature(distribution.everything, np.full(200, 20.0), rates.size)
    exact = [np.log((nodes.weights * np.exp(h * nodes.nodes)).sum(axis=1)).sum() for h in rates]
    tracemalloc.start()
    found = distribution._cumulant_functions(distribution.everything, rates)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    np.testing.assert_allclose(found, exact, rtol=1e-9)
    assert peak < 60 * nodes.nodes.nbytes
