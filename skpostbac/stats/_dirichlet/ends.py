r"""The transform of a paired difference at large arguments, split into shares of its vertices.

With M(z) = E[exp(z D)] = Gamma(n) / (2 pi i) * integral of exp(p) prod_k (p - z v_k)^-alpha_k dp
along a line Re p > abs(Re z), where v = (1, -1, 0) are the values of D at the vertices B, A and r
of the triangle of probabilities, the path splits for Im z > 0 into one loop about each branch
point p = z v_j. Each loop is the share of a vertex: a wave exp(z v_j) times a factor that varies
slowly and is continued off the vertical line.
"""

import numpy as np

from skpostbac._utils import Complexes, Floats
from skpostbac.stats._numerics import NEGLIGIBLE, REACH, log1pmx, stirling_remainder
from skpostbac.stats._tilted import log1pmx_complex

# The two other vertices of each vertex, and the differences of its value and theirs.
_OTHERS = np.array([[1, 2], [0, 2], [0, 1]])
_GAPS = np.array([[2.0, 1.0], [-2.0, -1.0], [-1.0, 1.0]])
_MAX_TERMS = 120
# A vertex with fewer counts than this is expanded in a series, any other is integrated.
_BY_SERIES = 40.0
# A step of this many standard deviations resolves the path of a large vertex.
_PATH_STEP = 0.35
_HALF_LOG_2PI = 0.5 * np.log(2 * np.pi)


def end_radius(alphas: Floats) -> Floats:
    """Smallest modulus of z at which `end_shares` may be used; the cells are the last axis."""
    return np.asarray(60.0 + 2.0 * alphas.sum(axis=-1))


def end_shares(alphas: Floats, size: Floats, s: Complexes) -> Complexes:
    r"""Log shares of the vertices B, A and r in E[exp(s w D)], without their waves.

    The expansion of a loop in powers of 1 / z, z = w s, is finite for an integer alpha_j, and
    accurate to rounding from `end_radius` on where alpha_j is small; otherwise the loop is
    integrated. `alphas` has shape (l, 3), `size` holds the weights, shape (l,), `s` has shape
    (n,) and a positive imaginary part; returns shape (l, 3, n).
    """
    n = alphas.sum(axis=1)[:, np.newaxis]
    others = alphas[:, _OTHERS]
    nearest = float(np.abs(s).min())
    terms = _series_terms(np.minimum(alphas, _BY_SERIES), others, size * nearest)
    powers = np.cumprod(np.broadcast_to(nearest / s, (terms.shape[2] - 1, s.size)), axis=0)
    series = np.einsum("lvk,kn->lvn", terms[:, :, 1:], powers.view(float)).view(complex)
    logs = np.log(series + terms[:, :, :1])
    # log(z gap / n) of each other vertex, with its branch.
    scale = np.log(np.abs(_GAPS) * (size[:, np.newaxis] / n)[:, :, np.newaxis])
    constant = _log_gamma_ratio(alphas, others.sum(axis=2)) - (others * scale).sum(axis=2)
    turns = np.pi * (others * (_GAPS < 0)).sum(axis=2)
    powers_of_s = others.sum(axis=2)[:, :, np.newaxis] * np.log(s)
    logs += (constant + 1j * turns)[:, :, np.newaxis] - powers_of_s
    for i, vertex in zip(*np.nonzero(alphas >= _BY_SERIES), strict=True):
        logs[i, vertex] = concentrated_end(alphas[i], size[i] * s, int(vertex))
    return np.asarray(logs)


