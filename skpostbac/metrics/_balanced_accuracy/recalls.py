"""The posteriors of the accuracies on the classes, by their labels."""

from __future__ import annotations

from collections.abc import Hashable
from itertools import islice

from skpostbac._utils import block, format_estimates, more, table
from skpostbac.metrics._priors import AverageDistribution
from skpostbac.stats._distribution import interval_of

# Classes in a view.
SHOWN_ROWS = 20


class Recalls(dict[Hashable, AverageDistribution]):
    """Posterior of the accuracy on each class, by label: a dict with a view in notebooks.

    Examples
    --------
    >>> from skpostbac import PosteriorBalancedAccuracy
    >>> recalls = PosteriorBalancedAccuracy.from_counts([7, 2], [9, 3]).recalls()
    >>> {label: recall.mean() for label, recall in recalls.items()}
    {0: 0.75, 1: 0.625}
    """

    def estimates(self, n: int) -> list[tuple[str, str]]:
        """Write the means and the 95% intervals of the first n classes."""
        shown = list(islice(self.values(), n))
        intervals = [interval_of(distribution, 0.95) for distribution in shown]
        return format_estimates([distribution.mean() for distribution in shown], intervals)

    def _repr_html_(self) -> str:
        names = map(str, islice(self, SHOWN_ROWS))
        rows = zip(names, self.estimates(SHOWN_ROWS), strict=True)
        return block(
            f"recalls of {len(self)} classes",
            table(
                ("class", "mean", "95% CI"),
                ((name, *estimate) for name, estimate in rows),
                note=more(len(self), SHOWN_ROWS),
            ),
        )
