r"""The sum of many classes given the states, by its first five cumulants.

A class adds w d e with its share d of discordant samples and its balance e = 2 s - 1. Given the
states these are independent. With the means mu and nu, and the central moments u_k of d and v_k of
e, the central moments of d e are

    m_k = sum over a + b + c = k of k! / (a! b! c!) mu^a nu^b u_(b + c) v_(a + c),

by the expansion of (mu v + nu u + u v)^k, and the cumulants mu nu, m_2, m_3, m_4 - 3 m_2^2 and
m_5 - 10 m_3 m_2. All are sums of products of a function of the state of d and one of the state of
e: their sums over classes are matrix products, for all pairs of states at once. Neighbouring states
are taken together.

The sum of the classes is gains and losses, few of them if the classifiers mostly agree, so that it
is far from normal. With its standardised cumulants g, h and f, those of the orders three to five,
it is drawn

- as two centred Gamma variables, with shares p of the variance and scales T of either sign, if
  h >= 3 g^2 / 2. The cumulants of those are (r - 1)! sum p T^(r - 2), so that T has the moments
  t_1 = g / 2, t_2 = h / 6 and t_3 = f / 24 with the weights p: a Gaussian rule of two points,
  T = t_1 + s x with s^2 = t_2 - t_1^2, c = (t_3 - 3 t_1 t_2 + 2 t_1^3) / s^3,
  x = (c +- sqrt(c^2 + 4)) / 2 and p = 1 / (1 + x^2);
- as a Beta variable, moved and stretched, if h < 3 g^2 / 2: Pearson's type I (Johnson, Kotz and
  Balakrishnan, Continuous Univariate Distributions 2, 1995, ch. 25), with the parameters a and b of
  r = a + b = 6 (h + 2 - g^2) / (3 g^2 - 2 h) and a, b = r / 2 (1 -+ (r + 2) g / q), where
  q = sqrt((r + 2)^2 g^2 + 16 (r + 1)).

An outlier class may be far from the common rate of the others. Usually few or none of many classes
are outliers, so their sum is far from a smooth distribution with the same cumulants. Rare outliers
are therefore drawn individually; their number is Poisson with the expected number of the state. The
same class may be drawn twice, with a probability of second order.
"""

from dataclasses import replace
from functools import reduce

import numpy as np

from skpostbac._utils import Bools, Floats, Indices
from skpostbac.stats._borrowing import Stratum
from skpostbac.stats._pairs.shares import Groups, central_moments

# Kinds whose classes are outliers with no more than this probability, over all states.
_RARE = 0.2
# A Gamma variable of a smaller scale, in standard deviations, is as good as normal; so is a Beta
# variable of larger parameters. A point of a rule with less than 1e-6 of the variance is no matter.
_LEAST_SCALE, _MOST_SAMPLES, _MOST_LEAN = 1e-5, 1e8, 1e3


def cumulant_tables(
    discordant: Stratum,
    ahead: Stratum,
    groups: tuple[Groups, Groups],
    weights: Floats,
    count: Floats,
) -> list[Floats]:
    """Cumulants 1 to 5 of the sum of `count` classes of each kind, in pairs of groups of states.

    The tables have shape (n_discordant_groups, n_ahead_groups), and the weights (n_kinds,).
    """
    of_d, of_e = groups
    # The expected share of the classes that are no outliers, or may be.
    left = [1 - np.where(is_rare(one), one.outlier, 0.0) for one in (discordant, ahead)]
    tables = []
    for k, pairs in enumerate(_factors(without_rare(discordant), without_rare(ahead)), 1):
        scale = count * weights**k
        of_pair = pairs if k == 1 else [(f * left[0], g * left[1]) for f, g in pairs]
        products = ((scale * of_d.averages(f)) @ of_e.averages(g).T for f, g in of_pair)
        tables.append(reduce(np.add, products))
    return tables


