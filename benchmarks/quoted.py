"""Collect what the documentation quotes of the committed tables, as substitutions by name.

    python benchmarks/quoted.py

writes `doc/evidence/quoted.rst.inc`, with the names that its pages use, such as
|two-default-mean|. Means are rounded, the lowest are rounded down, and of ranges the low end is
rounded down and the high end is rounded. "Lowest" is over all tables that are shown.
"""

import re
from functools import partial
from pathlib import Path

import numpy as np

BENCHMARKS = Path(__file__).parent
DOC = BENCHMARKS.parent / "doc"
EVIDENCE = DOC / "evidence"
# The tables of the interval, and how their rows begin in the list of low cells.
PARTS = {
    "two": "^ *2 ",
    "three": "^ *3 ",
    "many": r"^ *([5-9]|\d\d+) ",
    "class": "",
    "few": "",
    "sparse": "",
}
# How their rows begin in the table of what is known to fail.
HARD = {"two": r"^\d+/", "many": "classes"}


def tables(path):
    """Return the tables of a file in doc/evidence or benchmarks, as lists of lines."""
    file = next(one / path for one in (BENCHMARKS, EVIDENCE) if (one / path).exists())
    rule, rows = r"^ *=+(?: +=+)+\n", r"(?:.*\S.*\n)+?"
    found = re.findall(rule + rows + rule + rows + rule, file.read_text("utf-8"), re.M)
    return [table.splitlines() for table in found]


def column(path, name, rows="", place=0, table=0):
    """Return a number of each cell of a column, in the rows that match; or all with place=...

    Of several columns of one name, it is the first, and cells without a number are left out.
    """
    rule, head, _, *body, _ = tables(path)[table]
    starts = [match.start() for match in re.finditer("=+", rule)]
    cuts = [slice(*ends) for ends in zip(starts, [*starts[1:], None], strict=True)]
    cut = cuts[[head[cut].strip() for cut in cuts].index(name)]
    # A minus between two numbers is that of a range.
    number = r"(?<!\d)-?\d*\.?\d+"
    cells = [re.findall(number, row[cut]) for row in body if re.search(rows, row)]
    found = [cell if place is ... else cell[place] for cell in cells if cell]
    if not found:
        raise ValueError(f"no row of {path} matches {rows!r}")
    return np.array(found, dtype=float).ravel()


def mean(share):
    """Return a share, or the mean of shares, in whole percents."""
    return f"{100 * np.mean(share):.0f} %"


def with_error(found):
    """Return a share and its standard error, of a column with all numbers, in percents."""
    share, error = found
    return f"{100 * share:.0f} ± {max(100 * error, 1):.0f} %"


def estimate(found):
    """Return a number and its standard error, of a column with all numbers."""
    value, error = found
    return f"{value:.3f} ± {error:.3f}"


def lowest(*shares):
    """Return the lowest share in percents, rounded down."""
    return f"{np.floor(round(100 * np.concatenate(shares).min(), 6)):.0f} %"


def span(*shares):
    """Return the range of shares in percents."""
    return f"{lowest(*shares)[:-2]} to {mean(np.concatenate(shares).max())}"


def of_intervals():
    """Yield what is quoted of the default interval and others."""
    for number, (part, listed) in enumerate(PARTS.items()):
        # The list of the low cells, and what is known to fail.
        low = partial(column, "intervals.rst.inc", "coverage", table=-2)
        least = [low(listed)] if listed else []
        if part in HARD:
            least.append(column("intervals_hard.rst.inc", "default", HARD[part]))
        for line in tables("intervals.rst.inc")[2 * number][3:-1]:
            method = re.split(r" +\d\.", line)[0]
            of = partial(
                column, "intervals.rst.inc", rows=rf"^{method} +\d", table=2 * number
            )
            name = f"{part}-{re.sub('[ /,]+', '-', method)}"
            yield f"{name}-mean", mean(of("mean"))
            yield (
                f"{name}-lowest",
                lowest(of("lowest"), *(least if method == "default" else ())),
            )
            yield f"{name}-below", f"{of('below .90')[0]:.0f} %"
            yield f"{name}-wins", f"{of('wins')[0]:.0f} %"


