"""Measure how often rules that people apply say yes when they should not, and when they should.

    python benchmarks/decisions.py [PART ...]

Each part is a rule: a score above a goal, one classifier better than another, practically equal,
the best of several, and passed at one of many looks. Half of the classes, rounded down, are common
and the others rare: "200+20" are 200 samples of a common class and 20 of a rare one. Set k of a cell
depends on the cell alone. A score of two classes is enumerated, all others are simulated.

    python benchmarks/decisions.py --report

writes the tables, `decisions.rst` beside this file, and the picture of the documentation.
"""

import argparse
import json
import time
import warnings
import zlib
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
from _studies import versions
from one_sided import RECALLS
from scipy.special import betaln, ndtri, xlogy
from scipy.stats import binom, multivariate_normal

from skpostbac import PosteriorComparison, compare_outcomes
from skpostbac.metrics import PairedCounts
from skpostbac.metrics._prior import make_accuracy_prior, make_prior
from skpostbac.stats import BetaAverage
from skpostbac.stats._dirichlet import probabilities_above

RESULTS = Path(__file__).with_suffix(".json")
PAGES = Path(__file__).parents[1] / "doc" / "evidence"
LEVEL = 0.95
CLASSES = (2, 3, 10)
# Samples of a common and of a rare class.
SIZES = {
    "10+10": (10, 10),
    "30+10": (30, 10),
    "50+50": (50, 50),
    "200+20": (200, 20),
    "1000+100": (1000, 100),
}

GOAL = 0.8
KINDS = ("alike", "rare hard")
TRUTHS = (0.7, 0.75, 0.8, 0.85, 0.9)
# The recall of an easy common class beside a hard rare one.
EASY = 0.999
ORDINARY = 0.95
N_SCORES = 2000

# Recalls of the average of two classifiers, of common and rare classes, and what one of them has
# more and the other less in a common class where both are equally good.
MIDDLE = (0.9, 0.75)
TRADED = 0.05
DIFFERENCES = (0.02, 0.05, 0.1)
# Correlation of the normal variables that decide who is right.
CORRELATION = 0.7
N_PAIRS = 1000
ROPE = 0.05
LOSS = 0.02
N_ROPES = 400

ACCURACY = 0.8
# How much less each of the other systems has than the first.
BOARDS = {
    "all equal": lambda n: np.zeros(n),
    "two best": lambda n: np.where(np.arange(n) < 2, 0, 0.05),
    "best by .05": lambda n: np.where(np.arange(n) < 1, 0, 0.05),
    "best by .1": lambda n: np.where(np.arange(n) < 1, 0, 0.1),
}
# Systems and items.
BOARD_SIZES = ((3, 100), (3, 1000), (10, 100))
N_BOARDS = 400

LOOK = 40
N_LOOKS = 50
SHOWN_LOOKS = (200, 500, 2000)
N_SEQUENCES = 1000

WRONG = "#d55e00", "#cc79a7"
RIGHT = "#9ecae1", "#0072b2", "#08306b"


def of_classes(n_classes, common, rare):
    """Return an array of one number for each common class and one for each rare one."""
    n_common = n_classes // 2
    return np.repeat([common, rare], [n_common, n_classes - n_common])


def recalls_of(n_classes, kind, truth):
    """Return the recalls of a balanced accuracy, all alike or the rare ones hard."""
    if kind == "alike":
        return np.full(n_classes, truth)
    n_common = n_classes // 2
    rare = (n_classes * truth - n_common * EASY) / (n_classes - n_common)
    return of_classes(n_classes, EASY, rare)


def prob_above(correct, total, goal):
    """Return the posterior probability of a balanced accuracy above the goal.

    `correct` has the shape (..., n_classes), and all counts of it the same totals, or their own.
    """
    correct, total = np.broadcast_arrays(correct, total)
    n_classes = correct.shape[-1]
    prior = make_accuracy_prior("jeffreys")
    if n_classes > 1:
        prior = make_prior("calibrated", n_classes)
    a, b = prior.parameters(correct.astype(float), total.astype(float))
    return BetaAverage(a, b).ccdf(np.full(correct.shape[:-1], goal))


def enumerate_scores(sizes, goal):
    """Return P(above) of all outcomes of two classes, shape (n_1 + 1, n_2 + 1)."""
    grid = np.meshgrid(*(np.arange(n + 1.0) for n in sizes), indexing="ij")
    correct = np.stack([axis.ravel() for axis in grid], axis=1)
    return prob_above(correct, np.array(sizes), goal).reshape(np.add(sizes, 1))


