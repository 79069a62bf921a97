r"""Corners of sums of Betas.

At a large height t the transform of w theta, theta ~ Beta(a, b), is that of its two ends: with the
Pochhammer symbol (a)_j,

    E[exp(i t w theta)] ~ V(a, b; -i t w) + exp(i t w) V(b, a; i t w),
    V(a, b; z) = Gamma(a + b) / Gamma(b) z^-a sum_j (a)_j (1 - b)_j / j! z^-j

(NIST Digital Library of Mathematical Functions, 13.7.2). From |z| = 3 (a + b) + 40 on, the first
terms give an end to 1e-15 of itself. The transform of a sum is a product, and so a sum over all
choices of an end for each variable, the corners. Nearly all variables are at their nearer ends, as
the farther one has the larger exponent. Of variables with the same weight only the number k at
their farther ends decides where the corner is: it has the coefficient of z^k in
prod_i (near_i + z far_i).

A variable so narrow that its ends come apart only beyond the last order counts in the rest of the
series by the points of a Gauss rule. This holds far from the corners, if the coefficients go over
to it smoothly.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import gammaln

from skpostbac._utils import Bools, Complexes, Floats, Indices
from skpostbac.stats._beta.betas import SLOPE, START, Betas
from skpostbac.stats._beta.moments import central_moments
from skpostbac.stats._numerics import log_beta, waves
from skpostbac.stats._series import ORDER, Corners, Rule, fade, gauss_points

# So many terms of more than 1e-17 give an end where it is resolved.
_TERMS, _ROUNDING = 40, 1e-17
# Most orders over which coefficients go over to narrow variables.
_LATE = 2**13
# Ends that are computed at a time.
_BLOCK = 2**15
# Log of the size of corners at the first order that are left out, and most of the corners.
_LEAST, _MOST, _TINY = -39.0, 512, 1e-290


def corners_of(betas: Betas, order: int, step: Floats, is_narrow: Bools) -> Corners:
    """Corners of sums from an order on, with steps of shape (m,), and narrow variables (m, l)."""
    exponents = np.where((betas.size > 0) & ~is_narrow, betas.count * betas.near, 0.0).sum(axis=1)
    rule = Rule.of(order, float(exponents.min()))
    return Corners(rule, step, *_corners_at(betas, rule.log_orders, step, is_narrow))


def blended(coefficients: Complexes, betas: Betas, step: Floats, is_narrow: Bools) -> Complexes:
    """Replace the later coefficients by and by, shape (m, K - 1), by those of corners.

    Those of narrow variables are approximations, and would jump at the order K.
    """
    count = coefficients.shape[1]
    start = count - min(count // 2, _LATE)
    angles = step[:, np.newaxis] * (np.arange(start, count) + 1)
    # At single heights the sum of all corners is the product of sums of both ends.
    ends = _Ends.of(betas, np.log(np.arange(start, count) + 1.0 + 0j)[np.newaxis], step, is_narrow)
    x, weights = ends.narrow
    others = np.einsum(
        "mc,mcn->mn", weights, np.exp(1j * angles[:, np.newaxis] * x[..., np.newaxis])
    )
    for i, moved in zip(ends.moving, ends.ratios.swapaxes(0, 1)[..., 0, :], strict=True):
        both = 1 + moved * np.exp(1j * angles * ends.weight[:, i : i + 1])
        others *= both if betas.count.max() == 1 else both ** betas.count[:, i : i + 1]
    others *= ends.product[:, 0] * np.exp(1j * angles * ends.place)
    late = coefficients[:, start:]
    return np.hstack([coefficients[:, :start], late + fade(angles.shape[1]) * (others - late)])


@dataclass(frozen=True)
class _Ends:
    """Ends of the variables of m sums at orders.

    Attributes
    ----------
    place : of the corner of all nearer ends, shape (m, 1).
    product : product of all nearer ends, shape (m, s, N).
    moving : variables whose farther ends count, shape (j,).
    ratios : their farther ends in units of the nearer ones, shape (m, j, s, N).
    weight : of each variable, zero for narrow ones, shape (m, l).
    narrow : points that stand for the narrow variables, and their shares, shape (m, n) each.
    """

    place: Floats
    product: Complexes
    moving: Indices
    ratios: Complexes
    weight: Floats
    narrow: tuple[Floats, Floats]

    @classmethod
    def of(cls, betas: Betas, log_orders: Complexes, step: Floats, is_narrow: Bools) -> "_Ends":
        """Compute them at orders whose logs are given, shape (s, N)."""
        wide, count = (betas.size > 0) & ~is_narrow, betas.count
        e, o = np.where(wide, betas.near, 1.0), np.where(wide, betas.far, 1.0)
        weight = np.where(wide, betas.weight, 0.0)
        log_rate = np.log(step[:, np.newaxis] * np.where(wide, betas.size, 1.0))
        turn = -0.5j * np.pi * np.sign(weight)
        log_beta_of = log_beta(e, o)
        # Logs of the sizes of both ends of each variable, and of their product, at the first order.
        height = log_rate + log_orders[0, 0].real
        log_near, log_far = (gammaln(x) - log_beta_of - x * height for x in (e, o))
        log_size = np.where(wide, count * log_near, 0.0).sum(axis=1, keepdims=True)
        log_share = log_size + log_far - log_near + np.log(count)
        moving = np.flatnonzero((wide & (log_share > _LEAST)).any(axis=0))
        pairs = ((e, o), (o, e), (log_beta_of, log_beta_of), (log_rate + turn, log_rate - turn))
        first, last, log_betas, rates = (
            np.concatenate([near, far[:, moving]], axis=1) for near, far in pairs
        )
        ends = _ends(first, last, log_betas, rates, log_orders)
        near = ends[:, : e.shape[1]]
        if not wide.all():
            near[~wide] = 1.0
        # Orders may reach farther than a row needs: where the nearer ends underflow, all does.
        ratios = np.zeros_like(ends[:, e.shape[1] :])
        kept = near[:, moving]
        np.divide(ends[:, e.shape[1] :], kept, out=ratios, where=np.abs(kept) > _TINY)
        ratios[~wide[:, moving]] = 0.0
        product = (near if count.max() == 1 else near ** _each(count)).prod(axis=1)
        place = -(count * weight * betas.p).sum(axis=1, keepdims=True)
        narrow = np.zeros((len(e), 1)), np.ones((len(e), 1))
        if is_narrow.any():
            moments = central_moments(betas.near, betas.far, ORDER)
            narrow = gauss_points(moments, np.where(is_narrow, betas.weight, 0.0), count)
        return cls(place, product, moving, ratios, weight, narrow)


def _corners_at(
    betas: Betas, log_orders: Complexes, step: Floats, is_narrow: Bools
) -> tuple[Floats, Complexes]:
    """Places of corners, (m, C), and their values at orders whose logs are given, (m, C, s, N)."""
    ends = _Ends.of(betas, log_orders, step, is_narrow)
    x, weights = ends.narrow
    places, values = ends.place + x, ends.product[:, np.newaxis] * _each(weights)
    size, sign = np.abs(ends.weight[:, ends.moving]), np.sign(ends.weight[:, ends.moving])
    for columns in _alike(size):
        for side in (-1.0, 1.0):
            chosen = sign[:, columns] == side
            if chosen.any():
                moved = ends.ratios[:, columns]
                moved = moved if chosen.all() else np.where(_each(chosen), moved, 0)
                shift = side * size[:, columns[:1]]
                many = betas.count[:, ends.moving[columns]]
                places, values = _moved(places, values, shift, moved, many)
    return places, values


def _each(x: Any) -> Any:
    """Spread what is known of each variable over all orders."""
    return x[..., np.newaxis, np.newaxis]


def _ends(
    e: Floats, o: Floats, log_beta_of: Floats, log_rate: Complexes, log_orders: Complexes
) -> Complexes:
    """V(e, o; z) at log z = log_rate + the logs of orders, shape (m, l, s, N)."""
    pieces = min(-(-e.size * log_orders.size // _BLOCK), e.shape[1])
    if pieces > 1:
        columns = np.array_split(np.arange(e.shape[1]), pieces)
        parts = (
            _ends(e[:, i], o[:, i], log_beta_of[:, i], log_rate[:, i], log_orders) for i in columns
        )
        return np.concatenate(list(parts), axis=1)
    # Terms in powers of scale / z, of which as many count as in the worst case of a small z.
    scale, j = SLOPE * (e + o) + START, np.arange(_TERMS)[:, np.newaxis, np.newaxis]
    terms = np.cumprod((e + j) * (j + 1 - o) / ((j + 1) * scale), axis=0)
    is_small = np.abs(terms).max(axis=(1, 2)) <= _ROUNDING
    terms = _each(terms[: is_small.argmax() if is_small.any() else None])
    inverse = _each(scale * np.exp(-log_rate)) * np.exp(-log_orders)
    total = np.ones_like(inverse)
    if len(terms):
        np.multiply(inverse, terms[-1], out=total)
        for term in terms[-2::-1]:
            total += term
            total *= inverse
        total += 1.0
    logs = _each(gammaln(e) - log_beta_of - e * log_rate) - _each(e) * log_orders
    total *= waves(logs.imag, logs.real)
    return np.asarray(total)


def _alike(size: Floats) -> list[list[int]]:
    """Divide columns into those with the same values in all rows."""
    groups: dict[bytes, list[int]] = {}
    for i in range(size.shape[1]):
        groups.setdefault(size[:, i].tobytes(), []).append(i)
    return list(groups.values())


def _moved(
    places: Floats, values: Complexes, shift: Floats, ratios: Complexes, count: Floats
) -> tuple[Floats, Complexes]:
    """Multiply by prod_i (1 + z ratio_i)^count_i, where z moves a place; keep what counts.

    Shapes are (m, C), (m, C, s, N), (m, 1), (m, l, s, N) and (m, l).
    """
    largest = np.abs(values[..., 0, 0]).max(axis=1)

    def is_small(power: Any) -> bool:
        return bool((np.abs(power[:, 0, 0]) * largest).max() < np.exp(_LEAST))

    powers: list[Any] = [1.0]
    for ratio, times in zip(np.moveaxis(ratios, 1, 0), count.T, strict=True):
        raised: list[Any] = [1.0]
        for k in range(int(times.max())):
            power = ratio if k == 0 and times.max() == 1 else ratio * _each((times - k) / (k + 1))
            raised.append(raised[-1] * power)
            if is_small(raised[-1]):
                break
        found = [0.0] * (len(powers) + len(raised) - 1)
        for i, power in enumerate(powers):
            for k, other in enumerate(raised):
                found[i + k] = found[i + k] + power * other
        powers = found
        while len(powers) > 1 and is_small(powers[-1]):
            powers.pop()
    if len(powers) == 1:
        return places, values
    places = np.concatenate([places + k * shift for k in range(len(powers))], axis=1)
    moved = [values * power[:, np.newaxis] for power in powers[1:]]
    values = np.concatenate([values, *moved], axis=1)
    size = np.abs(values[..., 0, 0]).max(axis=0)
    kept = np.sort(np.argsort(-size)[:_MOST])
    kept = kept[size[kept] > np.exp(_LEAST)]
    return places[:, kept], values[:, kept]