def of_priors():
    """Yield what is quoted of each prior with the shortest interval."""
    for prior in ("uniform", "reciprocal"):
        of = partial(column, "validity_summary.rst.inc", rows=f"{prior} +hdi")
        means, cells, least = of("mean"), of("cells"), [of("least")]
        yield f"validity-{prior}-mean", mean(means @ cells / cells.sum())
        yield f"validity-{prior}-to-20", mean(means[0])
        yield f"validity-{prior}-from-60", mean(means[1])
        yield f"validity-{prior}-shown", lowest(*least)
        yield (
            f"validity-{prior}-below",
            f"{of('below .90').sum():.0f} of {cells.sum():.0f}",
        )
        if prior != "uniform":
            least.append(column("validity_hard.rst.inc", prior))
            yield f"hard-{prior}-mean", mean(least[1])
            yield f"hard-{prior}-lowest", lowest(least[1])
            yield f"hard-{prior}-above", f"{np.sum(least[1] >= 0.9)} of {least[1].size}"
        yield f"validity-{prior}-lowest", lowest(*least)
        warned = column("validity_warning.rst.inc", prior, r"^0 to 0\.9 ")
        yield f"warned-{prior}", mean(warned)
    hard = column("validity_hard.rst.inc", "calibrated")
    yield "hard-default-mean", mean(hard)
    yield "hard-default-lowest", lowest(hard)


def of_pairs():
    """Yield what is quoted of the default comparison, and of the prior (1/l, 1/l)."""
    for part, *which in (
        ("shown", "default", "^shown"),
        ("default", "default", ""),
        ("plain", "(1/l, 1/l)", "^shown"),
    ):
        found = column("paired_default.rst.inc", *which, place=...)
        held, *seems_better = found.reshape(-1, 3).T
        # A seems better than a better B in none of the test sets.
        sure = np.array(seems_better)[:, seems_better[1] > 0]
        yield f"pairs-{part}-mean", mean(held)
        yield f"pairs-{part}-lowest", lowest(held)
        yield f"pairs-{part}-sure", f"{sure.mean():.3f}".lstrip("0")
        yield f"pairs-{part}-most", f"{sure.max():.3f}".lstrip("0")


def of_metrics():
    """Yield what is quoted of differences in F1 and MCC."""
    table = "metric_comparison_coverage.rst"
    for kind, names in {
        "": ("F1", "MCC"),
        "-bootstrap": ("F1 bootstrap", "MCC bootstrap"),
    }.items():
        held = np.concatenate([column(table, name) for name in names])
        sure = np.concatenate(
            [column(table, f"sides of {name}", place=...) for name in names]
        )
        yield f"metrics-difference{kind}-mean", mean(held)
        yield f"metrics-difference{kind}-lowest", lowest(held)
        yield f"metrics-difference{kind}-sure", f"{sure.mean():.3f}".lstrip("0")
        yield f"metrics-difference{kind}-most", f"{sure.max():.3f}".lstrip("0")


