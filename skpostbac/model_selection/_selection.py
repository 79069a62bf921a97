"""Which candidate of a search to keep, and how good it is.

The refit rule keeps the best candidate, or the simplest that is as good. The posterior
of the best is corrected for its selection: each sample has a pattern of which
candidates are right, bootstrap samples of a class are multinomial draws of its
patterns, and the selection is repeated on each.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import FitFailedWarning

from skpostbac._plot import value_text
from skpostbac._utils import (
    Floats,
    RandomStateLike,
    block,
    check_level,
    check_probability,
    check_rope,
    draw_seed,
    input_errors,
    is_real,
    parameters,
    progress,
)
from skpostbac.metrics import (
    ClassCounts,
    PairedCounts,
    PosteriorBalancedAccuracy,
    PriorInfluenceWarning,
    SelectedPosterior,
)
from skpostbac.metrics._advice import (
    warn_of_prior,
)
from skpostbac.metrics._class_weight import (
    ClassWeightLike,
    check_class_weight,
    resolve_class_weight,
)
from skpostbac.metrics._labels import label_list, unique_label_array
from skpostbac.metrics._posterior import (
    ScalarPosterior,
)
from skpostbac.metrics._prior import (
    DEFAULT_PRIOR,
    PriorLike,
    check_prior,
    make_prior,
)
from skpostbac.metrics._scorers import (
    OBJECTIVES,
    check_objective,
)
from skpostbac.metrics._selected import (
    optimism_of_choice,
)
from skpostbac.model_selection._joint import IndependentJoint, Joint, outcome_joint
from skpostbac.model_selection._pooling import (
    OutcomeMetric,
    TrainingVariation,
    accuracy_of,
    candidate_params,
    check_n_repeats,
    fold_counts,
    fold_words,
    is_accuracy,
    pooled_paired_counts,
    value_column,
    weights_by_text,
)
from skpostbac.stats._beta import evaluate_all

Complexity: TypeAlias = str | Callable[[dict[str, Any]], Any] | None

# Bootstrap samples on which a selection is repeated.
N_BOOTSTRAPS = 400


@dataclass(frozen=True)
class PosteriorRefit:
    """Choose the best candidate of a search by its pooled posterior balanced accuracy.

    Pass an instance as ``refit`` to :class:`~sklearn.model_selection.GridSearchCV` or
    :class:`~sklearn.model_selection.RandomizedSearchCV`, with
    ``scoring=ClassCountsScorer()``. The counts of all folds are pooled for each
    candidate, and the candidate with the largest objective is refitted.

    With `complexity`, the simplest candidate that is not clearly worse is refitted
    instead: the simplest whose probability of being worse than the best by more than
    `rope` is below `limit`. Use :class:`OutcomesScorer` for this, so that candidates
    are compared sample by sample.

    Parameters
    ----------
    objective : {"lower", "mean", "median", "mode", "upper"}, default="lower"
        Statistic to maximise. "lower" is the lower credible bound of probability
        `level`; of two candidates with equal means it prefers the more certain one.
    level : float in (0, 1), default=0.95
        Probability of the bounds "lower" and "upper".
    metric : {"balanced_accuracy", "accuracy"}, default="balanced_accuracy"
        Score of the candidates. Counts of correct predictions do not suffice for other
        metrics.
    prior, class_weight : optional
        As in :func:`posterior_balanced_accuracy`. Without `labels`, the keys of a dict
        of class weights are matched as strings, as in
        :func:`~skpostbac.pooled_posteriors`. Arrays are stored as tuples, and dicts are
        copied.
    labels, n_repeats : optional
        As in :func:`~skpostbac.pooled_posteriors`. Pass `labels` to restore the
        original labels, which are otherwise strings.
    complexity : str or callable, default=None
        Measure that is smaller for simpler candidates: the name of a parameter of the
        search, such as "max_depth" or "model__max_depth", or of a column of
        ``cv_results_``, such as "mean_score_time"; with a leading minus sign, as in
        "-C", larger is simpler. Each candidate must have a number or None, which means
        infinity as in ``max_depth=None``. Or a function of the parameter dict that
        returns a sort key (use a module-level function, not a lambda, if you pickle the
        search). By default the best candidate is chosen, however complex.
    rope : float, default=0.0
        Half-width of the region of practical equivalence in balanced accuracy, in [0,
        1). Like `limit`, it has no effect without `complexity`.
    limit : float in (0, 1), default=0.84
        A candidate is eligible if the probability that it is worse than the best by
        more than `rope` is below this.

    Raises
    ------
    TypeError
        If `objective` is not a string, as with ``refit=PosteriorRefit`` without
        parentheses, or if `complexity` is neither a name nor a function.
    ValueError
        If a parameter is invalid. When called, if all candidates failed, or if
        `complexity` is not in the results or not numeric.

    Warns
    -----
    FitFailedWarning
        If candidates were skipped because some of their fits failed.

    See Also
    --------
    pooled_posteriors : the posteriors that this rule compares.
    selected_posterior : the posterior of the best candidate, corrected for the choice.
    skpostbac.model_selection.pooled_paired_counts : joint counts of candidates.

    Notes
    -----
    Among equally simple candidates, the one with the largest objective is chosen, and
    the first of ties. The best candidate is always eligible.

    There are two ways to set `rope` and `limit`:

    - ``rope=0, limit=0.84``, the default, is the one-standard-error rule [1]_ for the
      difference. The probability of a normal variable up to one standard deviation
      above its mean is 0.84: a candidate may be worse by less than one standard
      deviation of the difference. The original rule uses the standard error of the best
      score instead.
    - ``rope=0.02, limit=0.05`` demands a probability of 0.95 that a candidate costs no
      more than 0.02. A limit below 1/2 needs a `rope`: without one, even a candidate
      that is right on the same samples as the best is worse with a probability of 1/2.

    The probability is exact. If the search kept sample outcomes
    (:class:`OutcomesScorer`), the difference is paired;
    otherwise the posteriors are treated as independent. Since candidates mostly err on
    the same samples, the unpaired difference looks less certain than it is and
    probabilities are closer to 1/2: a limit above 1/2 then accepts worse candidates,
    and one below 1/2 rejects good ones. See :ref:`cross_validation` for an example.

    The rule asks which candidate did best on these folds, and ignores the variation
    between training sets, which is alike for all candidates.

    With a callable ``refit``, scikit-learn sets ``best_index_``, ``best_params_`` and
    ``best_estimator_`` but not ``best_score_``, and ``search.score(X, y)`` raises
    ``KeyError`` with any multi-value scorer. Instead of the former, use
    ``pooled_posteriors(search.cv_results_)[search.best_index_]``; instead of the
    latter, call another scorer, ``make_posterior_scorer()(search, X, y)``, or
    ``posterior_balanced_accuracy(y, search.predict(X))`` for the full posterior.

    References
    ----------
    .. [1] L. Breiman, J. H. Friedman, R. A. Olshen and C. J. Stone (1984).
       Classification and Regression Trees, chapter 3. Wadsworth.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from skpostbac import OutcomesScorer, PosteriorRefit
    >>> X, y = load_wine(return_X_y=True)
    >>> search = GridSearchCV(
    ...     DecisionTreeClassifier(random_state=0),
    ...     {"max_depth": [1, 2, 3, 4, None]},
    ...     scoring=OutcomesScorer(max_test_size=len(y)),
    ...     refit=PosteriorRefit("lower"),
    ... ).fit(X, y)
    >>> search.best_params_
    {'max_depth': 4}

    The simplest tree that, with 95 % probability, costs no more than 0.05:

    >>> rule = PosteriorRefit("lower", complexity="max_depth", rope=0.05, limit=0.05)
    >>> search.set_params(refit=rule).fit(X, y).best_params_
    {'max_depth': 3}
    >>> [record["prob_worse"] for record in rule.summary(search.cv_results_)]
    [1.000, 0.978, 0.042, 0.0, 0.029]
    """

    objective: str = "lower"
    _: KW_ONLY
    level: float = 0.95
    metric: OutcomeMetric = "balanced_accuracy"
    prior: PriorLike = DEFAULT_PRIOR
    class_weight: ClassWeightLike = field(default=None, hash=False)
    labels: ArrayLike | None = None
    n_repeats: int | None = None
    complexity: Complexity = None
    rope: float = 0.0
    limit: float = 0.84

    def __post_init__(self) -> None:
        if not isinstance(self.objective, str):
            raise TypeError(
                f"objective must be a string, got {type(self.objective).__name__}; "
                "to refit by the default, give an instance: refit=PosteriorRefit()"
            )
        check_objective(self.objective, self.level)
        if self.n_repeats is not None:
            check_n_repeats(self.n_repeats)
        is_accuracy(self.metric, self.class_weight)
        complexity = self.complexity
        if not (
            complexity is None or isinstance(complexity, str) or callable(complexity)
        ):
            raise TypeError(
                "complexity must be a name, a function of the parameters or None, "
                f"got {type(complexity).__name__}"
            )
        checked: dict[str, Any] = {
            "level": check_level(self.level),
            "rope": check_rope(self.rope),
            "limit": check_probability(self.limit, "limit"),
            "prior": check_prior(self.prior),
            "class_weight": check_class_weight(self.class_weight),
        }
        if self.labels is None:
            weights_by_text(checked["class_weight"])
        else:
            classes = unique_label_array(self.labels, "labels")
            make_prior(checked["prior"], len(classes))
            resolve_class_weight(checked["class_weight"], classes)
            checked["labels"] = label_list(classes)
        for name, value in checked.items():
            object.__setattr__(self, name, _plain(value))

    def __call__(self, cv_results: Any) -> int:
        """Return the index of the chosen candidate.

        Parameters
        ----------
        cv_results : dict or DataFrame
            ``cv_results_`` of the search.

        Returns
        -------
        int
            Position of the candidate in ``cv_results["params"]``.
        """
        chosen: int = next(
            row["candidate"] for row in self.summary(cv_results) if row["chosen"]
        )
        return chosen

    def _repr_html_(self) -> str:
        return block(repr(self), parameters(vars(self)))

    def summary(self, cv_results: Any) -> list[dict[str, Any]]:
        """Return one record per candidate, with its standing and whether it is chosen.

        Parameters
        ----------
        cv_results : dict or DataFrame
            ``cv_results_`` of the search.

        Returns
        -------
        list of dict
            In the order of ``cv_results["params"]``, with the keys "candidate" (the
            position there), "objective" (its value), "complexity" (the sort key, None
            without `complexity`), "prob_worse" (the probability of being worse than the
            best by more than `rope`; 0 for the best itself), "eligible" (whether that
            is below `limit`) and "chosen". After a failed fit, "objective" and
            "prob_worse" are None. ``pandas.DataFrame`` takes the list as it is.
        """
        counts = fold_counts(cv_results, self.labels, self.n_repeats)
        candidates = counts.fitted()
        posteriors = tuple(
            counts.posterior(
                candidate,
                metric=self.metric,
                prior=self.prior,
                class_weight=self.class_weight,
            )
            for candidate in candidates
        )
        statistic = OBJECTIVES[self.objective]
        listed = progress(posteriors, len(posteriors), "evaluating candidates")
        values = np.array([statistic(one, self.level) for one in listed])
        keys = complexity_keys(
            cv_results, self.complexity, candidates, len(counts.correct)
        )
        words = fold_words(cv_results)
        joint: Joint
        if words is None:
            joint = IndependentJoint(posteriors=posteriors)
        else:
            paired = counts.pair(words, candidates, counts.times)
            # Only ranks are drawn, which are not needed.
            joint = outcome_joint(
                paired,
                posteriors,
                is_one_class=self.metric == "accuracy",
                n_draws=1,
                seed=0,
            )
        best = int(np.argmax(values))
        others = [i for i in range(len(values)) if i != best]
        worse = np.zeros(len(values))
        task = "comparing candidates with the best"
        worse[others] = evaluate_all(
            [joint.difference(i, best) for i in others],
            lambda one: one.cdf(-self.rope),
            lambda rows: progress(rows, len(rows), task),
        )
        unknown = dict.fromkeys(("objective", "complexity", "prob_worse"))
        rows: list[dict[str, Any]] = [
            {"candidate": i, **unknown, "eligible": False, "chosen": False}
            for i in range(len(counts.correct))
        ]
        columns = candidates, values.tolist(), keys, worse.tolist()
        for candidate, value, key, probability in zip(*columns, strict=True):
            known = {"objective": value, "complexity": key, "prob_worse": probability}
            rows[candidate].update(known, eligible=probability < self.limit)
        eligible = [row for row in rows if row["eligible"]]
        # The simplest; of equals, the one of the largest objective.
        min(eligible, key=lambda row: (row["complexity"], -row["objective"]))[
            "chosen"
        ] = True
        return rows


def complexity_keys(
    cv_results: Any,
    complexity: Complexity,
    candidates: Sequence[int],
    n_candidates: int,
) -> list[Any]:
    """Return keys that sort the candidates from the simplest to the most complex.

    Parameters
    ----------
    cv_results : dict or DataFrame
        ``cv_results_`` of a search.
    complexity : str, callable or None
        See :class:`PosteriorRefit`. Without one all candidates are alike.
    candidates : sequence of int
        Positions of the candidates.
    n_candidates : int
        Number of candidates in the results.

    Examples
    --------
    >>> results = {"params": [{"C": 0.1}, {"C": 10}], "mean_fit_time": [3.0, 2.0]}
    >>> complexity_keys(results, "-C", [0, 1], 2)
    [-0.1, -10]
    >>> complexity_keys(results, "mean_fit_time", [0, 1], 2)
    [3.0, 2.0]
    """
    if complexity is None:
        return [None] * len(candidates)
    if "params" not in cv_results:
        raise ValueError(
            "complexity needs the 'params' of a search, which cv_results lacks"
        )
    params = candidate_params(cv_results, n_candidates)
    if not isinstance(complexity, str):
        keys = [complexity(params[candidate]) for candidate in candidates]
        with input_errors("complexity"):
            sorted(keys)  # the error of keys without an order names the argument
        return keys
    name = complexity.removeprefix("-")
    if any(name in chosen for chosen in params):
        values = [chosen.get(name, np.nan) for chosen in params]
    elif name in cv_results:
        values = value_column(cv_results, name, n_candidates)
    else:
        known = sorted({name for chosen in params for name in chosen})
        raise ValueError(
            f"complexity must name a parameter of the search, {known}, or a column of "
            f"cv_results, got {name!r}"
        )
    # None is no limit.
    numbers = [np.inf if values[one] is None else values[one] for one in candidates]
    for candidate, number in zip(candidates, numbers, strict=True):
        if not is_real(number) or number != number:
            raise ValueError(
                f"complexity: candidate {candidate} has no number for {name!r}, got "
                f"{number!r}; give a function of the parameters"
            )
    return numbers if name == complexity else [-number for number in numbers]


def _plain(value: Any) -> Any:
    """Return arrays and lists as tuples, which can be compared and hashed."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    return tuple(map(_plain, value)) if isinstance(value, list) else value


