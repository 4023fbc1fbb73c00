"""Single decision trees against scikit-learn and snapml, grown without limit unless the task says otherwise.

Equal quality has some slack: among equally good splits the libraries choose differently. snapml's trees search
histograms by default; with ``use_histograms=False`` they are exact like ours and scikit-learn's.
"""

from benchmarks.measure.task import THREADS, Competitor, Task
from benchmarks.problems import data, predictions, tree_data


def _competitors(name, **parameters):
    own = {"random_state": 0, **parameters}
    snap = {**own, "n_jobs": THREADS}
    return (
        Competitor("certus", f"certus.trees.{name}", own),
        Competitor("snapml", f"snapml.{name}", snap),
        Competitor("snapml-exact", f"snapml.{name}", {**snap, "use_histograms": False}),
        Competitor("scikit-learn", f"sklearn.tree.{name}", own),
    )


def _task(name, about, make_data, size, quality, learner, action="fit_predict", quick=None, **parameters):
    return Task(
        name=name,
        about=about,
        action=action,
        make_data=make_data,
        size=size,
        quick_size={**size, "n": 2_000, "queries": 500} if quick is None else quick,
        quality=quality,
        competitors=_competitors(learner, **parameters),
    )


_WIDE = {"n": 100_000, "d": 50, "classes": 2, "queries": 20_000}
_ACCURACY = predictions.accuracy(slack=0.01)
_CLASSIFIER = "DecisionTreeClassifier"

TASKS = (
    _task("classifier-full", "two classes, pure leaves", data.surface_classes, _WIDE, _ACCURACY, _CLASSIFIER),
    _task(
        "classifier-five", "five classes, pure leaves", data.surface_classes,
        {**_WIDE, "d": 20, "classes": 5}, predictions.accuracy(slack=0.02), _CLASSIFIER,
    ),
    _task(
        "classifier-depth-8", "two classes, depth 8", data.surface_classes, _WIDE, _ACCURACY, _CLASSIFIER, max_depth=8,
    ),
    _task(
        "classifier-ties", "two classes, columns of twelve values", tree_data.tied_classes,
        {"n": 80_000, "queries": 20_000}, _ACCURACY, _CLASSIFIER,
    ),
    _task(
        "regressor-full", "a number, pure leaves", data.smooth_surface,
        {"n": 260_000, "d": 12, "queries": 20_000}, predictions.root_mean_square(slack=0.05), "DecisionTreeRegressor",
    ),
    _task(
        "classifier-predict", "prediction of a million rows", data.surface_classes,
        {**_WIDE, "n": 50_000, "d": 20, "queries": 1_000_000}, _ACCURACY, _CLASSIFIER, action="predict",
    ),
    _task(
        "classifier-breast-cancer", "a small table", data.breast_cancer, {}, predictions.accuracy(slack=0.03),
        _CLASSIFIER, quick={},
    ),
    _task(
        "classifier-one-row", "prediction of a single row", data.breast_cancer, {}, predictions.accuracy(slack=0.03),
        _CLASSIFIER, action="predict_one", quick={},
    ),
)  # fmt: skip
