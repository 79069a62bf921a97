"""The posteriors of the accuracies on the classes, by their labels."""

from __future__ import annotations

from collections.abc import Hashable
from itertools import islice

from skpostbac._utils import block, more, table
from skpostbac.metrics._priors import AverageDistribution
from skpostbac.stats._distribution import estimate_columns

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

    def estimates(self, n: int) -> tuple[tuple[str, str], list[tuple[str, str]]]:
        """Write how well the first n classes are recognised: a header, and its cells."""
        return estimate_columns(list(islice(self.values(), n)))

    def _repr_html_(self) -> str:
        header, cells = self.estimates(SHOWN_ROWS)
        names = map(str, islice(self, SHOWN_ROWS))
        return block(
            f"recalls of {len(self)} classes",
            table(
                ("class", *header),
                ((name, *row) for name, row in zip(names, cells, strict=True)),
                note=more(len(self), SHOWN_ROWS),
            ),
        )