def selected_posterior(
    cv_results: Any,
    *,
    metric: OutcomeMetric = "balanced_accuracy",
    labels: ArrayLike | None = None,
    prior: PriorLike = DEFAULT_PRIOR,
    class_weight: ClassWeightLike = None,
    n_repeats: int | None = None,
    training_variation: TrainingVariation = None,
    random_state: RandomStateLike = 0,
) -> SelectedPosterior:
    """Compute the posterior of the best candidate, corrected for its selection.

    The candidate with the largest score over all folds is partly lucky. The resulting
    bias is estimated by repeating the selection on 400 bootstrap samples [1]_. The odds
    of the score are multiplied by the factor that lowers the mean by about this bias.

    Parameters
    ----------
    cv_results : dict, DataFrame or PairedCounts
        ``cv_results_`` of a search with ``scoring=OutcomesScorer(...)``. Candidates
        with failed fits are skipped. Or the :func:`~skpostbac.metrics.paired_counts` of
        the candidates on one test set.
    metric : {"balanced_accuracy", "accuracy"}, default="balanced_accuracy"
        Score of the candidates. Outcomes of samples do not suffice for other metrics.
    labels, prior, class_weight, n_repeats, training_variation : optional
        As in :func:`~skpostbac.pooled_posteriors`. By default the posterior applies to
        the models of the folds, among which the search chose; with
        ``training_variation="nadeau-bengio"`` to the model refitted on all samples.
    random_state : int, RandomState, Generator or None, default=0
        Seed of the bootstrap. Results are reproducible by default; None stands for
        fresh entropy.

    Returns
    -------
    posterior : SelectedPosterior
        Its attributes are `candidate` (index of the best candidate in
        ``cv_results["params"]`` or among the names), `name` (this with its parameters,
        or its name), `optimism`, `optimism_error`, and `uncorrected` (the posterior
        from :func:`~skpostbac.pooled_posteriors`).

    Raises
    ------
    ValueError
        If there are no sample outcomes, which show how similar the candidates are; if
        paired counts have groups or importance weights, which are not supported, or are
        combined with `n_repeats` or `training_variation`; or for the reasons listed in
        :func:`~skpostbac.pooled_posteriors` and
        :func:`~skpostbac.model_selection.pooled_paired_counts`.

    Warns
    -----
    FitFailedWarning
        If candidates have failed fits.
    PriorInfluenceWarning
        If 95 % intervals under this prior would often miss the true value in similar
        test sets, or if a class has no samples.
    ClassShareWarning
        As for :func:`~skpostbac.cross_val_posterior`.

    See Also
    --------
    PosteriorRefit : Chooses the candidate in the search itself.
    pooled_posteriors : The posteriors of all candidates, uncorrected.

    Notes
    -----
    The correction applies to selecting the largest score. A search that selects by
    another rule, such as ``refit=PosteriorRefit("lower")`` or a `complexity`, may have
    another ``best_index_`` than `candidate`, and is not corrected here: for any rule,
    cross-validate the whole search, ``cross_val_posterior(search, X, y)``. See
    :ref:`selection` for an example, for the coverage of the intervals in real searches,
    and for cases where the correction is too small or too large.

    References
    ----------
    .. [1] B. Efron (1983). Estimating the error rate of a prediction rule: improvement
       on cross-validation. Journal of the American Statistical Association 78, 316-331.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from skpostbac import OutcomesScorer, selected_posterior
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> search = GridSearchCV(
    ...     KNeighborsClassifier(),
    ...     {"n_neighbors": range(1, 30, 2), "p": [1, 2]},
    ...     scoring=OutcomesScorer(len(y)),
    ...     refit=False,
    ... ).fit(X[:150, :2], y[:150])
    >>> posterior = selected_posterior(search.cv_results_, random_state=0)
    >>> posterior
    SelectedPosterior(mean=0.866, 95% CI=[0.807, 0.920], optimism=0.013,
        n_candidates=30)
    >>> posterior.uncorrected.mean()
    0.8792
    >>> posterior.name
    'candidate 5: n_neighbors=5, p=2'
    """
    is_one_class = is_accuracy(metric, class_weight)
    if isinstance(cv_results, PairedCounts):
        if cv_results._design is not None:
            raise ValueError(
                "cv_results has samples in groups or with importance weights, for "
                "which the selection cannot be corrected: evaluate the selected "
                "candidate on other samples"
            )
        for_folds = {"n_repeats": n_repeats, "training_variation": training_variation}
        for name, value in for_folds.items():
            if value is not None:
                raise ValueError(
                    f"{name} does not apply to the paired counts of one test set"
                )
        folds = None
        paired = cv_results if labels is None else cv_results.reindex(labels)
    else:
        folds = fold_counts(cv_results, labels, n_repeats, training_variation)
        paired = pooled_paired_counts(cv_results, labels=labels, n_repeats=n_repeats)

    def posterior_of(name: str) -> PosteriorBalancedAccuracy:
        if folds is not None:
            return folds.posterior(
                int(name), prior=prior, class_weight=class_weight, metric=metric
            )
        counts = paired.margin(name)
        if is_one_class:
            counts = counts._as_one_class()
        return PosteriorBalancedAccuracy(counts, prior=prior, class_weight=class_weight)

    weights = posterior_of(paired.names[0]).class_weight
    seed = draw_seed(random_state)
    scored = paired._as_one_class() if is_one_class else paired
    observed, again = _bootstrap(scored, weights, N_BOOTSTRAPS, seed)
    place = int(np.argmax(observed))
    name = paired.names[place]
    posterior = posterior_of(name)
    uncorrected: ScalarPosterior = posterior
    if folds is not None:
        folds.warn_of_shares(posterior)
    warn_of_prior(posterior._evidence())
    if is_one_class:
        # Of the counts that are divided for repeats and the variation between training
        # sets.
        margin = paired.margin(name)
        scale = posterior.counts.n_samples / margin.n_samples
        margin = ClassCounts(
            margin.classes, scale * margin.correct, scale * margin.total
        )
        uncorrected = accuracy_of(margin, posterior)
    optimism = optimism_of_choice(observed, again)
    return SelectedPosterior(
        uncorrected,
        *optimism,
        candidate=place if folds is None else int(name),
        n_candidates=len(paired.names),
        name=name if folds is None else _describe_candidate(cv_results, int(name)),
    )