def share(is_said, sizes, recalls):
    """Return the probability of the outcomes of two classes where something is said."""
    first, second = (
        binom.pmf(np.arange(n + 1), n, recall)
        for n, recall in zip(sizes, recalls, strict=True)
    )
    return first @ is_said @ second


def measure_scores(n_classes, size, rng):
    """Return the shares of passed and failed gates by recalls and truth."""
    row = {}
    if n_classes == 2:
        above = enumerate_scores(SIZES[size], GOAL)
    for kind, truth in product(KINDS, TRUTHS):
        recalls = recalls_of(n_classes, kind, truth)
        if n_classes == 2:
            passed = share(above > LEVEL, SIZES[size], recalls)
            failed = share(above < 1 - LEVEL, SIZES[size], recalls)
        else:
            total = of_classes(n_classes, *SIZES[size])
            correct = rng.binomial(total, recalls, (N_SCORES, n_classes))
            found = prob_above(correct, total, GOAL)
            passed = np.mean(found > LEVEL)
            failed = np.mean(found < 1 - LEVEL)
        row[f"{kind} {truth:g}"] = [float(passed), float(failed)]
    return row


def measure_worst(n_classes, size, rng):
    """Return the highest shares of lower bounds above the truth, and of upper ones below.

    The latter also of truths that are no higher than ORDINARY.
    """
    sizes = SIZES[size]
    # What is left out does not happen with recalls of .5 or more.
    least = [max(0, int(n / 2 - 3 * np.sqrt(n))) for n in sizes]
    ranges = [np.arange(k, n + 1.0) for k, n in zip(least, sizes, strict=True)]
    grid = np.meshgrid(*ranges, indexing="ij")
    correct = np.stack([axis.ravel() for axis in grid], axis=1)
    a, b = make_prior("calibrated", 2).parameters(correct, np.array(sizes, float))
    posterior = BetaAverage(a, b)
    lower = posterior.iccdf(LEVEL).reshape(grid[0].shape)
    upper = posterior.icdf(LEVEL).reshape(grid[0].shape)
    # After a perfect result the upper bound is 1.
    upper[-1, -1] = 1.0
    first, second = (
        binom.pmf(count[:, np.newaxis], n, RECALLS)
        for count, n in zip(ranges, sizes, strict=True)
    )
    found = []
    for (i, p), (j, q) in product(enumerate(RECALLS), repeat=2):
        truth = (p + q) / 2
        is_wrong = lower > truth + 1e-9, upper < truth - 1e-9
        passed, failed = (first[:, i] @ one @ second[:, j] for one in is_wrong)
        found.append([passed, failed, failed * (truth <= ORDINARY)])
    passed, *failed = np.max(found, axis=0).tolist()
    return {"passes": [passed], "fails": failed}


def pair_recalls(n_classes, difference, traded=0.0):
    """Return the recalls of A and B, whose balanced accuracies differ by so much."""
    n_common = n_classes // 2
    gained = of_classes(n_classes, traded, -traded * n_common / (n_classes - n_common))
    half = gained + difference / 2
    middle = of_classes(n_classes, *MIDDLE)
    return middle + half, middle - half


def cell_probabilities(first, second):
    """Return the probabilities of both, only A, only B and neither right, by class."""
    covariance = [[1, CORRELATION], [CORRELATION, 1]]
    rows = []
    for p, q in zip(first, second, strict=True):
        both = multivariate_normal([0, 0], covariance).cdf(ndtri([p, q]))
        rows.append([both, p - both, q - both, 1 - p - q + both])
    return np.array(rows)


def draw_cells(n_classes, size, recalls, n_sets, rng):
    """Return the cells of many test sets, shape (n_sets, n_classes, 4)."""
    total = of_classes(n_classes, *SIZES[size])
    return rng.multinomial(
        total, cell_probabilities(*recalls), (n_sets, n_classes)
    ).astype(float)


def prob_better(cells):
    """Return the posterior probabilities that A is better, of many test sets at once."""
    n_classes = cells.shape[1]
    strength, prior = make_prior("calibrated", n_classes).pair_prior(
        cells[0].sum(axis=1)
    )
    _, only_a, only_b, _ = np.moveaxis(strength * cells + prior, -1, 0)
    total = (strength * cells + prior).sum(axis=-1)
    alphas = np.stack([only_a, only_b, total - only_a - only_b], axis=-1)
    found = probabilities_above(alphas, np.full(n_classes, 1 / n_classes))
    for index in np.flatnonzero(np.isnan(found)):
        found[index] = 1 - below(cells[index], 0.0)[0]
    return found


