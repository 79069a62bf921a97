"""Valid and hostile arguments of all public calls, as expressions, by the name of the parameter."""


def _split(text):
    return [
        part.strip() for part in text.replace("\n", " ").split(" ; ") if part.strip()
    ]


def _all(names, values):
    return {name: list(values) for name in names}


# No number, word or array of numbers can be made of these ...
NONSENSE = _split(
    """... ; "a" ; b"a" ; "" ; "\\ud800" ; 1j ; [[1], [1, 2]] ; {} ; {"a": 1} ; {"a"} ; object() ;
    int ; len ; lambda *_: 0.5 ; np.ma.masked ; np.ma.array([1.0, 2.0], mask=[1, 0]) ; pd.NaT ;
    np.datetime64("2020") ; np.timedelta64(1, "s") ; Decimal("sNaN") ; pl.Series(["a"]) ;
    ["a", "b"] ; np.array(["a"]) ; np.array([1 + 0j]) ; slice(1) ; np.random.default_rng(0) ;
    datetime.date(2020, 1, 1) ; (lambda r: r.append(r) or r)([]) ; {1: 2, "a": 3} ; [0.5, "a"] ;
    (i / 2 for i in [1, 2])"""
)
# ... and of these perhaps.
ODD = _split(
    """None ; True ; 0 ; -1 ; 2**63 ; 2**70 ; 10**400 ; 1e308 ; -1e308 ; 5e-324 ; np.nan ; np.inf ;
    -np.inf ; [] ; [[]] ; range(3) ; pd.NA ; Decimal("0.5") ; Fraction(1, 2) ; [0.5, None] ;
    [np.nan] ; pd.Series([0.5, 0.2], index=[5, 5]) ; pl.Series([0.5, 0.2]) ; np.zeros((2, 2, 2)) ;
    np.array([None, 1]) ; np.array(0.5) ; np.float16(0.5) ; np.array([]) ; [[0.5, 0.5]] * 3 ;
    pd.DataFrame({"a": [0.5]}) ; np.array([2**63], np.uint64) ; [10**400] ; (0.2, 0.7) ; 1.5 ;
    memoryview(b"ab")"""
)
HOSTILE = NONSENSE + ODD

# Parameters that take numbers, or arrays of them; and those that take one of some words.
NUMBERS = set(
    _split(
        """x ; y ; p ; a ; b ; level ; value ; rope ; weights ; correct ; total ; fpr ;
        recall ; sample_weight ; n_draws ; n_points ; n_repeats ; significance ; limit ; width ;
        assurance ; size ; max_size ; max_test_size ; positive_fraction ; draws ; n_classes ;
        accuracy ; C ; cells ; precision ; rate ; n ; seed ; y_score ; agreement ; difference ;
        class_proportions"""
    )
)
WORDS = {"weight_type", "method", "kind", "objective", "curve", "average"}
# Some of these parameters take other things as well, and functions are metrics.
EXEMPT = {
    *[(name, "PosteriorComparison.difference") for name in "ab"],
    ("accuracy", "PosteriorBinaryEquivalentAccuracy"),
}
CALLABLE = {"int", "len", "lambda *_: 0.5"}

