"""Posterior balanced accuracy: evaluate, compare and select classifiers.

Where to start:

- `posterior_balanced_accuracy` evaluates one classifier from labels and predictions. The result
  provides intervals, probabilities, ``report()`` and ``plot()``.
- `compare_predictions` compares classifiers on the same test samples.
- `make_posterior_scorer` and `cross_val_posterior` are for searches and cross-validation.
- `required_test_size` plans a test set.
- `posterior_confusion_metric` evaluates precision, F1, kappa and other metrics.

Submodules: `skpostbac.binormal` (smooth ROC and precision-recall curves),
`skpostbac.binary_equivalent` (multiclass accuracies on the two-class scale) and `skpostbac.stats`
(the distributions; requires only NumPy and SciPy). Classes that are only returned by functions are
in `skpostbac.metrics` and `skpostbac.model_selection`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from skpostbac._version import __version__ as __version__

_SUBMODULES = (
    "binary_equivalent",
    "binormal",
    "displays",
    "metrics",
    "model_selection",
    "stats",
)

if TYPE_CHECKING:
    from skpostbac._public import *  # noqa: F403
else:

    def __getattr__(name: str) -> Any:
        """Import a name on first use, so that `skpostbac.stats` needs no scikit-learn (PEP 562)."""
        if name in _SUBMODULES:
            return import_module(f"{__name__}.{name}")
        # Python itself looks for special names, which must not import scikit-learn.
        if name == "__all__" or not name.startswith("_"):
            public = import_module(f"{__name__}._public")
            if name in ("__all__", *public.__all__):
                return globals().setdefault(name, getattr(public, name))
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__() -> list[str]:
        """List the public names and submodules."""
        return sorted([*import_module(f"{__name__}._public").__all__, *_SUBMODULES, "__version__"])