def below(cells, *values):
    """Return P(A - B <= value) of a test set, for each value."""
    agree = cells[:, 0] + cells[:, 3]
    alike = np.stack([agree, cells[:, 1], cells[:, 2]], axis=1).astype(int)
    return _below(tuple(map(tuple, alike.tolist())), values)


@cache
def _below(cells, values):
    """As `below`; samples on which A and B agree say nothing about the difference."""
    rows = [(agree, only_a, only_b, 0) for agree, only_a, only_b in cells]
    counts = PairedCounts.from_cells(rows, names=("A", "B"))
    comparison = PosteriorComparison.from_paired_counts(counts)
    return comparison.difference("A", "B").cdf(np.array(values))


def measure_pairs(n_classes, size, rng):
    """Return how often A, and B, seems better, by their true difference."""
    settings = {"equal": pair_recalls(n_classes, 0.0)}
    settings["traded"] = pair_recalls(n_classes, 0.0, TRADED)
    settings |= {f"{d:g}": pair_recalls(n_classes, d) for d in DIFFERENCES}
    row = {}
    for name, recalls in settings.items():
        found = prob_better(draw_cells(n_classes, size, recalls, N_PAIRS, rng))
        row[name] = [float(np.mean(found > LEVEL)), float(np.mean(found < 1 - LEVEL))]
    return row


def measure_ropes(n_classes, size, rng):
    """Return how often A and B are practically equal, and how often B passes the gate."""
    row = {}
    for true in (0.0, LOSS, ROPE):
        recalls = pair_recalls(n_classes, true)
        rows = []
        for cells in draw_cells(n_classes, size, recalls, N_ROPES, rng):
            low, loss, high = below(cells, -ROPE, LOSS, ROPE)
            # B loses more than LOSS where A is better by more.
            rows.append([high - low > LEVEL, 1 - loss < 1 - LEVEL])
        row[f"{true:g}"] = np.mean(rows, axis=0).tolist()
    return row


def measure_boards(n_systems, n_items, rng):
    """Return which system has P(best) above the level, and which may be the best."""
    row = {}
    for name, behind in BOARDS.items():
        limits = ndtri(ACCURACY - behind(n_systems))
        is_best = behind(n_systems) == 0
        rows = []
        for _ in range(N_BOARDS):
            shared = np.sqrt(CORRELATION) * rng.standard_normal((n_items, 1))
            own = np.sqrt(1 - CORRELATION) * rng.standard_normal((n_items, n_systems))
            right = shared + own < limits
            columns = {f"system {i}": column for i, column in enumerate(right.T)}
            board = compare_outcomes(columns, n_draws=2000)
            is_named = board.prob_best() > LEVEL
            # Of several equally good ones, none is the best.
            is_right = is_named & is_best if is_best.sum() == 1 else is_named & False
            kept = board.may_be_best(LEVEL)
            is_wrong = is_named & ~is_right
            rows.append(
                [is_right.any(), is_wrong.any(), kept[is_best].mean(), kept.sum()]
            )
        row[name] = np.mean(rows, axis=0).tolist()
    return row


def sequence_passes(correct, total, goal):
    """Return whether the confidence sequence is above the goal, shape (...).

    It is if the region of the recalls has none of a mean of the goal or less: where the likelihood
    of such recalls is highest, k / p - (n - k) / (1 - p) is the same for all classes.
    """
    pull = np.zeros((*correct.shape[:-1], 1))
    low = pull - 40
    high = pull + 40

    def constrained(pull):
        height = np.exp(pull)
        # The smaller root of height p^2 - (n + height) p + k.
        half = total + height
        root = np.sqrt(np.maximum(half**2 - 4 * height * correct, 0.0))
        return 2 * correct / (half + root)

    for _ in range(60):
        pull = (low + high) / 2
        is_high = constrained(pull).mean(axis=-1, keepdims=True) > goal
        low = np.where(is_high, pull, low)
        high = np.where(is_high, high, pull)
    p = constrained((low + high) / 2)
    likelihood = xlogy(correct, p) + xlogy(total - correct, 1 - p)
    ratio = betaln(correct + 0.5, total - correct + 0.5) - betaln(0.5, 0.5) - likelihood
    observed = np.divide(
        correct, total, where=total > 0, out=np.ones_like(correct)
    ).mean(axis=-1)
    return (observed > goal) & (ratio.sum(axis=-1) >= -np.log(1 - LEVEL))