_POINTS = _split(
    """0.5 ; 0 ; 1 ; 0.9 ; -np.inf ; np.inf ; 1e-300 ; 2 ; -0.3 ; np.nan ; np.float32(0.3) ;
    [0.1, 0.5, 0.9] ; [[0.2, np.nan]] ; np.linspace(-1.2, 1.2, 7) ; pd.Series([0.2, 0.7]) ; []"""
)
_TRUE = _split(
    """[0, 0, 1, 1, 2, 2] ; np.array([0, 0, 1, 1, 2, 2]) ; list("aabbcc") ;
    pd.Series(list("aabbcc")) ; pl.Series([0, 0, 1, 1, 2, 2])"""
)
_BINARY = _split(
    "[0, 0, 0, 1, 1, 1] ; np.array([0, 0, 1, 1, 1, 0]) ; [-1, -1, 1, 1, 1, -1]"
)
_SCORES = _split(
    """[0.1, 0.4, 0.2, 0.5, 0.9, 0.6] ; np.array([-1, 3.5, 0, 2, 1, 7]) ; [0, 0, 1, 1, 1, 0] ;
    [1e200, 1, 2, 3, 4, 5]"""
)
_ONE = "PosteriorBalancedAccuracy.from_counts([3, 5], [4, 9])"
_OTHER = "PosteriorBalancedAccuracy.from_counts([2, 7], [4, 9])"
_COUNTS = (
    '{"params": [{"C": 1}, {"C": 2}], "param_C": [1, 2], "mean_fit_time": [0.1, 0.2], '
    '"split0_test_correct_a": [2, 1], "split1_test_correct_a": [2, 2], '
    '"split0_test_correct_b": [1, 2], "split1_test_correct_b": [1, 1], '
    '"split0_test_total_a": [2, 2], "split1_test_total_a": [3, 3], '
    '"split0_test_total_b": [2, 2], "split1_test_total_b": [2, 2]}'
)
_PAIRED = "PairedCounts.from_cells([[7, 1, 2, 0], [3, 0, 0, 2]])"
_MODEL = "BinormalModel(-1, 1, 1, 2)"
_CHECK = "binormal_check([0, 0, 0, 0, 1, 1, 1], [-3, -1, -2, 0, 0, 2, 1])"
_C = "[[7, 2, 1], [0, 5, 1], [1, 1, 3]]"
_JUDGED = "posterior_prevalence(13, 20, sensitivity=(27, 30), specificity=(24, 30))"
_VALIDATED = "posterior_prevalence(13, 20, gold=[[5, 1], [1, 4]])"
_CURVE = "posterior_threshold_curve([0, 0, 0, 1, 1], [1, 2, 3, 3, 5], random_state=0)"
_SEARCH = (
    "GridSearchCV(DummyClassifier(random_state=0), {'strategy': ['prior', 'uniform']}, cv=2, "
    "scoring=ClassCountsScorer()).fit(np.zeros((12, 1)), [0, 1] * 6)"
)
_RULES = ("False", "PosteriorRefit()")
_OUTCOMES = _SEARCH.replace("ClassCountsScorer()", "OutcomesScorer(12), refit=False")

