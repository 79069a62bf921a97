"""Optimism of the best of several candidates that was selected on its test samples.

The choice is repeated on bootstrap samples, drawn within each class (Efron, Journal of the American
Statistical Association 78, 1983). With A the observed score, A_b that of bootstrap sample b, c the
best candidate and c_b the best one there, the optimism is the mean over b of

    A_b(c_b) - A(c_b) = [A_b(c_b) - A_b(c)] + [A(c) - A(c_b)] + [A_b(c) - A(c)].

The last term has the mean zero and is left out: what remains is positive, and varies less.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skpostbac._utils import Floats


class Optimism(NamedTuple):
    """Bias of the best score from selection on the same samples."""

    mean: float
    """Mean over the bootstrap samples."""
    error: float
    """Its Monte Carlo standard error."""


def optimism_of_choice(observed: Floats, again: Floats) -> Optimism:
    """Return the optimism of choosing the best of several candidates.

    Parameters
    ----------
    observed : ndarray of shape (n_candidates,)
        The score of each candidate.
    again : ndarray of shape (n_samples, n_candidates)
        Its score in each of two or more bootstrap samples.

    Examples
    --------
    >>> import numpy as np
    >>> optimism_of_choice(np.array([0.8, 0.7]), np.array([[0.75, 0.8], [0.9, 0.7]])).mean
    0.075
    """
    best, chosen = np.argmax(observed), np.argmax(again, axis=1)
    gains = again[np.arange(len(again)), chosen] - again[:, best]
    found = gains + (observed[best] - observed[chosen])
    return Optimism(float(found.mean()), float(found.std(ddof=1) / np.sqrt(len(found))))
