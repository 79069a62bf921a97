"""Change the package at random places, one at a time, and see which changes the tests notice.

    python -m pip install ".[test,mutation]"
    python benchmarks/mutation.py [--mutants N] [--seed N]

The whole suite of quick tests runs once and tells which test reaches which line. Then places are
drawn from the code of the whole package, and one change at each of them from those that Cosmic Ray
(https://cosmic-ray.readthedocs.io) makes there: another operator, another number, a condition that
is negated, a break for a continue, ... All tests that reach the line run in a copy of the checkout,
up to the first failure; for a line that is only run on import, those that reach its file.

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
from datetime import date
from pathlib import Path

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
# Shifts and bitwise operators in place of arithmetic fail at once for floats, and a change of `|`
# is mostly one of an annotation.
DULL = re.compile(r"core/ReplaceBinaryOperator_(.*_(RShift|LShift|BitOr|BitAnd|BitXor)|BitOr_.*)$")
IGNORED = shutil.ignore_patterns(
    ".git", ".*_cache", "__pycache__", ".venv", "*.egg-info", "_build", "auto_examples", "generated"
)


def sample(n_mutants, seed):
    """Draw places, and a change at each."""
    places = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder, use_db(Path(folder, "session.sqlite")) as db:
        init(sorted(Path("skpostbac").rglob("*.py")), db, {})
        for item in db.work_items:
            (mutation,) = item.mutations
            if not DULL.match(mutation.operator_name):
                places[str(mutation.module_path), mutation.start_pos].append(mutation)
    rng = random.Random(seed)
    for place in rng.sample(sorted(places), n_mutants):
        yield rng.choice(sorted(places[place], key=lambda m: (m.operator_name, m.occurrence)))


def tests_of(mutation, reached):
    """Return the tests that reach a change, those of its folder first."""
    by_line = reached.contexts_by_lineno(str(mutation.module_path.resolve()))
    lines = range(mutation.start_pos[0], mutation.end_pos[0] + 1)
    found = {context for line in lines for context in by_line.get(line, [])} - {""}
    found = found or {context for contexts in by_line.values() for context in contexts} - {""}
    folder = mutation.module_path.parent.name.strip("_")
    names = sorted({context.split("|")[0] for context in found})
    random.Random(0).shuffle(names)
    return sorted(names, key=lambda name: folder not in name)


def run(mutants, commit):
    """Test changes in the current folder, a copy of the checkout, and write each verdict."""
    os.environ |= {"PYTHONPATH": str(Path.cwd()), "OMP_NUM_THREADS": "1", "MPLBACKEND": "Agg"}
    measure = ("-n", "auto", "--cov=skpostbac", "--cov-context=test", "--cov-report=")
    subprocess.run([*PYTEST, *measure], check=False)
    reached = CoverageData(".coverage")
    reached.read()
    known = {line["mutant"] for line in read()}
    for mutation in mutants:
        row, column = mutation.start_pos
        operator = mutation.operator_name.removeprefix("core/")
        name = f"{mutation.module_path}:{row}:{column} {operator} {mutation.occurrence}"
        if name in known:
            continue
        tests = tests_of(mutation, reached)
        Path("tests.txt").write_text("\n".join(tests))
        command = " ".join([*PYTEST, "-x", "-p", "no:cov", "@tests.txt"])
        result = mutate_and_test([mutation], command if tests else "true", TIMEOUT)
        verdict = "timeout" if result.output == "timeout" else str(result.test_outcome.value)
        change = re.findall(r"^[+-](?!\+\+|--).*", result.diff or "", re.MULTILINE)
        line = {"mutant": name, "verdict": verdict, "tests": len(tests), "change": change}
        with RESULTS.open("a") as file:
            file.write(json.dumps(line | {"commit": commit, "date": str(date.today())}) + "\n")
        print(f"{verdict:>9} {len(tests):>5} tests  {name}", flush=True)


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
    for folder, found in sorted(folders.items(), key=lambda pair: (pair[0] == "all", pair[0])):
        yield folder, found.total(), found["killed"], found["survived"]
    yield rule


def main():
    """Draw changes, test them and write the report."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--mutants", type=int, default=60, help="size of the sample (60)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the sample (0)")
    options = parser.parse_args()
    command = ["git", "rev-parse", "--short", "HEAD"]
    commit = subprocess.check_output(command, cwd=ROOT, text=True).strip()
    with tempfile.TemporaryDirectory() as folder:
        copy = shutil.copytree(ROOT, Path(folder, "checkout"), ignore=IGNORED)
        os.chdir(copy)
        run(sample(options.mutants, options.seed), commit)
    report()


if __name__ == "__main__":
    main()
