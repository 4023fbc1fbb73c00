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
    *(
        Task(
            name=f"classifier-{n}x{d}",
            about=f"KNeighborsClassifier, {n} rows, {d} columns",
            action="fit_predict",
            make_data=_CLOUDS,
            size={"n": n, "d": d, "queries": queries},
            quick_size=_SMALL,
            quality=predictions.accuracy(slack=1e-3),
            competitors=_CLASSIFIERS,
        )
        for n, d, queries in ((124_563, 3, 20_000), (50_000, 128, 2_000), (4_649, 256, 4_649), (1_297, 64, 1_297))
    ),
    Task(
        name="haversine",
        about="KNeighborsClassifier on a sphere",
        action="fit_predict",
        make_data=partial(data.towns, classes=5),
        size={"n": 124_563, "queries": 20_000},
        quick_size={"n": 2_000, "queries": 200},
        quality=predictions.accuracy(slack=1e-3),
        competitors=tuple(
            Competitor(name, f"{module}.KNeighborsClassifier", {"metric": "haversine", "n_jobs": THREADS})
            for name, module in (("certus", "certus.neighbors"), ("scikit-learn", "sklearn.neighbors"))
        ),
    ),
    Task(
        name="radius-d3",
        about="RadiusNeighborsClassifier, few columns",
        action="fit_predict",
        make_data=_CLOUDS,
        size={"n": 124_563, "d": 3, "queries": 20_000},
        quick_size={"n": 5_000, "d": 3, "queries": 200},
        quality=predictions.accuracy(slack=1e-3),
        competitors=tuple(
            Competitor(
                name, f"{module}.RadiusNeighborsClassifier", {"radius": 0.3, "outlier_label": 0, "n_jobs": THREADS}
            )
            for name, module in (("certus", "certus.neighbors"), ("scikit-learn", "sklearn.neighbors"))
        ),
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
        quality=predictions.accuracy(slack=1e-3),
        competitors=_CLASSIFIERS,
    ),
    Task(
        name="classifier-one-row",
        about="KNeighborsClassifier, prediction of a single row",
        action="predict_one",
        make_data=data.breast_cancer,
        quality=predictions.accuracy(slack=1e-3),
        competitors=_CLASSIFIERS,
    ),
)