def of_other_tables():
    """Return what is quoted of all other tables."""
    first_page = partial(column, "intervals.rst.inc", "coverage", table=-1)
    groups = partial(column, "groups.rst.inc")
    names = (
        "precision",
        "f1",
        "accuracy, known shares",
        "macro f1",
        "mcc",
        "macro recall",
    )
    metrics = [partial(column, "grouped_metrics.rst.inc", name) for name in names]
    of_groups = r"^(nested|crossing) +\d"
    areas = partial(column, "ranking_coverage.rst", table=0)
    precisions = partial(column, "ranking_coverage.rst", table=1)
    # DeLong's method takes samples of groups for independent.
    pairs, alone, equal = (
        partial(column, "ranking_pairs.rst"),
        "^(?!groups)",
        r"^\D* 0\.000 ",
    )
    heavy = [column("practice_weights.rst", f"n = {n}") for n in (10, 25, 50, 100)]
    weighted = partial(column, "weight_coverage.rst")
    repeats = partial(column, "practice_repeats.rst", "one seems better")
    trained = [partial(column, "training_variation.rst", table=i) for i in (0, 1)]
    splits = partial(column, "practice_splits.rst")
    equals = [
        column("practice_equals.rst", name, "^(?!.*two seeds)")
        for name in ("corrected", "None")
    ]
    search = partial(column, "selection_coverage.rst")
    loss = partial(column, "selection_loss.rst", rows="^all", place=...)
    thresholds, *others = (
        partial(column, f"threshold_{name}.rst")
        for name in ("coverage", "weights", "groups")
    )
    judges = partial(column, "prevalence_coverage.rst")
    labelled = partial(column, "few_labels.rst")
    golds = partial(column, "gold_coverage.rst")
    sites = partial(column, "group_coverage.rst")
    count = partial(column, "counting.rst", "result")
    looks = partial(column, "anytime.rst", rows="^(?!p-value)")
    missed = looks("sequence, 2,000 looks")
    missed_once = looks("credible interval, 50 looks")
    longer = partial(column, "anytime.rst", "ratio", table=2)
    boards = partial(column, "leaderboards.rst")
    change = partial(column, "parsimony.rst", "difference", place=...)
    costs = {}
    for name, rule in {
        "cost": "rope=0, limit=0.84, paired",
        "alone": "rope=0, limit=0.84, independent",
        "rope": "rope=0.05, limit=0.05, paired",
    }.items():
        change_and_error = change(rule).reshape(-1, 2)
        # The size of samples at which it loses most.
        worst, error = min(change_and_error.tolist())
        costs[f"parsimony-{name}"] = estimate((-worst, error))
    ratio = count("^int64  .*bincounts")
    found = {
        "first-page-default": mean(first_page("^default")),
        "first-page-bootstrap": mean(first_page("^bootstrap")),
        "groups-coverage": mean(groups("coverage", "^all (nested|crossing)")),
        "groups-lowest": lowest(groups("coverage", of_groups)),
        "groups-ignored": mean(groups("ignoring", "^all (nested|crossing)")),
        "groups-sure": mean(groups("told apart", "^all paired")),
        "weights-coverage": mean(groups("coverage", "^all weights")),
        "weights-lowest": lowest(groups("coverage", "^weights"), *heavy),
        "weights-hard": mean(column("practice_weights.rst", "n = 25", "^a tenth 10 x")),
        "weights-ignored": mean(groups("ignoring", "^all weights")),
        "metrics-coverage": mean([metric("^all") for metric in metrics]),
        "metrics-lowest": lowest(*(metric("^(nested|crossing)") for metric in metrics)),
        "metrics-ignored": mean(column("grouped_metrics.rst.inc", "ignoring", "^all")),
        "class-weights-default": span(weighted("calibrated")),
        "class-weights-reciprocal": span(weighted("reciprocal")),
        "class-weights-uniform": span(weighted("uniform")),
        "repeats-every-ten": with_error(repeats("^after every 10", place=...)),
        "repeats-once": with_error(repeats("^once", place=...)),
        "sequences-missed": span(missed),
        "sequences-held": span(1 - missed),
        "sequences-credible": mean(missed_once),
        "sequences-credible-held": mean(1 - missed_once),
        "boards-kept": span(boards("a given best one kept")),
        "boards-ranks": span(boards("all ranks")),
        "boards-drawn": span(boards("all drawn ranks")),
        "sequences-one-class": f"{longer('^1 class.* 0.1 ')[0]:.0f}",
        "sequences-two-classes": f"{longer('^2 classes.* 0.1 ')[0]:.0f}",
        "sequences-five-classes": f"{longer('^5 classes.* 0.1 ')[0]:.0f}",
        "few-labels-coverage": mean(labelled("posterior")),
        "few-labels-lowest": lowest(labelled("posterior")),
        "few-labels-rare": lowest(labelled("posterior", " (recall|share) ")),
        "few-labels-formula": lowest(labelled("formula", " (recall|share) ")),
        "cv-none": mean([table("none", "^all") for table in trained]),
        "cv-corrected": mean([table("Nadeau-Bengio", "^all") for table in trained]),
        "cv-splits": mean(splits("corrected", "^all")),
        "cv-splits-none": mean(splits("None", "^all")),
        "cv-left-out": with_error(splits("corrected", "^leave", place=...)),
        "cv-equals-corrected": mean(equals[0]),
        "cv-equals-none": mean(equals[1]),
        "auc-coverage": span(areas("posterior")),
        "auc-delong": span(areas("DeLong, logit")),
        "auc-pairs": span(pairs("posterior")),
        "auc-pairs-delong": span(pairs("DeLong", alone)),
        "auc-pairs-alarms": span(pairs("P > 0.95", equal)),
        "auc-pairs-alarms-delong": span(pairs("P < 0.05", alone + equal)),
        "ap-pairs": span(pairs("posterior", table=1)),
        "ap-coverage": mean([precisions("posterior"), precisions("known share")]),
        "ap-lowest": lowest(precisions("posterior"), precisions("known share")),
        "ap-bootstrap": mean(precisions("bootstrap")),
        "search-corrected": with_error(search("corrected", "^up to 1", place=...)),
        "loss-score": estimate(loss("score")),
        "loss-bound": f"{loss('lower bound')[0]:.4f} ± {loss('lower bound')[1]:.4f}",
        "search-bias": estimate(search("bias", "^up to 1", place=...)),
        "search-bias-corrected": estimate(search("bias left", "^up to 1", place=...)),
        "search-bias-noise": estimate(search("bias left", "^tree, 60 +120", place=...)),
        "search-uncorrected": with_error(search("uncorrected", "^up to 1", place=...)),
        "thresholds-corrected": mean(thresholds("corrected", "^all")),
        "thresholds-lowest": lowest(*(one("corrected") for one in others)),
        "thresholds-uncorrected": mean(thresholds("uncorrected", "^all")),
        "thresholds-band": mean(thresholds("band", "^all")),
        "thresholds-unrelated": span(others[0]("corrected", "^unrelated")),
        "thresholds-tied": span(others[0]("corrected", "^tied")),
        "thresholds-groups": span(others[1]("corrected")),
        "thresholds-ignored": span(others[1]("ignored")),
        "gold-held": mean(golds("held", rows="^all")),
        "gold-pairs-held": mean(golds("held", rows="^all", table=1)),
        "judges-posterior": with_error(judges("posterior", "^all", place=...)),
        "judges-delta": with_error(judges("delta", "^all", place=...)),
        "sites-default-mean": mean(sites("beta-binomial", "^all")),
        "sites-pooled": mean(sites("pooled", "^all")),
        "sites-one-of-six": with_error(
            sites("beta-binomial", "^one in six", place=...)
        ),
        "sites-one-of-ten": with_error(
            sites("beta-binomial", "^one in ten", place=...)
        ),
        **costs,
        "counting-ratio": f"{ratio.min():.1f} to {ratio.max():.1f}",
        "counting-memory": f"{count('memory').max():.1f} MiB",
    }
    return found | dict(of_subgroups())


