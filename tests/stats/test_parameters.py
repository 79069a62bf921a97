"""Parameters that are no numbers, or none that doubles hold, get an error that names them."""

import numpy as np
import pytest

from skpostbac.stats import (
    BetaAverage,
    BetaRatio,
    PairedDifference,
)

PAIR = BetaAverage([2], [1]), BetaAverage([1], [2])


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda: BetaAverage([2, 2], [2, 2], weights=[1e308, 1e308]), "weights"),
        (
            lambda: BetaRatio(*PAIR, np.array([[0, 0], [1e308, 1]]), np.ones((2, 2))),
            "numerator",
        ),
        (lambda: BetaRatio(*PAIR, np.eye(2), np.full((2, 2), 1e-320)), "denominator"),
        (lambda: BetaAverage([2, 2], [2, 2], weights=[1e-320, 1]), "weights"),
        (lambda: PairedDifference([[1, 2, 3, 4]], weights=[1e308]), "weights"),
    ],
)
def test_numbers_beyond_doubles_are_refused(make, name):
    """Too large for a double, or for its fourth power in the kurtosis."""
    with pytest.raises(ValueError, match=f"^{name} must"):
        make()
