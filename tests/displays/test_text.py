"""Names and figures as text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skpostbac._plot.text import estimate, shorten
from skpostbac.stats import Interval

# Long names of few characters, many of which are cut to the same text.
NAMES = st.lists(st.text("ab.", max_size=30), max_size=8, unique=True)


@given(NAMES, st.integers(8, 20))
def test_different_names_stay_different(names, width):
    """Whatever is cut, no two names become the same, and short ones stay as they are."""
    shown = shorten(names, width)
    assert len(set(shown)) == len(names)
    for name, text in zip(names, shown, strict=True):
        assert len(text) <= max(width, len(name))
        assert len(name) > width or text == name


@pytest.mark.parametrize("width", [16, 20, 30, 60])
@pytest.mark.parametrize("place", [0, 10, 35, 69, 70], ids=str)
def test_the_differing_part_stays(place, width):
    """Wherever long names differ, the numbers are shown, and no name is too long."""
    names = [f"{'a' * place}{i}{'b' * (70 - place)}" for i in range(12)]
    shown = shorten(names, width)
    assert len(set(shown)) == 12
    for i, text in enumerate(shown):
        assert str(i) in text
        assert "..." in text
        assert len(text) <= width


def test_what_cannot_be_told_apart_is_numbered():
    """There is no room for both places in which these names differ, but a name stays short."""
    names = [f"{i}{'a' * 30}{j}{'b' * 30}{i}" for i in range(3) for j in range(3)]
    shown = shorten(names, 12)
    assert len(set(shown)) == 9
    assert max(map(len, shown)) <= 12


def test_equal_names_are_cut_alike():
    """The caller may have the same name twice."""
    assert shorten(["a" * 30, "a" * 30], 9) == ["aaa...aaa"] * 2


@pytest.mark.parametrize("width", [0.3, 0.1, 0.02, 1e-4, 1e-9])
def test_estimate_tells_the_ends_apart(width):
    """The difference of the written ends is that of the interval, with an error below a fifth."""
    low = 0.123456789
    _, ends = estimate(low, Interval(low, low + width)).split(" ", 1)
    written = [float(end) for end in ends.strip("[]").split(", ")]
    assert written[1] - written[0] == pytest.approx(width, rel=0.2)
