"""Measure the CPU time and the memory of every public method on random valid inputs.

    python benchmarks/slow_calls.py [--inputs N] [--seed N] [--jobs J] [--match REGEX] [--resume]
    python benchmarks/slow_calls.py --again

An input is an object: 1 to 1,000 classes of 0 to 1e7 samples, perfect, all but perfect, always
wrong or anything between, with any prior, equal, signed and very unequal weights. Its methods,
found by introspection, are called at points in the centre, in far tails, at corners and at the
ends.
A few of its methods are called in turn, so that all have the same share, each on a new copy of the
object. A call that takes more than --limit seconds, or 4 GiB, ends a worker process alone. Matrix
products use one thread: others would count while they wait.

The time of a call is that of its first use of the object, without that of making it, which is told
apart under the name of what makes it. A copy has nothing of what was computed before. Memory is
what the process grew by at most.

The goals: nothing over 2 s with up to 100 classes, nothing over 10 s, and nothing over 1 GB.
Input k depends on nothing but the seed and k. --results gets, for each method, the slowest call and
the one that took most memory, as expressions that repeat them; a table is written beside it.
Inputs of which a call missed a goal are kept apart: --again makes these calls once more.
"""

import argparse
import json
import re
import sys
import time
import warnings
from copy import deepcopy
from pathlib import Path

import numpy as np
from _studies import IMPORTS, every, guarded, members, namespace, versions
from matplotlib import pyplot as plt

# The goals, in seconds and bytes: for few classes, and for any.
FEW_CLASSES, FEW_SLOW, SLOW, LARGE = 100, 2, 10, 10**9
MEMORY = 4 << 30
RESULTS = Path(__file__).with_suffix(".json")
# Calls of each input.
METHODS = 3
# Seconds after which results are saved.
SAVED = 20
NAMES = namespace()
# The error of a method of which an argument is not known.
NOT_CALLED = "an argument is not known"


class Draw:
    """Random parts of expressions."""

    def __init__(self, *seed):
        self.rng, self.largest = np.random.default_rng(seed), 1

    def one_of(self, *values):
        return values[self.rng.integers(len(values))]

    def log(self, low, high):
        """Return a number between two others, on a log scale."""
        return float(f"{10 ** self.rng.uniform(np.log10(low), np.log10(high)):.4g}")

    def seed(self):
        return int(self.rng.integers(10**6))

    def classes(self, most=1000):
        number = round(self.log(1, most + 0.49))
        self.largest = max(self.largest, number)
        return number

    def samples(self):
        return round(self.log(1, 1e7)) if self.rng.random() < 0.95 else 0

    def total(self, n_classes, most=1e7):
        """Return samples of each class, as an expression."""
        few = [min(self.samples(), int(most)) for _ in range(min(n_classes, 5))]
        top = round(np.log10(self.log(2, most)), 2)
        return self.one_of(
            f"np.full({n_classes}, {few[0]})",
            f"np.resize({few}, {n_classes})",
            f"np.rint(np.geomspace(1, {self.log(2, most)}, {n_classes}))",
            f"np.rint(10 ** np.random.default_rng({self.seed()}).uniform(-1, {top}, {n_classes}))",
        )

    def share(self, n_classes):
        """Return the correct ones of the samples T, as an expression."""
        beta = f"np.random.default_rng({self.seed()}).beta({self.log(0.1, 30)}, 1, {n_classes})"
        return self.one_of(
            "1 * T",
            f"np.maximum(T - {self.one_of(1, 2, 3)}, 0)",
            "0 * T",
            f"T * (np.arange({n_classes}) % 2)",
            f"np.rint({round(self.rng.uniform(), 3)} * T)",
            f"np.rint(T * {beta})",
        )

    def counts(self, n_classes, most=1e7):
        """Return correct predictions and samples, as lists if they are short."""
        total, share = self.total(n_classes, most), self.share(n_classes)
        if n_classes > 8:
            return re.sub(r"\bT\b", f"(T := {total})", share, count=1), "T"
        n = eval(total, NAMES)
        return tuple(
            str(values.tolist()) for values in (eval(share, {**NAMES, "T": n}), n)
        )

    def weights(self, n_classes, *, signed=True):
        """Return weights that may be signed and very unequal."""
        smallest = self.log(1e-12, 1)
        kinds = [
            "None",
            "None",
            f"np.geomspace(1, {smallest}, {n_classes})",
            f"np.random.default_rng({self.seed()}).dirichlet(np.full({n_classes}, 0.3)) + 1e-9",
        ]
        if signed:
            kinds += [
                f"np.resize([1, -1], {n_classes})",
                f"np.random.default_rng({self.seed()}).normal(size={n_classes})",
                f"np.resize([1, -{smallest}, {self.log(1e-6, 1)}], {n_classes})",
            ]
        return self.one_of(*kinds)

    def beta_prior(self):
        small = self.log(1e-3, 2)
        return self.one_of(
            *("'uniform'", "'jeffreys'", "'neutral'", "'calibrated'"),
            *(f"({small}, {small})", f"({self.log(1e-3, 10)}, {self.log(1e-3, 10)})"),
        )

    def prior(self):
        return self.beta_prior()

    def labels(self, samples):
        """Return true and predicted labels, as expressions."""
        n_classes = min(self.classes(), samples)
        rng, chance = (
            f"np.random.default_rng({self.seed()})",
            round(self.rng.uniform(), 2),
        )
        true = f"(Y := np.resize(np.arange({n_classes}), {samples}))"
        return (
            true,
            f"np.where({rng}.random({samples}) < {chance}, Y, (Y + 1) % {n_classes})",
        )


