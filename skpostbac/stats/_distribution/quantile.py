"""Quantiles of a distribution on a bounded interval.

In the centre of the distribution Halley's method settles in two or three evaluations. With the
tail p(y), the density f and the probability q that is wanted, the excess is e = log(p / q), a
Newton step is e p / f, and the slope of f bends it. The first guess is the quantile of the Beta
distribution with the same support, mean and variance.

Everywhere else, and where it does not settle, safeguarded Newton steps on the log of a tail do. The
log of the tail of a Beta is nearly straight in a distance that becomes logarithmic on the way to
the end of the support, so that steps are taken in this distance. The root stays bracketed. A step
from |e| < 1e-9 leaves an error of the order of e^2, which is below rounding.
"""

from collections.abc import Callable

import numpy as np
from scipy.special import betainccinv, betaincinv

from skpostbac._utils import Bools, Floats
from skpostbac.stats._distribution.tails import Values
from skpostbac.stats._numerics import ACCURACY, EPS, Frame, Points

# Log upper tail and log density at some points.
LogTail = Callable[[Points], tuple[Floats, Floats]]

# A Newton step from a log probability this close leaves an error of its square.
_CLOSE = 1e-9
_MAX_STEPS = 200
# From this many steps on every other one halves the bracket.
_PATIENCE = 20
# Stretched distances beyond this share of the largest one stand for the end of the support.
_ALL_BUT = 0.999
# A Halley step leaves the excess times the squares of itself and of the turn of the density.
_CUBE = 1e-14
_MAX_HALLEY_STEPS = 6
# Relative error of the smaller tail that rounding may leave where the centre tells where to begin.
_ROUGH = 1e-2


def beta_quantile(frame: Frame, p: Floats, scale: float) -> Floats:
    """Quantile of the Beta distribution with the same support, mean and variance, less the mean."""
    width, a, b = _beta_shape(frame, scale)
    return np.asarray(width * betaincinv(a, b, p) - frame.mean_to_low)


def _beta_shape(frame: Frame, scale: float) -> tuple[float, float, float]:
    """Width, a and b of the Beta distribution with the same support, mean and variance."""
    width = frame.mean_to_low + frame.mean_to_high
    low, high = frame.mean_to_low / width, frame.mean_to_high / width
    size = max(low * high * (width / scale) ** 2 - 1, 1e-3)
    return width, size * low, size * high


def central_quantile(
    evaluate: Callable[[Floats], Values], y: Floats, p: Floats, q: Floats
) -> tuple[Floats, Bools]:
    """Distances from the mean with P(X <= mean + y) = p = 1 - q, shape (n,), from a close start.

    Also returns which of them are accurate: in relation to the smaller of p and q, after rounding.
    Distances that rounding makes worthless are NaN.
    """
    upper = q <= p
    side, smaller = np.where(upper, 1.0, -1.0), np.minimum(p, q)
    known, found = np.zeros(y.shape, dtype=bool), np.zeros(y.shape, dtype=bool)
    with np.errstate(all="ignore"):
        for _ in range(_MAX_HALLEY_STEPS):
            values = evaluate(y)
            tail, density = np.where(upper, values.tail, 1 - values.tail), values.density
            excess = np.log(tail / smaller)
            newton = excess * tail / density
            turn = newton * values.slope / density
            bend = 1 + 0.5 * (excess + side * turn)
            y = y + np.where(found, 0.0, side * newton / np.maximum(bend, 0.5))
            left = np.abs(excess) * np.maximum(np.abs(excess), np.abs(turn)) ** 2
            rounding = values.error + EPS * np.abs(y) * density
            settled = left < np.maximum(_CUBE, rounding / smaller)
            known = settled & (rounding < _ROUGH * smaller)
            found |= (left < _CUBE) & (rounding < ACCURACY * smaller)
            if (settled | found).all():
                break
            y = np.where(np.isfinite(y), y, 0.0)
    return np.where(known | found, y, np.nan), found


