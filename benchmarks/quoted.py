"""Collect what the documentation quotes of the committed tables, as substitutions by name.

    python benchmarks/quoted.py

writes at the foot of each page the figures that it names, such as |two-default-mean|. Means are
rounded, the lowest are rounded down, and of ranges the low end is rounded down and the high end is
rounded. "Lowest" is over all tables that are shown.
"""

import re
from functools import partial
from pathlib import Path

import numpy as np

BENCHMARKS = Path(__file__).parent
DOC = BENCHMARKS.parent / "doc"
EVIDENCE = DOC / "evidence"
MARK = ".. The figures of this page, from its tables by benchmarks/quoted.py\n"
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


def column(path, name, rows="", place=0, table=0, nth=0):
    """Return a number of each cell of a column, in the rows that match; or all with place=...

    Of several columns of one name, it is the first or the `nth`. Cells without a number are left
    out. A minus is a sign, but not in a range such as 0.9-0.95.
    """
    lines = tables(path)[table]
    rule = lines[0]
    middle = lines.index(rule, 1)
    starts = [match.start() for match in re.finditer("=+", rule)]
    cuts = [slice(*ends) for ends in zip(starts, [*starts[1:], None], strict=True)]
    names = [lines[middle - 1][cut].strip() for cut in cuts]
    cut = [cut for cut, one in zip(cuts, names, strict=True) if one == name][nth]
    number = r"(?<!\d)-?\d*\.?\d+"
    body = [row for row in lines[middle + 1 : -1] if re.search(rows, row)]
    found = [
        cell if place is ... else cell[place]
        for row in body
        if (cell := re.findall(number, row[cut]))
    ]
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


def range_of(values, digits):
    """Return the range of numbers, or of their sizes if they are negative."""
    low, high = np.sort(np.abs([np.min(values), np.max(values)]))
    return f"{low:.{digits}f} to {high:.{digits}f}"


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
    warned = column("validity_hard.rst.inc", "calibrated", place=1)
    yield "hard-default-warned", mean(warned[hard.argmin()])
    yield "hard-default-unwarned", lowest(hard[warned <= 0.01])
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
        yield f"pairs-{part}-sure", f"{100 * sure.mean():.1f} %"
        yield f"pairs-{part}-most", f"{100 * sure.max():.1f} %"


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
        yield f"metrics-difference{kind}-sure", f"{100 * sure.mean():.1f} %"
        yield f"metrics-difference{kind}-most", f"{100 * sure.max():.1f} %"


def of_small_differences():
    """Yield how often a probability above .95 was true, where real differences are small."""
    of = partial(column, "paired_differences.rst.inc", "stated 0.95 to 1")
    for name, sd in (("half", "0.5"), ("quarter", "0.25")):
        yield f"differences-{name}", mean(of(rf"^2 +20 +{sd} ", place=1))
    yield "differences-stated", mean(of(r"^2 +20 "))
    yield "differences-larger", lowest(of(r"^\d +100 +0.5 ", place=1))


def of_priors_in_pairs():
    """Yield what is quoted of differences under the uniform and the reciprocal prior."""
    for name, prior in (("uniform", "uniform"), ("plain", "(1/l, 1/l)")):
        of = partial(column, "paired_validity.rst.inc", prior, place=...)
        for n_classes in (3, 10, 50):
            held = of(f"^{n_classes} ").reshape(-1, 3)[:, 0]
            yield f"same-{name}-of-{n_classes}", mean(held)
        yield f"same-{name}-lowest", lowest(of().reshape(-1, 3)[:, 0])
        equal = r" equal|^[15]0 .*one for the other"
        sides = of(equal).reshape(-1, 3)[:, 1:]
        yield f"same-{name}-sure", mean(sides)
        yield f"same-{name}-most", mean(sides.max())


def of_thresholds():
    """Yield what is quoted of the best threshold, and of those that do about as well."""
    best = partial(column, "threshold_range.rst")
    yield "thresholds-similar", span(best("held", nth=1))


def of_bounds():
    """Yield what is quoted of lower bounds, and of the test against guessing."""
    bounds = partial(column, "one_sided.rst")
    power = bounds("posterior", place=2)
    others = [power - bounds(name, place=2) for name in ("melded", "MOVER")]
    yield "bounds-mean", span(bounds("posterior", place=1))
    yield "bounds-most", mean(bounds("posterior").max())
    yield "bounds-other-power", range_of(others, 2)
    rates = ("r = 0", "once", "r = 0.3", "r = 1", "r = 3", "r = 10")
    tested = [column("guessing.rst", rate, place=1) for rate in rates]
    yield "guessing-most", mean(np.max(tested))
    power = partial(column, "guessing.rst", table=1)
    yield "guessing-power", range_of(power("posterior") - power("test"), 2)


