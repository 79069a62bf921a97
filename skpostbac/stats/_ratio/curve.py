"""The curves in the plane of both log-odds on which the log ratio has a value (`density`).

All numbers are held as logs and signs, as those of a variable with a small exponent are far beyond
the largest doubles.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from skpostbac._utils import Bools, Floats, Indices
from skpostbac.stats._ratio.variables import LogOdds


@dataclass(frozen=True)
class Curves:
    """The curves on which the log ratio is u, for many u; arrays have the shape (n, 1).

    Attributes
    ----------
    first, second : log-odds of both variables.
    flip : -1 where the first variable is taken as its complement.
    sign_c, log_c : signs and logs of the values of Phi at the corners, shape (2, 2, n, 1).
    log_f : logs of e^u F at the corners, shape (2, 2, n, 1).
    """

    first: LogOdds
    second: LogOdds
    flip: Floats
    sign_c: Floats
    log_c: Floats
    log_f: Floats

    @classmethod
    def of(
        cls, first: LogOdds, second: LogOdds, numerator: Floats, denominator: Floats, u: Floats
    ) -> Curves:
        """Return the curves of the values u, shape (n, 1)."""
        with np.errstate(divide="ignore", invalid="ignore"):
            log_e, log_f = np.log([numerator, denominator])[..., np.newaxis, np.newaxis]
            # Beside a corner the distance from it tells the difference.
            away = u - (log_e - log_f)
            log_e, log_f = log_e - np.maximum(u, 0.0), log_f + np.minimum(u, 0.0)
            log_c = np.where(away < 0, log_e, log_f) + np.log(-np.expm1(-np.abs(away)))
        # Where both are zero there is no distance.
        is_none = np.isnan(away)
        sign_c = np.where(is_none, 0.0, -np.sign(away))
        log_c = np.where(is_none, -np.inf, log_c)
        product, log_product = sign_c[0] * sign_c[1, ::-1], log_c[0] + log_c[1, ::-1]
        top = np.maximum(log_product.max(axis=0), -_LARGEST_LOG)
        same, across = product * np.exp(log_product - top)
        falling = across > same
        sign_c, log_c, log_f = (np.where(falling, x[::-1], x) for x in (sign_c, log_c, log_f))
        return cls(first, second, np.where(falling, -1.0, 1.0), sign_c, log_c, log_f)

    def __getitem__(self, rows: Bools | Indices) -> Curves:
        corners = (x[:, :, rows] for x in (self.sign_c, self.log_c, self.log_f))
        return Curves(self.first, self.second, self.flip[rows], *corners)

    def log_integrand(self, p: Floats) -> Floats:
        """Log of the integrand at places p, shape (n, m)."""
        half = 0.5 * p
        asinh_b, log_root = self._asinh_of_b(half)
        to_second = self._half_gap - self.sign_c[0, 1] * asinh_b
        x, z = half - to_second, half + to_second
        odds = {(0, 0): 0.0, (0, 1): z, (1, 0): x, (1, 1): p}
        above = _log_add([self.log_f[place] + odds[place] for place in self._places_of_f])
        # |c_10| X + |c_01| Z = 2 sqrt(|c_01 c_10|) e^(p / 2) sqrt(B^2 + 1).
        below = (half + self._log_scale) + log_root
        densities = self.first.log_density(self.flip * x) + self.second.log_density(z)
        return np.asarray(densities + (above - below))

    def _asinh_of_b(self, half: Floats) -> tuple[Floats, Floats]:
        """Return asinh(B) and log sqrt(B^2 + 1) where p / 2 is `half`.

        The exponentials in B may overflow, and so all is divided by the largest of them.
        """
        terms = [(sign, log + side * half) for sign, log, side in self._terms_of_b]
        if not terms:
            return np.zeros(half.shape), np.zeros(half.shape)
        top = np.maximum(terms[0][1], 0.0)
        if len(terms) > 1:
            np.maximum(top, terms[1][1], out=top)
        parts = [sign * np.exp(log - top) for sign, log in terms]
        b, one = parts[0] if len(parts) == 1 else parts[0] + parts[1], np.exp(-top)
        root = np.sqrt(b * b + one * one)
        return np.copysign(top + np.log(np.abs(b) + root), b), top + np.log(root)

    @cached_property
    def _log_scale(self) -> Floats:
        """Log of 2 sqrt(|c_01 c_10|)."""
        return np.asarray(0.5 * (self.log_c[0, 1] + self.log_c[1, 0]) + np.log(2.0))

    @cached_property
    def _half_gap(self) -> Floats:
        """The number k, half the log of |c_10 / c_01|."""
        return np.asarray(0.5 * (self.log_c[1, 0] - self.log_c[0, 1]))

    @cached_property
    def _terms_of_b(self) -> list[tuple[Floats, Floats, float]]:
        """Signs and logs of the terms of B without their exponentials, and the signs of these."""
        return [
            (self.sign_c[i, i], self.log_c[i, i] - self._log_scale, side)
            for i, side in enumerate((-1.0, 1.0))
            if self.sign_c[i, i].any()
        ]

    @cached_property
    def _places_of_f(self) -> list[tuple[int, int]]:
        """Corners at which the denominator is not zero for all u."""
        return [place for place in np.ndindex(2, 2) if (self.log_f[place] > -np.inf).any()]

    def p_of_first(self, x: Floats) -> Floats:
        """Places p at which the first variable has the log-odds x, shape (m,); NaN for none."""
        x = self.flip * x
        (s00, s01), (s10, s11) = self.sign_c
        (l00, l01), (l10, l11) = self.log_c
        return x + _log_quotient((s00, l00), (s10, l10 + x), (s01, l01), (s11, l11 + x))

    def p_of_second(self, z: Floats) -> Floats:
        """Places p at which the second variable has the log-odds z, shape (m,); NaN for none."""
        (s00, s01), (s10, s11) = self.sign_c
        (l00, l01), (l10, l11) = self.log_c
        return z + _log_quotient((s00, l00), (s01, l01 + z), (s10, l10), (s11, l11 + z))

    @property
    def bends(self) -> Floats:
        """Places p beside which a curve bends, shape (n, 3), where it does."""
        first = 2 * (self.log_c[0, 0] - self._log_scale)
        second = 2 * (self._log_scale - self.log_c[1, 1])
        return np.concatenate([first, 0.5 * (first + second), second], axis=1)


# Logs of products of corners are above minus this, or count as zero.
_LARGEST_LOG = 1e300

_SignedLog = tuple[Floats, Floats]


def _log_quotient(*terms: _SignedLog) -> Floats:
    """Log of -(t_0 + t_1) / (t_2 + t_3), for terms given by sign and log; NaN where negative."""
    with np.errstate(invalid="ignore", divide="ignore"):
        above, below = _log_sum(*terms[:2]), _log_sum(*terms[2:])
        found = np.where(above[0] * below[0] < 0, above[1] - below[1], np.nan)
    return np.asarray(np.where(np.isfinite(found), found, np.nan))


def _log_sum(first: _SignedLog, second: _SignedLog) -> _SignedLog:
    top = np.maximum(first[1], second[1])
    total = first[0] * np.exp(first[1] - top) + second[0] * np.exp(second[1] - top)
    return np.sign(total), top + np.log(np.abs(total))


def _log_add(terms: list[Floats]) -> Floats:
    """Log of the sum of exponentials, some of which may be zero."""
    top = terms[0]
    for term in terms[1:]:
        top = np.maximum(top, term)
    if len(terms) == 1:
        return top
    total = np.exp(terms[0] - top)
    for term in terms[1:]:
        total += np.exp(term - top)
    return np.asarray(top + np.log(total))
