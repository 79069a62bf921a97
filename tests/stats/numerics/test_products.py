"""Matrix products in blocks, against sums of products by `numpy.einsum`."""

import numpy as np
import pytest

from skpostbac.stats._numerics import matrix_product, stacked_products

# In one block, in blocks of rows, of columns, and of both; too narrow for blocks; empty.
SHAPES = [
    (3, 4, 5),
    (2000, 37, 55),
    (55, 37, 2000),
    (300, 100, 301),
    (25, 1368, 120),
    (7, 9000, 9),
    (0, 5, 3),
    (3, 0, 4),
    (4, 5, 0),
]


@pytest.mark.parametrize(("m", "k", "n"), SHAPES)
def test_matrix_product(m, k, n):
    """Any shape and order in memory, into a part of a larger table, too."""
    rng = np.random.default_rng(0)
    a, b = rng.random((k, m)).T, rng.random((k, n))
    expected = np.einsum("ik,kj->ij", a, b)
    np.testing.assert_allclose(matrix_product(a, b), expected, rtol=1e-12)
    table = np.full((m + 2, n), np.nan)
    matrix_product(a, b, out=table[1:-1])
    np.testing.assert_allclose(table[1:-1], expected, rtol=1e-12)
    assert np.isnan(table[[0, -1]]).all()


@pytest.mark.parametrize(("m", "k", "n"), SHAPES[:5])
def test_blocks(monkeypatch, m, k, n):
    """OpenBLAS takes a second thread for a product of 2^19 multiplications."""
    sizes, multiply = [], np.matmul

    def noted(a, b, **options):
        sizes.append(a.size * b.shape[1])
        return multiply(a, b, **options)

    monkeypatch.setattr(np, "matmul", noted)
    matrix_product(np.ones((m, k)), np.ones((k, n)))
    assert sum(sizes) == m * k * n
    assert max(sizes) < 2**19


def test_matrix_times_vector():
    """A vector needs no blocks."""
    a, b = np.arange(12.0).reshape(3, 4), np.arange(4.0)
    np.testing.assert_allclose(matrix_product(a, b), [14.0, 38.0, 62.0], rtol=1e-15)


@pytest.mark.parametrize(("m", "k", "n"), [(3, 20, 3), (3, 20, 4000), (4000, 20, 30), (1, 900, 50)])
def test_stacked_products(m, k, n):
    """In one block and in several."""
    rng = np.random.default_rng(0)
    a, b = rng.random((2, m, k)) + 1j, rng.random((2, k, n)) - 2j
    expected = np.einsum("smk,skn->smn", a, b)
    np.testing.assert_allclose(stacked_products(a, b), expected, rtol=1e-12)