def _series_terms(alphas: Floats, others: Floats, radius: Floats) -> Floats:
    """Terms of the series of all vertices at a modulus, (l, 3, n_terms), to the last that counts.

    Term m is (alpha - 1) ... (alpha - m) times coefficient m of prod_k (1 + x / g_k)^-alpha_k.
    """
    m = np.arange(float(_MAX_TERMS))
    ratios = -(others[..., np.newaxis] + m) / ((m + 1) * _GAPS[:, :, np.newaxis])
    ratios /= radius[:, np.newaxis, np.newaxis, np.newaxis]
    first, second = np.moveaxis(np.cumprod(np.insert(ratios, 0, 1.0, axis=3), axis=3), 2, 0)
    product = np.zeros_like(first)
    for k in range(m.size + 1):
        product[..., k:] += first[..., k : k + 1] * second[..., : m.size + 1 - k]
        if np.abs(first[..., k]).max() < 1e-60:
            break
    falling = np.cumprod(np.insert(alphas[..., np.newaxis] - 1 - m, 0, 1.0, axis=2), axis=2)
    terms = product * falling
    # Past their smallest the terms of an asymptotic series grow again.
    sizes = np.maximum(np.abs(terms[..., :-1]), np.abs(terms[..., 1:]))
    counts = (sizes > NEGLIGIBLE * np.maximum.accumulate(sizes, axis=2)).any(axis=(0, 1))
    last = terms.shape[2] if counts.all() else max(2, int(counts.argmin()) + 1)
    return np.asarray(terms[..., :last])


def _log_gamma_ratio(alpha: Floats, rest: Floats) -> Floats:
    """Log of Gamma(n) / Gamma(alpha) / n^rest, n = alpha + rest, by Stirling remainders."""
    excess, n = rest / alpha, alpha + rest
    bulk = alpha * log1pmx(excess) - 0.5 * np.log1p(excess)
    return np.asarray(bulk + stirling_remainder(n) - stirling_remainder(alpha))


def concentrated_end(alphas: Floats, z: Complexes, vertex: int) -> Complexes:
    r"""Log share of a vertex with many counts, without its wave: shape (n,) as `z`.

    Where all of the mass is beside that vertex it is the whole transform, from a smaller modulus
    on. The path of the loop passes p = z v + alpha (1 + i eta), the line through its saddle; alpha
    is the exponent there.
    """
    alpha, rest = float(alphas[vertex]), alphas[_OTHERS[vertex]]
    n, others = float(alphas.sum()), float(rest.sum())
    reach = float(_path_reach(np.asarray(alpha)))
    count = int(np.ceil(reach * np.sqrt(alpha) / _PATH_STEP))
    eta = np.linspace(-reach, reach, 2 * count + 1)
    logs = -alpha * log1pmx_complex(np.asarray(1j * eta))
    ratio = np.zeros((z.size, eta.size), dtype=complex)
    log_share = np.zeros(z.shape, dtype=complex)
    for one, gap in zip(rest, _GAPS[vertex], strict=True):
        nu = z * gap + alpha
        ratio -= one * np.log1p(1j * alpha * eta / nu[:, np.newaxis])
        log_share -= one * np.log(nu / n)
    sums = np.exp(ratio + logs).sum(axis=1) * (eta[1] - eta[0])
    excess = np.asarray(others / alpha)
    bend = float(log1pmx(excess)) + (np.log(alpha) - 0.5 * np.log(n)) / alpha
    remainder = float(stirling_remainder(np.asarray(n)))
    return np.asarray(log_share + np.log(sums) + (alpha * bend + remainder - _HALF_LOG_2PI))


def concentrated_radius(alphas: Floats, vertex: int) -> Floats:
    """Smallest height of z from which `concentrated_end` is used, and of rays to both sides."""
    alpha, others = alphas[..., vertex], alphas[..., _OTHERS[vertex]].sum(axis=-1)
    return np.asarray(alpha * _path_reach(alpha) + np.sqrt(alpha) * (3.0 + 0.9 * others))


def _path_reach(alpha: Floats) -> Floats:
    """Largest eta on the path of a large vertex; the other factors may rise exp(7) there."""
    return np.asarray(np.sqrt(np.expm1(2 * (REACH + 7) / np.maximum(alpha, 1.0))))
