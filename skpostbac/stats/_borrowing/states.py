r"""Classes in strata, and quadrature over the rate mu and the strength kappa that they share.

Rare classes are often harder. Classes borrow from their own stratum, and strata from their
neighbours (`chain`), so that a trend of the recall with class size is not mistaken for noise. A
stratum contains the classes with the same floor(log n), to the base `strata` of a `Hyperprior`. A
class without samples carries no information and joins the smallest stratum.

Given kappa, the likelihood of the counts, the transforms of the classes and the moves of the chain
(`chain`) are polynomials in mu, or nearly so: Gauss-Jacobi quadrature with the weight of the prior
Beta(m, m) has no error but that of what is beyond its degree. With mu = sin(phi / 2)^2 its nodes
are about uniform in phi, in which a rate known from n samples has a standard deviation of n^-1/2
anywhere. A function exp(-n phi^2 / 2) has the Chebyshev coefficients exp(-k^2 / (2 n)), and J nodes
are exact below k = 2 J: J = 3.8 sqrt(n) nodes leave exp(-2 J^2 / n) = 3e-13. A wave exp(i f phi)
takes f / 2 more of them. What n and f are, for each strength:

- The prior is worth 2 m samples.
- A class with k of n samples correct tells as much of mu as n kappa / (n + kappa) samples do, the
  precision of its recall, whose own spread is that of kappa samples. Where nearly all samples are
  correct, or wrong, its log likelihood is steep instead, with a slope of about
  kappa log[(k + kappa) / (n - k + kappa)]. As exp(a mu) has the coefficients of a / 2 samples, half
  of the slope counts if it is more.
- The log transform of a class of weight w at the modulus |s| = T changes by up to
  kappa log(1 + |w| T / (n + kappa)) from mu = 0 to 1, for the exponents at its ends are in
  proportion to mu and 1 - mu. The transform turns as well, in proportion to
  d mu / d phi = sqrt(mu (1 - mu)). That is f, and a share of the change is added to n for the
  modulus. T is the height at which an envelope of the transform of all classes has decayed.

Of the nodes those are kept that count. A node is looked at where the posterior of a stratum may be
above exp(-depth) of its largest value; between two points a log posterior that bends down stays
below the lines through its neighbours.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import betaln, gammaln, roots_jacobi

from skpostbac._utils import Bools, Floats, Indices
from skpostbac.stats._borrowing.hyperprior import Hyperprior
from skpostbac.stats._numerics import Rows

# Nodes for each root of the samples that the rate is known from, for moments and for transforms,
# and the fewest. With 3.2 of them probabilities of equal classes move by 3e-9, with 2.6 by 7e-7.
_PER_ROOT, _PER_ROOT_OF_TRANSFORMS, _LEAST = 3.8, 3.5, 16
# Rules of up to this many nodes are computed as a whole.
_WHOLE = 1024
# At how many places a row is looked at, if it has more than 512 nodes.
_GRID = 33


@dataclass(frozen=True)
class EqualClasses(Rows):
    """Classes of one pool or stratum, with one row for all that have equal counts and weights.

    Attributes
    ----------
    correct, total : samples of a class of each row, shape (n_rows,).
    weights : its weight in the sum.
    count : number of classes of the row.
    """

    correct: Floats
    total: Floats
    weights: Floats
    count: Floats

    @classmethod
    def of(cls, correct: Floats, total: Floats, weights: Floats) -> "EqualClasses":
        """Put equal classes in one row."""
        rows, count = np.unique(np.stack([correct, total, weights]), axis=1, return_counts=True)
        return cls(rows[0], rows[1], rows[2], count.astype(float))

    @property
    def wrong(self) -> Floats:
        """Samples that were not predicted correctly."""
        return self.total - self.correct

    def strata(self, ratio: float | None) -> tuple["EqualClasses", ...]:
        """Return the rows of each stratum, smallest classes first."""
        number = stratum_numbers(self.total, ratio)
        return tuple(self[number == one] for one in range(int(number.max()) + 1))


def stratum_numbers(total: Floats, ratio: float | None) -> Indices:
    """Return the number of the stratum of each class, of those that occur, smallest first.

    All classes are in one stratum if there is no ratio.
    """
    if ratio is None or not total.any():
        return np.zeros(total.size, dtype=np.intp)
    some = np.where(total > 0, total, total[total > 0].min())
    exponent = np.floor(np.log(some) / np.log(ratio))
    # Logs are rounded: next to a power of the ratio the exponent may be one too low or too high.
    exponent += ratio ** (exponent + 1) <= some
    exponent -= ratio**exponent > some
    return np.asarray(np.unique(exponent, return_inverse=True)[1])


@dataclass(frozen=True)
class States:
    """Nodes in mu and kappa, sorted by kappa.

    Attributes
    ----------
    row : number of the strength.
    mu, nu : the rate, and one less that.
    kappa : the strength.
    log_prior : log of the prior mass.
    """

    row: Indices
    mu: Floats
    nu: Floats
    kappa: Floats
    log_prior: Floats


# Log posteriors, up to constants, shape (n_posteriors, n), at (mu, nu, kappa).
LogPosteriors = Callable[[Floats, Floats, Floats], Floats]


def degrees(
    classes: EqualClasses,
    hyperprior: Hyperprior,
    weighted: Sequence[tuple[EqualClasses, tuple[Floats, Floats]]] = (),
) -> Indices:
    """Return how many nodes in the rate each strength needs.

    For the likelihood of all `classes`; and for the transform of the sum of the `weighted` ones,
    stratum by stratum, if there are any, given the mean accuracy of each row, and one less that.
    """
    kappa, total = np.array(hyperprior.kappa), classes.total[:, np.newaxis]
    right, wrong = classes.correct[:, np.newaxis], classes.wrong[:, np.newaxis]
    slope = kappa * np.abs(np.log((right + kappa) / (wrong + kappa)))
    samples = classes.count @ np.maximum(total * kappa / (total + kappa), 0.5 * slope)
    frequency, per_root = np.zeros_like(kappa), _PER_ROOT
    if weighted:
        per_root = _PER_ROOT_OF_TRANSFORMS
        # A transform has decayed at exp(-14) = 8e-7, beyond which it needs few digits.
        envelopes = [decay(*one, hyperprior.base, kappa) for one in weighted]
        height = vanishing_height(
            lambda t: np.sum([log(t) for log in envelopes], axis=0), -14.0, kappa.size
        )
        for some, (near, far) in weighted:
            size = np.abs(some.weights)[:, np.newaxis]
            change = kappa * np.log1p(size * height / (some.total[:, np.newaxis] + kappa))
            # About this share of a change is one of the modulus.
            samples = samples + 0.4 * some.count @ change
            frequency += (some.count * np.sqrt(near * far)) @ change
    least = np.maximum(per_root * np.sqrt(2 * hyperprior.rate + samples) + frequency / 2, _LEAST)
    # Rounded up to eight numbers in each octave, so that rules are used again.
    octaves = np.ceil(8 * np.log2(least / _LEAST)) / 8
    return np.asarray(np.ceil(_LEAST * 2**octaves).astype(np.intp))


def decay(
    classes: EqualClasses, means: tuple[Floats, Floats], base: float, kappa: Floats
) -> Callable[[Floats], Floats]:
    """Return the log envelope of a transform for each strength, of classes that all borrow.

    That of a Gamma variable of the order p = min(a, b) and the variance v of the class, which is
    (1 + T^2 v / p)^(-p / 2) at the height T.
    """
    right, wrong = (rate[:, np.newaxis] * kappa for rate in means)
    a, b = (
        (classes.correct + base)[:, np.newaxis] + right,
        (classes.wrong + base)[:, np.newaxis] + wrong,
    )
    order = np.minimum(a, b)
    scale = classes.weights[:, np.newaxis] ** 2 * a * b / (a + b) ** 3 / order
    order = -0.5 * classes.count[:, np.newaxis] * order
    return lambda height: np.asarray((order * np.log1p(height**2 * scale)).sum(axis=0))


def vanishing_height(log_size: Callable[[Floats], Floats], least: float, count: int) -> Floats:
    """Heights from which functions that fall are below exp(least), found by bisection."""
    low, high = np.full((2, count), [[-80.0], [80.0]])
    # These leave 1 % of a height.
    for _ in range(14):
        middle = 0.5 * (low + high)
        has_vanished = log_size(np.exp(middle)) <= least
        low, high = np.where(has_vanished, low, middle), np.where(has_vanished, middle, high)
    return np.asarray(np.exp(high))


# Where the nodes that may count are, for each strength: the first, and the one behind the last.
Windows = tuple[Indices, Indices]


def place_states(
    kappa: Floats, degree: Indices, m: float, found: Sequence[Windows]
) -> tuple[States, list[Bools]]:
    """Place the nodes of all of some windows, and tell which of them are in each."""
    first = np.min([np.where(low < high, low, degree) for low, high in found], axis=0)
    last = np.maximum(np.max([high for _, high in found], axis=0), first)
    number = np.concatenate([np.arange(a, b) for a, b in zip(first, last, strict=True)])
    row = np.repeat(np.arange(kappa.size), last - first)
    rules = [_rule(int(n), m, np.arange(a, b)) for n, a, b in zip(degree, first, last, strict=True)]
    mu, nu, weight = (np.concatenate(parts) for parts in zip(*rules, strict=True))
    states = States(row, mu, nu, kappa[row], np.log(weight) - np.log(kappa.size))
    return states, [(number >= low[row]) & (number < high[row]) for low, high in found]


def windows(
    kappa: Floats, degree: Indices, m: float, posteriors: LogPosteriors, depth: float
) -> Windows:
    """Find where a posterior may be above exp(-depth) of its largest value, for each strength."""
    first, last = np.zeros_like(degree), degree.copy()
    while (wide := last - first > 512).any():
        grid = np.linspace(first[wide], last[wide] - 1, _GRID)
        low = _guess(grid, degree[wide], m)
        high = _guess(degree[wide] - 1 - grid, degree[wide], m)
        mu, nu = np.sin(low / 2) ** 2, np.sin(high / 2) ** 2
        strength = np.broadcast_to(kappa[wide], grid.shape)
        values = posteriors(mu.ravel(), nu.ravel(), strength.ravel())
        # The measure of the nodes is about that of phi.
        values = values + ((m - 0.5) * (np.log(mu) + np.log(nu))).ravel()
        values = values.reshape(-1, *grid.shape)
        # Bounds between points: a log posterior that bends down is below the lines through others.
        steps, nothing = np.diff(values, axis=1), np.zeros_like(values[:, :1])
        up = np.maximum(np.concatenate([nothing, steps[:, :-1]], axis=1), 0.0)
        down = np.maximum(np.concatenate([-steps[:, 1:], nothing], axis=1), 0.0)
        left, right = values[:, :-1], values[:, 1:]
        between = np.maximum(np.maximum(left, right), np.minimum(left + up, right + down))
        before = np.concatenate([between[:, :1], between], axis=1)
        after = np.concatenate([between, between[:, -1:]], axis=1)
        least = values.max(axis=(1, 2), keepdims=True) - depth
        inside = (np.maximum(before, after) > least).any(axis=0)
        some = inside.any(axis=0)
        start, stop = inside.argmax(axis=0), _GRID - 1 - inside[::-1].argmax(axis=0)
        columns = np.arange(some.size)
        new_first = np.where(some, np.floor(grid[start, columns]), 0)
        new_last = np.where(some, np.ceil(grid[stop, columns]) + 1, 0)
        shrunk = (new_last - new_first) < 0.5 * (last - first)[wide]
        first[wide], last[wide] = new_first, new_last
        if not shrunk.any():
            break
    return first, last


def _guess(number: Floats, degree: Indices | int, m: float) -> Floats:
    """Angles phi of nodes, about; the first number is zero.

    With alpha = m - 1 and N = n + alpha + 1/2, u = sin(phi)^(alpha + 1/2) P(cos(phi)) solves

        u'' + (N^2 + (1/4 - alpha^2) / sin(phi)^2) u = 0.

    Far from the ends the zeros are even, and the phase is N phi - alpha pi / 2. At a large alpha it
    turns only where sin(phi) > alpha / N, and the phase is the integral of

        (N^2 - alpha^2 / sin(phi)^2)^(1/2)

    (Langer, Physical Review 51, 1937). Up to pi / 2 that is convex and above the other phase, from
    whose zero Newton steps come down.
    """
    order, span = m - 1, degree + m - 0.5
    even = np.asarray((number + (m + 1) / 2 - 0.25) * np.pi / span)
    if order <= 0:
        return even
    low = np.minimum(even, np.pi - even)
    phase, share = span * low - order * np.pi / 2, order / span
    phi, most = low, np.sqrt(1 - share**2)
    # The phase bends within a few nodes of an end.
    for _ in range(6):
        cosine, sine = np.cos(phi), np.sin(phi)
        turned = span * np.arccos(np.minimum(cosine / most, 1.0))
        turned -= order * np.arccos(np.minimum(share * cosine / (sine * most), 1.0))
        phi = phi - (turned - phase) * sine / (span * np.sqrt(sine**2 - share**2))
    return np.asarray(np.where(even > np.pi / 2, np.pi - phi, phi))


def _rule(degree: int, m: float, number: Indices) -> tuple[Floats, Floats, Floats]:
    """Return some nodes mu, 1 - mu and weights of a rule for the prior Beta(m, m), of sum one."""
    if degree <= _WHOLE:
        mu, nu, weight = _whole_rule(degree, m)
        return mu[number], nu[number], weight[number]
    order, power, phi = m - 1, m - 0.5, _guess(number.astype(float), degree, m)
    slope = np.ones_like(phi)
    # Newton's method, from four digits
    for _ in range(5):
        cosine, sine = np.cos(phi), np.sin(phi)
        # The Jacobi polynomial P of both parameters alpha, and that of one degree less
        below, value = np.zeros_like(phi), np.ones_like(phi)
        for n in range(degree):
            scale = (n + order + 1) / ((n + 1) * (n + 2 * order + 1)) if n else 1.0
            # The first of degree one is (alpha + 1) x.
            factor = (2 * n + 2 * order + 1) * scale if n else order + 1
            below, value = value, factor * cosine * value - (n + order) * scale * below
        # (1 - x^2) P' is this less n x P.
        below = (degree + order) * below
        # With a constant coefficient k^2 the u of `_guess` would be a sine. Its phase and its
        # amplitude follow from u and u', and the node and the slope from these. The relative error
        # is a multiple of the change of k^2 over a wave, times the third power of the phase.
        slope = (degree * cosine * value - below) / sine + power * cosine / sine * value
        bend = (0.25 - order**2) / sine**2
        k = np.sqrt(np.maximum((degree + power) ** 2 + bend, 1.0))
        phase = np.arctan(k * value / slope)
        error = np.abs(2 * bend * cosine / (sine * k**3) * phase**3)
        phi = phi - phase / k
        slope = np.hypot(slope, k * value) * (sine / np.sin(phi)) ** power
        if error.max(initial=0.0) < 1e-14:
            break
    # Weights times (1 - x^2) P'(x)^2, for those of sum one.
    log_scale = 2 * gammaln(degree + m) - gammaln(degree + 1) - gammaln(degree + 2 * m - 1)
    weight = np.exp(log_scale - betaln(m, m)) / slope**2
    return np.sin(phi / 2) ** 2, np.cos(phi / 2) ** 2, np.asarray(weight)


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
