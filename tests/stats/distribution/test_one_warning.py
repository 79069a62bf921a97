"""One warning for each call of the user, of all that the methods it consists of leave out."""

import warnings

import pytest

from skpostbac import PosteriorBalancedAccuracy, group_posterior
from skpostbac.stats._distribution import LeftOut, one_warning


@pytest.fixture
def cut_off(monkeypatch):
    """Let every answer be cut off, with an error of its own."""
    warn, errors = LeftOut.warn, iter(range(2, 10_000))

    def cut_off_and_warn(left_out):
        left_out.probability = max(left_out.probability, next(errors) * 1e-6)
        warn(left_out)

    monkeypatch.setattr(LeftOut, "warn", cut_off_and_warn)


@pytest.mark.parametrize("view", ["_repr_html_", "report", "summary", "plot"])
@pytest.mark.parametrize(
    "make",
    [
        lambda: PosteriorBalancedAccuracy.from_counts([18, 16], [20, 20]),
        lambda: group_posterior([[8, 9], [7, 9]], [[10, 10], [10, 10]]),
    ],
    ids=["posterior", "groups"],
)
def test_call_of_many_methods_warns_once(make, view, cut_off):
    call = getattr(make(), view)
    with warnings.catch_warnings(record=True, action="always") as told:
        call()
    assert [one.category for one in told] == [RuntimeWarning]


def test_largest_error_is_named():
    @one_warning
    def outer():
        for error in (1e-5, 3e-3, 1e-7):
            inner(error)

    @one_warning
    def inner(error):
        left_out = LeftOut()
        left_out.probability = error
        left_out.warn()

    with warnings.catch_warnings(record=True, action="always") as told:
        outer()
    assert len(told) == 1
    assert str(told[0].message).endswith("errors of about 3e-03.")
    assert told[0].filename == __file__


def test_error_of_a_call_does_not_silence_the_next():
    @one_warning
    def broken():
        raise ValueError("no answer")

    with pytest.raises(ValueError, match="no answer"):
        broken()
    left_out = LeftOut()
    left_out.log_tail = 1.0
    with pytest.warns(RuntimeWarning, match="Far tails"):
        left_out.warn()
