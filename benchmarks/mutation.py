"""Change the package at random places, one at a time, and see which changes the tests notice.

    python -m pip install ".[test,mutation]"
    python benchmarks/mutation.py [--mutants N] [--seed N] [--jobs N]

draws as many places from the code of each package, and one change at each of them from those that
Cosmic Ray (https://cosmic-ray.readthedocs.io) makes there: another operator, another number, a
condition that is negated, a break for a continue, ... The tests of the package then run in a copy
of the checkout, those of the changed module first, up to the first failure. The tests of the other
packages do not run, so that more changes survive here than in the whole suite.

Each verdict is a line of ``mutation.jsonl`` as soon as it is known; a run that was stopped goes on
from there. The survivors are listed with their changes in ``mutation.rst``, by

    python benchmarks/mutation.py --report

The paths are those of the commit that was tested. The reasons why survivors live stand in
``mutation_reasons.json``; they are written by hand.
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
import time
from collections import Counter, defaultdict
from datetime import date
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import scipy
import sklearn
from cosmic_ray.commands import init
from cosmic_ray.mutating import mutate_and_test
from cosmic_ray.work_db import use_db

PACKAGES = ("stats", "metrics", "model_selection")
ROOT = Path(__file__).parents[1]
RESULTS = Path(__file__).with_suffix(".jsonl")
REASONS = Path(__file__).with_name("mutation_reasons.json")
REPORT = Path(__file__).with_suffix(".rst")
# Seconds after which a change counts as noticed: the tests of a package take a few minutes.
TIMEOUT = 600
# Shifts and bitwise operators in place of arithmetic fail at once for floats, and a change of `|`
# is mostly one of an annotation.
DULL = re.compile(r"core/ReplaceBinaryOperator_(.*_(RShift|LShift|BitOr|BitAnd|BitXor)|BitOr_.*)$")
IGNORED = shutil.ignore_patterns(
    ".git", ".*_cache", "__pycache__", ".venv", "*.egg-info", "_build", "auto_examples", "generated"
)


def mutations(package):
    """Return the changes that are possible at each place of a package."""
    modules = sorted((ROOT / "skpostbac" / package).rglob("*.py"))
    places = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder, use_db(Path(folder, "session.sqlite")) as db:
        init([path.relative_to(ROOT) for path in modules], db, {})
        for item in db.work_items:
            (mutation,) = item.mutations
            if not DULL.match(mutation.operator_name):
                places[str(mutation.module_path), mutation.start_pos].append(mutation)
    return places


def sample(n_mutants, seed):
    """Draw changes, as many from each package."""
    rng = random.Random(seed)
    drawn = []
    for package in PACKAGES:
        places = mutations(package)
        for place in rng.sample(sorted(places), n_mutants // len(PACKAGES)):
            choices = sorted(places[place], key=lambda m: (m.operator_name, m.occurrence))
            drawn.append(rng.choice(choices))
    return drawn


def key(mutation):
    """Name a change, by what and where it is."""
    line, column = mutation.start_pos
    operator = mutation.operator_name.removeprefix("core/")
    return f"{mutation.module_path}:{line}:{column} {operator} {mutation.occurrence}"


def command(mutation):
    """Return the command that tests a change: the tests of its module, then of its package."""
    path = Path(mutation.module_path)
    package, *folders = (part.lstrip("_") for part in path.parts[1:-1])
    own = Path("tests", package, *folders, f"test_{path.stem.lstrip('_')}.py")
    first = [own, own.parent] if folders else [own]
    tests = " ".join(str(path) for path in [*first, Path("tests", package)] if path.exists())
    return f"{sys.executable} -m pytest -x -q -p no:cacheprovider -m 'not slow' {tests}"


def start_worker(folder):
    """Give a worker a copy of the checkout of its own."""
    own = Path(folder, str(os.getpid()))
    shutil.copytree(ROOT, own, ignore=IGNORED)
    os.chdir(own)
    os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": str(own)}


def test(mutation):
    """Run the tests with a change and return a line for the results."""
    start = time.perf_counter()
    result = mutate_and_test([mutation], command(mutation), TIMEOUT)
    verdict = "timeout" if result.output == "timeout" else str(result.test_outcome.value)
    return {
        "mutant": key(mutation),
        "verdict": verdict,
        "seconds": round(time.perf_counter() - start),
        "change": [
            line for line in (result.diff or "").splitlines() if re.match(r"[+-](?!\+\+|--)", line)
        ],
    }


def changed_lines(diff):
    """Return the lines of a diff that differ."""
    return [line for line in diff.splitlines() if re.match(r"[+-](?!\+\+|--)", line)]


def read_results():
    """Return the lines that are known already."""
    if not RESULTS.exists():
        return []
    return [json.loads(line) for line in RESULTS.read_text().splitlines()]


def run(n_mutants, seed, jobs):
    """Test a sample of changes, and write each verdict when it is known."""
    known = {line["mutant"] for line in read_results()}
    origin = {"seed": seed, "commit": commit(), "date": str(date.today())}
    left = [mutation for mutation in sample(n_mutants, seed) if key(mutation) not in known]
    # Packages take turns, so that a run that is stopped says something of each.
    left.sort(key=lambda mutation: random.Random(key(mutation)).random())
    spawn = get_context("spawn")
    with tempfile.TemporaryDirectory() as folder, spawn.Pool(jobs, start_worker, [folder]) as pool:
        for line in pool.imap_unordered(test, left):
            with RESULTS.open("a") as file:
                file.write(json.dumps(line | origin) + "\n")
            print(f"{line['verdict']:>9} {line['seconds']:>5} s  {line['mutant']}", flush=True)


def commit():
    """Name the code that is tested."""
    command = ["git", "rev-parse", "--short", "HEAD"]
    return subprocess.check_output(command, cwd=ROOT, text=True).strip()


def report():
    """Write totals and survivors."""
    lines = read_results()
    reasons = json.loads(REASONS.read_text()) if REASONS.exists() else {}
    rows = [header(lines), "", *totals(lines), "", "Survivors", "---------", ""]
    for line in sorted(lines, key=lambda line: line["mutant"]):
        if line["verdict"] == "survived":
            rows += [f"``{line['mutant']}``::", ""]
            rows += [f"    {change}" for change in line["change"]]
            rows += ["", reasons.get(line["mutant"], "No reason known."), ""]
    REPORT.write_text("\n".join(rows))


def header(lines):
    """Say how the results came about."""
    versions = {"Python": platform.python_version()}
    versions |= {"NumPy": np.__version__, "SciPy": scipy.__version__}
    versions |= {"scikit-learn": sklearn.__version__}
    runs = Counter((line["date"], line["commit"], line["seed"]) for line in lines)
    return "\n".join(
        [
            "Mutation tests\n==============\n",
            f"{len(lines)} changes, drawn and tested by ``python benchmarks/mutation.py``; "
            + ", ".join(" ".join(pair) for pair in versions.items())
            + ":\n",
            *(
                f"- {n} with seed {seed} at {commit}, {day}"
                for (day, commit, seed), n in runs.items()
            ),
        ]
    )


def totals(lines):
    """Return a table of the verdicts by package."""
    rule = "=============== ======= ====== ======== ========"
    rows = [rule, "package         mutants killed survived timeouts", rule]
    for package in PACKAGES:
        own = [line["verdict"] for line in lines if f"skpostbac/{package}/" in line["mutant"]]
        n = Counter(own)
        killed = n["killed"] + n["incompetent"]
        rows.append(f"{package:<15} {len(own):>7} {killed:>6} {n['survived']:>8} {n['timeout']:>8}")
    return [*rows, rule]


def main():
    """Draw mutants and run their tests, or write the report."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--mutants", type=int, default=240, help="size of the sample (240)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the sample (0)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes (all cores)")
    parser.add_argument("--report", action="store_true", help="write the report of what is known")
    options = parser.parse_args()
    if options.report:
        report()
    else:
        run(options.mutants, options.seed, options.jobs)


if __name__ == "__main__":
    main()