def _range(found):
    """Return the least and the largest of some numbers, or the one number."""
    return " to ".join(
        f"{float(f'{one:.2g}'):g}" for one in np.unique([found.min(), found.max()])
    )


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
    shared = partial(column, "group_classes.rst", rows="^all shared")
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
    speed = partial(column, "point_estimates.rst")
    times = {
        "mean": speed("ratio", " mean "),
        "interval": speed("ratio", " 1000 +95% interval +balanced"),
        "draws-two": speed("ratio", "^counts +2 "),
        "draws-three": speed("ratio", "^counts +3 "),
        "draws-ten": speed("ratio", "^counts +10 "),
        "draws-hundred": speed("ratio", "^counts +100 "),
        "f1-two": speed("ms", r" 2 .*f1_macro +scikit"),
        "f1-ten": speed("ms", r" 10 .*f1_macro +scikit"),
        "f1-thirty": speed("ms", r" 30 .*f1_macro +scikit"),
    }
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
        "search-noise": with_error(search("corrected", "^tree, 60 +120", place=...)),
        "search-bias-noise": estimate(search("bias left", "^tree, 60 +120", place=...)),
        "search-uncorrected": with_error(search("uncorrected", "^up to 1", place=...)),
        "thresholds-corrected": mean(thresholds("corrected", "^all")),
        "thresholds-lowest": lowest(*(one("corrected") for one in others)),
        "thresholds-uncorrected": mean(thresholds("uncorrected", "^all")),
        "thresholds-bias": f"{thresholds('bias', '^all')[0]:.3f}",
        "thresholds-band": mean(thresholds("band", "^all")),
        "thresholds-unrelated": span(others[0]("corrected", "^unrelated")),
        "thresholds-tied": span(others[0]("corrected", "^tied")),
        "thresholds-groups": span(others[1]("corrected")),
        "thresholds-ignored": span(others[1]("ignored")),
        "pilot-stated": span(column("pilot_plans.rst", "stated")),
        "pilot-reached": span(column("pilot_plans.rst", "reached")),
        "pilot-alone": mean(column("pilot_plans.rst", "reached alone", rows="^40")),
        "gold-held": mean(golds("held", rows="^all")),
        "gold-pairs-held": mean(golds("held", rows="^all", table=1)),
        "gold-pairs-error": mean(golds("error", "^2000 +60 +0.7, ", table=1)),
        "gold-pairs-apart": mean(golds("apart", "^2000 +60 +0.7, ", table=1)),
        "gold-wider": span(golds("wider", "^[0-9]", table=1)),
        "gold-worth-varies": range_of(golds("worth", "^1500 ", ..., table=2), 0),
        "gold-plans-vary": range_of(golds("gold", "^1500 ", ..., table=2), 0),
        "gold-plans-kept": span(golds("reached", table=2)),
        "judges-apart": mean(
            column("prevalence_difference.rst", "held", r"^0\.1 +200 ")
        ),
        "judges-apart-large": mean(
            column("prevalence_difference.rst", "held", r"^0\.1 +1000 ")
        ),
        "judges-posterior": with_error(judges("posterior", "^all", place=...)),
        "judges-delta": with_error(judges("delta", "^all", place=...)),
        "classes-mean": mean(shared("mean, by class")),
        "classes-new": mean(shared("new site, by class")),
        "classes-all-mean": mean(shared("mean, all samples")),
        "classes-all-new": mean(shared("new site, all samples")),
        "sites-default-mean": mean(sites("beta-binomial", "^all")),
        "sites-pooled": mean(sites("pooled", "^all")),
        "sites-one-of-six": with_error(
            sites("beta-binomial", "^one in six", place=...)
        ),
        "sites-one-of-ten": with_error(
            sites("beta-binomial", "^one in ten", place=...)
        ),
        **costs,
        **{f"speed-{name}": _range(found) for name, found in times.items()},
        "counting-ratio": f"{ratio.min():.1f} to {ratio.max():.1f}",
        "counting-memory": f"{count('memory').max():.1f} MiB",
    }
    others = (of_subgroups(), of_decisions(), of_shrinking())
    return found | {name: text for one in others for name, text in one}