def beta_average(draw):
    n_classes = draw.classes()
    correct, total = draw.counts(n_classes)
    if n_classes <= 8:
        correct, total = f"(K := np.array({correct}))", f"np.array({total})"
    else:
        correct = f"(K := {correct})"
    a, b, weights = draw.log(1e-3, 2), draw.log(1e-3, 2), draw.weights(n_classes)
    return f"BetaAverage({correct} + {a}, {total} - K + {b}, weights={weights})"


def cells(draw, n_classes):
    """Return the table of two classifiers."""
    rng, n = f"np.random.default_rng({draw.seed()})", draw.total(n_classes)
    shares = draw.one_of(
        [0.8, 0.1, 0.1, 0], [1, 0, 0, 0], [0.7, 0, 0.1, 0.2], [0.4, 0.3, 0.2, 0.1]
    )
    return f"{rng}.multinomial(({n}).astype(int), {shares})"


def paired(draw):
    n_classes = draw.classes()
    table, prior = cells(draw, n_classes), draw.one_of("0.5", str(draw.log(1e-3, 2)))
    return (
        f"PairedDifference({table}, prior={prior}, weights={draw.weights(n_classes)})"
    )


def difference(draw):
    return f"{beta_average(draw)} - {beta_average(draw)}"


def binary_equivalent(draw):
    n_classes = draw.classes()
    correct, total = draw.counts(n_classes)
    options = (
        f"prior={draw.prior()}, class_weight={draw.weights(n_classes, signed=False)}"
    )
    posterior = f"PosteriorBalancedAccuracy.from_counts({correct}, {total}, {options})"
    return f"{posterior}.binary_equivalent().distribution"


