"""ArviZ: draws of a posterior, in chains."""

import pytest

from skpostbac import PosteriorBalancedAccuracy

az = pytest.importorskip("arviz", reason="needs the group ecosystem")

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning")


def test_summary_of_draws():
    """Its mean is that of the posterior, and the chains agree."""
    posterior = PosteriorBalancedAccuracy.from_counts([40, 2], [45, 10])
    draws = {"balanced_accuracy": posterior.sample((4, 2500), rng=0)}
    row = az.summary(az.convert_to_dataset(draws)).loc["balanced_accuracy"]
    assert float(row["mean"]) == pytest.approx(posterior.mean(), abs=0.005)
    assert float(row["r_hat"]) == pytest.approx(1, abs=0.01)