def measure_sequences(n_classes, truth, rng):
    """Return how often a score has passed the goal by a look, and at one look."""
    n = LOOK * N_LOOKS
    index = rng.integers(n_classes, size=(N_SEQUENCES, n))
    is_right = rng.random((N_SEQUENCES, n)) < truth
    is_class = index[..., np.newaxis] == np.arange(n_classes)

    def looks(samples):
        counts = samples.reshape(N_SEQUENCES, N_LOOKS, LOOK, n_classes).sum(axis=2)
        return counts.cumsum(axis=1).astype(float)

    total = looks(is_class)
    correct = looks(is_class & is_right[..., np.newaxis])
    ever = sequence_passes(correct, total, GOAL).cumsum(axis=1) > 0
    above = prob_above(correct, total, GOAL) > LEVEL
    ever_above = above.cumsum(axis=1) > 0
    row = {}
    for samples in SHOWN_LOOKS:
        look = samples // LOOK - 1
        at = [
            ever[:, look].mean(),
            above[:, look].mean(),
            ever_above[:, look].mean(),
        ]
        row[str(samples)] = np.array(at).tolist()
    return row


PARTS = {
    "scores": (measure_scores, [*product(CLASSES, SIZES)]),
    "worst": (measure_worst, [*product([2], SIZES)]),
    "pairs": (measure_pairs, [*product(CLASSES, SIZES)]),
    "ropes": (measure_ropes, [*product([2], SIZES)]),
    "sequences": (measure_sequences, [*product((1, 2, 10), (0.8, 0.85, 0.9))]),
    "boards": (measure_boards, BOARD_SIZES),
}


def run(parts):
    """Measure the cells that are missing, and save each."""
    warnings.simplefilter("ignore")
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for part in parts or PARTS:
        measure, settings = PARTS[part]
        for one in settings:
            name = "|".join(map(str, [part, *one]))
            if name in results:
                continue
            start = time.process_time()
            rng = np.random.default_rng(zlib.crc32(name.encode()))
            results[name] = measure(*one, rng)
            RESULTS.write_text(json.dumps(results).replace("}, ", "},\n ") + "\n")
            print(name, f"{time.process_time() - start:.1f} s", flush=True)


def table(header, rows):
    """Return a simple table in reStructuredText."""
    columns = list(zip(header, *rows, strict=True))
    widths = [max(map(len, column)) for column in columns]
    rule = " ".join("=" * width for width in widths)
    lines = [" ".join(map(str.ljust, row, widths)).rstrip() for row in (header, *rows)]
    return "\n".join([rule, lines[0], rule, *lines[1:], rule])


def cells_of(results, part):
    """Yield the settings and the results of the cells of a part."""
    _, settings = PARTS[part]
    for one in settings:
        yield one, results["|".join(map(str, [part, *one]))]


def shown(*shares):
    """Return shares as text."""
    return " ".join(f"{one:.3f}" for one in shares)


def score_table(results):
    """Return the table of a score above a goal."""
    header = ["classes", "samples", "passes, .8", "worst"]
    header += [f"passes, {truth:g}".replace("0.", ".") for truth in TRUTHS[3:]]
    header += ["fails, .8", "worst, fails"]
    header += [f"fails, {truth:g}".replace("0.", ".") for truth in TRUTHS[1::-1]]
    rows = []
    for (n_classes, size), cell in cells_of(results, "scores"):
        passed, failed = (
            {
                truth: shown(*(cell[f"{kind} {truth:g}"][i] for kind in KINDS))
                for truth in TRUTHS
            }
            for i in (0, 1)
        )
        worst = results.get(f"worst|{n_classes}|{size}", {})
        highest = {name: shown(*shares) for name, shares in worst.items()}
        row = [str(n_classes), size, passed[GOAL], highest.get("passes", "")]
        row += [passed[truth] for truth in TRUTHS[3:]]
        row += [failed[GOAL], highest.get("fails", "")]
        row += [failed[truth] for truth in TRUTHS[1::-1]]
        rows.append(row)
    return table(header, rows)


