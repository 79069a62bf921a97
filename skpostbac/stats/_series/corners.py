r"""Tails of Fourier series, summed in closed form.

The transform of a bounded variable is at large heights that of its corners: the ends of the
variables of a sum, and what follows where they meet,

    v(t) = sum_c exp(i t c) g_c(t),

where g_c is analytic for Re t > 0 and falls like a power of t. The rest of a Fourier series from
the order K on is a sum of such terms at t = k h. With K' = K - 1/2 and z = h (c - y) in [0, pi],
the Abel-Plana formula between integers (NIST Digital Library of Mathematical Functions, 2.10(i)),
with its path turned to where the wave decays, gives exactly

    sum_{k >= K} exp(i k z) f(k) = i exp(i K' z) int_0^oo g(s) ds,
    g(s) = f(K' + i s) exp(-z s) / (1 + exp(-2 pi s)) + f(K' - i s) exp(z s) / (1 + exp(2 pi s)),

and its mirror image for z in [-pi, 0]. Nothing oscillates, and the corner itself, z = 0, is a point
like any other. With s = exp(x - exp(-x) + exp(x - x_1)) the trapezoid rule in x converges
exponentially (Takahasi and Mori, Publications of RIMS 9, 1974): ends at 0 and at infinity are
reached by double exponentials, however slowly the powers fall.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from skpostbac._utils import Complexes, Floats
from skpostbac.stats._numerics import waves

# Step of the rule, which leaves an error of about 1e-10 of the first order that is summed: that is
# no more than some 1e-3. Half of it would leave nothing, in twice the time.
_STEP = 0.22
# The rule begins where s = 1e-17. It reaches exp(22) times K' in even steps of log s, or less.
_FIRST, _EVEN, _FEWEST = -3.6, 22.0, 6.0
# Powers of s are left out below exp(-DEPTH); smaller exponents than the least leave out less.
_DEPTH, _LEAST = 37.0, 1e-9
# Beyond this log s only the distribution function is evaluated: at a corner, s ends nowhere.
_FAR = 300.0
# Distances to a corner, in angles, that are rounding errors.
_ROUNDING = 1e-15
# Values that are held at a time, and points of a product that one thread computes.
_BLOCK, _WIDTH = 2**20, 64


@dataclass(frozen=True)
class Rule:
    """Nodes of the integrals from an order K on.

    Attributes
    ----------
    middle : K' = K - 1/2.
    s, log_s, weights : nodes, their logs, and weights of integrals over log s; shape (N,).
    log_orders : logs of K' + i s and of K' - i s, shape (2, N).
    """

    middle: float
    s: Floats
    log_s: Floats
    weights: Floats
    log_orders: Complexes

    @classmethod
    def of(cls, order: int, exponent: float) -> "Rule":
        """Return the rule for functions that fall at least like the order to minus `exponent`."""
        middle = order - 0.5
        # Where powers fall fast, little is far out.
        turn = np.log(middle) + max(_EVEN / max(exponent - 1, 1.0), _FEWEST)
        last = turn + np.log(_DEPTH / max(min(exponent, 1.0), _LEAST))
        x = np.arange(_FIRST, last, _STEP)
        log_s = x - np.exp(-x) + np.exp(x - turn)
        weights = _STEP * (1 + np.exp(-x) + np.exp(x - turn))
        s = np.exp(np.minimum(log_s, _FAR))
        logs = np.where(log_s < _FAR, np.log(middle + 1j * s), log_s + 0.5j * np.pi)
        return cls(middle, s, log_s, weights, np.array([logs, logs.conj()]))


@dataclass(frozen=True)
class Corners:
    """Sums over the orders from K on, for m distributions of C corners each.

    Attributes
    ----------
    rule : nodes of the integrals.
    step : h, shape (m,).
    places : corners, as distances from the mean, shape (m, C).
    values : g_c at h (K' + i s) and h (K' - i s), shape (m, C, 2, N).
    """

    rule: Rule
    step: Floats
    places: Floats
    values: Complexes

    def evaluator(self, n_derivatives: int) -> Callable[[Floats], Complexes]:
        """Return a function of y, shape (m, n): sums of exp(i k h (c - y)) g_c(h k) k^(d - 1).

        They begin at k = K, and have the shape (1 + d, m, n).
        """
        rule, n_values = self.rule, n_derivatives + 1
        powers = np.arange(n_values)[:, np.newaxis, np.newaxis] - 1
        # A derivative at a corner may not exist; elsewhere its wave has decayed there.
        is_kept = (powers < 0) | ((powers + 1) * rule.log_s < 2 * _FAR)
        logs = np.where(is_kept, powers * rule.log_orders.real + rule.log_s, -np.inf)
        table = waves(powers * rule.log_orders.imag, logs)
        table *= rule.weights / (1 + np.exp(-2 * np.pi * rule.s))
        # (m, C, N, 2 d): the path that turns upwards, then the one that turns downwards.
        shape = (*self.places.shape, rule.s.size, 2, n_values)
        both = np.empty(shape, dtype=complex)
        np.multiply(self.values.swapaxes(2, 3)[..., np.newaxis], table.transpose(2, 1, 0), out=both)
        long = both.reshape(*shape[:3], -1).view(float)
        n_short = int(np.searchsorted(rule.s, _DEPTH / np.pi))
        short = both[:, :, :n_short, ::-1].reshape(*shape[:2], n_short, -1).view(float)
        rate = self.step[:, np.newaxis, np.newaxis]
        width = max(1, min(_BLOCK // (long.size // n_values), _WIDTH))

        def sums(y: Floats) -> Complexes:
            turn = rate * (self.places[..., np.newaxis] - y[:, np.newaxis])
            turn -= 2 * np.pi * np.round(turn / (2 * np.pi))
            size = np.abs(turn)
            size[size < _ROUNDING] = 0.0
            size = size[..., np.newaxis]
            integrals = np.exp(-size * rule.s) @ long
            integrals += np.exp((size - 2 * np.pi) * rule.s[:n_short]) @ short
            values = integrals.view(complex)
            upper, lower = values[..., :n_values], values[..., n_values:]
            sides = np.where(turn[..., np.newaxis] >= 0, upper, -lower)
            return np.asarray(
                np.einsum("mcn,mcnd->dmn", 1j * np.exp(1j * rule.middle * turn), sides)
            )

        def evaluate(y: Floats) -> Complexes:
            values = np.empty((n_values, *y.shape), dtype=complex)
            for start in range(0, y.shape[1], width):
                values[..., start : start + width] = sums(y[:, start : start + width])
            return values

        return evaluate
