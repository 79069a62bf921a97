"""Base class of displays of binary classifiers: their constructor from a fitted classifier."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, ClassVar, Self

from numpy.typing import ArrayLike
from sklearn.metrics import make_scorer
from sklearn.utils.validation import check_is_fitted

from skpostbac._utils import shown


class BinaryDisplayMixin:
    """Constructor of displays of binary classifiers from a fitted one."""

    _has_name: ClassVar[bool] = True

    from_predictions: ClassVar[Any]

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: ArrayLike, y: ArrayLike, *, pos_label: Any = None, **options: Any
    ) -> Self:
        """Plot the scores of a fitted classifier.

        Parameters
        ----------
        estimator : estimator instance
            Fitted binary classifier or pipeline. The scores come from its `decision_function`, or
            else from `predict_proba`, whose probabilities are rarely normal.
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Test samples.
        y : array-like of shape (n_samples,)
            True labels.
        pos_label : int, float, bool or str, default=None
            Label of the positive class; by default ``estimator.classes_[1]``.
        **options
            As for `from_predictions`. A `name` is by default the class name of the estimator.

        Returns
        -------
        display : display of the same class

        Raises
        ------
        ValueError, TypeError, ImportError
            As for `from_predictions`.

        Warns
        -----
        BinormalAssumptionWarning
            As for `from_predictions`.

        Examples
        --------
        >>> import matplotlib.pyplot as plt
        >>> from sklearn.datasets import load_breast_cancer
        >>> from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
        >>> from skpostbac import BinormalCurveDisplay, NormalScoresDisplay
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> lda = LinearDiscriminantAnalysis().fit(X[::2, :2], y[::2])
        >>> display = BinormalCurveDisplay.from_estimator(lda, X[1::2, :2], y[1::2])
        >>> display.line_.get_label()
        'LinearDiscriminantAnalysis (AUC = 0.922 [0.883, 0.951])'
        >>> display = NormalScoresDisplay.from_estimator(lda, X[1::2, :2], y[1::2])
        >>> [points.get_label() for points in display.points_]
        ['Negatives (n = 110, p = 0.34)', 'Positives (n = 174, p = 0.4)']
        >>> plt.close("all")
        """
        if isinstance(estimator, type) or not hasattr(estimator, "fit"):
            raise TypeError(f"estimator must be a fitted classifier, got {shown(estimator)}")
        check_is_fitted(estimator)
        if pos_label is None and len(getattr(estimator, "classes_", ())) == 2:
            pos_label = estimator.classes_[1]
        if not isinstance(pos_label, Hashable):
            raise TypeError(f"pos_label must be a label, got {shown(pos_label)}")
        # scikit-learn's scorer selects the method, the column and the sign of the scores.
        scorer = make_scorer(
            lambda y_true, y_score, pos_label: y_score,
            response_method=("decision_function", "predict_proba"),
            pos_label=pos_label,
        )
        if cls._has_name and options.get("name") is None:
            options["name"] = type(estimator).__name__
        y_score = scorer(estimator, X, y)
        display: Self = cls.from_predictions(y, y_score, pos_label=pos_label, **options)
        return display
