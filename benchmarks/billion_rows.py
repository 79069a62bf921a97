"""A billion predictions, counted block by block on one core in constant memory.

    python benchmarks/billion_rows.py --rows 1_000_000_000

Blocks of labels are drawn, counted and forgotten; their counts add up. Time and memory are those
of the process, and the posterior is held against the recalls that the predictions are drawn with.
It prints

    2026-11-20, skpostbac 0.1.0.dev0, Python 3.11.7, numpy 2.4.6, scipy 1.17.1,
    scikit-learn 1.9.1, Linux x86_64
    python benchmarks/billion_rows.py --rows 1000000000 --block 1000000 --seed 0
    counts                ClassCounts(0: 891019546/900017608, 1: 94033686/98982335,
                          2: 809423/899656, 3: 80543/100401)
    true balanced acc.    0.9100000
    posterior mean        0.9104790
    95 % interval         [0.9098424, 0.9111130]
    drawing the labels    13.3 s of one core
    counting them         8.2 s, 8.2 ns a row
    posterior, interval   4.4 ms
    peak memory           205 MB, of which 155 MB before the start
"""

import argparse
import datetime as dt
import platform
import resource
import sys
import time
from itertools import repeat

import numpy as np
import scipy
import sklearn

import skpostbac
from skpostbac import ClassCounts, PosteriorBalancedAccuracy, class_counts

SHARES = np.array([0.9, 0.099, 0.0009, 0.0001], dtype=np.float32)
RECALLS = np.array([0.99, 0.95, 0.9, 0.8], dtype=np.float32)
CLASSES = np.arange(len(SHARES))


def block_sizes(n_rows, block):
    """Yield the sizes of the blocks, of which the last may be smaller."""
    yield from repeat(block, n_rows // block)
    if rest := n_rows % block:
        yield rest


def draw_labels(size, rng):
    """Draw true labels, and predictions of which a class has its recall."""
    y_true = np.searchsorted(SHARES.cumsum()[:-1], rng.random(size, dtype=np.float32))
    is_wrong = rng.random(size, dtype=np.float32) >= RECALLS[y_true]
    return y_true, (y_true + is_wrong) % len(CLASSES)


def count_rows(n_rows, block, seed):
    """Return the counts of all blocks, and the seconds of drawing and of counting."""
    rng = np.random.default_rng(seed)
    counts = ClassCounts(CLASSES, np.zeros(len(CLASSES)), np.zeros(len(CLASSES)))
    drawing = counting = 0.0
    for size in block_sizes(n_rows, block):
        start = time.process_time()
        y_true, y_pred = draw_labels(size, rng)
        drawn = time.process_time()
        counts = counts + class_counts(y_true, y_pred, labels=CLASSES)
        drawing += drawn - start
        counting += time.process_time() - drawn
    return counts, drawing, counting


def megabytes():
    """Return the peak memory of the process so far."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def report(n_rows, block, seed):
    """Run it, and print what came out."""
    at_start = megabytes()
    counts, drawing, counting = count_rows(n_rows, block, seed)
    start = time.process_time()
    posterior = PosteriorBalancedAccuracy(counts)
    low, high = posterior.credible_interval()
    summing_up = time.process_time() - start
    truth = RECALLS.mean(dtype=np.float64)
    print(
        f"{dt.date.today()}, skpostbac {skpostbac.__version__}, "
        f"Python {platform.python_version()}, numpy {np.__version__}, "
        f"scipy {scipy.__version__}, scikit-learn {sklearn.__version__}, "
        f"{platform.system()} {platform.machine()}",
        f"python benchmarks/billion_rows.py --rows {n_rows} --block {block} --seed {seed}",
        f"counts                {counts}",
        f"true balanced acc.    {truth:.7f}",
        f"posterior mean        {posterior.mean():.7f}",
        f"95 % interval         [{low:.7f}, {high:.7f}]",
        f"drawing the labels    {drawing:.1f} s of one core",
        f"counting them         {counting:.1f} s, {1e9 * counting / n_rows:.1f} ns a row",
        f"posterior, interval   {1000 * summing_up:.1f} ms",
        f"peak memory           {megabytes():.0f} MB, of which {at_start:.0f} MB before the start",
        sep="\n",
    )


def main():
    """Run the benchmark from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=1_000_000_000)
    parser.add_argument("--block", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    report(args.rows, args.block, args.seed)


if __name__ == "__main__":
    main()