def of_decisions():
    """Yield how often rules say yes when they should not, and when they should."""
    score, pair, rope, board, look = (
        partial(column, "decisions.rst", table=i) for i in range(5)
    )
    none, traded = (pair(name, place=...) for name in ("equal", "errors traded"))
    yield "decisions-passes", span(score("passes, .8", place=...))
    yield "decisions-fails", span(score("fails, .8", place=...))
    yield "decisions-worst", mean(score("worst").max())
    for place, name in enumerate(("fails", "fails-ordinary")):
        yield f"decisions-worst-{name}", mean(score("worst, fails", place=place).max())
    yield "decisions-better", span(none, traded)
    yield "decisions-within", span(rope("within, .05"))
    yield "decisions-not-worse", span(rope("not worse, .02"))
    yield "decisions-named", span(board("another named", "(all equal|two best)"))
    yield "decisions-kept", span(board("a best one kept"))
    yield "decisions-ruled-out", span(1 - board("a best one kept"))
    missed = look("2,000 samples", r"^\d+ +0\.8 ")
    yield "decisions-sequence", f"{100 * missed.max():.1f} %"
    yield "decisions-looks", span(look("2,000 samples", r"^\d+ +0\.8 ", place=2))

    sizes = {"10": "10\\+10", "50": "50\\+50", "200": "200\\+20", "1000": "1000\\+100"}
    for name, size in sizes.items():
        of_two = f"^2 +{size} "
        yield f"decisions-higher-{name}", mean(score("passes, .9", of_two))
        yield f"decisions-five-{name}", mean(pair("better by .05", of_two))
        yield f"decisions-two-{name}", mean(pair("better by .02", of_two))
        yield f"decisions-within-{name}", mean(rope("within, 0", f"^{size} "))
        yield f"decisions-no-loss-{name}", mean(rope("not worse, 0", f"^{size} "))
    for n_systems in (3, 10):
        found = board("best named", rf"^{n_systems} +100 +best by \.1 ")
        yield f"decisions-named-of-{n_systems}", mean(found)
    for n_classes in (1, 2, 10):
        found = look("2,000 samples", rf"^{n_classes} +0\.85 ")
        yield f"decisions-sequence-of-{n_classes}", mean(found)
    yield "decisions-one-look", mean(look("200 samples", r"^10 +0\.85 ", place=1))


def of_shrinking():
    """Yield what weights around zero do to statements of a difference, and to intervals."""
    said, held, found = (partial(column, "shrinking.rst", table=i) for i in range(3))
    for name, weight in {
        "none": "none  ",
        "strict": "none,",
        "wide": r"normal \.1 ",
        "normal": r"normal \.05",
        "Laplace": "Laplace",
        "mixture": "mixture",
        "estimated": "estimated",
    }.items():
        row = f"^{weight}"
        yield f"shrinking-{name}-true", mean(said("20 a class, sd 0.25", row, place=1))
        yield f"shrinking-{name}-random", mean(held("20, sd 0.25", row))
        yield f"shrinking-{name}-held", mean(held("20, 0.2", row))
        yield f"shrinking-{name}-found", mean(found("20, 0.1", row))


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
    generators = (
        of_intervals(),
        of_priors(),
        of_pairs(),
        of_metrics(),
        of_small_differences(),
        of_priors_in_pairs(),
        of_thresholds(),
        of_bounds(),
    )
    return {name: text for one in generators for name, text in one} | of_other_tables()


def pages():
    """Return the pages that may quote, as paths."""
    return [DOC.parent / "README.rst", *DOC.glob("*.rst"), *DOC.glob("[eu]*/*.rst")]


def with_figures(page, figures):
    """Return the text of a page with the figures that it names at its foot, and no others."""
    text = page.partition(f"\n{MARK}")[0]
    names = dict.fromkeys(re.findall(r"\|([a-z]+-[\w-]+)\|", text))
    lines = [f".. |{name}| replace:: {figures[name]}\n" for name in names]
    return text + (f"\n{MARK}\n{''.join(lines)}" if lines else "")


if __name__ == "__main__":
    figures = measured()
    for path in pages():
        old = path.read_text("utf-8")
        if (new := with_figures(old, figures)) != old:
            path.write_text(new, "utf-8")
