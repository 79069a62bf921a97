"""joblib's own engines find what one job finds."""

import pytest
from joblib import parallel_config

# joblib's multiprocessing forks, of which Python 3.12 and later warn wherever there are threads.
pytestmark = pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning")


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["loky", "threading", "multiprocessing"])
def test_engines_agree_with_one_job(backend, run_everything, sequential):
    """Scores, counts, outcomes, the chosen candidates and the pooled posterior are the same."""
    with parallel_config(backend=backend):
        assert run_everything(2) == sequential