def pair_table(results):
    """Return the table of one of two that is better."""
    header = ["classes", "samples", "equal", "errors traded"]
    header += [f"better by {one:g}".replace("0.", ".") for one in DIFFERENCES]
    rows = [
        [str(n_classes), size, *(shown(*shares) for shares in cell.values())]
        for (n_classes, size), cell in cells_of(results, "pairs")
    ]
    return table(header, rows)


def rope_table(results):
    """Return the table of two that are practically equal, or not worse."""
    header = ["samples", "within, 0", "within, .02", "within, .05"]
    header += ["not worse, 0", "not worse, .02"]
    rows = []
    for (_, size), cell in cells_of(results, "ropes"):
        equal, lost, apart = cell.values()
        within = [shown(one[0]) for one in (equal, lost, apart)]
        rows.append([size, *within, shown(equal[1]), shown(lost[1])])
    return table(header, rows)


def board_table(results):
    """Return the table of the best of several systems."""
    header = ["systems", "items", "truth", "best named", "another named"]
    header += ["a best one kept", "systems kept"]
    rows = []
    for (n_systems, n_items), board in cells_of(results, "boards"):
        for name, (right, wrong, kept, n_kept) in board.items():
            has_best = name.startswith("best")
            row = [str(n_systems), f"{n_items}", name, shown(right) if has_best else ""]
            rows.append([*row, shown(wrong), shown(kept), f"{n_kept:.1f}"])
    return table(header, rows)


def sequence_table(results):
    """Return the table of many looks."""
    header = ["classes", "truth", *(f"{n:,} samples" for n in SHOWN_LOOKS)]
    rows = [
        [str(n_classes), f"{truth:g}", *(shown(*shares) for shares in cell.values())]
        for (n_classes, truth), cell in cells_of(results, "sequences")
    ]
    return table(header, rows)


def error(n_sets):
    """Return the standard error of a share of .05 of so many sets."""
    return f"{np.sqrt(0.05 * 0.95 / n_sets):.3f}".lstrip("0")


def write_tables(results):
    """Write the tables of the documentation."""
    parts = [
        (
            "**A score above .8**: how often the lower bound is above it (*passes*) and the upper "
            "bound below it (*fails*), by the true value. The first of two numbers is of classes "
            f"that are alike, the second of common classes with a recall of {EASY:g} and hard rare "
            "ones. *worst* is the highest share of bounds on the wrong side of the true value, of "
            "two classes with any recalls of .5 to .999; the second number under *worst, fails* "
            f"is of true values up to {ORDINARY:g}. Two classes are "
            f"enumerated; of others, {N_SCORES:,} sets a cell (standard error of a share of .05: "
            f"{error(N_SCORES)})."
        ),
        score_table(results),
        (
            "**A is better than B** with a probability above .95: how often A seems better, and how "
            "often B. *errors traded*: equally good, but A has .05 more in common classes and less "
            f"in rare ones. Recalls are about {MIDDLE[0]:g} in common and {MIDDLE[1]:g} in rare "
            f"classes; {N_PAIRS:,} sets a cell ({error(N_PAIRS)})."
        ),
        pair_table(results),
        (
            "**Practically equal**, by true difference, with two classes: a difference *within* "
            f"{ROPE:g}, or a loss of not more than {LOSS:g} (*not worse*), with a probability above "
            f".95. The last column of each should not be said; {N_ROPES} sets a cell "
            f"({error(N_ROPES)})."
        ),
        rope_table(results),
        (
            "**The best of several**: how often the truly best, or *another*, has P(best) above "
            ".95 (of several best ones, any is another), whether a given best one is among those "
            "that may be the best, and how many are. The best have an accuracy of .8, the others "
            f"less, in *two best* by .05; {N_BOARDS} boards a row ({error(N_BOARDS)})."
        ),
        board_table(results),
        (
            f"**At one of many looks**, after every {LOOK} samples of a classifier that is equally "
            "good in all classes: how often the confidence sequence was above .8 at a look so far, "
            "P(above .8) was above .95 at this look alone, and at any look so far; "
            f"{N_SEQUENCES:,} sets a row ({error(N_SEQUENCES)})."
        ),
        sequence_table(results),
    ]
    head = f"{versions()}; ``python benchmarks/decisions.py``."
    RESULTS.with_suffix(".rst").write_text("\n\n".join([head, *parts]) + "\n")