def upper_quantile(
    frame: Frame, log_tail: LogTail, log_p: Floats, scale: float, start: Floats | None = None
) -> Points:
    """Points whose upper tail has the log probability `log_p`, shape (n,), all negative.

    The unknown is a stretched distance from the mean, in which the log tail of every Beta is
    nearly straight up to the end of the support. The root stays bracketed. The distances `start`
    from the mean are where to begin, but where they are NaN.
    """
    u = _first_guess(frame, log_p, scale)
    if start is not None:
        inside = (start > -frame.mean_to_low) & (start < frame.mean_to_high)
        u = np.where(inside, _stretch(frame, start, frame.mean_to_high - start), u)
    low = np.full(log_p.shape, -frame.mean_to_low)
    last = 350.0 * frame.mean_to_high
    high = np.full(log_p.shape, last)
    active = np.arange(log_p.size)
    for count in range(_MAX_STEPS):
        points, stretch = _unstretch(frame, u[active])
        value, density = log_tail(points)
        excess = value - log_p[active]
        low[active] = np.where(excess > 0, u[active], low[active])
        high[active] = np.where(excess > 0, high[active], u[active])
        step = excess * np.exp(np.clip(np.log(stretch) + value - density, -700.0, 600.0))
        # At a steep kink Newton's steps stay on one side.
        if count > _PATIENCE and count % 2:
            step = np.where(np.abs(excess) > _CLOSE, np.inf, step)
        u[active] = _keep_between(u[active] + step, low[active], high[active])
        wide = high[active] - low[active] > 2 * EPS * np.abs(u[active])
        if count > _PATIENCE:
            # At a jump between two neighbouring doubles the upper one is the quantile.
            ends = [frame.x(_unstretch(frame, end[active])[0]) for end in (low, high)]
            jump = ends[1] - ends[0] <= np.spacing(np.maximum(*np.abs(ends)))
            jump &= np.abs(excess) > _CLOSE
            u[active] = np.where(jump, high[active], u[active])
            wide &= ~jump
        # Beyond the last place there are no doubles left but the end.
        wide &= low[active] < _ALL_BUT * last
        active = active[(np.abs(excess) > _CLOSE) & wide]
        if not active.size:
            break
    points = _unstretch(frame, u)[0]
    # Closer to the end than the smallest doubles: the end.
    if not (u > last / 2).any():
        return points
    return frame.near_high(points.to_high * (u < _ALL_BUT * last))


def _first_guess(frame: Frame, log_p: Floats, scale: float) -> Floats:
    """Quantile of the Beta distribution with the same support, mean and variance, stretched."""
    width, a, b = _beta_shape(frame, scale)
    p = np.exp(np.maximum(log_p, -700.0))
    # The upper tail of Beta(a, b) is the lower tail of Beta(b, a), from its upper end.
    to_high = betaincinv(b, a, p)
    to_high = width * np.clip(np.where(np.isfinite(to_high), to_high, 0.0), 1e-300, 1.0)
    # A distribution beside the lower end may be far narrower than the rounding of its distance to
    # the other.
    to_low = width * np.nan_to_num(betainccinv(a, b, p), nan=1.0)
    from_mean = np.maximum(to_low - frame.mean_to_low, -0.999 * frame.mean_to_low)
    return _stretch(frame, from_mean, to_high)


def _stretch(frame: Frame, from_mean: Floats, to_high: Floats) -> Floats:
    """Stretched distance of points from the mean, which are so far from the upper end."""
    half = 0.5 * frame.mean_to_high
    with np.errstate(invalid="ignore", divide="ignore"):
        beyond = half * (1 + np.log(half / np.minimum(to_high, half)))
    return np.where(to_high < half, beyond, np.minimum(from_mean, half))


def _unstretch(frame: Frame, u: Floats) -> tuple[Points, Floats]:
    """Points at the stretched distance u from the mean, and du/dx there.

    u is x - mean up to half way to the upper end, and logarithmic in the rest beyond.
    """
    half = 0.5 * frame.mean_to_high
    beyond = np.maximum(u / half - 1.0, 0.0)
    to_high = half * np.exp(-beyond)
    plain, stretched = frame.near_mean(np.minimum(u, half)), frame.near_high(to_high)
    near_end = beyond > 0
    points = Points(
        np.where(near_end, stretched.from_mean, plain.from_mean),
        np.where(near_end, stretched.to_low, plain.to_low),
        np.where(near_end, stretched.to_high, plain.to_high),
    )
    return points, np.exp(beyond)


def _keep_between(u: Floats, low: Floats, high: Floats) -> Floats:
    """Bisect where a step leaves its bracket."""
    return np.where((low <= u) & (u <= high), u, 0.5 * (low + high))