def of_subgroups():
    """Yield what is quoted of each pooling of subgroups."""
    parts = [partial(column, "subgroup_pooling.rst", table=i) for i in range(4)]
    *coverages, sure, width = parts
    apart = {n: rf"^one \.70, \.92 +8 +{n} " for n in (40, 15)}
    for name in ("alone", "population", "default"):
        for part, coverage in zip(("worst", "gap"), coverages, strict=True):
            yield f"{part}-{name}", span(coverage(name))
            for kind in ("Beta", "equal"):
                yield f"{part}-{kind.lower()}-{name}", span(coverage(name, f"^{kind}"))
            for n, row in apart.items():
                yield f"{part}-apart-{n}-{name}", mean(coverage(name, row))
        for n, row in apart.items():
            yield f"sure-apart-{n}-{name}", mean(sure(name, row))
        yield f"width-apart-40-{name}", f"{width(name, apart[40])[0]:.2f}"
        for n in (3, 8):
            yield f"sure-{n}-{name}", mean(sure(name, rf"^equal, \.85 +{n} "))


def measured():
    """Return all that may be quoted, by name."""
    generators = of_intervals(), of_priors(), of_pairs(), of_metrics()
    return {name: text for one in generators for name, text in one} | of_other_tables()


def substitutions():
    """Return the substitutions of all names that the pages use."""
    pages = (path.read_text("utf-8") for path in DOC.rglob("*.rst"))
    used, found = (
        {name for page in pages for name in re.findall(r"\|(\S+)\|", page)},
        measured(),
    )
    lines = [f".. |{name}| replace:: {found[name]}" for name in found if name in used]
    return "\n".join([".. Written by benchmarks/quoted.py\n", *lines]) + "\n"


if __name__ == "__main__":
    (EVIDENCE / "quoted.rst.inc").write_text(substitutions(), "utf-8")
