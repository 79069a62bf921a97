"""The file of reference values: an entry for each distribution, written as soon as it is known."""

import argparse
import json
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from generators.balls import Values, agreement


def run(
    description: str,
    output: Path,
    distributions: Sequence[Any],
    distribution_entry: Callable[[Any], dict],
    check: Callable[[Sequence[Any]], None],
) -> None:
    """Make the entries of the distributions that the command line asks for, or check them."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--check", action="store_true", help="compare the methods, write nothing")
    parser.add_argument(
        "--only", default="", help="distributions whose name or regime contains this"
    )
    parser.add_argument("--output", type=Path, default=output, help="the file to write")
    options = parser.parse_args()
    chosen = [
        distribution
        for distribution in distributions
        if options.only in distribution.name or options.only in distribution.regime
    ]
    if options.check:
        check(chosen)
    else:
        make(
            chosen,
            [distribution.name for distribution in distributions],
            options.output,
            distribution_entry,
        )


def make(
    distributions: Sequence[Any],
    order: Sequence[str],
    output: Path,
    distribution_entry: Callable[[Any], dict],
) -> None:
    """Replace the entries of the distributions, and keep the file complete after each of them."""
    entries = {}
    if output.exists():
        entries = {entry["name"]: entry for entry in json.loads(output.read_text())}
    for distribution in distributions:
        start = time.perf_counter()
        try:
            entry = entries[distribution.name] = distribution_entry(distribution)
        except ArithmeticError as error:
            print(f"{distribution.name}: FAILED, {error}", flush=True)
            continue
        write((entries[name] for name in order if name in entries), output)
        print(
            f"{distribution.name}: {entry['method']}, {len(entry['points'])} points, "
            f"{len(entry['quantiles'])} quantiles, {entry['digits']} digits, "
            f"{time.perf_counter() - start:.1f} s",
            flush=True,
        )


def write(entries: Iterable[dict], output: Path) -> None:
    temporary = output.with_suffix(".tmp")
    temporary.write_text("[\n" + ",\n".join(map(as_text, entries)) + "\n]\n")
    temporary.replace(output)


def as_text(entry: dict) -> str:
    """JSON with one line for the distribution, then one for each point and each quantile."""
    rows = {key: entry[key] for key in ("points", "quantiles")}
    head = json.dumps({key: value for key, value in entry.items() if key not in rows})
    lists = [f'"{key}": [\n' + ",\n".join(map(json.dumps, rows[key])) + "\n]" for key in rows]
    return ",\n".join([head.removesuffix("}"), *lists]) + "}"


def worst_agreement(expected: Sequence[Values], found: Sequence[Values]) -> float:
    return min(
        agreement(u, v)
        for pair in zip(expected, found, strict=True)
        for u, v in zip(*pair, strict=True)
        if u is not None and v is not None
    )
