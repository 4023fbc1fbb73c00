"""Forests, extra trees and AdaBoost against scikit-learn, scikit-learn-intelex and snapml; 100 trees or stumps.

Forests of long tables search 255 bins (``max_bins="auto"``), as intelex and snapml's histogram trees do, ours then
the values next to the best border; scikit-learn searches all values. Equal accuracy is the yardstick. On the long
tables scikit-learn's forests and snapml's histograms are left out: they need a minute and more per call, many times
what the others need. ``stumps-large`` takes scikit-learn more than a minute per call: run it with ``--rounds 1``.
"""

from benchmarks.measure.task import THREADS, Competitor, Task
from benchmarks.problems import data, predictions, tree_data

_OWN = {"n_estimators": 100, "random_state": 0, "n_jobs": THREADS}


def _forests(kind, long=False):
    name = f"RandomForest{kind}"
    competitors = (
        Competitor("certus", f"certus.ensemble.{name}", _OWN),
        Competitor("scikit-learn-intelex", f"sklearnex.ensemble.{name}", _OWN),
        Competitor("snapml", f"snapml.{name}", _OWN),
        Competitor("snapml-histograms", f"snapml.{name}", {**_OWN, "use_histograms": True}),
        Competitor("scikit-learn", f"sklearn.ensemble.{name}", _OWN),
    )
    return competitors[:3] if long else competitors


def _extra_trees(kind):
    name = f"ExtraTrees{kind}"
    return (
        Competitor("certus", f"certus.ensemble.{name}", _OWN),
        Competitor("scikit-learn-intelex", f"sklearnex.ensemble.{name}", _OWN),
        Competitor("scikit-learn", f"sklearn.ensemble.{name}", _OWN),
    )


def _stumps():
    own = {"n_estimators": 100, "random_state": 0}
    return (
        Competitor("certus", "certus.ensemble.AdaBoostClassifier", own),
        Competitor("scikit-learn", "sklearn.ensemble.AdaBoostClassifier", own),
    )


def _task(name, about, make_data, size, competitors, slack=0.005, action="fit_predict", quick=None, quality=None):
    return Task(
        name=name,
        about=about,
        action=action,
        make_data=make_data,
        size=size,
        quick_size={**size, "n": 2_000, "queries": 500} if quick is None else quick,
        quality=predictions.accuracy(slack=slack) if quality is None else quality,
        competitors=competitors,
    )


_WIDE = {"n": 100_000, "d": 50, "classes": 2, "queries": 20_000}
_CLASSES, _LONG = _forests("Classifier"), _forests("Classifier", long=True)

TASKS = (
    _task("forest-wide", "random forest, two classes", data.surface_classes, _WIDE, _LONG),
    _task(
        "forest-mixed", "random forest, mixed columns, 6 % positive", tree_data.mixed_classes,
        {"n": 199_523, "queries": 20_000}, _LONG,
    ),
    _task("forest-digits", "random forest, ten classes", tree_data.digits, {}, _CLASSES, slack=0.02, quick={}),
    _task(
        "forest-regressor", "random forest, a number", data.smooth_surface, {"n": 20_000, "d": 20, "queries": 20_000},
        _forests("Regressor"), quality=predictions.root_mean_square(slack=0.05),
    ),
    _task("extra-trees", "extra trees, two classes", data.surface_classes, _WIDE, _extra_trees("Classifier")),
    _task("stumps-small", "AdaBoost of stumps", data.surface_classes, {**_WIDE, "n": 20_000}, _stumps()),
    _task("stumps-large", "AdaBoost of stumps", data.surface_classes, _WIDE, _stumps()),
    _task(
        "forest-predict", "random forest, prediction of a million rows", data.surface_classes,
        {**_WIDE, "n": 20_000, "d": 20, "queries": 1_000_000}, _CLASSES, action="predict",
    ),
    _task(
        "forest-one-row", "random forest, prediction of a single row", tree_data.digits, {}, _CLASSES,
        action="predict_one", quick={}, slack=0.02,
    ),
)  # fmt: skip
