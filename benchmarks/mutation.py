"""Change the package at random places, one at a time, and see which changes the tests notice.

    python -m pip install ".[test]" --group mutation
    python benchmarks/mutation.py [--mutants N] [--seed N] [--jobs N]

The whole suite of quick tests runs once and tells which test reaches which line. Then places are
drawn from the code of the whole package, and one change at each of them from those that Cosmic Ray
(https://cosmic-ray.readthedocs.io) makes there: another operator, another number, a condition that
is negated, a break for a continue, ... All tests that reach the line run in a copy of the checkout,
up to the first failure, the quickest of its folder first; for a line that is only run on import,
those that reach its file. ``--jobs`` changes are tested at a time.

Left out are changes that no test can notice, or none should:

- shifts and bitwise operators in place of arithmetic, which fail at once for floats, and all
  changes of ``|``, most of which is in annotations;
- ``is`` and ``is not`` in place of another comparison, which is the same for small integers;
- what the decorator of a dataclass asks for, and how many frames a warning skips;
- sizes of blocks (constants with BLOCK in their names), which change memory and time alone;
- numbers, arithmetic and defaults in ``_plot`` and ``displays``, and the box of drawings in HTML:
  geometry and style.

Each verdict is a line of ``mutation.jsonl`` as soon as it is known, and a run that was stopped goes
on from there. ``mutation.rst`` has the totals and the survivors; the paths are those of the commit
that was tested. Why survivors live is written by hand, as "reason" in their lines of
``mutation.jsonl``.
"""

import argparse
import json
import os
import platform
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from concurrent.futures import ProcessPoolExecutor
from datetime import date
from functools import cache
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import scipy
import sklearn
from cosmic_ray.commands import init
from cosmic_ray.mutating import mutate_and_test
from cosmic_ray.work_db import use_db
from coverage import CoverageData

ROOT = Path(__file__).parents[1]
RESULTS = Path(__file__).with_suffix(".jsonl")
# Seconds after which a change counts as noticed.
TIMEOUT = 900
PYTEST = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider")
# What is left out: operators, lines of code, and operators in drawings.
DULL = re.compile(
    r"core/(ReplaceBinaryOperator_(.*_(RShift|LShift|BitOr|BitAnd|BitXor)|BitOr_.*)|"
    r"ReplaceComparisonOperator_(?!Is).*_Is(Not)?)$"
)
DULL_LINE = re.compile(
    r"^@dataclass\(|stacklevel=|^_?[A-Z_]*BLOCK[A-Z_, ]* = |viewBox="
)
DRAWINGS = re.compile(r"skpostbac/(_plot|displays)/")
DULL_IN_DRAWINGS = re.compile(
    r"core/(NumberReplacer|ReplaceBinaryOperator|ReplaceUnary|Replace(True|False)With)"
)
IGNORED = shutil.ignore_patterns(
    ".git",
    ".*_cache",
    "__pycache__",
    ".venv",
    "*.egg-info",
    "_build",
    "auto_examples",
    "generated",
)


def sample(n_mutants, seed):
    """Draw places, and a change at each."""
    places = defaultdict(list)
    with (
        tempfile.TemporaryDirectory() as folder,
        use_db(Path(folder, "session.sqlite")) as db,
    ):
        init(sorted(Path("skpostbac").rglob("*.py")), db, {})
        for item in db.work_items:
            (mutation,) = item.mutations
            if not is_dull(mutation):
                places[str(mutation.module_path), mutation.start_pos].append(mutation)
    rng = random.Random(seed)
    for place in rng.sample(sorted(places), n_mutants):
        yield rng.choice(
            sorted(places[place], key=lambda m: (m.operator_name, m.occurrence))
        )


@cache
def lines_of(path):
    """Return the lines of a file."""
    return Path(path).read_text("utf-8").splitlines()


def is_dull(mutation):
    """Return whether a change is left out."""
    path, name = str(mutation.module_path), mutation.operator_name
    line = lines_of(path)[mutation.start_pos[0] - 1]
    is_drawing = DRAWINGS.match(path) and DULL_IN_DRAWINGS.match(name)
    return bool(DULL.match(name) or DULL_LINE.search(line.strip()) or is_drawing)


def durations():
    """Return the seconds that each test took, by its name."""
    found = {}
    for case in ET.parse("tests.xml").iter("testcase"):
        path = case.get("classname", "").replace(".", "/") + ".py"
        found[f"{path}::{case.get('name')}"] = float(case.get("time"))
    return found


def tests_of(mutation, reached, seconds):
    """Return the tests that reach a change, those of its folder first, and quick ones first."""
    by_line = reached.contexts_by_lineno(str(mutation.module_path.resolve()))
    lines = range(mutation.start_pos[0], mutation.end_pos[0] + 1)
    found = {context for line in lines for context in by_line.get(line, [])} - {""}
    found = found or {
        context for contexts in by_line.values() for context in contexts
    } - {""}
    folder = mutation.module_path.parent.name.strip("_")
    names = sorted({context.split("|")[0] for context in found})
    return sorted(names, key=lambda name: (folder not in name, seconds.get(name, 1.0)))


