"""Tail probabilities and densities of a weighted sum of variables, at any point.

With the cumulant generating function K(s) = log E[exp(s (X - mean))] the upper tail is

    P(X > mean + y) = 1 / (2 pi i) * integral of exp(K(s) - s y) / s ds  along  Re s = c,

for any tilt c > 0 (see `contour`), and the density is the same integral without the factor 1 / s. A
lower tail is the upper tail of the negated sum. Rounding leaves an error in proportion to
exp(K(c) - c y), so that the choice of c decides which tails have relative accuracy:

- The centre. One contour through c = 1 / (2 sd), or a smaller c if rare large values dominate the
  variance, is used for all y whose smaller tail it computes to a relative error of 1e-12.
- The tails. Any other y gets a contour through its own saddlepoint, the root of

      K'(c) - 1 / c = y,

  where the integrand is largest on the line and smallest on the real axis (Daniels, Annals of
  Mathematical Statistics 25, 1954). The root is solved for in log c, to an excess below
  sqrt(K''(c) + 1 / c^2); this suffices, since any c gives the same integral. The contour is reused
  for all neighbouring points for which its error is below 3e-12.
- The ends. Within the `power_range` of an end of the support only the leading powers of the tail
  matter; for a sum of terms they have a closed form.

The error in a probability from truncating a line is estimated. If the line of the centre is
truncated, the centre alone is used wherever absolute accuracy suffices, as other contours would be
truncated, too. The work for far contours is limited in each call; further tails are interpolated
between known ones (`known_tails`). These errors are part of the answers; public methods warn of
them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from typing import Protocol

import numpy as np

from skpostbac._utils import Floats, Indices
from skpostbac.stats._distribution import LeftOut, LogValues, Tails, Values
from skpostbac.stats._inversion.contour import Contour, TiltedDistribution
from skpostbac.stats._inversion.known_tails import KnownTails
from skpostbac.stats._numerics import ACCURACY, EPS, Points

# Largest relative error at which a contour through a saddlepoint is reused for neighbours on both
# sides, and its offset beyond the first of them, in standard deviations.
_FAR_ACCURACY = 3 * ACCURACY
_STRIDE = 4.0
# Search for log tilts: range, largest step away from an end of the support, and tolerance.
_MAX_LOG_TILT = 345.0
_BOLD = 3.0
_EQUAL_TILTS = 1e-12
# So close to an end, in standard deviations, its power tells the first tilt, up to a largest one.
_BESIDE, _LARGEST_TILT = 1e-4, 1e140
# A truncated contour is used on the other side of the centre up to this multiple of its error.
_ALIKE = 64.0
# Of tails whose log is below the first a relative error counts, if it is above the second. The
# absolute one of larger tails does.
_LOG_SMALL, _CUT = float(np.log(1e-9)), 1e-6
# Work for far contours in one call: from the first on they are placed where they tell most, and
# after the second no more are built.
_MUCH_WORK, _MOST_WORK = 2.0**23, 2.0**25


class Summands(Protocol):
    """A weighted sum of variables, as an inversion sees it from its upper end."""

    @property
    def standard_deviation(self) -> float:
        """Standard deviation of the sum."""
        ...

    @property
    def power_range(self) -> float:
        """Distance from an end of the support within which only leading powers count."""
        ...

    @property
    def order(self) -> float:
        """Power with which the upper tail vanishes at the upper end."""
        ...

    def log_end_density(self) -> float:
        """Limit of the log density at the upper end."""
        ...

    def log_end_tail(self, distance: Floats, /) -> tuple[Floats, Floats]:
        """Leading terms of the log upper tail and the log density, close to the upper end."""
        ...

    def mirrored(self) -> "Summands":
        """Return the summands of minus the sum."""
        ...

    def tilted(self, c: float, *, from_end: bool = False) -> TiltedDistribution:
        """Tilt by exp(c x); positions are distances from the mean, or from the upper end."""
        ...


@dataclass(frozen=True)
class FarContour:
    """A contour through the saddlepoint of a point so far from the end on one side.

    `from_end` tells its coordinate, and `work` what was spent to find it. The log tail and the log
    density are those at that point.
    """

    side: int
    to_high: float
    from_end: bool
    contour: Contour
    log_tail: float
    log_density: float
    work: float

    def logs_at(self, points: Points) -> LogValues:
        """Evaluate the distribution at points seen from its side."""
        return self.contour.logs_at(-points.to_high if self.from_end else points.from_mean)


class Inversion:
    """The distribution of a weighted sum of variables on bounded intervals.

    `far` makes the summands as the far tails need them, if these need more than the centre.
    """

    def __init__(self, summands: Summands, far: Callable[[], Summands] | None = None) -> None:
        self._upper, self._lower = summands, summands.mirrored()
        self._far = far or (lambda: summands)
        self.standard_deviation = summands.standard_deviation

    def tails(self, points: Points, kept: "list[FarContour] | None" = None) -> Tails:
        """Evaluate both tails and the density.

        Points are served by the contours in `kept` first, to which those that are built are added.
        """
        kept = [] if kept is None else kept
        centre = self._central.logs_at(points.from_mean)
        log_ccdf, log_pdf = np.minimum(centre.log_tail, 0.0), centre.log_density
        log_cdf = _log_complement(log_ccdf)
        smaller = np.minimum(log_cdf, log_ccdf)
        # Beside an end of the support, rounding of x - mean affects the distance to that end.
        far = np.abs(points.from_mean)
        to_end = np.where(points.from_mean >= 0, points.to_high, points.to_low)
        rounding = np.where(to_end < far, EPS * far, 0.0)
        error = centre.error * np.exp(log_ccdf - smaller) + rounding * np.exp(
            np.clip(log_pdf - smaller, -700.0, 700.0)
        )
        served = error < ACCURACY
        tails = Tails(log_cdf, log_ccdf, log_pdf, _probability(centre.log_cut))
        return tails if served.all() else tails.replaced(~served, self.far(points[~served], kept))

    def far(self, points: Points, kept: "list[FarContour] | None" = None) -> Tails:
        """Evaluate both tails and the density by contours through saddlepoints alone."""
        kept = [] if kept is None else kept
        found = np.empty((5, points.from_mean.size))
        is_upper = points.from_mean >= 0
        for side, rest in ((1, np.flatnonzero(is_upper)), (-1, np.flatnonzero(~is_upper))):
            if rest.size:
                seen = points[rest] if side > 0 else points[rest].mirrored()
                smaller, *others = self._far_tail(side, seen, kept)
                both = (_log_complement(smaller), smaller)[::side]
                found[:, rest] = np.stack([*both, *others])
        return Tails(*found)

    def far_tails(self, points: Points) -> Tails:
        """Evaluate both tails and the density of points far from the mean, above it."""
        log_ccdf, *others = self._far_tail(1, points, [])
        left_out = LeftOut()
        tails = left_out.note(Tails(_log_complement(log_ccdf), log_ccdf, *others))
        left_out.warn()
        return tails

    def centre(self, y: Floats, allowed: Floats | float = ACCURACY) -> Values:
        """Upper tail and density at distances from the mean, to absolute accuracy.

        The rounding errors of a contour fall like exp(-c y) above the mean and grow below it. Far
        below, where they are more than is allowed, the contour of minus the sum finds the lower
        tail.
        """
        values = self._central.at(y)
        if not self.is_whole:
            # The truncation error is the same from both sides.
            allowed = np.maximum(allowed, _ALIKE * self._central.at(np.zeros(1)).error)
        lost = (values.error > allowed) & (y < 0)
        if lost.any():
            values = values.replaced(lost, self._central_below.at(-y[lost]))
        return values

    @property
    def is_whole(self) -> bool:
        """Whether nothing is cut off in the centre; other contours tell no more where it is."""
        return self._central.is_whole

    @cached_property
    def _central(self) -> Contour:
        return self._central_contour(self._upper)

    @cached_property
    def _central_below(self) -> Contour:
        return self._central_contour(self._lower)

    def _central_contour(self, summands: Summands) -> Contour:
        # Half a standard deviation away; twice that is the pole of the transform of one perfect
        # class. A distribution whose variance is owed to rare values far above it has poles before.
        tilt = 0.5 / self.standard_deviation
        distribution = summands.tilted(tilt)
        while distribution.mode > 1.5 * self.standard_deviation:
            tilt /= 2
            distribution = summands.tilted(tilt)
        return distribution.contour()

    def _far_tail(
        self, side: int, points: Points, kept: "list[FarContour]"
    ) -> tuple[Floats, Floats, Floats, Floats]:
        """Log upper tail and log density, nearest points first, by saddlepoint contours.

        Also returns what series that are cut off leave in the tail, and the errors of the logs of
        tails that are interpolated.
        """
        log_tail, log_pdf, cut, apart = np.zeros((4, points.from_mean.size))
        summands = self._far_from(side)
        at_end = points.to_high < summands.power_range
        if at_end.any():
            log_tail[at_end], log_pdf[at_end] = summands.log_end_tail(points.to_high[at_end])
        pending = np.argsort(points.from_mean, kind="stable")
        pending = pending[~at_end[pending]]

        def serve(far: FarContour, target: int | None) -> Indices:
            values = far.logs_at(points[pending])
            served = values.error < _FAR_ACCURACY
            if target is not None:
                served |= points.to_high[pending] == points.to_high[pending[target]]
            done = pending[served]
            cut[done] = _probability(values.log_cut[served])
            apart[done] = _error_of_small(values.log_tail[served], values.log_cut[served])
            log_tail[done] = np.minimum(values.log_tail[served], 0.0)
            log_pdf[done] = values.log_density[served]
            return pending[~served]

        for far in [far for far in kept if far.side == side]:
            pending = serve(far, None)
        while pending.size:
            target, work = self._target(points.from_mean[pending]), sum(far.work for far in kept)
            if work > _MUCH_WORK:
                # What is left of the work goes to where interpolation would be worst.
                known = self._known_tails(side, points, kept)
                *found, error = known.at(points.to_high[pending])
                target = int(error.argmax())
                if work > _MOST_WORK:
                    log_tail[pending], log_pdf[pending], apart[pending] = *found, error
                    break
            far = self._saddle_contour(side, points[pending[[target]]], kept)
            kept.append(far)
            pending = serve(far, target)
        return log_tail, log_pdf, cut, apart

    def log_end_density(self, side: int) -> float:
        """Limit of the log density at the upper or lower end of the support."""
        with np.errstate(divide="ignore"):
            return self._seen_from(side).log_end_density()

    def _seen_from(self, side: int) -> Summands:
        """Return the summands of the sum, or of minus the sum."""
        return self._upper if side > 0 else self._lower

    def _far_from(self, side: int) -> Summands:
        """Return the summands of the sum, or of minus the sum, as the far tails need them."""
        return self._far_upper if side > 0 else self._far_lower

    @cached_property
    def _far_upper(self) -> Summands:
        return self._far()

    @cached_property
    def _far_lower(self) -> Summands:
        return self._far_upper.mirrored()

    def _target(self, y: Floats) -> int:
        """Which of the increasing y to tune a contour to: one that also serves those before it."""
        return int(np.searchsorted(y, y[0] + _STRIDE * self.standard_deviation, side="right")) - 1

    def _saddle_contour(self, side: int, point: Points, kept: "list[FarContour]") -> "FarContour":
        """Contour through the saddlepoint of a point, looked for from those farther inside."""
        from_end = bool(point.to_high[0] < point.from_mean[0])
        y = float(-point.to_high[0] if from_end else point.from_mean[0])
        inside = [far for far in kept if far.side == side and far.to_high >= point.to_high[0]]
        start = max((far.contour.tilt for far in inside), default=0.0)
        distribution, work = self._saddle_distribution(
            self._far_from(side), y, from_end=from_end, start=start
        )
        contour = distribution.contour()
        values = contour.logs_at(np.array([y]))
        return FarContour(
            side,
            float(point.to_high[0]),
            from_end,
            contour,
            float(values.log_tail[0]),
            float(values.log_density[0]),
            work + distribution.work,
        )

    def _known_tails(self, side: int, points: Points, kept: "list[FarContour]") -> KnownTails:
        """Return what contours on the side of points tell where they were built, and the centre."""
        to_mean = points.from_mean[:1] + points.to_high[:1]
        centre = self._central if side > 0 else self._central_below
        middle = centre.logs_at(np.zeros(1))
        own = [far for far in kept if far.side == side]
        return KnownTails.of(
            np.append([far.to_high for far in own], to_mean),
            np.append([far.log_tail for far in own], middle.log_tail),
            np.append([far.log_density for far in own], middle.log_density),
        )

    def _saddle_distribution(
        self, summands: Summands, y: float, *, from_end: bool, start: float
    ) -> tuple[TiltedDistribution, float]:
        """Tilt the distribution to K'(c) - 1/c = y, within a standard deviation.

        Also returns the work that was spent on others.

        The first solution takes K' to second Laplace order. Where that is not close enough, as
        between the two regimes of a large perfect class, steps with the exact K' follow.
        """
        # Beside an end K'(c) - 1/c is of the order of 1/c.
        scale = min(self.standard_deviation, -y) if from_end else self.standard_deviation
        first = max(1 / scale, start)
        if from_end and -y < _BESIDE * self.standard_deviation:
            # There K'(c) is about -order / c.
            first = max(first, min((summands.order + 1) / -y, _LARGEST_TILT))
        distribution, work = summands.tilted(first, from_end=from_end), 0.0
        for moments, share in ((_approximate_moments, 0.1), (_moments, 1.0)):
            low, high = -_MAX_LOG_TILT, _MAX_LOG_TILT
            while True:
                c = distribution.tilt
                mean, variance = moments(distribution)
                spread, excess = variance + 1 / c / c, mean - 1 / c - y
                if excess**2 < share * spread or high - low < _EQUAL_TILTS:
                    break
                log_c = float(np.log(c))
                low, high = (low, log_c) if excess > 0 else (log_c, high)
                step = _log_step(excess, y, c * spread, from_end=from_end)
                c = float(np.exp(_newton_or_bisect(log_c, step, low, high)))
                work += distribution.work
                distribution = summands.tilted(c, from_end=from_end)
        return distribution, work


_approximate_moments = attrgetter("approximate_mean", "approximate_variance")
_moments = attrgetter("mean", "variance")


def _error_of_small(log_tail: Floats, log_cut: Floats) -> Floats:
    """Error of the logs of small tails if something is cut off; zero where it hardly counts."""
    share = np.exp(np.minimum(log_cut - log_tail, 0.0))
    with np.errstate(divide="ignore"):
        error = -np.log1p(-share)
    return np.where((log_tail < _LOG_SMALL) & (share > _CUT), error, 0.0)


def _probability(log_p: Floats) -> Floats:
    return np.asarray(np.exp(np.minimum(log_p, 0.0)))


def _log_step(excess: float, y: float, slope: float, *, from_end: bool) -> float:
    """Newton step for log c, given the excess of K'(c) - 1/c over y and its slope in log c.

    Beside an end of the support, from which y < 0 is then measured, K'(c) - 1/c is about
    -(order + 1) / c: its logarithm is straight in log c, and there a step leads to the solution.
    Between two regimes, where it is flat, steps are cut to twice what they would be there.
    """
    if from_end:
        found = -(y + excess)
        # If c is far too large, rounding may make this negative: bisect.
        if not found > 0:
            return np.inf
        above = -np.log(found / -y)
        most = _BOLD + 2 * abs(above)
        return float(min(max(above * found / slope, -most), most))
    return min(max(excess / slope, -_BOLD), _BOLD)


def _newton_or_bisect(x: float, step: float, low: float, high: float) -> float:
    """Return x - step, or the middle of the bracket where that is outside."""
    newton = x - step
    return newton if low < newton < high else 0.5 * (low + high)


def _log_complement(log_p: Floats) -> Floats:
    """log(1 - p), to full accuracy for either size of p."""
    p = np.exp(np.minimum(log_p, 0.0))
    with np.errstate(divide="ignore"):
        return np.where(p > 0.5, np.log(-np.expm1(np.minimum(log_p, 0.0))), np.log1p(-p))