# By name, or by "callable.name" where that is something else.
VALID = {
    **_all(["x", "y", "value"], _POINTS),
    "p": _split(
        "0.5 ; 0 ; 1 ; 1e-300 ; np.nan ; [0, 0.1, 0.99, 1] ; [[0.3], [0.6]] ; []"
    ),
    "level": _split("0.5 ; 0.9 ; 0.95 ; 0.9999 ; np.float64(0.8)"),
    "shape": _split("() ; 3 ; (2, 3) ; 0 ; (0, 2)"),
    "rng": _split("0 ; np.random.default_rng(1) ; None"),
    "random_state": _split(
        "0 ; np.random.default_rng(1) ; np.random.RandomState(0) ; None"
    ),
    "method": _split("'central' ; 'hdi'"),
    "a": _split("[3, 9] ; [1, 1, 2.5] ; [0.5] ; np.array([31.0, 9]) ; 'A' ; 'B'"),
    "b": _split("[3, 9] ; [2, 7, 1e-3] ; [0.5] ; np.array([1.0, 2]) ; 'B' ; 'A'"),
    "BetaAverage.a": _split("[3, 9] ; [31.0, 1] ; np.array([1e3, 0.5])"),
    "BetaAverage.b": _split("[3, 9] ; [1, 1e-2] ; np.array([1.0, 2])"),
    "weights": _split("None ; [1, 2] ; [1, -0.5] ; [0, 1]"),
    "correct": _split("[3, 5] ; [4, 9] ; [0, 0.5] ; np.array([2, 9])"),
    "total": _split("[4, 9] ; [7, 9.0] ; np.array([4, 9])"),
    "cross_val_posterior.groups": _split("None ; np.arange(12) // 2"),
    "PosteriorSearchDisplay.groups": ["None"],
    "rate": _split("0.75 ; 1"),
    "y_": ["0.5"],
    **_all(["mean", "mean_negative", "mean_positive"], _split("0.0 ; -1 ; 1.5")),
    **_all(["precision", "shape_", "sd_negative", "sd_positive"], _split("1.0 ; 2")),
    "counts": ["ClassCounts([0, 1], [3, 5], [4, 9])"],
    "PairedDifference.counts": _split(
        "[[7, 1, 2, 0], [3, 0, 0, 2]] ; [[0, 0, 0, 0], [1, 2, 3, 4]]"
    ),
    "PairedDifference.prior": _split("0.5 ; [1, 1, 1, 1] ; 1e-3"),
    "PairedCounts.counts": ["[7, 1, 2]"],
    "PosteriorComparison.from_paired_counts.counts": [_PAIRED],
    "prior": _split(
        """'calibrated' ; 'reciprocal' ; 'uniform' ; 'jeffreys' ; 'neutral' ; (1, 2) ;
        (0.5, 0.5)"""
    ),
    "class_weight": _split("None ; [1, 2] ; {0: 1, 1: 3} ; {0: 1, 1: 1, 2: 0}"),
    "distribution": _split(
        "BetaAverage([3, 9], [1, 2]) ; BetaRatio(BetaAverage([21], [3]), BetaAverage([3], [77]), "
        "[[0, 0], [1, 1]], [[0, 9], [1, 9]])"
    ),
    "y_true": _TRUE,
    "y_pred": _split(
        """[0, 1, 1, 1, 2, 0] ; np.array([0, 0, 1, 1, 2, 1]) ; list("abbbca") ;
        pd.Series(list("acbbca")) ; pl.Series([0, 1, 1, 1, 2, 0])"""
    ),
    "predictions": _split(
        """{"A": [0, 1, 1, 1, 2, 0], "B": [0, 0, 1, 2, 2, 2]} ;
        pd.DataFrame({"A": list("abbbca"), "B": list("aabbcc")})"""
    ),
    "labels": _split("None ; [0, 1, 2] ; ['a', 'b'] ; [2, 0]"),
    "sample_weight": _split("None ; [1, 2, 1, 0, 1, 1] ; [0.5] * 6"),
    "weight_type": _split("None ; 'case' ; 'importance'"),
    "groups": _split(
        "None ; [0, 0, 1, 1, 2, 2] ; list('ababab') ; pd.Series([1, 1, 1, 2, 2, 2])"
    ),
    "strategy": _split("'uniform' ; 'stratified' ; [0.2, 0.3, 0.5]"),
    **{
        f"{name}.y_true": _BINARY
        for name in (
            "fit",
            "binormal_average_precision_score",
            "binormal_precision_recall_curve",
            "binormal_roc_auc_score",
            "binormal_roc_curve",
            "binormal_check",
            "BinormalCurveDisplay.from_predictions",
            "posterior_average_precision",
            "posterior_roc_auc",
            "posterior_threshold_curve",
            "PosteriorThresholdDisplay.from_predictions",
        )
    },
    "y_score": _SCORES,
    "pos_label": _split("None ; 1"),
    "positive_fraction": _split("None ; 0.3"),
    "n_points": _split("2 ; 11 ; 201"),
    "n_draws": _split("20 ; 100"),
    "posterior_confusion_metric.n_draws": _split("None ; 50"),
    "from_confusion_matrix.n_draws": _split("None ; 50"),
    "n_repeats": ["None", "1"],
    "n_jobs": _split("None ; 1"),
    "metric": _split("'accuracy' ; 'mcc' ; 'kappa' ; 'f1' ; 'precision' ; 'recall'"),
    "posterior_roc_auc.average": _split("'macro' ; 'weighted'"),
    "average": _split("None ; 'macro' ; 'micro' ; 'weighted'"),
    "posterior_average_precision.prevalence": _split("'sampled' ; 'observed' ; 0.2"),
    "prevalence": _split("'sampled' ; [0.2, 0.3, 0.5]"),
    "C": [_C, f"np.array({_C})", f"pd.DataFrame({_C})"],
    "classes": _split("None ; ['a', 'b'] ; [5, 3]"),
    "reindex.classes": _split("[0, 1] ; [1] ; ['a', 0]"),
    "ClassCounts.classes": _split("['a', 'b'] ; [5, 3]"),
    "PairedCounts.classes": _split("['a', 'b'] ; [5, 3]"),
    "class_index": ["[0, 0, 1]"],
    "patterns": ["[[0, 1], [1, 1], [0, 0]]"],
    "cells": _split("[[7, 1, 2, 0], [3, 0, 0, 2]] ; [[0, 0, 0, 0.5], [1, 2, 3, 4]]"),
    "names": _split("('A', 'B') ; ['x', 'y']"),
    "from_cells.names": _split("('A', 'B') ; ['x', 'y']"),
    **_all(
        ["cells.first", "design_effects.first", "position.name", "margin.name"],
        _split("'A' ; 'B'"),
    ),
    "second": _split("'B' ; 'A'"),
    "name": _split("None ; 'some'"),
    "from_cv_results.name": _split("None ; ['one', 'two']"),
    "ClassCounts.from_json.text": ["ClassCounts([0], [1], [2]).to_json()"],
    "PairedCounts.from_json.text": [f"{_PAIRED}.to_json()"],
    "probability": ["0.8"],
    "draws": _split("[4, 1, 3, 2] ; np.linspace(0, 1, 50)"),
    "n_classes": _split("2 ; 3 ; 10"),
    "accuracy": _split("0.5 ; [0.2, 1] ; BetaAverage([3], [1])"),
    "binary_equivalent_accuracy.accuracy": _split("0.5 ; [0.2, 1] ; 0"),
    "PosteriorBinaryEquivalentAccuracy.accuracy": ["BetaAverage([3], [1])"],
    "balanced": _split("True ; False"),
    "objective": _split("'mean' ; 'lower' ; 'upper' ; 'median' ; 'mode'"),
    "significance": _split("0.05 ; 0.5"),
    "level_": ["0.9"],
    "seed": _split("0 ; 7"),
    "names_": ["None"],
    "posteriors": [f'{{"A": {_ONE}, "B": {_OTHER}}}'],
    "PosteriorComparison.joint": [
        f'compare_posteriors({{"A": {_ONE}, "B": {_OTHER}}}).joint'
    ],
    "PosteriorSearchDisplay.posteriors": [f"({_ONE}, {_OTHER})"],
    "posterior": [_ONE],
    "rope": _split("0.0 ; 0.05"),
    "joint": ["None"],
    **_all(
        [
            "BinormalCurveDisplay.from_estimator.estimator",
            "PosteriorThresholdDisplay.from_estimator.estimator",
        ],
        ["GaussianNB().fit(np.arange(12.0)[:, None], [0, 1] * 6)"],
    ),
    **_all(
        [
            "BinormalCurveDisplay.from_estimator.X",
            "PosteriorThresholdDisplay.from_estimator.X",
        ],
        ["np.arange(12.0)[:, None]"],
    ),
    "estimator": [
        "DummyClassifier()",
        "DummyClassifier().fit(np.zeros((12, 1)), [0, 1, 2] * 4)",
    ],
    "__call__.estimator": ["DummyClassifier().fit(np.zeros((12, 1)), [0, 1, 2] * 4)"],
    "__call__.sample_weight": _split("None ; [1, 2] * 6"),
    "from_estimator.sample_weight": _split("None ; [1, 2] * 6"),
    "X": _split("np.zeros((12, 1)) ; [[0.0]] * 12"),
    "y": _POINTS,
    **_all(
        [
            "BinormalCurveDisplay.from_estimator.y",
            "PosteriorThresholdDisplay.from_estimator.y",
        ],
        ["[0, 1] * 6"],
    ),
    **{
        f"{name}.y": ["[0, 1, 2] * 4"]
        for name in ("cross_val_posterior", "from_estimator", "__call__")
    },
    "cv": _split("2 ; 3"),
    "standard_deviation": ["0.1"],
    "PriorInfluence.class_weight": ["np.array([0.5, 0.5])"],
    "params": ["None"],
    "compare_cv_results.cv_results": [
        f'{{"A": {_OUTCOMES}.cv_results_, "B": {_OUTCOMES}.cv_results_}}'
    ],
    "selected_posterior.cv_results": [f"{_OUTCOMES}.cv_results_"],
    "cv_results": [_COUNTS, f"pd.DataFrame({_COUNTS})"],
    "pooled_paired_counts.cv_results": [
        f"{_OUTCOMES}.cv_results_",
        f"pd.DataFrame({_OUTCOMES}.cv_results_)",
    ],
    "multi_class": _split("'raise' ; 'ovr' ; 'ovo' ; 'all'"),
    "same_splits": _split("False ; True"),
    "training_variation": _split("None ; 'nadeau-bengio'"),
    "complexity": _split("None ; 'C' ; '-mean_fit_time' ; len"),
    "limit": _split("0.84 ; 0.05"),
    "max_test_size": _split("6 ; 100"),
    "recalls": [*_split("0.9 ; [0.9, 0.8] ; [0.5]"), _ONE],
    "width": _split("0.3 ; None ; 0.5"),
    "difference": _split("None ; 0.3 ; 0.2"),
    "paired": _split("True ; False"),
    "agreement": _split("None ; 0.6"),
    "assurance": _split("0.5 ; 0.8"),
    "class_proportions": _split("None ; [1, 2]"),
    "max_size": _split("1000 ; 200"),
    "size": _split("1 ; 20"),
    **_all(["ThresholdPlot.curve", "PosteriorThresholdDisplay.curve"], [_CURVE]),
    "threshold": _split("3 ; 2.5 ; -1"),
    "sensitive_features": _split("['x', 'y'] * 3 ; [1, 2, 3] * 2"),
    "ExpectedCost.costs": _split(
        "[[0, 1], [5, 0]] ; 1 - np.eye(3) ; [[0, -1], [2, 3]]"
    ),
    "NetBenefit.threshold": _split("0.2 ; 0.5 ; 1e-9"),
    "SubgroupPosteriors.names": ["('A', 'B')"],
    "SubgroupPosteriors.posteriors": [f"({_ONE}, {_OTHER})"],
    "positives": _split("13 ; 0 ; 2.5"),
    **_all(
        [
            "posterior_prevalence.total",
            "PosteriorPrevalence.total",
            "PosteriorValidatedPrevalence.total",
        ],
        _split("20 ; 14.5"),
    ),
    "gold": _split("[[5, 1], [1, 4]] ; np.array([[4, 2], [2, 2]])"),
    "sensitivity": _split("(27, 30) ; np.array([9.0, 10.0])"),
    "specificity": _split("(24, 30) ; [8, 8]"),
    **_all(
        [
            "posterior_prevalence.prior",
            "PosteriorPrevalence.prior",
            "PosteriorValidatedPrevalence.prior",
        ],
        _split("'uniform' ; 'calibrated' ; (1, 2)"),
    ),
    "PrevalenceDifference.first": [_JUDGED],
    "PrevalenceDifference.second": [_JUDGED],
    "difference.other": [_JUDGED],
    "uncorrected": [_ONE],
    "optimism": _split("0.02 ; 0"),
    "optimism_error": _split("0.002 ; 0"),
    **_all(["BetaRatio.first", "BetaRatio.second"], ["BetaAverage([3, 9], [1, 2])"]),
    "numerator": ["[[0, 0], [0.01, 0.01]]"],
    "denominator": ["[[0, 0.99], [0.01, 1]]"],
    "shift": _split("-0.02 ; 0 ; 3"),
    "PosteriorThresholdCurve.classes": ["(0, 1)"],
    "PosteriorThresholdCurve.positive": _split("1"),
    "thresholds": ["np.array([0.9, 0.2])"],
    "PosteriorThresholdCurve.correct": ["np.array([[4.0, 1.0], [2.0, 3.0]])"],
    "PosteriorThresholdCurve.total": ["np.array([4.0, 5.0])"],
    "PosteriorThresholdCurve.class_weight": ["None"],
    "ax": ["None"],
    **_all(
        [
            "curve_kwargs",
            "band_kwargs",
            "empirical_kwargs",
            "points_kwargs",
            "line_kwargs",
            "errorbar_kwargs",
            "best_kwargs",
            "chance_level_kwargs",
        ],
        _split("None ; {} ; {'linewidth': 2}"),
    ),
    "operand": _split(
        f"0 ; 1.5 ; {_ONE} ; {_OTHER} ; {_PAIRED} ; BetaAverage([3], [1])"
    ),
    "swapped": _split("True ; False"),
    "PosteriorComparison.table.kind": _split(
        "'prob_greater' ; 'rank_probabilities' ; 'differences'"
    ),
    "kind": _split("'auto' ; 'density' ; 'forest' ; 'ridge'"),
    **_all(
        ["ComparisonPlot.plot.kind", "PosteriorComparisonDisplay.plot.kind"],
        _split("'decision' ; 'difference' ; 'matrix' ; 'ranks'"),
    ),
    "pair": _split("None ; ('A', 'B')"),
    "cmap": ["'cividis'"],
    "score_name": _split("None ; 'score'"),
    "curve": _split("'roc' ; 'precision_recall'"),
    "comparison": [f'compare_posteriors({{"A": {_ONE}, "B": {_OTHER}}})'],
    "param_name": ["'C'"],
    "from_search.param_name": _split("None ; 'strategy'"),
    "search": [_SEARCH.replace("scoring", f"refit={rule}, scoring") for rule in _RULES],
    "values": ["[1, 2]"],
    "best_index": _split("None ; 1"),
    "corrected": ["None"],
    "candidate": _split("None ; 1"),
    "n_candidates": _split("None ; 5"),
    "BinormalCurveDisplay.model": [_MODEL],
    **_all(
        ["plot_chance_level", "despine", "plot_band", "plot_empirical"],
        _split("True ; False"),
    ),
}