def name_of(mutation):
    """Return the place of a change and what it does there."""
    row, column = mutation.start_pos
    operator = mutation.operator_name.removeprefix("core/")
    return f"{mutation.module_path}:{row}:{column} {operator} {mutation.occurrence}"


def run(mutants, commit, jobs):
    """Test changes in copies of the current folder, itself one, and write each verdict."""
    os.environ |= {
        "PYTHONPATH": str(Path.cwd()),
        "OMP_NUM_THREADS": "1",
        "MPLBACKEND": "Agg",
    }
    measure = ("-n", "auto", "--cov=skpostbac", "--cov-context=test", "--cov-report=")
    subprocess.run([*PYTEST, *measure, "--junitxml=tests.xml"], check=False)
    reached, seconds = CoverageData(".coverage"), durations()
    reached.read()
    known = {line["mutant"] for line in read()}
    todo = [
        (mutation, tests_of(mutation, reached, seconds))
        for mutation in mutants
        if name_of(mutation) not in known
    ]
    with ProcessPoolExecutor(jobs, initializer=use_a_copy) as pool:
        for line in pool.map(tested, *zip(*todo, strict=True)) if todo else []:
            with RESULTS.open("a") as file:
                file.write(
                    json.dumps(line | {"commit": commit, "date": str(date.today())})
                    + "\n"
                )
            print(
                f"{line['verdict']:>9} {line['tests']:>5} tests  {line['mutant']}",
                flush=True,
            )


def use_a_copy():
    """Give a process a copy of the code of its own."""
    copy = shutil.copytree(
        ".", Path(tempfile.mkdtemp(dir=".."), "checkout"), ignore=IGNORED
    )
    os.chdir(copy)
    os.environ["PYTHONPATH"] = str(Path.cwd())


def tested(mutation, tests):
    """Return the verdict of the tests on a change."""
    Path("tests.txt").write_text("\n".join(tests))
    command = " ".join([*PYTEST, "-x", "-p", "no:cov", "@tests.txt"])
    result = mutate_and_test([mutation], command if tests else "true", TIMEOUT)
    verdict = (
        "timeout" if result.output == "timeout" else str(result.test_outcome.value)
    )
    change = re.findall(r"^[+-](?!\+\+|--).*", result.diff or "", re.MULTILINE)
    return {
        "mutant": name_of(mutation),
        "verdict": verdict,
        "tests": len(tests),
        "change": change,
    }


def read():
    """Return the lines that are known."""
    return [json.loads(line) for line in RESULTS.open()] if RESULTS.exists() else []


def report():
    """Write totals and survivors."""
    lines = read()
    runs = Counter(f"{line['date']}, {line['commit']}" for line in lines)
    made = "; ".join(f"{n} on {when}" for when, n in runs.items())
    versions = (
        f"Python {platform.python_version()}, NumPy {np.__version__}, SciPy {scipy.__version__}, "
        f"scikit-learn {sklearn.__version__}"
    )
    rows = [
        "Mutation tests\n==============\n",
        f"{len(lines)} changes by ``python benchmarks/mutation.py``: {made}; {versions}.\n",
        *("{:<20} {:>8} {:>8} {:>8}".format(*row) for row in totals(lines)),
        "\nSurvivors\n---------\n",
    ]
    for line in sorted(lines, key=lambda line: line["mutant"]):
        if line["verdict"] == "survived":
            changes = "\n".join(f"    {change}" for change in line["change"])
            reason = line.get("reason", "No reason known.")
            rows.append(f"``{line['mutant']}``::\n\n{changes}\n\n{reason}\n")
    RESULTS.with_suffix(".rst").write_text("\n".join(rows))


def totals(lines):
    """Yield the rows of the table of verdicts by folder."""
    rule = ("=" * 20, *["=" * 8] * 3)
    folders = defaultdict(Counter)
    for line in lines:
        verdict = "survived" if line["verdict"] == "survived" else "killed"
        for folder in (re.split(r"[/:]", line["mutant"])[1], "all"):
            folders[folder][verdict] += 1
    yield from (rule, ("folder", "mutants", "killed", "survived"), rule)
    for folder, found in sorted(
        folders.items(), key=lambda pair: (pair[0] == "all", pair[0])
    ):
        yield folder, found.total(), found["killed"], found["survived"]
    yield rule


def main():
    """Draw changes, test them and write the report."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument(
        "--mutants", type=int, default=60, help="size of the sample (60)"
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of the sample (0)")
    parser.add_argument(
        "--jobs", type=int, default=2, help="changes that are tested at a time (2)"
    )
    options = parser.parse_args()
    command = ["git", "rev-parse", "--short", "HEAD"]
    commit = subprocess.check_output(command, cwd=ROOT, text=True).strip()
    with tempfile.TemporaryDirectory() as folder:
        copy = shutil.copytree(ROOT, Path(folder, "checkout"), ignore=IGNORED)
        os.chdir(copy)
        run([*sample(options.mutants, options.seed)], commit, options.jobs)
    report()


if __name__ == "__main__":
    main()
