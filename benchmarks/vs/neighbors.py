"""Nearest neighbors against scikit-learn and scikit-learn-intelex: all exact, so the quality must agree."""

from functools import partial

from benchmarks.measure.task import THREADS, Competitor, Task
from benchmarks.problems import data, predictions

_CLASSIFIERS = tuple(
    Competitor(name, f"{module}.KNeighborsClassifier", {"n_jobs": THREADS})
    for name, module in (
        ("certus", "certus.neighbors"),
        ("scikit-learn", "sklearn.neighbors"),
        ("scikit-learn-intelex", "sklearnex.neighbors"),
    )
)
_REGRESSORS = tuple(
    Competitor(name, f"{module}.KNeighborsRegressor", {"n_jobs": THREADS})
    for name, module in (
        ("certus", "certus.neighbors"),
        ("scikit-learn", "sklearn.neighbors"),
        ("scikit-learn-intelex", "sklearnex.neighbors"),
    )
)
_CLOUDS = partial(data.clusters, classes=5)
_SMALL = {"n": 2_000, "d": 5, "queries": 200}

TASKS = (
    Task(
        name="classifier-d10",
        about="KNeighborsClassifier, few columns",
        action="fit_predict",
        make_data=_CLOUDS,
        size={"n": 100_000, "d": 10, "queries": 10_000},
        quick_size=_SMALL,
        quality=predictions.accuracy(slack=1e-3),
        competitors=_CLASSIFIERS,
    ),
    Task(
        name="classifier-d50",
        about="KNeighborsClassifier, many columns",
        action="fit_predict",
        make_data=_CLOUDS,
        size={"n": 100_000, "d": 50, "queries": 10_000},
        quick_size=_SMALL,
        quality=predictions.accuracy(slack=1e-3),
        competitors=_CLASSIFIERS,
    ),
    Task(
        name="regressor-d10",
        about="KNeighborsRegressor, few columns",
        action="fit_predict",
        make_data=data.smooth_surface,
        size={"n": 100_000, "d": 10, "queries": 10_000},
        quick_size=_SMALL,
        quality=predictions.root_mean_square(slack=1e-3),
        competitors=_REGRESSORS,
    ),
    Task(
        name="classifier-breast-cancer",
        about="KNeighborsClassifier on a small table",
        action="fit_predict",
        make_data=data.breast_cancer,
        size={},
        quick_size={},
        quality=predictions.accuracy(slack=1e-3),
        competitors=_CLASSIFIERS,
    ),
    Task(
        name="classifier-one-row",
        about="KNeighborsClassifier, prediction of a single row",
        action="predict_one",
        make_data=data.breast_cancer,
        size={},
        quick_size={},
        quality=predictions.accuracy(slack=1e-3),
        competitors=_CLASSIFIERS,
    ),
)
