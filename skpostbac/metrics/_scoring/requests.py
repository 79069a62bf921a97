"""What scikit-learn requires of scorers besides a call: a name and `labels`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike
from sklearn import config_context
from sklearn.metrics import make_scorer

from skpostbac._utils import LabelArray

COUNTS_HINT = (
    "{} returns counts, not one number; use make_posterior_scorer() where scikit-learn needs one"
)


@dataclass(frozen=True)
class ScoreOfClasses:
    """A score function that takes its `labels` as `classes`.

    :class:`~sklearn.linear_model.LogisticRegressionCV` passes its own `labels` to score functions
    with such a parameter, beside those that a scorer has.
    """

    score: Callable[..., float]

    @property
    def __name__(self) -> str:
        return self.score.__name__

    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        classes: LabelArray,
        sample_weight: ArrayLike | None = None,
        **options: Any,
    ) -> float:
        """Return the score of these classes."""
        return self.score(y_true, y_pred, labels=classes, sample_weight=sample_weight, **options)


def make_label_scorer(
    score: Callable[..., float], *, labels: LabelArray | None, **options: Any
) -> Any:
    """Make a scorer of a function of labels, which scores the classes found if `labels` is None."""
    if labels is None:
        return make_named_scorer(score, **options)
    return make_named_scorer(ScoreOfClasses(score), classes=labels, **options)


def make_named_scorer(score: Callable[..., float], **options: Any) -> Any:
    """Make a scorer with the name of its score function, which displays write beside the axis."""
    scorer = make_scorer(score, **options)
    scorer.__name__ = score.__name__
    # Later versions of scikit-learn than 1.6 read the requests off the signature of the function,
    # and would raise if groups are passed to a splitter alone. The request for weights is kept.
    found = scorer.get_metadata_routing().score.requests
    weights = {name: alias for name, alias in found.items() if name == "sample_weight"}
    with config_context(enable_metadata_routing=True):
        scorer.set_score_request(**weights, groups=False)
    return scorer


class NoNumber:
    """Mixin that raises a clear error if a scorer of counts is used for one number.

    It is an error of its own kind in each, such as one of sorting dicts, unless what they look for
    says what to use instead.
    """

    @property
    def __name__(self) -> str:  # of the displays of curves
        raise AttributeError(COUNTS_HINT.format(type(self).__qualname__))

    @property
    def _score_func(self) -> Any:  # of TunedThresholdClassifierCV
        raise AttributeError(COUNTS_HINT.format(type(self).__qualname__))


class CountsDict(dict[str, float]):
    """Dict returned by scorers of counts, with a clear error if it is used as a number.

    scikit-learn takes a dict in :func:`~sklearn.model_selection.cross_validate` and in searches.
    Elsewhere it calls `item`, adds up, averages or compares what scorers return.

    Examples
    --------
    >>> counts = CountsDict({"correct_a": 1.0, "total_a": 2.0}, "ClassCountsScorer")
    >>> counts
    {'correct_a': 1.0, 'total_a': 2.0}
    >>> float(counts)
    Traceback (most recent call last):
        ...
    TypeError: ClassCountsScorer returns counts, not one number; use make_posterior_scorer() where
    scikit-learn needs one
    """

    def __init__(self, counts: dict[str, float], scorer: str) -> None:
        super().__init__(counts)
        self._scorer = scorer

    def item(self, *_: Any) -> Any:
        """Raise the error of what is not one number."""
        raise TypeError(COUNTS_HINT.format(self._scorer))

    __float__ = __int__ = __neg__ = __abs__ = item
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = item
    __truediv__ = __rtruediv__ = item
    __lt__ = __le__ = __gt__ = __ge__ = item

    def __format__(self, spec: str) -> str:
        return self.item() if spec else str(self)
