"""Exact modes of weighted sums of independent Betas with integer parameters.

``python make_modes.py`` writes ``modes.json`` beside this script; it takes about a minute and
needs Python alone. All is exact: the density of ``sum(w * theta)`` is a piecewise polynomial with
rational coefficients, and the sign of its derivative at a rational point is known for certain.

The density of a Beta with integer ``a, b`` is a polynomial P between two jumps, P(x) H(x) less
P(x) H(x - 1), with H the step at 0. Written in terms (x - v)^k / k! H(x - v), a convolution
multiplies terms and adds their places v and their k + 1. With ``a, b >= 1`` every factor is
log-concave, and so is the sum: the derivative changes sign once, and bisection finds where.
"""

import json
from fractions import Fraction
from math import comb, factorial
from pathlib import Path

OUTPUT = Path(__file__).with_name("modes.json")
# Bisection ends with this many bits, well beyond the 53 of a double.
BITS = 100

THIRD = Fraction(1, 3)
DISTRIBUTIONS = {
    # name: (a, b, weights), None being 1 / l
    "bench_A": ([21, 16, 9], [6, 16, 3], None),
    "bench_B": ([23, 19, 8], [4, 13, 4], None),
    "bench_A weights .5,.3,.2": ([21, 16, 9], [6, 16, 3], [0.5, 0.3, 0.2]),
    "carrillo_C1": ([31, 9, 4], [3, 3, 2], None),
    "carrillo_C2": ([31, 3, 2], [3, 9, 4], None),
    "carrillo_C3": ([33, 10, 5], [1, 2, 1], None),
    "diff C1-C2": ([31, 9, 4, 31, 3, 2], [3, 3, 2, 3, 9, 4], [THIRD] * 3 + [-THIRD] * 3),
    "brodersen_slide_40_5_8_2": ([41, 3], [6, 9], None),
    "bacc_ppi_90_10_5_95": ([91, 96], [11, 6], None),
    "pitie_3class": ([103, 90, 121], [16, 22, 18], None),
    "pitie_70_5_15_10": ([71, 11], [16, 6], None),
    "one_class_empty": ([6, 1], [2, 1], None),
    "all_zero_binary_prior": ([1, 1], [1, 1], None),
    "prior_only_3": ([1, 1, 1], [1, 1, 1], None),
    "perfect_10x3": ([11, 11, 11], [1, 1, 1], None),
    "one_class": ([18], [4], None),
    "two_perfect_of_two_sizes": ([11, 101], [1, 1], None),
    "signed": ([19, 16], [3, 6], [1.0, -1.0]),
    "weights_of_two_scales": ([21, 9], [6, 3], [0.0625, 0.9375]),
}

# Coefficients by place: density = sum over v, k of terms[v][k] (x - v)^k / k! H(x - v).
Terms = dict[Fraction, list[Fraction]]


def beta_terms(a: int, b: int, weight: Fraction) -> Terms:
    """Return the density of weight * theta, theta ~ Beta(a, b)."""
    if weight < 0:
        mirrored = beta_terms(b, a, -weight)
        return {place + weight: terms for place, terms in mirrored.items()}
    norm = Fraction(factorial(a + b - 1), factorial(a - 1) * factorial(b - 1))
    left = end_terms(a, b, norm, weight)
    right = end_terms(b, a, norm, weight)
    # Seen from the upper end, x - weight is minus the distance, and the step closes the density.
    closing = [-((-1) ** k) * value for k, value in enumerate(right)]
    return {Fraction(0): left, weight: closing}


def end_terms(a: int, b: int, norm: Fraction, weight: Fraction) -> list[Fraction]:
    """Expand norm (y / w)^(a - 1) (1 - y / w)^(b - 1) / w in y^k / k!, k from 0."""
    terms = [Fraction(0)] * (a + b - 1)
    for j in range(b):
        k = a - 1 + j
        terms[k] = norm * comb(b - 1, j) * (-1) ** j * factorial(k) / weight ** (k + 1)
    return terms


def convolve(first: Terms, second: Terms) -> Terms:
    """Return the density of the sum of two independent variables."""
    total: Terms = {}
    for v, left in first.items():
        for u, right in second.items():
            product = total.setdefault(u + v, [])
            product.extend([Fraction(0)] * (len(left) + len(right) - len(product)))
            for i, x in enumerate(left):
                if x:
                    for j, y in enumerate(right):
                        product[i + j + 1] += x * y
    return total


def slope(terms: Terms, x: Fraction) -> Fraction:
    """Return the derivative of the density at x, from the right at a corner."""
    total = Fraction(0)
    for place, values in terms.items():
        if x >= place:
            power = Fraction(1)
            for k, value in enumerate(values[1:]):
                total += value * power
                power *= (x - place) / (k + 1)
    return total


def mode(a: list[int], b: list[int], weights: list[Fraction]) -> Fraction:
    """Bisect the support for the change of sign of the slope."""
    terms: Terms = beta_terms(a[0], b[0], weights[0])
    for parameters in zip(a[1:], b[1:], weights[1:], strict=True):
        terms = convolve(terms, beta_terms(*parameters))
    low = sum((w for w in weights if w < 0), Fraction(0))
    high = sum((w for w in weights if w > 0), Fraction(0))
    for _ in range(BITS):
        middle = (low + high) / 2
        steepness = slope(terms, middle)
        if steepness == 0:
            return middle
        low, high = (middle, high) if steepness > 0 else (low, middle)
    return (low + high) / 2


def decimal(x: Fraction) -> str:
    """Write 25 decimals, rounded."""
    digits = round(x * 10**25)
    return f"{'-' * (digits < 0)}{abs(digits) // 10**25}.{abs(digits) % 10**25:025d}"


def main() -> None:
    """Write all modes."""
    records = []
    for name, (a, b, weights) in DISTRIBUTIONS.items():
        exact = [Fraction(w) for w in weights] if weights else [Fraction(1, len(a))] * len(a)
        doubles = [float(w) for w in weights] if weights else None
        records.append(
            {"name": name, "a": a, "b": b, "weights": doubles, "mode": decimal(mode(a, b, exact))}
        )
        print(records[-1]["name"], records[-1]["mode"], flush=True)
    lines = ",\n".join(json.dumps(record) for record in records)
    OUTPUT.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
