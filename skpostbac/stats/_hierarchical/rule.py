"""Quadrature in log-odds for one class, with the same nodes for all states.

The posterior of a class, given the state of its stratum, is that of an outlier, reweighted by

    g(theta) = epsilon + (1 - epsilon) theta^up (1 - theta)^down / Z,

where `up` and `down` are the borrowed numbers of correct and wrong samples. One table of g is used
for all heights. If there are many heights, the transform of a class next to an end of its range is
interpolated (`skpostbac.stats._inversion.slow_heights`).
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import log_expit

from skpostbac._utils import Complexes, Floats
from skpostbac.stats import _beta as tb
from skpostbac.stats._borrowing import Borrowed, Stratum
from skpostbac.stats._inversion import Panels

# A rule in log-odds is uniform this far from the middle of its distributions. As its abscissae
# spread out beyond, it needs more of them by the factor.
_CORE, _STRETCHED = 2.5, 1.15
# A borrower's weights below exp(-46) = 1e-20 of the largest are left out; where real rates favour
# them, those below exp(-600).
_DEPTH, _LOST = 46.0, 600.0
# Numbers in a table at most.
_TABLE = 2**22


@dataclass(frozen=True)
class Rule:
    """Abscissae in log-odds for one class, whatever it borrows, shape (n_abscissae,).

    Attributes
    ----------
    deviations : weighted deviations from the tilted mode of an outlier.
    log_weights : log of those of an outlier under the tilt, of sum one.
    log_right, log_wrong : log theta and log (1 - theta).
    """

    deviations: Floats
    log_weights: Floats
    log_right: Floats
    log_wrong: Floats

    @classmethod
    def of(cls, base: tb.TiltedBetas, low: float, high: float, bandwidth: float) -> "Rule":
        """Place a rule for an outlier from `low` to `high`, for densities of some bandwidth."""
        p, q = float(base.p[0]), float(base.q[0])
        flipped, mode = bool(base.flipped[0]), float(np.log(base.p[0]) - np.log(base.q[0]))
        first, last = (-high - mode, -low - mode) if flipped else (low - mode, high - mode)
        # Uniform between the middle of the distributions and that of the interval, exponential
        # beyond.
        left, right = _CORE + max(0.0, mode), _CORE + max(0.0, -mode)
        start = first if first > -left else -(left + np.log1p(-first - left))
        stop = last if last < right else right + np.log1p(last - right)
        count = np.ceil((stop - start) * _STRETCHED * bandwidth / (2 * np.pi))
        v = np.linspace(start, stop, int(count) + 2)
        up, down = np.exp(v - right), np.exp(-v - left)
        d = v + (up - np.exp(-right)) - (down - np.exp(-left))
        log_weights, steps = tb.log_weight_and_step(base, d[np.newaxis])
        log_weights = log_weights[0] + np.log1p(up + down)
        near, far = log_expit(mode + d), log_expit(-mode - d)
        return cls(
            deviations=float(base.weight[0]) * p * q * steps[0],
            log_weights=log_weights - np.logaddexp.reduce(log_weights),
            log_right=far if flipped else near,
            log_wrong=near if flipped else far,
        )


@dataclass(frozen=True)
class Weighted:
    """A rule with the weights of a class in each state of its stratum.

    Attributes
    ----------
    places : deviations at which a borrower has weight in some state, shape (n_places,).
    own : weights of a borrower, shape (n_states, n_places).
    other_places, other : deviations at which an outlier has weight, and its weights there.
    share : what the weights of an outlier are multiplied by in each state, shape (n_states,).
    log_mass : log of what the sum of all weights in a state was before it was made one.
    """

    places: Floats
    own: Floats
    other_places: Floats
    other: Floats
    share: Floats
    log_mass: Floats

    @classmethod
    def of(cls, stratum: Stratum, rule: Rule, rates: Complexes) -> "Weighted":
        """Reweight the rule for an outlier by g, for a transform at some rates."""
        share, some = stratum.share, _reached(stratum, rule, rates)
        logs = _log_own(stratum.borrowed, share, rule, some)
        # A possible outlier keeps the sums from vanishing.
        largest = np.zeros(logs.shape[0]) if share else logs.max(axis=1)
        if not share:
            logs -= largest[:, np.newaxis]
        own, other = np.exp(logs, out=logs), np.exp(rule.log_weights)
        mass = own.sum(axis=1) + share * other.sum()
        own /= mass[:, np.newaxis]
        # Where no weight is left a large tilt would overflow.
        kept = share * other > 0
        return cls(
            places=rule.deviations[some],
            own=own,
            other_places=rule.deviations[kept],
            other=other[kept],
            share=share / mass,
            log_mass=np.log(mass) + largest,
        )

    def transform(
        self, rates: Complexes, end: float, scale: Floats, *, borrower: bool = False
    ) -> Complexes:
        """Sum exponentials, shape (n_states, n), at each of the rates, or a borrower's alone.

        Seen from an `end` of the class, its transform as a borrower hardly oscillates in log s. The
        `scale` of a state is how much an error counts there.
        """
        own = self._interpolated(rates, end, scale)
        if own is None:
            own = _summed(self.own, self.places, rates)
        if not borrower and self.other.size:
            outlier = _summed(self.other[np.newaxis], self.other_places, rates)
            own += self.share[:, np.newaxis] * outlier
        return own

    def _interpolated(self, rates: Complexes, end: float, scale: Floats) -> Complexes | None:
        """Interpolate the transform of a borrower between few heights, where that is possible."""
        panels = Panels.of(rates)
        if panels is None:
            return None
        weights = scale[:, np.newaxis] * self.own
        found = panels.interpolated(_summed(weights, self.places - end, panels.nodes))
        if found is not None:
            found *= (1 / scale)[:, np.newaxis]
            found *= np.exp(end * rates)
        return found


def _log_own(borrowed: Borrowed, share: float, rule: Rule, some: slice) -> Floats:
    """Log weights of a borrower at some abscissae of a rule, shape (n_states, n)."""
    with np.errstate(divide="ignore"):
        factor = np.log1p(-share) - borrowed.log_norm
    states = np.stack([borrowed.up, borrowed.down, factor, np.ones_like(factor)], axis=1)
    right, wrong, weights = (
        table[some] for table in (rule.log_right, rule.log_wrong, rule.log_weights)
    )
    return np.asarray(states @ np.stack([right, wrong, np.ones_like(right), weights]))


def _reached(stratum: Stratum, rule: Rule, rates: Complexes) -> slice:
    """Return the abscissae at which a borrower has more than a negligible weight in some state.

    They are those of the outermost rates of each strength. The ratio of the densities at two rates
    is monotone, so that the tails of those between are lighter.
    """
    if stratum.share == 1:
        return slice(0)
    kappa = stratum.borrowed.kappa
    changes = np.flatnonzero(kappa[1:] != kappa[:-1])
    outermost = np.concatenate([[0], changes, changes + 1, [kappa.size - 1]])
    logs = _log_own(stratum.borrowed.where(outermost), stratum.share, rule, slice(None))
    inside = np.zeros(rule.deviations.size, dtype=bool)
    for rate in {0.0, float(rates.real.min()), float(rates.real.max())}:
        tilted = logs + rate * rule.deviations
        inside |= (tilted > tilted.max(axis=1, keepdims=True) - _DEPTH).any(axis=0)
    # Where all weights vanish, also beside those of an outlier, a real wave may overflow.
    least = float(np.log(stratum.share)) if stratum.share else -np.inf
    largest = np.maximum(logs.max(axis=1, keepdims=True), least)
    places = np.flatnonzero(inside & (logs > largest - _LOST).any(axis=0))
    return slice(int(places[0]), int(places[-1]) + 1) if places.size else slice(0)


def _summed(weights: Floats, places: Floats, rates: Complexes) -> Complexes:
    """Sum exponentials of some weights, shape (n_states, n_places), at each of the rates."""
    most = max(_TABLE // max(places.size, 1), 1)
    parts = []
    for some in np.split(rates, range(most, rates.size, most)):
        waves = np.exp(np.multiply.outer(places, some))
        parts.append((weights @ waves.view(float)).view(complex))
    return parts[0] if len(parts) == 1 else np.hstack(parts)