def _factors(discordant: Stratum, ahead: Stratum) -> list[list[tuple[Floats, Floats]]]:
    """Factors whose products add up to the cumulants of each kind, shape (n_states, n_kinds)."""
    mu, (_, _, u2, u3, u4, u5) = discordant.rates[0], central_moments(discordant)
    nu = ahead.rates[0] - ahead.rates[1]
    v2, v3, v4, v5 = (2**k * v for k, v in enumerate(central_moments(ahead)[2:], 2))
    # Raw moments of e, and a part of its third moments.
    e2, e3 = nu**2 + v2, nu**3 + 3 * nu * v2 + v3
    e4 = nu**4 + 6 * nu**2 * v2 + 4 * nu * v3 + v4
    e5 = nu**5 + 10 * nu**3 * v2 + 10 * nu**2 * v3 + 5 * nu * v4 + v5
    q = 6 * nu * v2 + 3 * v3
    return [
        [(mu, nu)],
        [(mu**2, v2), (u2, e2)],
        [(mu**3, v3), (mu * u2, q), (u3, e3)],
        [
            (mu**4, v4 - 3 * v2**2),
            (mu**2 * u2, 6 * (nu**2 * v2 + 2 * nu * v3 + v4 - v2 * e2)),
            (mu * u3, 12 * nu**2 * v2 + 12 * nu * v3 + 4 * v4),
            (u4, e4),
            (-3 * u2**2, e2**2),
        ],
        [
            (mu**5, v5 - 10 * v3 * v2),
            (mu**3 * u2, 10 * (nu**2 * v3 + 2 * nu * v4 + v5 - v3 * e2 - q * v2)),
            (
                mu**2 * u3,
                10 * (nu**3 * v2 + 3 * nu**2 * v3 + 3 * nu * v4 + v5 - e3 * v2),
            ),
            (mu * u4, 20 * nu**3 * v2 + 30 * nu**2 * v3 + 20 * nu * v4 + 5 * v5),
            (u5, e5),
            (-10 * mu * u2**2, q * e2),
            (-10 * u2 * u3, e3 * e2),
        ],
    ]


def draw_of_cumulants(cumulants: Floats, rng: np.random.Generator) -> Floats:
    """Draw one value for each column of cumulants 1 to 5, shape (5, n)."""
    mean, second = cumulants[:2]
    scale = np.sqrt(np.maximum(second, 0.0))
    # Without a variance the value is the mean.
    divisor = np.where(scale > 0, scale, 1.0)
    standardised = cumulants[2:] / divisor ** np.arange(3, 6)[:, np.newaxis]
    bounded = standardised[1] < 1.5 * standardised[0] ** 2
    values = np.empty_like(mean)
    values[bounded] = _draw_beta(standardised[:2, bounded], rng)
    values[~bounded] = _draw_gammas(standardised[:, ~bounded], rng)
    return np.asarray(mean + scale * values)


def _draw_gammas(cumulants: Floats, rng: np.random.Generator) -> Floats:
    """Draw values of mean zero, variance one and cumulants 3 to 5 as two Gamma variables."""
    t1, t2, t3 = cumulants / np.array([[2], [6], [24]])
    spread = np.maximum(np.sqrt(t2 - t1**2), _LEAST_SCALE)
    lean = np.clip((t3 - 3 * t1 * t2 + 2 * t1**3) / spread**3, -_MOST_LEAN, _MOST_LEAN)
    total = np.zeros_like(t1)
    for sign in (-1, 1):
        x = 0.5 * (lean + sign * np.sqrt(lean**2 + 4))
        side = t1 + spread * x
        side = np.where(np.abs(side) < _LEAST_SCALE, _LEAST_SCALE, side)
        shape = 1 / (1 + x**2) / side**2
        total += side * (rng.standard_gamma(shape) - shape)
    return np.asarray(total)


def _draw_beta(cumulants: Floats, rng: np.random.Generator) -> Floats:
    """Draw values of mean zero, variance one and cumulants 3 and 4 as Beta variables."""
    skewness, kurtosis = cumulants
    r = 6 * (kurtosis + 2 - skewness**2) / (3 * skewness**2 - 2 * kurtosis)
    r = np.minimum(r, _MOST_SAMPLES)
    lean = (r + 2) * skewness
    lean /= np.sqrt(lean**2 + 16 * (r + 1))
    p, q = (1 - lean) / 2, (1 + lean) / 2
    return np.asarray((rng.beta(r * p, r * q) - p) * np.sqrt((r + 1) / (p * q)))


def is_rare(stratum: Stratum) -> Bools:
    """Return which kinds are rarely outliers."""
    return np.asarray(np.exp(stratum.log_weights) @ stratum.outlier < _RARE)


def without_rare(stratum: Stratum) -> Stratum:
    """Return a stratum of whose rare kinds no class is an outlier."""
    log_borrower = np.where(is_rare(stratum), np.inf, stratum.log_borrower)
    return replace(stratum, log_borrower=log_borrower)


def draw_outliers(
    stratum: Stratum, state: Indices, count: Floats, rng: np.random.Generator
) -> tuple[Indices, Indices]:
    """Draw rare outliers among `count` classes of each kind: of which draw, and of which kind."""
    sums = np.cumsum(np.where(is_rare(stratum), stratum.outlier, 0.0) * count, axis=1)
    number = rng.poisson(sums[state, -1])
    draw = np.repeat(np.arange(state.size), number)
    level = rng.random(draw.size) * sums[state[draw], -1]
    kind = np.zeros(draw.size, dtype=np.intp)
    for column in sums[:, :-1].T:
        kind += column[state[draw]] < level
    return draw, kind
