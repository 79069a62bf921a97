"""Recompute a file of reference values, entry by entry.

The file itself says what is wanted: the parameters of each distribution and its method, the places
of its points, and the probabilities of its quantiles. A new distribution is a new entry with these:
"x" is enough for a point, and "p" for a quantile.
"""

import argparse
import json
import math
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from flint import arb, ctx, fmpq

from generators.balls import (
    DIGITS,
    Values,
    agreement,
    is_sharp,
    rational,
    show,
    to_float,
)

DIGITS_REQUIRED = 20
BITS = 420
Evaluator = Callable[[arb | fmpq], Values]
# What makes the evaluator of a distribution, given a variant; None for that of an exact method.
Methods = dict[str, Callable[[Any, int], Evaluator | None]]


def run(
    description: str, output: Path, make: Callable[[dict], Any], methods: Methods
) -> None:
    """Recompute the entries that the command line asks for; the file is always complete."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument(
        "--only", default="", help="entries whose name or regime contains this"
    )
    parser.add_argument(
        "--check", help="compare the entries with a method that has this text"
    )
    parser.add_argument("--output", type=Path, default=output, help="the file to write")
    options = parser.parse_args()
    entries = json.loads(output.read_text())
    for i, entry in enumerate(entries):
        if options.only not in entry["name"] and options.only not in entry["regime"]:
            continue
        if options.check:
            name = next(name for name in methods if options.check in name)
            print(
                f"{entry['name']}: {name}: {checked(entry, make(entry), methods[name])}"
            )
            continue
        start = time.perf_counter()
        try:
            entry = entries[i] = recomputed(
                entry, make(entry), methods[entry["method"]]
            )
        except ArithmeticError as error:
            print(f"{entry['name']}: FAILED, {error}", flush=True)
            continue
        temporary = options.output.with_suffix(".tmp")
        temporary.write_text("[\n" + ",\n".join(map(as_text, entries)) + "\n]\n")
        temporary.replace(options.output)
        print(
            f"{entry['name']}: {len(entry['points'])} points, {len(entry['quantiles'])} quantiles, "
            f"{entry['digits']} digits, {time.perf_counter() - start:.1f} s",
            flush=True,
        )


def checked(entry: dict, distribution: Any, method: Callable) -> str:
    """Return to how many digits tails at some points agree with another method."""
    try:
        evaluate, digits = method(distribution, 0), []
        for point in entry["points"][:: max(1, len(entry["points"]) // 5)]:
            found = evaluate(rational(point["x"]) - distribution.lower)
            with ctx.workprec(BITS):
                known = arb(point["cdf"]), arb(point["ccdf"])
                digits += [agreement(u, v) for u, v in zip(known, found, strict=False)]
        return f"{min(digits):.1f} digits"
    except ArithmeticError as error:
        return f"does not apply ({error})"


def as_text(entry: dict) -> str:
    """JSON with one line for the distribution, then one for each point and each quantile."""
    rows = {key: entry[key] for key in ("points", "quantiles")}
    head = json.dumps({key: value for key, value in entry.items() if key not in rows})
    lists = [
        f'"{key}": [\n' + ",\n".join(map(json.dumps, rows[key])) + "\n]" for key in rows
    ]
    return ",\n".join([head.removesuffix("}"), *lists]) + "}"


def recomputed(entry: dict, distribution: Any, method: Callable) -> dict:
    """Return the entry with its values."""
    evaluators = [
        evaluate for variant in (0, 1) if (evaluate := method(distribution, variant))
    ]
    digits, points = float(DIGITS), []
    for x in (point["x"] for point in entry["points"]):
        try:
            runs = [
                evaluate(rational(x) - distribution.lower) for evaluate in evaluators
            ]
            found, values = compared(runs[0], runs[-1])
        except ArithmeticError as error:
            print(f"    {entry['name']}: x = {x!r} dropped ({error})")
            continue
        digits = min(digits, found)
        points.append(point_entry(x, values))
    quantiles = []
    for known in entry["quantiles"]:
        try:
            quantiles.append(quantile_entry(distribution, evaluators[0], known))
        except ArithmeticError as error:
            print(f"    {entry['name']}: quantile {known['p']!r} dropped ({error})")
    found = {"digits": math.floor(digits), **moments(distribution)}
    return entry | found | {"points": points, "quantiles": quantiles}


def compared(values: Values, other: Values) -> tuple[float, Values]:
    """Agreement in digits, and the values without a density that differs."""
    if not (is_sharp(values.cdf, values.ccdf) and values.cdf > 0 and values.ccdf > 0):
        raise ArithmeticError("not sharp")
    tails = min(agreement(values.cdf, other.cdf), agreement(values.ccdf, other.ccdf))
    if tails < DIGITS_REQUIRED:
        raise ArithmeticError(f"{tails:.1f} digits")
    if values.pdf is None or other.pdf is None:
        return tails, values._replace(pdf=None)
    density = agreement(values.pdf, other.pdf)
    if density < DIGITS_REQUIRED:
        return tails, values._replace(pdf=None)
    return min(tails, density), values


def point_entry(x: float, values: Values) -> dict:
    """Return the numbers of a point."""
    cdf, ccdf, pdf = values

    def log_tail(tail: arb, complement: arb) -> arb:
        return tail.log() if tail < 0.5 else (-complement).log1p()

    with ctx.workprec(300):
        return {
            "x": x,
            "cdf": show(cdf),
            "ccdf": show(ccdf),
            "log_cdf": show(log_tail(cdf, ccdf)),
            "log_ccdf": show(log_tail(ccdf, cdf)),
            "pdf": None if pdf is None or not is_sharp(pdf) else show(pdf),
        }


def quantile_entry(distribution: Any, evaluate: Evaluator, known: dict) -> dict:
    """Return the numbers of a quantile: Newton's method for the log of the nearer gap."""
    p = known["p"]
    is_lower = p <= 0.5
    with ctx.workprec(BITS):
        width, lower = arb(distribution.width), arb(distribution.lower)
        target = arb(rational(p) if is_lower else 1 - rational(p))
        mean = arb(distribution.mean_above_lower)
        start = known.get("lower_gap" if is_lower else "upper_gap")
        gap = arb(start).mid() if start else (mean if is_lower else width - mean).mid()
        for _ in range(60):
            values = evaluate((gap if is_lower else width - gap).mid())
            move = newton_move(gap, values, target, is_lower=is_lower)
            damped = max(min(move, arb(2), key=float), arb(-2), key=float)
            new = (gap * damped.exp()).mid()
            gap = new if new < width else ((gap + width) / 2).mid()
            if abs(to_float(move)) < 1e-18:
                low, high = (gap, width - gap) if is_lower else (width - gap, gap)
                gaps = {"lower_gap": show(low), "upper_gap": show(high)}
                return {"p": p, "x": show(lower + low), **gaps}
    raise ArithmeticError("no convergence")


def newton_move(gap: arb, values: Values, target: arb, *, is_lower: bool) -> arb:
    """Newton step for the logarithm of the gap at which the log tail is as wanted."""
    tail, pdf = (values.cdf if is_lower else values.ccdf), values.pdf
    if not (values.cdf > 0 and values.ccdf > 0):
        raise ArithmeticError("a tail vanishes")
    excess = tail.log() - target.log()
    if abs(to_float(excess)) < 1e-25 and (pdf is None or not pdf.is_finite()):
        return arb(0)  # the quantile is a point of infinite density
    if pdf is None or not pdf > 0:
        raise ArithmeticError("no density")
    return -(excess * tail / (gap * pdf)).mid()


def moments(distribution: Any) -> dict[str, str]:
    """Return mean, variance, skewness and excess kurtosis, from the cumulants."""
    k: Sequence[fmpq] = distribution.cumulants
    with ctx.workprec(300):
        variance = arb(k[1])
        return {
            "mean": show(arb(k[0])),
            "variance": show(variance),
            "skewness": show(arb(k[2]) / (variance * variance.sqrt())),
            "kurtosis": show(arb(k[3] / k[1] ** 2)),
        }
