"""Compare errors and CPU times of this engine and of other ways to the same posterior, in one run.

    python benchmarks/peers.py [--only TEXT] [--rst FILE]

prints a Markdown table, and writes the same as reStructuredText for the documentation. Needs the
group ``bench``. The errors are measured against the reference values of the tests. Methods take
turns, each time with another seed; errors and times are medians over the turns.
"""

import argparse
import datetime as dt
import os
import platform
import time
import warnings
from dataclasses import dataclass
from fractions import Fraction
from importlib.metadata import version
from pathlib import Path

import numpy as np
from benchmarks.distributions import column, records
from benchmarks.reference_implementations import (
    convolution_on_grid,
    fourier_on_grid,
    monte_carlo,
    sample_interval,
)
from prob_conf_mat import Study
from threadpoolctl import threadpool_info

import skpostbac
from skpostbac.stats import BetaAverage

# What the classes are, for distributions by their names in the reference values.
DISTRIBUTIONS = {
    "carrillo_c1": "30 of 32, 8 of 10, 3 of 4 correct",
    "carrillo_c3": "32 of 32, 9 of 10, 4 of 4",
    "two_perfect_10_100": "10 of 10, 100 of 100",
    "two_empty_ordinary": "0 of 0, 60 of 80",
    "jeffreys_c3": "32 of 32, 9 of 10, 4 of 4, prior of Jeffreys",
    "scale_1e6_beside_2": "900,000 of 1,000,000, 1 of 2",
    "scale_1e6_perfect_beside_2": "1,000,000 of 1,000,000, 2 of 2",
    "scale_1e9_both": "9e8 of 1e9, 4e8 of 1e9",
    "many_50": "50 classes of 10 to 10,000 samples",
    "many_1000": "1,000 classes of 10 to 10,000 samples",
}
TURNS = 15
# A method that has used up this time for a distribution gets no further turn.
SECONDS = 10.0


@dataclass(frozen=True)
class Summary:
    """What is asked of a distribution: the central 95 %, the mean and P(X <= threshold)."""

    low: float
    high: float
    mean: float
    below: float


@dataclass(frozen=True)
class Problem:
    """A distribution of the reference values, with the threshold and the right answers."""

    name: str
    a: np.ndarray
    b: np.ndarray
    threshold: float
    answer: tuple[Fraction, ...]

    @classmethod
    def from_record(cls, name):
        """Take the threshold at chance if the reference has it, else where the tail is 1e-20."""
        record = records()[name]
        a, b = np.array(record["a"]), np.array(record["b"])
        x = column(record, "points", "x")
        chance = np.isclose(x, 1 / len(a), rtol=0, atol=1e-15)
        near = np.abs(column(record, "points", "log_cdf") - np.log(1e-20))
        point = record["points"][
            int(chance.argmax() if chance.any() else near.argmin())
        ]
        quantiles = {entry["p"]: entry["x"] for entry in record["quantiles"]}
        answer = (quantiles[0.025], quantiles[0.975], record["mean"], point["cdf"])
        return cls(name, a, b, point["x"], tuple(map(Fraction, answer)))

    def errors(self, found):
        """Return the larger error of the limits, that of the mean and the relative of P."""
        values = (found.low, found.high, found.mean, found.below)
        if not np.isfinite(values).all():
            return (np.nan,) * 3
        low, high, mean, below = (
            abs(Fraction(float(value)) - right)
            for value, right in zip(values, self.answer, strict=True)
        )
        return float(max(low, high)), float(mean), float(below / self.answer[3])


def this_engine(problem, seed):
    """Answer by the distribution itself; small tails have their digits in the logarithm."""
    distribution = BetaAverage(problem.a, problem.b)
    low, high = distribution.interval(0.95)
    below = np.exp(distribution.logcdf(problem.threshold))
    return Summary(low, high, distribution.mean(), below)


def draws(count):
    """Answer by `count` random draws."""

    def method(problem, seed):
        return _of_sample(
            monte_carlo(problem.a, problem.b, count, np.random.default_rng(seed)),
            problem,
        )

    return method


def grid(make):
    """Answer by a density on a grid."""

    def method(problem, seed):
        distribution = make(problem.a, problem.b)
        return Summary(
            *distribution.interval(),
            distribution.mean(),
            distribution.cdf(problem.threshold),
        )

    return method


def prob_conf_mat(problem, seed):
    """Answer by the samples of prob_conf_mat, as many as is its default.

    Its prior is a Dirichlet distribution for each row of a confusion matrix. With the prior of a
    wrong prediction shared among the wrong cells, the recalls have the Beta distributions of the
    problem.
    """
    prior = 0.5 if (problem.a % 1).any() else 1.0
    return _of_sample(
        _conf_mat_sample(problem.a - prior, problem.b - prior, prior, seed), problem
    )


def prob_conf_mat_interval(correct, wrong, prior, seed):
    """Return the ends of the central 95 % of the samples of prob_conf_mat."""
    return sample_interval(_conf_mat_sample(correct, wrong, prior, seed))


