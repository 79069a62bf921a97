"""Series of many sums of Betas.

The orders of a series end where the transform vanishes, or where the ends of all variables are
resolved and the rest is summed in closed form, whichever comes first. Sums with the same number of
orders are computed together. The number is rounded up to two steps for each power of two, so that
the company of others changes nothing but the last digits.
"""

from collections.abc import Iterator

import numpy as np
from scipy.special import gammaln

from skpostbac._utils import Floats, Indices
from skpostbac.stats._beta.betas import Betas, heights, ranges, resolved_heights
from skpostbac.stats._beta.corners import blended, corners_of
from skpostbac.stats._beta.single import SingleBetas
from skpostbac.stats._beta.transform import path_of, transforms
from skpostbac.stats._numerics import log_beta
from skpostbac.stats._series import PERIOD, Centred, Series, orders

# Coefficients of the series in a block, and sums whose blocks are chosen at a time.
_BLOCK, _CHUNK = 2**16, 2**12
# Sums of the parameters of a single Beta up to which the incomplete Beta function is accurate.
_LARGEST = 1e6
# Powers of the density at an end that count as zero.
_ROUNDING = 1e-9


def centred_sums(a: Floats, b: Floats, weights: Floats) -> list[tuple[Indices, Centred]]:
    """Return distributions of sums, parameters of shape (m, l), and the rows of each."""
    kept = weights.any(axis=0)
    if not kept.all():
        a, b, weights = (x[:, kept] for x in (a, b, weights))
    if a.shape[1] == 1 and a.size and (a + b).max() <= _LARGEST:
        weight = np.where(a > b, -weights, weights)[:, 0]
        single = SingleBetas(np.minimum(a, b)[:, 0], np.maximum(a, b)[:, 0], weight)
        return [(np.arange(len(a)), single)]
    found: list[tuple[Indices, Centred]] = []
    for start in range(0, len(a), _CHUNK):
        chunk = slice(start, start + _CHUNK)
        betas = Betas.reflected(a[chunk], b[chunk], weights[chunk])
        found += [(start + rows, series) for rows, series in _series(betas)]
    return found


def _series(betas: Betas) -> Iterator[tuple[Indices, Series]]:
    below, above = ranges(betas)
    step = 2 * np.pi / (PERIOD * (below + above))
    vanished, resolved = heights(betas), resolved_heights(betas)
    last_end = resolved.max(axis=1) / step
    order = _rounded_up(orders(vanished / step, last_end, betas.p.shape[1]))
    last = order * step
    is_narrow = resolved > last[:, np.newaxis]
    has_corners = vanished > last
    ends = _end_densities(betas, below, above)
    # Sums of variables with concave log densities have one, too (Prekopa, Acta Scientiarum
    # Mathematicarum 34, 1973).
    is_concave = (betas.near >= 1).all(axis=1)
    kinds = 4 * order + 2 * has_corners + is_concave
    for kind in set(kinds.tolist()):
        alike, count = np.flatnonzero(kinds == kind), kind // 4
        size = max(1, _BLOCK // count)
        for rows in (alike[i : i + size] for i in range(0, alike.size, size)):
            whole = rows.size == len(step)
            part, i = betas if whole else betas[rows], slice(None) if whole else rows
            at_steps, narrow = step[i], is_narrow[i]
            values = transforms(part, path_of(part, last[i]), at_steps, count)[:, 1:]
            corners = corners_of(part, count, at_steps, narrow) if kind & 2 else None
            if corners and narrow.any():
                values = blended(values, part, at_steps, narrow)
            period, deviation = 2 * np.pi / at_steps, np.sqrt(part.variance)
            known = (-below[i], above[i], deviation, ends[:, i], bool(kind & 1))
            yield rows, Series(period, *known, values, corners)


def _rounded_up(count: Floats) -> Indices:
    """Round up to a multiple of half the largest power of two below."""
    step = np.ldexp(1.0, np.frexp(count - 1)[1] - 2)
    return np.asarray((np.ceil(count / step) * step).astype(np.intp))


def _end_densities(betas: Betas, below: Floats, above: Floats) -> Floats:
    """Limits of the densities at both ends of the ranges, shape (2, m).

    Beside an end of the support where the variables have the exponents e the density is

        prod_i (Gamma(n_i) / Gamma(n_i - e_i) w_i^-e_i) d^(S - 1) / Gamma(S),    S = sum_i e_i,

    at the distance d, in the limit.
    """
    found, kept = np.zeros((2, len(below))), betas.size > 0
    if (np.where(kept, betas.count * betas.near, 0.0).sum(axis=1) > 1 + _ROUNDING).all():
        return found
    size = np.where(kept, betas.size, 1.0)
    for side, (is_up, reach) in enumerate(((False, below), (True, above))):
        is_far = (betas.weight > 0) == is_up
        e, o = np.where(is_far, betas.far, betas.near), np.where(is_far, betas.near, betas.far)
        power = np.where(kept, betas.count * e, 0.0).sum(axis=1) - 1
        at_end = betas.size * np.where(is_far, betas.q, betas.p)
        is_end = reach >= (betas.count * at_end).sum(axis=1)
        found[side, is_end & (power < -_ROUNDING)] = np.inf
        flat = is_end & (np.abs(power) <= _ROUNDING)
        if flat.any():
            logs = np.where(kept, gammaln(e) - log_beta(e, o) - e * np.log(size), 0.0)
            found[side, flat] = np.exp((betas.count * logs).sum(axis=1)[flat])
    return found