def draw_panel(ax, title, ticks, wrong, right):
    """Draw shares by size: what should not be said, and what should."""
    ax.axhline(1 - LEVEL, color="0.4", lw=0.8, ls="--")
    for colors, lines in ((WRONG, wrong), (RIGHT, right)):
        for color, (name, values) in zip(colors, lines.items(), strict=False):
            ax.plot(values, "o-", color=color, label=name, ms=4, lw=1.3, clip_on=False)
    ax.set_yscale("function", functions=(np.sqrt, np.square))
    # Above is room for the legend.
    ax.set_ylim(0, 2.3)
    ax.spines["left"].set_bounds(0, 1)
    ax.set_yticks([0, 0.05, 0.2, 0.5, 0.8, 1], ["0", ".05", ".2", ".5", ".8", "1"])
    ax.set_xticks(range(len(ticks)), [tick.replace("+", "\n+") for tick in ticks])
    ax.set_title(title, fontsize=9, loc="left")
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(
        loc="upper left",
        fontsize=7.5,
        frameon=False,
        handlelength=1.2,
        labelspacing=0.2,
    )


def draw(results):
    """Draw the picture of the documentation."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    def series(part, first, get):
        found = cells_of(results, part)
        return [get(cell) for one, cell in found if one[0] == first]

    scores = {
        f"{truth:g}": series("scores", 2, lambda cell, t=truth: cell[f"alike {t:g}"][0])
        for truth in TRUTHS
    }
    worst = series("worst", 2, lambda cell: cell["passes"][0])
    pairs = {
        name: series("pairs", 2, lambda cell, n=name: cell[n][0])
        for name in ("equal", "0.02", "0.05", "0.1")
    }
    ropes = {
        name: series("ropes", 2, lambda cell, n=name: cell[n][0])
        for name in ("0", "0.02", "0.05")
    }
    boards = {
        (name, i): series("boards", 3, lambda cell, n=name, i=i: cell[n][i])
        for name in BOARDS
        for i in range(4)
    }
    looks = {
        truth: list(results[f"sequences|2|{truth}"].values())
        for truth in (0.8, 0.85, 0.9)
    }
    items = [f"{n:,} items" for systems, n in BOARD_SIZES if systems == 3]
    dropped = {
        name: [(3 - kept) / 2 for kept in boards[name, 3]]
        for name in ("best by .05", "best by .1")
    }
    panels = [
        (
            "Score above .8",
            list(SIZES),
            {"true score .8": scores["0.8"], "worst recalls": worst},
            {".85": scores["0.85"], ".9": scores["0.9"]},
        ),
        (
            "A better than B",
            list(SIZES),
            {"equally good": pairs["equal"]},
            {"by .02": pairs["0.02"], "by .05": pairs["0.05"], "by .1": pairs["0.1"]},
        ),
        (
            "Equal within .05",
            list(SIZES),
            {"differ by .05": ropes["0.05"]},
            {"by .02": ropes["0.02"], "equal": ropes["0"]},
        ),
        (
            "Best of 3",
            items,
            {"all equal": boards["all equal", 1], "two best": boards["two best", 1]},
            {
                "best by .05": boards["best by .05", 0],
                "by .1": boards["best by .1", 0],
            },
        ),
        (
            "Ruled out as the best of 3",
            items,
            {"the best (by .05)": [1 - k for k in boards["best by .05", 2]]},
            {
                "others, worse by .05": dropped["best by .05"],
                "by .1": dropped["best by .1"],
            },
        ),
        (
            f"Above .8, looking every {LOOK} samples",
            [f"{n:,}" for n in SHOWN_LOOKS],
            {
                "true score .8": [one[0] for one in looks[0.8]],
                ".8, by P > .95": [one[2] for one in looks[0.8]],
            },
            {
                ".85": [one[0] for one in looks[0.85]],
                ".9": [one[0] for one in looks[0.9]],
            },
        ),
    ]
    with mpl.rc_context({"font.size": 8}):
        figure = Figure(figsize=(5.4, 8.2), layout="constrained")
        for ax, panel in zip(figure.subplots(3, 2).flat, panels, strict=True):
            draw_panel(ax, *panel)
        figure.supylabel("how often yes is said", fontsize=9)
        figure.savefig(PAGES / "decisions.svg")


def report():
    """Write the tables and the picture of the documentation."""
    results = json.loads(RESULTS.read_text())
    write_tables(results)
    draw(results)


def main():
    """Run what is missing, or report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", choices=[[], *PARTS], help="rules (all)")
    parser.add_argument("--report", action="store_true", help="write the documentation")
    args = parser.parse_args()
    report() if args.report else run(args.parts)


if __name__ == "__main__":
    main()
