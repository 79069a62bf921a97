"""joblib's own engines find what one job finds."""

import pytest
from joblib import parallel_config


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_engines_agree_with_one_job(backend, run_everything, sequential):
    """Scores, counts, outcomes, the chosen candidates and the pooled posterior are the same."""
    with parallel_config(backend=backend):
        assert run_everything(2) == sequential