def _conf_mat_sample(correct, wrong, prior, seed):
    classes = np.arange(len(correct))
    confusion = np.diag(correct)
    confusion[classes, classes - 1] = wrong
    priors = np.full(confusion.shape, prior / (len(classes) - 1))
    priors[classes, classes] = prior
    study = Study(seed=seed, num_samples=10_000)
    study.add_experiment(
        "all/one",
        confusion_matrix=confusion,
        confusion_prior=priors,
        prevalence_prior=1.0,
    )
    study.add_metric("balanced_accuracy")
    return study.get_metric_samples(
        "balanced_accuracy", "all/one", "posterior"
    ).values.ravel()


def _of_sample(sample, problem):
    return Summary(
        *sample_interval(sample), sample.mean(), (sample <= problem.threshold).mean()
    )


# Each with the most classes for which it is run, and the reason.
METHODS = {
    "skpostbac": (this_engine, np.inf, ""),
    "NumPy, 5,000 draws": (draws(5_000), np.inf, ""),
    "NumPy, 1,000,000 draws": (draws(1_000_000), np.inf, ""),
    "convolution, 1e-3 grid": (grid(convolution_on_grid), 200, "takes minutes"),
    "FFT, 1e-3 grid": (grid(fourier_on_grid), np.inf, ""),
    "prob_conf_mat, 10,000 draws": (prob_conf_mat, 100, "needs 80 GB or more"),
}
HEADER = ("distribution", "method", "limits", "mean", "P", "time")
LEGEND = (
    "Columns: the larger absolute error of the two ends of the central 95 % interval, the absolute "
    "error of the mean, the relative error of the probability P that is given with the "
    "distribution (1 if a method says zero), and the CPU time for all of them."
)


@dataclass
class Row:
    """What one method did with one distribution, turn by turn."""

    errors: list
    seconds: list
    remark: str = ""

    def cells(self):
        """Format the medians."""
        if self.remark:
            return [self.remark, "", "", ""]
        errors = np.median(self.errors, axis=0)
        return [*map(_error, errors), _duration(np.median(self.seconds))]


def _error(value):
    return f"{value:.0e}" if np.isfinite(value) else "no answer"


def _duration(seconds):
    return f"{seconds:.3g} s" if seconds >= 1 else f"{1e3 * seconds:.3g} ms"


def measure(problem):
    """Let the methods take turns with a problem."""
    rows = {
        name: Row([], [], f"not run: {reason}" if len(problem.a) > most else "")
        for name, (_, most, reason) in METHODS.items()
    }
    for seed in range(TURNS):
        for name, row in rows.items():
            if not row.remark and sum(row.seconds) < SECONDS:
                take_turn(METHODS[name][0], problem, seed, row)
    return rows


def take_turn(method, problem, seed, row):
    """Add one timed answer to a row."""
    start = time.process_time()
    try:
        # A density that is infinite at an end of the support, or seen by no point of the grid.
        with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
            found = method(problem, seed)
    except Exception as error:
        row.remark = f"refused ({type(error).__name__})"
        return
    row.seconds.append(time.process_time() - start)
    row.errors.append(problem.errors(found))


def table(names):
    """Measure all distributions and return the rows of cells, named in the first of each."""
    rows = []
    for name in names:
        problem = Problem.from_record(name)
        probability = (
            f"P(X <= {problem.threshold:.4g}) = {float(problem.answer[3]):.1e}"
        )
        label = f"{DISTRIBUTIONS[name]}; {probability}"
        for method, row in measure(problem).items():
            rows.append([label, method, *row.cells()])
            label = ""
    return rows


def circumstances(*others):
    """Say when and with what the table was made."""
    packages = ("numpy", "scipy", "prob_conf_mat", *others)
    versions = ", ".join(f"{name} {version(name)}" for name in packages)
    threads = max((pool["num_threads"] for pool in threadpool_info()), default=1)
    return (
        f"Measured on {dt.date.today()} with skpostbac {skpostbac.__version__}, "
        f"Python {platform.python_version()}, {versions}, on {os.cpu_count()} cores "
        f"({platform.system()}, {platform.machine()}), BLAS with {threads} thread(s)."
    )


def as_markdown(rows):
    """Format as a Markdown table."""
    lines = [HEADER, ["---"] * len(HEADER), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def as_rst(rows):
    """Format as a list-table with a line on its origin."""
    lines = [
        ".. Made by python benchmarks/peers.py --rst; do not edit.",
        "",
        circumstances() + " Command: ``python benchmarks/peers.py --rst FILE``.",
        "",
        LEGEND,
        "",
        *list_table([HEADER, *rows], "30 22 14 12 12 10"),
    ]
    return "\n".join(lines) + "\n"


def list_table(rows, widths):
    """Return the lines of a list-table, whose first row is the header."""
    lines = [".. list-table::", "   :header-rows: 1", f"   :widths: {widths}", ""]
    for row in rows:
        lines += [
            f"   {'*' if first else ' '} - {cell}".rstrip()
            for first, cell in zip([True] + [False] * len(row), row, strict=False)
        ]
    return lines


def main():
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--only", default="", help="distributions whose name contains this text"
    )
    parser.add_argument(
        "--rst", type=Path, help="file for the table as reStructuredText"
    )
    arguments = parser.parse_args()
    rows = table([name for name in DISTRIBUTIONS if arguments.only in name])
    print(circumstances(), LEGEND, as_markdown(rows), sep="\n\n")
    if arguments.rst:
        arguments.rst.write_text(as_rst(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
