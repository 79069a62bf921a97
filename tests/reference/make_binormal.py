"""Average precision of two normal distributions of scores, in multiple precision.

``python make_binormal.py`` recomputes ``binormal.json``; it takes a few minutes and needs mpmath.
Negatives have the scores N(0, 1), positives N(shift, ratio^2), and the precision is integrated over
the threshold, with the density of the positives as weight, in 30 digits. It is split at every
standard deviation of either distribution, and again at every half: ``digits`` is the relative
agreement of the two. Parameters are doubles taken at their exact binary value.
"""

import json
from pathlib import Path

from mpmath import mp, mpf

OUTPUT = Path(__file__).with_name("binormal.json")


def average_precision(shift: float, ratio: float, fraction: float, pieces: int) -> mpf:
    """Integrate with so many pieces to each standard deviation."""
    alpha = mpf(fraction)

    def integrand(t: mpf) -> mpf:
        true = alpha * mp.erfc((t - shift) / ratio / mp.sqrt(2)) / 2
        false = (1 - alpha) * mp.erfc(t / mp.sqrt(2)) / 2
        return mp.npdf(t, shift, ratio) * true / (true + false)

    deviates = [mpf(k) / pieces for k in range(-14 * pieces, 30 * pieces + 1)]
    positive = [shift + ratio * deviate for deviate in deviates]
    low, high = positive[0], positive[-1]
    edges = sorted({*positive, *(place for place in deviates if low < place < high)})
    return mp.quad(integrand, edges)


def main() -> None:
    """Write all values."""
    mp.dps = 30
    records = json.loads(OUTPUT.read_text(encoding="utf-8"))
    for record in records:
        parameters = record["shift"], record["ratio"], record["fraction"]
        coarse, fine = (average_precision(*parameters, pieces) for pieces in (1, 2))
        error = max(abs(coarse / fine - 1), mpf(10) ** -25)
        record |= {
            "average_precision": mp.nstr(fine, 25),
            "digits": int(-mp.log10(error)),
        }
    lines = ",\n".join(json.dumps(record) for record in records)
    OUTPUT.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
