r"""Quadrature over the rate mu and the strength kappa that classes share.

Given kappa, the likelihood of the counts, the transforms of the classes and the moves of the chain
(`chain`) are polynomials in mu, or nearly so: Gauss-Jacobi quadrature with the weight of the prior
Beta(m, m) has no error but that of what is beyond its degree. With mu = sin(phi / 2)^2 its nodes
are about uniform in phi, in which a rate known from n samples has a standard deviation of n^-1/2
anywhere. A function exp(-n phi^2 / 2) has the Chebyshev coefficients exp(-k^2 / (2 n)), so that
J = 4 sqrt(n) nodes leave exp(-(2 J)^2 / (2 n)) = 1e-14. Classes of n_i samples that borrow kappa
tell as much of mu as

    n = 2 m + sum_i kappa log(1 + n_i / kappa)

samples, the largest slope of their log likelihood, if not less; a tilt c tells as much as
kappa log(1 + c |w_i| / (n_i + kappa)) more. A transform at the height T oscillates in phi with the
frequency T sum_i |w_i| sqrt(mu (1 - mu)) kappa / (n_i + kappa), which adds half of that to J.

Of the nodes those are kept that count. A node is looked at where the posterior of a stratum may be
above exp(-depth) of its largest value; between two looks a log posterior that bends down stays
below the lines through its neighbours.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import lru_cache

import numpy as np
from scipy.special import betaln, eval_jacobi, gammaln, roots_jacobi

from skpostbac._utils import Bools, Floats, Indices

# Nodes for each root of the samples that the rate is known from, and the fewest.
_PER_ROOT, _LEAST = 3.8, 16
# Degrees are rounded up to some in each octave, so that rules are used again.
_STEPS = 8
# Rules of up to this many nodes are computed as a whole.
_WHOLE = 1024
# At how many places a row is looked at, and from how many nodes on.
_LOOKS, _MANY = 65, 128
# Rounds of Newton's method for a node: an asymptotic formula gives four digits.
_ROUNDS = 4


@dataclass(frozen=True)
class States:
    """Nodes in mu and kappa, sorted by kappa.

    Attributes
    ----------
    row, number : number of the strength, and of the node in its rule.
    mu, nu : the rate, and one less that.
    kappa : the strength.
    log_prior : log of the prior mass.
    """

    row: Indices
    number: Indices
    mu: Floats
    nu: Floats
    kappa: Floats
    log_prior: Floats

    @property
    def size(self) -> int:
        """Number of states."""
        return self.mu.size

    @property
    def key(self) -> Indices:
        """A number for each state, the same in all strata."""
        return np.asarray(self.row.astype(np.int64) << 40 | self.number)

    def where(self, kept: Bools) -> "States":
        """Return some of the states."""
        return States(*(getattr(self, field.name)[kept] for field in fields(self)))

    def in_row(self, row: int) -> slice:
        """Where the states of a strength are."""
        return slice(*np.searchsorted(self.row, [row, row + 1]).tolist())


# Log posterior of each stratum, up to a constant, shape (n_strata, n), at (mu, nu, kappa).
LogPosteriors = Callable[[Floats, Floats, Floats], Floats]


def degrees(known: Floats, frequency: Floats) -> Indices:
    """Numbers of nodes for rates known from so many samples and oscillations in phi."""
    least = np.maximum(_PER_ROOT * np.sqrt(known) + frequency / 2, _LEAST)
    return np.asarray(np.ceil(_LEAST * 2 ** (np.ceil(_STEPS * np.log2(least / _LEAST)) / _STEPS)))


def place_states(
    kappa: Floats, degree: Indices, m: float, posteriors: LogPosteriors, depth: float
) -> States:
    """Place nodes wherever the posterior of a stratum is above exp(-depth) of its largest value."""
    windows = _windows(kappa, degree, m, posteriors, depth)
    parts = []
    for row, (first, last) in enumerate(windows):
        number = np.arange(first, last)
        mu, nu, weight = _rule(int(degree[row]), m, number)
        parts.append(
            States(
                np.full(number.size, row),
                number,
                mu,
                nu,
                np.full(number.size, kappa[row]),
                np.log(weight) - np.log(kappa.size),
            )
        )
    return States(
        *(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(States))
    )


def _windows(
    kappa: Floats, degree: Indices, m: float, posteriors: LogPosteriors, depth: float
) -> list[tuple[int, int]]:
    """Ranges of the numbers of the nodes that may count, for each strength."""
    first, last = np.zeros_like(degree), degree.copy()
    while (wide := last - first > _MANY).any():
        looks = np.linspace(first[wide], last[wide] - 1, _LOOKS)
        low, high = (
            _guess(looks, degree[wide], m),
            _guess(degree[wide] - 1 - looks, degree[wide], m),
        )
        mu, nu = np.sin(low / 2) ** 2, np.sin(high / 2) ** 2
        strength = np.broadcast_to(kappa[wide], looks.shape)
        values = posteriors(mu.ravel(), nu.ravel(), strength.ravel())
        # The measure of the nodes is about that of phi.
        values = values + ((m - 0.5) * (np.log(mu) + np.log(nu))).ravel()
        values = values.reshape(-1, *looks.shape)
        inside = (_largest(values) > values.max(axis=(1, 2), keepdims=True) - depth).any(axis=0)
        some = inside.any(axis=0)
        start, stop = inside.argmax(axis=0), _LOOKS - 1 - inside[::-1].argmax(axis=0)
        columns = np.arange(some.size)
        new_first = np.where(some, np.floor(looks[start, columns]), 0)
        new_last = np.where(some, np.ceil(looks[stop, columns]) + 1, 0)
        shrunk = (new_last - new_first) < 0.5 * (last - first)[wide]
        first[wide], last[wide] = new_first, new_last
        if not shrunk.any():
            break
    return [(int(a), int(b)) for a, b in zip(first, last, strict=True)]


def _largest(values: Floats) -> Floats:
    """Bound the values within the intervals on both sides of each look, along axis 1."""
    steps = np.diff(values, axis=1)
    nothing = np.zeros_like(values[:, :1])
    up = np.maximum(np.concatenate([nothing, steps[:, :-1]], axis=1), 0.0)
    down = np.maximum(np.concatenate([-steps[:, 1:], nothing], axis=1), 0.0)
    left, right = values[:, :-1], values[:, 1:]
    between = np.maximum(np.maximum(left, right), np.minimum(left + up, right + down))
    before = np.concatenate([between[:, :1], between], axis=1)
    after = np.concatenate([between, between[:, -1:]], axis=1)
    return np.asarray(np.maximum(before, after))


def _guess(number: Floats, degree: Indices | int, m: float) -> Floats:
    """Angles phi of nodes, about; the first number is zero."""
    return np.asarray((number + (m + 1) / 2 - 0.25) * np.pi / (degree + m - 0.5))


def _rule(degree: int, m: float, number: Indices) -> tuple[Floats, Floats, Floats]:
    """Return some nodes mu, 1 - mu and weights of a rule for the prior Beta(m, m), of sum one."""
    if degree <= _WHOLE:
        mu, nu, weight = _whole_rule(degree, m)
        return mu[number], nu[number], weight[number]
    phi = _guess(number.astype(float), degree, m)
    for _ in range(_ROUNDS):
        x = np.cos(phi)
        slope = 0.5 * (degree + 2 * m - 1) * eval_jacobi(degree - 1, m, m, x)
        phi += eval_jacobi(degree, m - 1, m - 1, x) / (slope * np.sin(phi))
    slope = 0.5 * (degree + 2 * m - 1) * eval_jacobi(degree - 1, m, m, np.cos(phi))
    return (
        np.sin(phi / 2) ** 2,
        np.cos(phi / 2) ** 2,
        np.exp(_log_scale(degree, m)) / (np.sin(phi) * slope) ** 2,
    )


def _log_scale(degree: int, m: float) -> float:
    """Log of the Gauss-Jacobi weights times (1 - x^2) P'(x)^2, for those of sum one."""
    rises = 2 * gammaln(degree + m) - gammaln(degree + 1) - gammaln(degree + 2 * m - 1)
    return float(rises - betaln(m, m))


@lru_cache(maxsize=256)
def _whole_rule(degree: int, m: float) -> tuple[Floats, Floats, Floats]:
    """Nodes mu, 1 - mu and weights of sum one; the smaller of both rates keeps its digits."""
    x, weight = roots_jacobi(degree, m - 1, m - 1)
    half = 0.5 * (1 + x[: (degree + 1) // 2])
    mu = np.concatenate([half, 1 - half[: degree // 2][::-1]])
    rule = mu, mu[::-1].copy(), weight / weight.sum()
    for array in rule:
        array.flags.writeable = False
    return rule
