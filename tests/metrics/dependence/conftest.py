"""Test sets whose samples are of groups."""

import pytest

from tests.metrics.dependence.slow import draw


@pytest.fixture(params=["nested", "crossing"])
def grouped(request):
    """Labels, two predictions and groups, within classes or across."""
    return draw(5, nested=request.param == "nested")
