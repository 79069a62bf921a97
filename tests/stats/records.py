"""Tests with the reference values of many distributions."""

import pytest


def each_record(records):
    """Run a test with each record, by name, of which all but a quarter are slow tests.

    A quarter of each regime, with its first record, is run quickly. All tests of a record come one
    after the other, in one process, which makes its distribution once.
    """
    regimes = {}
    for name, record in records.items():
        regimes.setdefault(record["regime"], []).append(name)
    quick = {name for names in regimes.values() for name in names[::4]}
    cases = [pytest.param(name, marks=[pytest.mark.slow] * (name not in quick)) for name in records]
    return pytest.mark.parametrize("name", cases, scope="module")
