r"""Accuracies of groups, such as subjects, sampled from one population.

The posterior of the population, given the counts of some groups, and the distributions
of its mean, of each group, of a new group, and of averages over classes. Imports
`_fourier`, `_several` and `_table`. Probabilities have errors below 1e-5.

**The model.** Group j has the accuracy theta_j ~ Beta(alpha, beta) and k_j correct
predictions of n_j, binomial given theta_j. The prior is

    p(alpha, beta) ~ (alpha + beta + 1)^(-5/2),

specific to this package: that of Gelman et al. (Bayesian Data Analysis, 3rd edition,
2013, chapter 5) lacks the 1, and its posterior is improper if no group has both right
and wrong predictions. This one is proper: the mean alpha / (alpha + beta) is uniform,
and the density of t = (alpha + beta)^(-1/2), about the spread of the groups, is
proportional to (1 + t^2)^(-5/2). The location is the log-odds of the mean, and the
concentration is log(alpha + beta).

**Quadrature.** The spread is t = s sinh(y), and the integrals over y and over the
location at each y are trapezoid sums, which converge geometrically where an integrand
is smooth and decays (Trefethen and Weideman, SIAM Review 56, 2014). The accuracy of a
group is then a mixture over the nodes of Beta(alpha + k, beta + n - k), and that of a
new group of Beta(alpha, beta). Both are tabulated, as is the law of the location, whose
density is the sum over y at any location.

**Averages of independent accuracies,** one for each class. The distribution function of
the average is a Fourier series. Its coefficients are products of sums over nodes of the
distributions of the accuracies (`even_sums`). If they do not vanish, because mass is
close to 0 or 1, the series ends smoothly at a height T, and what is left of it is
beside the corners j / l, at which j of the l accuracies are 1 and the others 0:

    prod_i E[exp(i t X_i / l)] = sum_j exp(i t j / l) g_j(t)    for t > T / 4,

where prod_i (A_i + z B_i) = sum_j z^j g_j, and A_i and B_i are the sums over the masses
beside 0 and beside 1 only, which end smoothly. So each corner has a series of its own,
of a period that is proportional to 1 / T, up to a height 13 T; then the next ones
follow. The sum of all is resolved on panels (`_several`).

At a corner, the distribution function may jump by what is closer to it than 1e-12.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.fft import irfft
from scipy.special import binom, expit, log_expit, logit, logsumexp

from skpostbac._utils import Complexes, Floats
from skpostbac.stats._centred import Centred
from skpostbac.stats._distribution import BoundedDistribution
from skpostbac.stats._fourier import smooth_step
from skpostbac.stats._numerics import (
    EPS,
    Frame,
    barycentric,
    even_sums,
    log_beta,
    log_binomial,
    log_sum,
    stirling_remainder,
)
from skpostbac.stats._several import resolve
from skpostbac.stats._table import LogitDistribution, Table

# Nodes are neglected if the log of their weight is so far below the largest one.
_DEPTH = 20.0
# Error of tabulated log densities.
_TOLERANCE = 1e-7
# Beyond this spread of the groups, (alpha + beta)^(-1/2), there is no prior.
_LARGEST_SPREAD = 400.0
# Places of the spread, at first.
_N_SPREADS = 40
# Where the locations at a spread are looked for.
_LOOKS = np.linspace(-13.0, 13.0, 27)[:, np.newaxis]
# Step of the locations, in units of the width of the kernel that they carry.
_STEP = 0.45
# Groups that are alike are taken as spread at least by this share of the uncertainty of
# the location, which changes probabilities by less than 1e-5.
_LEAST_SHARE = 1 / 30


def _stretched(z: Floats) -> Floats:
    """Return distances that are dense at zero and far apart in the tails."""
    return np.asarray(4 * np.sinh(z / 4))


def _exponents(location: Floats, concentration: Floats) -> tuple[Floats, Floats]:
    """Return alpha and beta, which do not underflow."""
    logs = [concentration + log_expit(side * location) for side in (1, -1)]
    a, b = np.exp(np.maximum(logs, -300.0))
    return a, b


def _log_prior(location: Floats, concentration: Floats) -> Floats:
    """Return the log density of location and concentration, whose integral is 4/3."""
    uniform = log_expit(location) + log_expit(-location)
    tail = 2.5 * np.logaddexp(0, concentration)
    return np.asarray(uniform + 2 * concentration - tail)


class GroupInference:
    """The posterior of a population, of its groups, and of one more group.

    Parameters
    ----------
    correct, total : ndarray of shape (m,)
        Counts of the groups.
    """

    def __init__(self, correct: Floats, total: Floats) -> None:
        # Groups of the same counts are computed once.
        self._kinds, kind, count = np.unique(
            np.stack([correct, total]), axis=1, return_inverse=True, return_counts=True
        )
        self._kind = kind.ravel()
        self._count = count.astype(float)
        # About half the deviation of one accuracy of all groups.
        self._unit = 0.5 / np.sqrt(total.sum() + 4)
        self._y, step = self._spreads()
        self._concentration_at_y = self._concentration(self._y)
        self._log_step = np.log(2 * step / np.tanh(self._y))
        self._place_nodes()

    def _concentration(self, y: Floats) -> Floats:
        return np.asarray(-2 * np.log(self._unit * np.sinh(y)))

    def _log_evidence(self, location: Floats, concentration: Floats) -> Floats:
        """Return log probabilities of each kind of group, along a new first axis.

        The binomial coefficients are left out.
        """
        a, b = _exponents(location, concentration)
        right, wrong = log_expit(location), log_expit(-location)
        x = np.stack([a, b, a + b])
        remainder = stirling_remainder(x)
        values = np.empty((self._count.size, *a.shape))
        for value, (correct, total) in zip(values, self._kinds.T, strict=True):
            d = np.reshape([correct, total - correct, total], (3, *[1] * a.ndim))
            # log Gamma(x + d) - log Gamma(x) - d log x, without cancellation.
            rise = (x + d - 0.5) * np.log1p(d / x) - d
            rise += stirling_remainder(x + d) - remainder
            value[...] = correct * right + (total - correct) * wrong
            value += rise[0] + rise[1] - rise[2]
        return values

    def _log_posterior(self, location: Floats, concentration: Floats) -> Floats:
        """Return the log density of location and concentration, not normalised."""
        evidence = self._log_evidence(location, concentration)
        prior = _log_prior(location, concentration)
        return np.asarray(prior + np.tensordot(self._count, evidence, 1))

    def _rows(self, y: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Describe the locations at some y.

        Returns their middles, deviations and ranges, shape (2, n), and the log
        densities of y.
        """
        # As if all log-odds were normal, at first.
        right = self._kinds[0] + 0.5
        wrong = self._kinds[1] - self._kinds[0] + 0.5
        concentration = self._concentration(y)
        noise = 1 / right + 1 / wrong
        pooled = right @ self._count / ((right + wrong) @ self._count)
        spread = np.exp(-concentration) / (pooled * (1 - pooled))
        weight = self._count / np.add.outer(spread, noise)
        precision = weight.sum(axis=1) + 0.3  # of the log-odds of a uniform variable
        middle = weight @ np.log(right / wrong) / precision
        scale = 1 / np.sqrt(precision)

        location = middle + scale * _stretched(_LOOKS)
        logs = self._log_posterior(location, concentration)
        is_inside = logs > logs.max(axis=0) - _DEPTH
        logs = logs + np.log(scale * np.cosh(_LOOKS / 4))
        log_share = logsumexp(logs, axis=0)
        share = np.exp(logs - log_share)
        middle = (share * location).sum(axis=0)
        deviation = np.sqrt((share * (location - middle) ** 2).sum(axis=0))
        # Ranges end one look beyond what counts.
        last = len(_LOOKS) - 1
        first = np.maximum(is_inside.argmax(axis=0) - 1, 0)
        last = last - np.maximum(is_inside[::-1].argmax(axis=0) - 1, 0)
        ends = np.take_along_axis(location, np.array([first, last]), axis=0)
        # Not narrower than what the looks resolve.
        deviation = np.maximum(deviation, 0.3 * scale)
        return middle, deviation, ends, log_share - np.log(np.tanh(y))

    def _spreads(self) -> tuple[Floats, float]:
        """Return y of a midpoint rule where the posterior counts, and its step."""
        low = 0.0
        high = float(np.arcsinh(_LARGEST_SPREAD / self._unit))
        n = _N_SPREADS
        while True:
            step = (high - low) / n
            y: Floats = low + step * np.arange(0.5, n)
            middle, deviation, _, log_share = self._rows(y)
            inside = np.flatnonzero(log_share > log_share.max() - _DEPTH)
            first, last = inside[[0, -1]]
            if last - first < n / 2:
                low = max(float(y[first]) - 1.5 * step, 0.0)
                high = float(y[last]) + 1.5 * step
                continue
            # Locations at neighbours overlap.
            gap = np.abs(np.diff(middle)) / deviation[1:]
            if gap[first:last].max(initial=0.0) < 0.8 or n > 8 * _N_SPREADS:
                break
            n *= 2
        return y[inside], step

    def _place_nodes(self) -> None:
        """Set nodes of location and concentration, their log weights and evidence."""
        middle, deviation, ends, _ = self._rows(self._y)
        concentration = self._concentration_at_y
        a, b = _exponents(middle, concentration)
        share = np.sqrt(1 / a + 1 / b) / deviation
        narrowed = np.log(np.maximum(_LEAST_SHARE / share, 1.0))
        step = _STEP / np.hypot(1.0, 1 / np.maximum(share, _LEAST_SHARE))
        low, high = 4 * np.arcsinh((ends - middle) / (4 * deviation))
        sizes = np.ceil((high - low) / step).astype(int)
        step = (high - low) / sizes

        row = np.repeat(np.arange(sizes.size), sizes)
        number = np.arange(row.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        z = low[row] + step[row] * (number + 0.5)
        location = middle[row] + deviation[row] * _stretched(z)
        evidence = self._log_evidence(location, concentration[row])
        log_weight = _log_prior(location, concentration[row]) + self._count @ evidence
        log_weight += np.log((deviation * step)[row] * np.cosh(z / 4))
        log_weight += self._log_step[row]
        kept = log_weight > log_weight.max() - _DEPTH
        self._location = location[kept]
        self._a, self._b = _exponents(
            self._location, (concentration - 2 * narrowed)[row[kept]]
        )
        self._log_total = float(logsumexp(log_weight))
        self._log_weight = log_weight[kept] - self._log_total
        self._evidence = evidence[:, kept]
        # Log densities are sums of terms as large as this.
        largest = float(self._kinds[1] @ self._count + (self._a + self._b).max())
        self._tolerance = _TOLERANCE + 10 * EPS * largest

    @cached_property
    def _shape(self) -> tuple[float, float]:
        """A point amid the posterior of the location, and its width."""
        weight = np.exp(self._log_weight)
        mean = float(weight @ self._location)
        return mean, float(np.sqrt(weight @ (self._location - mean) ** 2))

    def population_mean(self) -> LogitDistribution:
        """Distribution of the mean of the accuracies in the population."""

        def log_density(u: Floats) -> Floats:
            logs = self._log_posterior(u[:, np.newaxis], self._concentration_at_y)
            return np.asarray(logsumexp(logs + self._log_step, axis=1))

        return LogitDistribution(log_density, *self._shape, self._tolerance)

    def new_group(self) -> LogitDistribution:
        """Distribution of the accuracy of one more group."""
        return self._group(self._log_weight, 0.0, 0.0)

    def groups(self, number: int) -> list[LogitDistribution]:
        """Distributions of the first groups, one for all that have the same counts."""
        kinds = self._kind[:number].tolist()
        distributions = {
            kind: self._group(
                self._log_weight - self._evidence[kind], *self._kinds[:, kind]
            )
            for kind in dict.fromkeys(kinds)
        }
        return [distributions[kind] for kind in kinds]

    def _group(
        self, log_weight: Floats, correct: float, total: float
    ) -> LogitDistribution:
        """Distribution of a group with these counts, given weights of nodes."""
        wrong = total - correct
        constant = log_weight - log_beta(self._a, self._b)
        mixed = np.stack([constant, self._a, self._b])

        def log_density(u: Floats) -> Floats:
            sides = np.stack([np.ones_like(u), log_expit(u), log_expit(-u)], axis=1)
            blocks = (sides[i : i + 128] for i in range(0, u.size, 128))
            logs = np.concatenate([log_sum((block @ mixed).T) for block in blocks])
            # The log probability of the counts, less its maximum.
            if correct and wrong:
                return logs + log_binomial(u, correct, wrong)
            return np.asarray(logs + sides[:, 1:] @ [correct, wrong])

        # A point amid it, and its width, as if all were normal.
        centre, width = self._shape
        best = np.argmax(self._log_weight)
        spread = 1 / self._a[best] + 1 / self._b[best]
        precision = 1 / (width**2 + spread)
        edge = np.log((correct + 0.5) / (wrong + 0.5))
        information = (correct + 0.5) * (wrong + 0.5) / (total + 1) if total else 0.0
        weight = information + precision
        start = (information * edge + precision * centre) / weight
        return LogitDistribution(
            log_density, float(start), float(1 / np.sqrt(weight)), self._tolerance
        )

    def log_evidence(self) -> float:
        """Return the log probability of all counts.

        The binomial coefficients are left out.
        """
        # The integral of the prior over the concentration is 4/3.
        return self._log_total + float(np.log(0.75))

    def sample_groups(self, n_draws: int, rng: np.random.Generator) -> Floats:
        """Draw accuracies of all groups, shape (n_draws, m).

        Given the parameters, they are independent Betas.
        """
        weight = np.exp(self._log_weight)
        node = rng.choice(weight.size, n_draws, p=weight / weight.sum())
        a = self._a[node, np.newaxis]
        b = self._b[node, np.newaxis]
        correct, total = self._kinds[:, self._kind]
        draws = rng.beta(a + correct, b + total - correct)
        return np.asarray(draws, np.float64)


# Coefficients of a Fourier series that count as zero.
_VANISHED = 1e-6
# Orders of the first series if it does not vanish.
_MOST_ORDERS = 2**12
# Orders of the series beside corners.
_CORNER_ORDERS = 2**9
# Times the height where the waves of a corner begin, this is half their period, and
# the distance from the corner at which the masses that it has end.
_REACH = 120.0
# Waves beyond this height are on a scale that the panels below do not resolve.
_HIGHEST = 1e13
# Points of the grid for each of the shortest waves of a series.
_FINENESS = 16
# Errors of the panels of the distribution function.
_PANEL_ERROR = 1e-7
_MOST_PANELS = 400


def average(distributions: Sequence[LogitDistribution]) -> BoundedDistribution:
    """Return the distribution of the average of independent accuracies."""
    if len(distributions) == 1:
        return distributions[0]
    return LogitAverage([one._table for one in distributions])


class LogitAverage(BoundedDistribution):
    """Average of independent accuracies that are given by their log-odds.

    Parameters
    ----------
    tables : list of l Table
        Two or more.
    """

    def __init__(self, tables: list[Table]) -> None:
        self._tables = tables

    @cached_property
    def _centred(self) -> Centred:
        mean = self._frame.mean
        deviation = self.standard_deviation()
        parts = _parts(self._tables, mean, deviation)
        corners = [part.corner for part in parts]
        edges = np.unique([0.0, *np.linspace(*parts[0].range, 9), *corners, 1.0])
        panels = resolve(
            lambda x: np.sum([part.cdf(x) for part in parts], axis=0),
            edges,
            tolerance=_PANEL_ERROR,
            most=_MOST_PANELS,
        )
        return panels.centred(mean, deviation)

    @cached_property
    def _frame(self) -> Frame:
        means = [table.mean_and_rest for table in self._tables]
        mean, rest = np.mean(means, axis=0).tolist()
        return Frame(0.0, 1.0, mean, 0.0, mean, rest)

    @cached_property
    def _cumulants(self) -> Floats:
        found = np.array([table.cumulants for table in self._tables])
        return np.asarray(found.sum(axis=0) / len(found) ** np.arange(2.0, 5.0))


@dataclass(frozen=True)
class _Part:
    """Part of a distribution function, on a grid of distances from a corner.

    Attributes
    ----------
    corner : the point from which distances are measured.
    first, step : the first distance, and the step.
    values : part of the distribution function.
    """

    corner: float
    first: float
    step: float
    values: Floats

    @classmethod
    def of(
        cls, coefficients: Complexes, height: float, corner: float, first: float
    ) -> "_Part":
        """Sum a Fourier series of waves with multiples of a height.

        The waves are those of the density at distances from the first one.
        """
        orders = np.arange(1, coefficients.size)
        size = _FINENESS * coefficients.size
        step = 2 * np.pi / (height * size)
        waves = np.append(0.0, 1j * coefficients[1:] / (orders * height))
        values = irfft(waves.conj(), size) / step
        values += coefficients[0].real * np.arange(size) / size
        return cls(corner, first, step, values - values[0])

    @property
    def range(self) -> tuple[float, float]:
        """First and last point of the grid, in [0, 1]."""
        ends = self.corner + self.first + self.step * np.array([0, self.values.size])
        low, high = np.clip(ends, 0.0, 1.0).tolist()
        return low, high

    def cdf(self, x: Floats) -> Floats:
        """Return values between the points, by polynomials of degree 5."""
        place = ((x - self.corner) - self.first) / self.step
        place = np.clip(place, 2.0, self.values.size - 4.0)
        index = place.astype(int)[:, np.newaxis] + np.arange(-2, 4)
        weights = (-1.0) ** np.arange(6) * binom(5, np.arange(6)) / 10
        lagrange = barycentric(np.arange(6.0), weights, place - index[:, 0])
        return np.asarray((lagrange * self.values[index]).sum(axis=1))


def _nodes(
    table: Table, sign: float, height: float, length: float
) -> tuple[Floats, Floats]:
    """Return distances from an end up to a length, and masses there.

    They resolve waves up to a height. The sign is 1 at the lower end, and else -1.
    """
    # 16 nodes leave 1e-10 of a wave that turns by 24 radians on their panel.
    step = 24.0 / height
    first, last = np.sort(expit(sign * table.edges[[0, -1]]))
    cuts = np.arange(first + step, min(last, length), step)
    # Beside the end, a wave hardly begins to turn on a long panel of log-odds.
    near = step * np.exp(-2.0 * np.arange(1, 13))
    cuts = np.append(cuts, near[(near > first) & (near < last)])
    edges = np.union1d(table.edges, sign * logit(cuts))
    u, mass = table.masses(edges[expit(sign * edges) <= length])
    distance = expit(sign * u)
    is_inside = distance <= length
    return distance[is_inside], mass[is_inside]


def _parts(tables: list[Table], mean: float, deviation: float) -> list[_Part]:
    """Return parts whose sum is the distribution function of the average."""
    n = len(tables)
    # Chernoff's bound of exp(-20) on the mass beyond, unless the support ends.
    rates = 2.0 ** np.arange(-4.0, 6.0) / deviation
    bounds = np.full((2, rates.size), 20.0)
    for table in tables:
        distance, mass = _nodes(table, 1.0, 24.0, 1.0)
        for bound, side in zip(bounds, (-rates, rates), strict=True):
            waves = np.multiply.outer(side / n, distance - table.mean_and_rest[0])
            bound += logsumexp(waves, axis=1, b=mass)
    below, above = np.min(bounds / rates, axis=1)
    first = max(mean - below, 0.0)
    last = min(mean + above, 1.0)

    # The period leaves a gap. No transform vanishes sooner than a normal one.
    step = 2 * np.pi / (1.2 * (last - first))
    fewest = np.clip(8 / (step * deviation), 64, _MOST_ORDERS)
    most = max(_MOST_ORDERS, 2 * _REACH * n / step)
    count = 2 ** int(np.ceil(np.log2(fewest)))
    while True:
        values = np.exp(1j * step * (mean - first) * np.arange(count))
        for table in tables:
            distance, mass = _nodes(table, 1.0, step * count / n, 1.0)
            angles = step / n * (distance - table.mean_and_rest[0])
            values *= even_sums(angles, mass, count)
        if np.abs(values[-count // 8 :]).max() < _VANISHED:
            return [_Part.of(values, step, 0.0, first)]
        if count >= most:
            break
        count *= 4
    # Some waves begin before the lower end, across which they are smoothed.
    gap = 0.1 * (last - first)
    values *= 1 - smooth_step(np.arange(count) / count)
    values *= np.exp(1j * step * gap * np.arange(count))
    whole = _Part.of(values, step, 0.0, first - gap)
    return [whole, *_corners(tables, step * count)]


def _corners(tables: list[Table], height: float) -> Iterator[_Part]:
    """Yield the waves beyond a height, beside each corner.

    At a corner all accuracies are 0 or 1.
    """
    n = len(tables)
    while height < _HIGHEST:
        step = np.pi * height / _REACH
        reach = _REACH / height
        top = step * _CORNER_ORDERS
        # Products of what is beside 0 and beside 1, by the number of the latter.
        products = {0: np.ones(_CORNER_ORDERS, complex)}
        for table in tables:
            longer: dict[int, Complexes] = {}
            for is_one, sign in enumerate((1.0, -1.0)):
                length = _REACH * n / height
                distance, mass = _nodes(table, sign, top / n, length)
                mass = mass * (1 - smooth_step(distance / length))
                if mass.sum() < _VANISHED:
                    continue
                end = even_sums(sign * step / n * distance, mass, _CORNER_ORDERS)
                for k, product in products.items():
                    longer[k + is_one] = longer.get(k + is_one, 0) + end * product
            products = longer

        orders = np.arange(float(_CORNER_ORDERS))
        window = smooth_step(orders * (step / height))
        window *= 1 - smooth_step(orders / _CORNER_ORDERS)
        is_found = False
        for k, product in products.items():
            waves = np.asarray(product * window, complex)
            if np.abs(waves).max() > _VANISHED:
                is_found = True
                waves *= np.exp(1j * step * reach * orders)
                yield _Part.of(waves, step, k / n, -reach)
        if not is_found:
            return
        height = top
