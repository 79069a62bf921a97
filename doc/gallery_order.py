"""The order of the gallery: from first steps to special topics."""

READING_ORDER = (
    "plot_quick_start.py",
    "plot_compare_after_cv.py",
    "plot_imbalanced_search.py",
    "plot_every_kind.py",
    "plot_thresholds.py",
    "plot_test_set_planning.py",
    "plot_many_classes.py",
    "plot_confusion_metrics.py",
    "plot_group_inference.py",
    "plot_binormal_curves.py",
    "plot_pr_imbalance.py",
    "plot_hearing.py",
    "plot_table1.py",
)


def reading_order(name: str) -> tuple[int, str]:
    """Return what to sort a file by; those not listed come last, by name."""
    known = name in READING_ORDER
    return (READING_ORDER.index(name) if known else len(READING_ORDER)), name
