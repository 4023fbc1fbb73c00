"""Nearest neighbors against scikit-learn, its accelerator, faiss, pykdtree and scipy: all exact, quality must agree."""

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
_PEERS = "benchmarks.peers.neighbor_models."
_TREES = tuple(
    Competitor(name, f"{_PEERS}{peer}", {"n_jobs": THREADS})
    for name, peer in (("pykdtree", "PyKDTree"), ("scipy", "SciPyTree"))
)
_FLAT = Competitor("faiss", f"{_PEERS}FlatFaiss", {"n_jobs": THREADS})
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

# One of rows, columns and neighbors grows, the others stay.
_GROWING = (
    (10_000, 5, 5),
    (100_000, 5, 5),
    (400_000, 5, 5),
    (100_000, 2, 5),
    (100_000, 20, 5),
    (100_000, 5, 1),
    (100_000, 5, 50),
)

TASKS = (
    Task(
        name="classifier-d10",
        about="KNeighborsClassifier, few columns",
        action="fit_predict",
        make_data=_CLOUDS,
        size={"n": 100_000, "d": 10, "queries": 10_000},
        quick_size=_SMALL,
        quality=predictions.accuracy(slack=1e-3),
        competitors=(*_CLASSIFIERS, *_TREES, _FLAT),
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
            competitors=(*_CLASSIFIERS, *(_TREES if d < 10 else (_FLAT,))),
        )
        for n, d, queries in ((124_563, 3, 20_000), (50_000, 128, 2_000), (4_649, 256, 4_649), (1_297, 64, 1_297))
    ),
    *(
        Task(
            name=f"scaling-{n}x{d}-{k}",
            about=f"growing tables: {n} rows, {d} columns, {k} neighbors",
            action="fit_predict",
            make_data=_CLOUDS,
            size={"n": n, "d": d, "queries": 5_000},
            quick_size=_SMALL,
            quality=predictions.accuracy(slack=1e-3),
            competitors=tuple(
                Competitor(name, path, {"n_neighbors": k, "n_jobs": THREADS})
                for name, path in (
                    ("certus", "certus.neighbors.KNeighborsClassifier"),
                    ("scikit-learn", "sklearn.neighbors.KNeighborsClassifier"),
                    ("scipy", f"{_PEERS}SciPyTree"),
                    ("faiss", f"{_PEERS}FlatFaiss"),
                )
            ),
        )
        for n, d, k in _GROWING
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