def _describe_candidate(cv_results: Any, candidate: int) -> str:
    """Return the index of a candidate and its parameters.

    Examples
    --------
    >>> _describe_candidate({"params": [{"C": 0.1}, {"C": 10}]}, 1)
    'candidate 1: C=10'
    """
    params = cv_results["params"][candidate] if "params" in cv_results else {}
    if not isinstance(params, str):  # as they are in a file
        values = [f"{key}={value_text(value)}" for key, value in params.items()]
        params = " ".join(", ".join(values).split())
    return f"candidate {candidate}: {params}" if params else f"candidate {candidate}"


def _bootstrap(
    paired: PairedCounts, class_weight: Floats, n_samples: int, seed: int
) -> tuple[Floats, Floats]:
    """Return the score of each candidate, in the samples and in bootstrap samples."""
    rng = np.random.default_rng(seed)
    observed = np.zeros(len(paired.names))
    again = np.zeros((n_samples, len(paired.names)))
    for i, weight in enumerate(class_weight):
        rows = paired.class_index == i
        patterns = paired.patterns[rows].astype(np.float64)
        cells = paired.counts[rows]
        if cells.sum() > 0:
            probabilities = cells / cells.sum()
            # A repeated cross-validation divides the counts.
            size = max(1, round(cells.sum()))
            drawn = rng.multinomial(size, probabilities, n_samples)
            observed += weight * (probabilities @ patterns)
            again += weight * (drawn @ patterns) / size
    return observed, again


def corrected_choice(
    cv_results: Any, chosen: int | None, **options: Any
) -> SelectedPosterior | None:
    """Return the corrected posterior if the best candidate is chosen."""
    if chosen is None or fold_words(cv_results) is None:
        return None
    with warnings.catch_warnings():  # given for the pooled posteriors already
        warnings.simplefilter("ignore", PriorInfluenceWarning)
        warnings.simplefilter("ignore", FitFailedWarning)
        selected = selected_posterior(cv_results, random_state=0, **options)
    return selected if selected.candidate == chosen else None