def groups(draw, most=300):
    number = draw.classes(most)
    correct, total = draw.counts(number)
    if draw.rng.random() < 0.3 and number > 8:
        n_classes = draw.classes(10)
        number = max(number // n_classes, 1)
        draw.largest = max(number, n_classes)
        correct = f"np.resize({correct}, ({number}, {n_classes}))"
        total = f"np.resize(T, ({number}, {n_classes}))"
    return f"population_posterior({correct}, {total})"


def group_distribution(draw):
    name = draw.one_of("new_group", "population_mean", "groups[0]")
    return f"{groups(draw)}.{name}"


def balanced(draw, n_classes=None):
    n_classes = n_classes or draw.classes()
    correct, total = draw.counts(n_classes)
    options = (
        f"prior={draw.prior()}, class_weight={draw.weights(n_classes, signed=False)}"
    )
    return f"PosteriorBalancedAccuracy.from_counts({correct}, {total}, {options})"


def pooled(draw):
    n_classes, prior = draw.classes(), draw.prior()
    one, other = (
        "ClassCounts(range({}), {}, {})".format(n_classes, *draw.counts(n_classes))
        for _ in range(2)
    )
    return f"PosteriorBalancedAccuracy({one} + {other}, prior={prior})"


def accuracy(draw):
    correct, total = draw.counts(draw.classes())
    return (
        f"PosteriorAccuracy.from_counts({correct}, {total}, prior={draw.beta_prior()})"
    )


def confusion(draw):
    n_classes = draw.classes(100)
    rng = f"np.random.default_rng({draw.seed()})"
    C = f"{rng}.poisson({draw.log(0.1, 1e3)}, ({n_classes}, {n_classes}))"
    C += draw.one_of("", f" + np.diag(np.full({n_classes}, {draw.samples()}))")
    metric = draw.one_of("accuracy", "mcc", "kappa", "f1", "precision", "recall")
    options = f"prior={draw.beta_prior()}, random_state=0"
    return f"PosteriorConfusionMetric.from_confusion_matrix({C}, {metric!r}, {options})"


def drawn(draw):
    n, a = round(draw.log(2, 1e6)), draw.log(1e-3, 1e3)
    return f"DrawnDistribution(np.random.default_rng(0).beta({a}, 2, {n}))"


def scores(draw):
    n, rng = round(draw.log(5, 1e5)), f"np.random.default_rng({draw.seed()})"
    mean, spread = draw.log(0.1, 10), draw.log(1e-3, 3)
    return f"(Y := np.arange({n}) % 2), {rng}.normal({mean} * Y, 1 + {spread} * Y)"


def binormal_model(draw):
    return f"BinormalModel.fit({scores(draw)})"


def class_counts(draw):
    return "class_counts({}, {})".format(*draw.labels(round(draw.log(1, 1e6))))


def paired_counts(draw):
    true, pred = draw.labels(round(draw.log(1, 1e6)))
    return f'paired_counts({true}, {{"A": {pred}, "B": np.roll({pred}, 1)}})'


def table_of_pairs(draw):
    return f"PairedCounts.from_cells({cells(draw, draw.classes())})"


def compared(draw):
    n_classes = draw.classes()
    entries = [
        f'"{name}": {balanced(draw, n_classes)}'
        for name in "ABCDEF"[: draw.one_of(2, 3, 6)]
    ]
    return (
        f"compare_posteriors({{{', '.join(entries)}}}, rope={draw.one_of(0.0, 0.01)})"
    )


def compared_pairs(draw):
    if draw.rng.random() < 0.5:
        table = f"PairedCounts.from_cells({cells(draw, draw.classes())})"
    else:
        table = paired_counts(draw)
    options = f"prior={draw.prior()}, rope={draw.one_of(0.0, 0.01)}, random_state=0"
    return f"PosteriorComparison.from_paired_counts({table}, {options})"


def test_size(draw):
    n_classes = draw.classes(100)
    rng = f"np.random.default_rng({draw.seed()})"
    recalls = draw.one_of(
        str(round(draw.rng.uniform(0.5, 0.999), 3)),
        f"{rng}.uniform(0.3, 0.99, {n_classes})",
        balanced(draw, n_classes),
    )
    goal = f"width={draw.log(0.01, 0.5)}"
    if "from_counts" not in recalls and draw.rng.random() < 0.5:
        step, is_paired = draw.log(0.001, 0.009), draw.one_of(True, False)
        goal = f"difference={draw.one_of(step, -step)}, paired={is_paired}"
    return f"required_test_size({recalls}, {goal}, prior={draw.beta_prior()})"


def folds(draw):
    """Return the results of a search, by the counts of each fold."""
    n_classes, candidates = draw.classes(100), draw.classes(30)
    rng = f"np.random.default_rng({draw.seed()})"
    total = f"np.full({candidates}, {max(draw.samples(), 1)})"
    columns = (
        f'{{f"split{{s}}_test_{{kind}}_{{c}}": np.rint(({rng}.uniform(0.5, 1, {candidates}) '
        f'if kind == "correct" else 1) * {total}) for s in range(3) for c in range({n_classes}) '
        'for kind in ("correct", "total")}'
    )
    return f'{{"params": [{{"C": i}} for i in range({candidates})]}} | {columns}'


def refit(draw):
    return f"PosteriorRefit(prior={draw.prior()}, complexity={draw.one_of('None', repr('C'))})"


def guessing(draw):
    correct, total = draw.counts(draw.classes())
    strategy = draw.one_of("uniform", "stratified")
    counts = f"ClassCounts(range(len({total})), {correct}, {total})"
    if total == "T":
        counts = f"ClassCounts(*(lambda k, n: (range(len(n)), k, n))({correct}, T))"
    return f"GuessingTest.from_counts({counts}, strategy={strategy!r})"


# What is made, by name; the classes of the results are what is reported.
FAMILIES = {
    "sum of Beta variables": beta_average,
    "difference": difference,
    "paired difference": paired,
    "binary equivalent": binary_equivalent,
    "distribution of groups": group_distribution,
    "groups": groups,
    "balanced accuracy": balanced,
    "pooled": pooled,
    "accuracy": accuracy,
    "binary-equivalent": lambda draw: f"{balanced(draw)}.binary_equivalent()",
    "influence": lambda draw: f"{balanced(draw)}.prior_influence()",
    "confusion metric": confusion,
    "draws": drawn,
    "binormal model": binormal_model,
    "binormal check": lambda draw: f"binormal_check({scores(draw)})",
    "counts": class_counts,
    "paired counts": paired_counts,
    "table of pairs": table_of_pairs,
    "comparison": compared,
    "paired comparison": compared_pairs,
    "test size": test_size,
    "folds": lambda draw: f"pooled_posteriors({folds(draw)}, prior={draw.prior()})[0]",
    "refit": refit,
    "guessing": guessing,
}
# These have more ways to go wrong, and get more inputs.
TURNS = [
    *FAMILIES,
    *list(FAMILIES)[:3],
    *list(FAMILIES)[:3],
    "distribution of groups",
    "balanced accuracy",
]


def points(draw, distribution):
    """Return points in the centre, tails and corners, and at the ends, as an expression."""
    if not hasattr(distribution, "cdf"):
        return "np.array([0.0, 2.0])"
    low, high = _support(distribution)
    mean, sd = float(distribution.mean()), float(distribution.standard_deviation())
    corner = low + (high - low) * draw.one_of(0.5, 1 / 3, draw.rng.uniform())
    choices = [
        *(mean, mean + sd * draw.rng.normal(), mean + 10 * sd * draw.rng.normal()),
        *(
            low,
            high,
            low + 1e-300,
            low + 1e-12,
            float(np.nextafter(high, low)),
            corner,
            0.0,
            0.5,
        ),
        *(
            low + (high - low) * draw.log(1e-300, 1),
            high - (high - low) * draw.log(1e-16, 1),
        ),
    ]
    picked = [float(draw.one_of(*choices)) for _ in range(draw.one_of(1, 1, 4))]
    return repr(picked[0] if len(picked) == 1 else picked)


def _support(distribution):
    distribution = getattr(distribution, "distribution", distribution)
    low, high = (
        distribution.support()
        if hasattr(distribution, "support")
        else (distribution.draws[0], distribution.draws[-1])
    )
    return float(low), float(high)


def probability(draw, distribution):
    tail = draw.log(1e-300, 0.5)
    return repr(draw.one_of(tail, 1 - draw.log(1e-16, 0.5), 0.5, [tail, 0.3, 1.0]))


ARGUMENTS = {
    **dict.fromkeys(["x", "y", "value"], points),
    "p": probability,
    "level": lambda draw, distribution: repr(
        draw.one_of(0.5, 0.95, 0.9999, round(draw.rng.uniform(0.5, 1), 4))
    ),
    "method": lambda draw, distribution: repr(draw.one_of("central", "hdi")),
    "shape": lambda draw, distribution: repr(draw.one_of((), 10, 1000)),
    "rng": lambda draw, distribution: "0",
    "a": lambda draw, distribution: "'A'",
    "b": lambda draw, distribution: "'B'",
    **dict.fromkeys(["first", "name"], lambda draw, distribution: "'A'"),
    "second": lambda draw, distribution: "'B'",
    "objective": lambda draw, distribution: repr(
        draw.one_of("mean", "lower", "median", "mode", "upper")
    ),
    "size": lambda draw, distribution: str(draw.one_of(1, 20, 10_000)),
    "n_points": lambda draw, distribution: "201",
    "n_classes": lambda draw, distribution: str(draw.classes()),
    "significance": lambda draw, distribution: "0.05",
    "classes": lambda draw, distribution: "[0]",
    "cv_results": lambda draw, distribution: folds(draw),
    "kind": lambda draw, distribution: repr(_kind(draw, distribution)),
    "y_true": lambda draw, distribution: f"np.arange({draw.classes()})",
    "predictions": lambda draw, distribution: "None",
}


def _kind(draw, distribution):
    if "Comparison" in type(distribution).__name__:
        return draw.one_of("decision", "difference", "matrix", "ranks")
    return draw.one_of("density", "ridge", "forest")


def argument(draw, distribution, member, parameter):
    """Return an argument as an expression, or None if none is known."""
    if parameter.kind is parameter.VAR_KEYWORD:
        # Of what a picture hands on, the kind of those that do not name it themselves.
        is_kind = member == "plot" and "Comparison" in type(distribution).__name__
        return f"kind={_kind(draw, distribution)!r}" if is_kind else ""
    if parameter.name == "y_pred":
        return "y_pred=[0] * 0"
    if parameter.name not in ARGUMENTS:
        return "" if parameter.default is not parameter.empty else None
    if parameter.default is not parameter.empty and draw.rng.random() < 0.3:
        return ""
    if member == "plot" and parameter.name == "name":
        return ""
    return f"{parameter.name}={ARGUMENTS[parameter.name](draw, distribution)}"


def call_of(draw, distribution, member, signature):
    """Return what comes after the object, or None if an argument is not known."""
    if signature is None:
        return f".{member}"
    given = [
        argument(draw, distribution, member, p) for p in signature.parameters.values()
    ]
    if None in given:
        return None
    return f".{member}({', '.join(filter(None, given))})"


def _memory(reset=False):
    """Return the largest memory of the process since the last reset, in bytes."""
    if reset:
        Path("/proc/self/clear_refs").write_text("5")
    status = Path("/proc/self/status").read_text()
    return 1024 * int(re.search(r"VmHWM:\s+(\d+)", status)[1])


def measured(expression, names):
    """Evaluate an expression, and return its value, error, CPU time and memory."""
    value, error, before, start = None, "", _memory(reset=True), time.process_time()
    try:
        value = eval(expression, names)
        if hasattr(value, "__next__"):
            value = list(value)
    except Exception as raised:
        error = f"{type(raised).__name__}: {raised}"[:200]
    return value, error, time.process_time() - start, max(_memory() - before, 0)


def _maker(family, text):
    """Return the name of what makes the objects of a family."""
    return f"{family} ({re.match(r'[A-Za-z_.]+', text)[0]})"


def trial(task, tell):
    """Make an input, call some of its methods, and return what each took."""
    seed, number, match = task
    warnings.simplefilter("ignore")
    draw, family = Draw(seed, number), TURNS[number % len(TURNS)]
    text, rows = FAMILIES[family](draw), []

    def measure(label, shown, expression, names):
        tell(json.dumps([*rows, [label, shown, draw.largest]]))
        value, *took = measured(expression, names)
        rows.append([label, shown, draw.largest, *took])
        return value

    distribution = measure(_maker(family, text), text, text, dict(NAMES))
    found = [] if distribution is None else _members(distribution, match)
    # Copied before anything is asked of it; made anew it would take as long again.
    copies = [deepcopy(distribution) for _ in range(min(METHODS, len(found)))]
    for turn, fresh in enumerate(copies):
        # Each input of a family goes on with the methods where the last one ended.
        place = (number // len(TURNS)) * METHODS + turn
        member, signature = found[place % len(found)]
        label = f"{type(distribution).__name__}.{member}"
        # Points to call it at are chosen by the mean and the standard deviation.
        moment = f"{type(distribution).__name__}.standard_deviation"
        tell(
            json.dumps(
                [*rows, [moment, f"({text}).standard_deviation()", draw.largest]]
            )
        )
        call = call_of(Draw(seed, number, place), distribution, member, signature)
        if call is None:
            rows.append([label, "", 0, NOT_CALLED, 0, 0])
        else:
            measure(label, f"({text}){call}", f"_{call}", {**NAMES, "_": fresh})
            plt.close("all")
    return rows


def _members(distribution, match):
    """Return the members of an object that are called."""
    kind = type(distribution)
    if kind.__module__.startswith("skpostbac"):
        found = members(kind).items()
        return [
            item for item in found if re.search(match, f"{kind.__name__}.{item[0]}")
        ]
    return []


def record(state, rows):
    """Keep the slowest and the largest call of each method, and count them all."""
    for label, text, n_classes, error, seconds, size in rows:
        old = state["calls"].setdefault(
            label, {"times": 0, "cpu": -1.0, "memory": -1, "errors": {}}
        )
        if error == NOT_CALLED:
            old["errors"].setdefault(error, "")
            continue
        old["times"] += 1
        if error:
            old["errors"].setdefault(error.partition(":")[0], f"{text}  # {error}")
        # A call that is slow for few classes is worse than one that is as slow for many.
        for key, worse in (("cpu", seconds), ("memory", size)):
            if worse > old[key]:
                old[key], old[f"{key}_classes"], old[f"{key}_call"] = (
                    worse,
                    n_classes,
                    text,
                )
        if n_classes <= FEW_CLASSES and seconds > max(old.get("few", 0), FEW_SLOW):
            old["few"], old["few_call"] = seconds, text


def missed(rows):
    """Count the calls that miss each goal, and those that did not come back."""
    count = dict.fromkeys(["slow_of_few", "slow", "large", "lost"], 0)
    for _, _, n_classes, error, seconds, size in rows:
        count["slow_of_few"] += n_classes <= FEW_CLASSES and seconds > FEW_SLOW
        count["slow"] += seconds > SLOW
        count["large"] += size > LARGE
        count["lost"] += error.startswith("lost")
    return count


def table(state):
    """Write the slowest call of each method as reStructuredText, the slowest method first."""
    everything, worst = {"calls": deepcopy(state["calls"])}, _worst(state)
    record(everything, worst)
    calls = {key: row for key, row in everything["calls"].items() if row["times"]}
    total, count = sum(row["times"] for row in calls.values()), missed(worst)
    head = (
        f"{state['versions']}; ``{state['command']}``: {total} calls of {len(calls)} methods on\n"
        f"{state['inputs']} inputs. {count['slow_of_few']} took over {FEW_SLOW} s of CPU time "
        f"with up to {FEW_CLASSES} classes,\n{count['slow']} over {SLOW} s, "
        f"{count['large']} over {LARGE / 1e9:g} GB, and {count['lost']} did not come back. "
        f"{state.get('again', '')}"
        f"The last column has\nthe slowest call with up to {FEW_CLASSES} classes, if it misses "
        "the goal.\n"
    )
    rule = " ".join("=" * width for width in (66, 7, 9, 7, 8, 7))
    names = f"{'method':66} {'calls':>7} {'slowest s':>9} {'classes':>7} {'most MB':>8} {'few s':>7}"
    lines = [head, rule, names, rule]
    for key, row in sorted(calls.items(), key=lambda item: -item[1]["cpu"]):
        few = f"{row['few']:.1f}" if "few" in row else "\\-"
        lines.append(
            f"{key:66} {row['times']:7} {row['cpu']:9.3f} {row['cpu_classes']:7} "
            f"{row['memory'] / 1e6:8.0f} {few:>7}"
        )
    lines += [
        rule,
        "",
        "Calls that miss a goal, or did not come back, after",
        "",
        ".. code::",
        "",
    ]
    lines += [f"    {line}" for line in [*IMPORTS.splitlines(), *_bad(calls)]]
    return "\n".join(lines) + "\n"


def _worst(state):
    """Return the calls of the inputs of which one missed a goal."""
    return [row for rows in state["missed"].values() for row in rows]


def _bad(calls):
    """Yield the calls that miss a goal, the slowest first, and errors of valid inputs."""
    for row in sorted(calls.values(), key=lambda row: -row["cpu"]):
        if row["cpu"] > SLOW:
            yield f"{row['cpu_call']}  # {row['cpu']:.1f} s, {row['cpu_classes']} classes"
        if "few" in row and (row["few_call"] != row["cpu_call"] or row["cpu"] <= SLOW):
            yield f"{row['few_call']}  # {row['few']:.1f} s"
        if row["memory"] > LARGE:
            yield f"{row['memory_call']}  # {row['memory'] / 1e9:.1f} GB"
        yield from (text for text in row["errors"].values() if text)


def run(state, numbers, arguments):
    """Make inputs, and save the results now and then."""
    tasks = [(state["seed"], number, state["match"]) for number in numbers]
    options = {"jobs": arguments.jobs, "cpu": arguments.limit, "memory": MEMORY}
    is_time = every(SAVED)
    for (_, number, _), result, lost in guarded(trial, tasks, **options):
        if lost:
            *done, (label, text, n_classes) = json.loads(result)
            result = [
                *done,
                [label, text, n_classes, f"lost: {lost}", arguments.limit, 0],
            ]
        state["missed"].pop(str(number), None)
        if any(missed(result).values()):
            state["missed"][str(number)] = result
            print(number, *_slowest(result), sep="; ", file=sys.stderr, flush=True)
        else:
            record(state, result)
        state["inputs"] = max(number + 1, state["inputs"])
        if is_time():
            save(state, arguments.results)
    save(state, arguments.results)


def _slowest(rows):
    """Return the expression, the error, the seconds and the memory of the slowest call."""
    _, text, _, error, seconds, size = max(rows, key=lambda row: row[4])
    return text, error, f"{seconds:.1f} s", f"{size / 1e6:.0f} MB"


def save(state, path):
    """Write the results and their table to files."""
    path.write_text(json.dumps(state, indent=1) + "\n")
    path.with_suffix(".rst").write_text(table(state))
    print(
        f"{state['inputs']} inputs: {missed(_worst(state))}",
        file=sys.stderr,
        flush=True,
    )


def main(argv=None):
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--inputs", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2, help="worker processes")
    parser.add_argument(
        "--limit", type=float, default=SLOW, help="seconds of CPU time of a call"
    )
    parser.add_argument("--match", default="", help="regular expression of the methods")
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--resume", action="store_true", help="go on from the results")
    parser.add_argument(
        "--again", action="store_true", help="repeat what missed a goal"
    )
    arguments = parser.parse_args(argv)
    state = {"seed": arguments.seed, "match": arguments.match}
    state |= {"inputs": 0, "calls": {}, "missed": {}}
    state["command"] = f"python benchmarks/slow_calls.py --inputs {arguments.inputs}"
    state["command"] += f" --limit {arguments.limit:g}"
    if arguments.seed:
        state["command"] += f" --seed {arguments.seed}"
    if (arguments.resume or arguments.again) and arguments.results.exists():
        state = json.loads(arguments.results.read_text())
    if arguments.again:
        numbers = [int(number) for number in state["missed"]]
        state["again"] = (
            f"The {len(numbers)} inputs that had missed a goal\nwere made again ({versions()}). "
        )
    else:
        numbers, state["versions"] = (
            range(state["inputs"], arguments.inputs),
            versions(),
        )
    run(state, numbers, arguments)
    print(table(state), end="")
    return state


if __name__ == "__main__":
    main()
