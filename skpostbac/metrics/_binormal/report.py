"""The posterior of the binormal areas in plain sentences and in a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skpostbac._utils import describe_estimate
from skpostbac.metrics._counts import format_count
from skpostbac.stats._distribution import DrawnPosterior, estimate_rows, interval_of

if TYPE_CHECKING:
    from skpostbac.metrics._binormal.posterior import PosteriorBinormal

NAMES = {"roc_auc": "Area under the ROC curve", "average_precision": "Average precision"}


def write_report(posterior: PosteriorBinormal, level: float) -> str:
    """Return a text report on the areas of the model and of the empirical curves."""
    n_negative, n_positive = (
        format_count(part.n) for part in (posterior.negative, posterior.positive)
    )
    known = posterior.positive_fraction
    share = "" if known is None else f", for a population with {100 * known:.4g}% positives"
    lines = [f"From the scores of {n_negative} negatives and {n_positive} positives{share}:"]
    for name, area, empirical in areas_of(posterior):
        lines += _describe(NAMES[name], area, empirical, level)
    return "\n".join(lines)


def areas_of(
    posterior: PosteriorBinormal,
) -> list[tuple[str, DrawnPosterior, float | None]]:
    """Return the name, the posterior and the empirical value of each area."""
    distributions = posterior.roc_auc(), posterior.average_precision()
    observed = posterior.empirical or (None, None)
    return list(zip(NAMES, distributions, observed, strict=True))


def table_rows(posterior: PosteriorBinormal) -> list[tuple[str, ...]]:
    """Return the cells of a table of both areas."""
    areas = areas_of(posterior)
    estimates = estimate_rows({NAMES[name]: area for name, area, _ in areas})
    return [
        (*row, "" if empirical is None else f"{empirical:.3f}")
        for row, (_, _, empirical) in zip(estimates, areas, strict=True)
    ]


def _describe(name: str, area: DrawnPosterior, empirical: float | None, level: float) -> list[str]:
    interval = interval_of(area, level)
    sentence = f"{name}: {describe_estimate(area.mean(), interval, level)} by the binormal model"
    if empirical is None:
        return [f"{sentence}."]
    sentence += f", {empirical:.3f} by the empirical curve."
    if interval.low <= empirical <= interval.high:
        return [sentence]
    return [sentence, "The empirical value is outside the interval; see `binormal_check`."]
