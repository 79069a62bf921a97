"""The rule of design effects, straight from its formulas, with a loop for each sum; test sets."""

from itertools import combinations
from math import sqrt

import numpy as np
from scipy.stats import norm, t


def draw(seed, *, n_classes=3, n_groups=12, n=150, nested=False):
    """Return true labels, two predictions and groups of different sizes."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n)
    groups = rng.choice(n_groups, n, p=rng.dirichlet(np.full(n_groups, 2.0)))
    if nested:
        groups = groups * n_classes + y
    ease = rng.normal(size=n_groups * n_classes)[groups]
    right = [rng.random(n) < 1 / (1 + np.exp(-shift - ease)) for shift in (1.5, 0.8)]
    return y, *(np.where(one, y, (y + 1) % n_classes) for one in right), groups


def tables(class_index, group, values, shows):
    """Return, for each class, dicts by group of sizes, sums, sums of squares and evidence."""
    found = {}
    for i, g, x, *evidence in zip(class_index, group, values, *shows, strict=True):
        n, k, q, first, second = found.setdefault(i, {}).get(g, (0, 0, 0, False, False))
        found[i][g] = (
            n + 1,
            k + x,
            q + x * x,
            first or evidence[0],
            second or evidence[1],
        )
    return found


def effects(class_index, group, values, shows):
    """Return rho, nu, the rho that is used, that across classes, and the design effects."""
    cells = tables(class_index, group, values, shows)
    classes = sorted(cells)
    n = {i: sum(c[0] for c in cells[i].values()) for i in classes}
    p = {i: sum(c[1] for c in cells[i].values()) / n[i] for i in classes}
    var = {i: sum(c[2] for c in cells[i].values()) / n[i] - p[i] ** 2 for i in classes}
    m, numerator, denominator, weighted, freedom = {}, 0.0, 0.0, {}, {}
    for i in classes:
        groups = list(cells[i].values())
        m[i] = sum(c[0] ** 2 for c in groups) / n[i]
        a = sum((c[1] - c[0] * p[i]) ** 2 / c[0] for c in groups)
        q = n[i] * var[i]
        b = n[i] - m[i] - len(groups) + 1
        w = (m[i] - 1) / (n[i] ** 2 * b) if abs(b) > 1e-9 else 0.0
        numerator += w * ((n[i] - 1) * a - (len(groups) - 1) * q)
        weighted[i] = w * (b * q + (m[i] - 1) * a)
        denominator += weighted[i]
        freedom[i] = min(
            len(groups) - 1, sum(c[3] for c in groups), sum(c[4] for c in groups)
        )
    rho = min(max(numerator / denominator, 0.0), 1.0) if denominator else 0.0
    known = [i for i in classes if freedom[i] > 0]
    squares = sum(weighted[i] ** 2 / freedom[i] for i in known)
    distinct = len({g for i in classes for g in cells[i]})
    nu = 0.0
    if squares:
        nu = min(
            sum(weighted[i] for i in known) ** 2 / squares,
            sum(freedom[i] for i in known),
        )
        nu *= distinct / sum(len(cells[i]) for i in classes)
    factor = (t.ppf(0.975, nu + 2) / norm.ppf(0.975)) ** 2
    used = min((nu * rho + 2 * 0.2) / (nu + 2) * factor, 1.0)
    top = bottom = 0.0
    for i, j in combinations(classes, 2):
        both = sorted(set(cells[i]) & set(cells[j]))
        if not both:
            continue
        overlap = overlap_of(cells, n, i, j)
        covariance = expected = 0.0
        for g in both:
            (ni, ki, *_), (nj, kj, *_) = cells[i][g], cells[j][g]
            covariance += (ki - ni * p[i]) * (kj - nj * p[j]) / sqrt(ni * nj)
            expected += sqrt(ni * nj) * (1 - ni / n[i] - nj / n[j] + overlap)
        s = [sqrt(var[c] / max(1 - (1 + (m[c] - 1) * rho) / n[c], 0.2)) for c in (i, j)]
        if expected > 0:
            top += overlap / expected * covariance
            bottom += overlap * s[0] * s[1]
    across = top / bottom if bottom else 0.0
    across = max(0.0, (nu * min(across, rho) + 2 * 0.2 * 0.25) / (nu + 2) * factor)
    if distinct == sum(len(cells[i]) for i in classes):
        across = 0.0
    return rho, nu, used, across, np.array([1 + (m[i] - 1) * used for i in classes])


def overlap_of(cells, n, i, j):
    """Return the sum over groups of the product of their shares in two classes."""
    both = set(cells[i]) & set(cells[j])
    return sum(cells[i][g][0] / n[i] * cells[j][g][0] / n[j] for g in both)


def widening(class_index, group, variances, design_effects, across, weights):
    """Return what the variance of the weighted average is multiplied by."""
    cells = tables(
        class_index, group, np.zeros(len(group)), np.zeros((2, len(group)), bool)
    )
    classes = sorted(cells)
    n = {i: sum(c[0] for c in cells[i].values()) for i in classes}
    s = {i: weights[place] * sqrt(variances[place]) for place, i in enumerate(classes)}
    shared = sum(
        overlap_of(cells, n, i, j) * s[i] * s[j] for i, j in combinations(classes, 2)
    )
    own = sum(
        s[i] ** 2 * design_effects[place] / n[i] for place, i in enumerate(classes)
    )
    return 1 + 2 * across * shared / own
