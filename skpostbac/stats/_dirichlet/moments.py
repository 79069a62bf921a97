"""Central moments of paired differences, and cumulants of weighted sums of them, in closed form.

With the values v_j = 1, -1, 0 at the vertices of a Dirichlet distribution of n = sum_j alpha_j,

    E[(1 - y (D - mean))^-n] = prod_j (1 - y (v_j - mean))^-alpha_j,

whose coefficients of y^k on the left are (n)_k / k! times the central moments of D. The cumulants
follow as in `skpostbac.stats._beta.moments`.
"""

import numpy as np

from skpostbac._utils import Floats


def central_moments(alphas: Floats, order: int) -> Floats:
    """Central moments 0 to `order` of p_B - p_A, shape (order + 1, l).

    By E[(1 - y (D - mean))^-n] = prod_j (1 - y (v_j - mean))^-alpha_j the coefficients h_k of the
    right side are (n)_k / k! times the moments, and k h_k = sum_j q_j h_(k - j) with the power
    sums q_j = sum_i alpha_i (v_i - mean)^j. Lengths are in units of n^(-1/2).
    """
    b, a, r = alphas.T
    n = b + a + r
    gaps = np.stack([2 * a + r, -2 * b - r, a - b]) / n**1.5
    power, sums, coefficients = alphas.T * gaps, [], [np.ones_like(n), np.zeros_like(n)]
    moments, scale = [np.ones_like(n), np.zeros_like(n)], 1 / np.sqrt(n)
    for k in range(2, order + 1):
        power = power * gaps
        sums.append(power.sum(axis=0))
        coefficients.append(
            sum(q * h for q, h in zip(sums, coefficients[k - 2 :: -1], strict=True)) / k
        )
        scale = scale * k * np.sqrt(n) / (n + k - 1)
        moments.append(scale * coefficients[k])
    return np.stack(moments)


def variances(alphas: Floats, weights: Floats) -> Floats:
    """Variance of each weights * (p_B - p_A)."""
    return np.asarray(central_moments(alphas, 2)[2] * weights**2)


def cumulants(alphas: Floats, weights: Floats) -> tuple[float, float, float]:
    """Second, third and fourth cumulant of sum(weights * (p_B - p_A))."""
    b, a, r = alphas.T
    n = b + a + r
    gaps = np.stack([2 * a + r, -2 * b - r, a - b]) / n
    second, third, fourth = ((alphas.T * gaps**k).sum(axis=0) / n for k in (2, 3, 4))
    rising = (n + 1) * (n + 2)
    # The difference of m_4 and 3 m_2^2, with what they share taken out.
    spread = 6 * fourth - 3 * second * second * (4 * n + 6) / (n + 1)
    return (
        float((weights**2 * second / (n + 1)).sum()),
        float((weights**3 * 2 * third / rising).sum()),
        float((weights**4 * spread / (rising * (n + 3))).sum()),
    )
