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
from skpostbac.stats._borrowing import Stratum
from skpostbac.stats._inversion import Panels

# A rule in log-odds is uniform this far from the middle of its distributions. As its abscissae
# spread out beyond, it needs more of them by the factor.
_CORE, _STRETCHED = 2.5, 1.15
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
    deviations : those of the rule.
    own : weights of a borrower, shape (n_states, n_abscissae).
    other, share : weights of an outlier, shape (n_abscissae,), and what they are multiplied by in
        each state, shape (n_states,).
    log_mass : log of what the sum of all weights in a state was before it was made one.
    """

    deviations: Floats
    own: Floats
    other: Floats
    share: Floats
    log_mass: Floats

    @classmethod
    def of(cls, stratum: Stratum, rule: Rule) -> "Weighted":
        """Reweight the rule for an outlier by g."""
        share, borrowed = stratum.share, stratum.borrowed
        with np.errstate(divide="ignore"):
            factor = np.log1p(-share) - borrowed.log_norm
        states = np.stack([borrowed.up, borrowed.down, factor, np.ones_like(factor)], axis=1)
        ones = np.ones_like(rule.log_right)
        logs = states @ np.stack([rule.log_right, rule.log_wrong, ones, rule.log_weights])
        # A possible outlier keeps the sums from vanishing.
        largest = np.zeros(logs.shape[0]) if share else logs.max(axis=1)
        if not share:
            logs -= largest[:, np.newaxis]
        own, other = np.exp(logs, out=logs), np.exp(rule.log_weights)
        # Where no weight is left a large tilt would overflow.
        kept = np.asarray(own.any(axis=0) | (share * other > 0))
        own, other = own[:, kept], other[kept]
        mass = own.sum(axis=1) + share * other.sum()
        own /= mass[:, np.newaxis]
        return cls(rule.deviations[kept], own, other, share / mass, np.log(mass) + largest)

    def transform(
        self, rates: Complexes, end: float, scale: Floats, *, borrower: bool = False
    ) -> Complexes:
        """Sum exponentials, shape (n_states, n), at each of the rates, or a borrower's alone.

        Seen from an `end` of the class, its transform as a borrower hardly oscillates in log s. The
        `scale` of a state is how much an error counts there.
        """
        own = self._interpolated(rates, end, scale)
        if own is None:
            own = _summed(self.own, self.deviations, rates)
        if not borrower and self.share.any():
            outlier = _summed(self.other[np.newaxis], self.deviations, rates)
            own += self.share[:, np.newaxis] * outlier
        return own

    def _interpolated(self, rates: Complexes, end: float, scale: Floats) -> Complexes | None:
        """Interpolate the transform of a borrower between few heights, where that is possible."""
        panels = Panels.of(rates)
        if panels is None:
            return None
        weights = scale[:, np.newaxis] * self.own
        found = panels.interpolated(_summed(weights, self.deviations - end, panels.nodes))
        if found is not None:
            found *= (1 / scale)[:, np.newaxis]
            found *= np.exp(end * rates)
        return found


def _summed(weights: Floats, places: Floats, rates: Complexes) -> Complexes:
    """Sum exponentials of some weights, shape (n_states, n_places), at each of the rates."""
    most = max(_TABLE // max(places.size, 1), 1)
    parts = []
    for some in np.split(rates, range(most, rates.size, most)):
        waves = np.exp(np.multiply.outer(places, some))
        parts.append((weights @ waves.view(float)).view(complex))
    return np.hstack(parts)