# Objects whose methods are called.
OBJECTS = [
    "BetaAverage([31, 9, 4], [3, 3, 2])",
    "BetaAverage([1e-3, 9], [0.5, 1e4], weights=[1, -2])",
    "BetaAverage([3], [1]) - BetaAverage([2, 5], [4, 1])",
    "BetaAverage([[31, 9, 4], [1, 2, 3]], [[3, 3, 2], [1, 1, 9]])",
    "PairedDifference([[30, 4, 7, 3], [12, 2, 1, 5]])",
    "BetaRatio(BetaAverage([21], [3]), BetaAverage([3], [77]), [[0, 0], [1, 1]], [[0, 9], [1, 9]])",
    "ShiftedDistribution(BetaAverage([4, 3], [1, 2]), -0.02)",
    "population_posterior([8, 9, 3], [10, 10, 9]).new_group",
    "population_posterior([[8, 3], [9, 3]], [[10, 4], [10, 9]]).population_mean",
    "ClassCounts([0, 1], [3, 5], [4, 9])",
    "class_counts([0, 0, 0, 0, 1, 1], [0, 0, 1, 0, 1, 0], groups=[0, 0, 1, 1, 2, 2])",
    "paired_counts([0, 0, 1, 1], {'A': [0, 1, 1, 1], 'B': [0, 0, 0, 1]}, groups=[0, 0, 1, 1])",
    _PAIRED,
    "DrawnDistribution([4, 1, 3, 2])",
    "DrawnDistribution(np.random.default_rng(0).beta(9, 3, 500))",
    "GuessingTest.from_counts(ClassCounts([0, 1], [3, 5], [4, 9]))",
    "population_posterior([8, 9, 3], [10, 10, 9])",
    "PosteriorAccuracy.from_counts([3, 5], [4, 9])",
    _ONE,
    (
        "PosteriorBalancedAccuracy.from_counts([3, 5, 0], [4, 9, 0], class_weight=[2, 2, 0], "
        "prior='jeffreys')"
    ),
    _ONE + ".binary_equivalent()",
    _ONE + ".prior_influence()",
    f"PosteriorConfusionMetric.from_confusion_matrix({_C}, 'mcc', n_draws=200, random_state=0)",
    f"PosteriorConfusionMetric.from_confusion_matrix({_C}, 'recall')",
    "posterior_roc_auc([0, 0, 0, 1, 1], [0.1, 0.4, 0.4, 0.3, 0.9], n_draws=200)",
    "ExpectedCost([[0, 1], [5, 0]])",
    "NetBenefit(0.2)",
    f"SubgroupPosteriors(('A', 'B'), ({_ONE}, {_OTHER}))",
    f"SubgroupPosteriors(('A', 'B'), ({_ONE}, {_OTHER})).gap",
    _JUDGED,
    f"{_JUDGED}.difference({_JUDGED})",
    _VALIDATED,
    _CURVE,
    _CURVE + ".corrected",
    _MODEL,
    _CHECK,
    "ClassCountsScorer()",
    "OutcomesScorer(12)",
    f'compare_posteriors({{"A": {_ONE}, "B": {_OTHER}}})',
    f"PosteriorComparison.from_paired_counts({_PAIRED}, n_draws=100, random_state=0)",
    "PosteriorRefit()",
    "required_test_size([0.9, 0.8], width=0.3)",
    f"PosteriorPlot({_ONE})",
    f"PosteriorDisplay({_ONE})",
    f'ComparisonPlot(compare_posteriors({{"A": {_ONE}, "B": {_OTHER}}}))',
    f'PosteriorComparisonDisplay(compare_posteriors({{"A": {_ONE}, "B": {_OTHER}}}))',
    f"ThresholdPlot({_CURVE})",
    f"PosteriorThresholdDisplay({_CURVE})",
    f"BinormalCurveDisplay({_MODEL})",
    f"PosteriorSearchDisplay(param_name='C', values=[1, 2], posteriors=[{_ONE}, {_OTHER}])",
    # Records that others return.
    f"{_ONE}.credible_interval()",
    "class_counts([0, 0, 1], [0, 1, 1], groups=[0, 0, 1]).design_effects",
    f"PosteriorComparison.from_paired_counts({_PAIRED}, n_draws=9).monte_carlo_error()",
    f"PosteriorComparison.from_paired_counts({_PAIRED}, rope=0.1).rope_masses('A', 'B')",
]
