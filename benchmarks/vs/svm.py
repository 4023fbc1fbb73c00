"""Support vector machines against scikit-learn (LIBSVM) and scikit-learn-intelex, all with tol=1e-3.

Fits count only with a small duality gap, predictions with equal accuracy. scikit-learn-intelex has no one-class
machine of its own.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from benchmarks.measure.task import Competitor, Data, Quality, Task
from benchmarks.problems import data, predictions, svm_gaps

_SMALL = {"n": 1_000, "d": 10, "queries": 200}
_ACCURACY = predictions.accuracy(slack=2e-3)
_CLASSES = svm_gaps.small(svm_gaps.classification_gap)


def _machines(name: str, parameters: dict[str, Any], *, intelex: bool) -> tuple[Competitor, ...]:
    modules = [("certus", "certus.svm"), ("scikit-learn", "sklearn.svm")]
    if intelex:
        modules.append(("scikit-learn-intelex", "sklearnex.svm"))
    return tuple(Competitor(peer, f"{module}.{name}", parameters) for peer, module in modules)


def _fit_and_predict(
    name: str,
    about: str,
    make_data: Callable[..., Data],
    size: dict[str, int],
    *,
    machine: str = "SVC",
    parameters: dict[str, Any] | None = None,
    gap: Quality = _CLASSES,
    quality: Quality = _ACCURACY,
    intelex: bool = True,
) -> tuple[Task, Task]:
    shared: dict[str, Any] = {
        "make_data": make_data,
        "size": size,
        "quick_size": _SMALL if size else {},
        "competitors": _machines(machine, parameters or {}, intelex=intelex),
    }
    return (
        Task(name=f"{name}-fit", about=about, action="fit", quality=gap, **shared),
        Task(name=f"{name}-predict", about=f"{about}, prediction", action="predict", quality=quality, **shared),
    )


def _two_classes(name: str, n: int) -> tuple[Task, Task]:
    size = {"n": n, "d": 50, "queries": 10_000}
    about = f"SVC with the Gaussian kernel, {n} rows"
    return _fit_and_predict(name, about, partial(data.surface_classes, classes=2), size)


TASKS = (
    *_two_classes("svc-n1e4", 10_000),
    *_two_classes("svc-n2e4", 20_000),
    *_fit_and_predict("svc-digits", "SVC, 10 classes, handwritten digits", data.digits, {}),
    *_fit_and_predict(
        "svc-26-classes",
        "SVC, 26 classes",
        partial(data.clusters, classes=26),
        {"n": 15_000, "d": 16, "queries": 15_000},
    ),
    *_fit_and_predict(
        "svc-10-classes",
        "SVC, 10 classes, 256 columns",
        partial(data.clusters, classes=10),
        {"n": 4_649, "d": 256, "queries": 2_000},
    ),
    *_fit_and_predict("svc-breast-cancer", "SVC on a small table", data.breast_cancer, {}),
    *_fit_and_predict(
        "svr-n1e4",
        "SVR with the Gaussian kernel, 10 000 rows",
        data.smooth_surface,
        {"n": 10_000, "d": 20, "queries": 10_000},
        machine="SVR",
        gap=svm_gaps.small(svm_gaps.regression_gap),
        quality=predictions.root_mean_square(slack=2e-3),
    ),
    *_fit_and_predict(
        "svr-n1e4-C10",
        "SVR with the Gaussian kernel and C=10, 10 000 rows",
        data.smooth_surface,
        {"n": 10_000, "d": 20, "queries": 10_000},
        machine="SVR",
        parameters={"C": 10.0},
        gap=svm_gaps.small(svm_gaps.regression_gap),
        quality=predictions.root_mean_square(slack=2e-3),
    ),
    *_fit_and_predict(
        "one-class-n1e4",
        "OneClassSVM with nu=0.1, 10 000 rows",
        data.smooth_surface,
        {"n": 10_000, "d": 20, "queries": 10_000},
        machine="OneClassSVM",
        parameters={"nu": 0.1},
        gap=svm_gaps.small(svm_gaps.one_class_gap),
        quality=Quality("share inside", predictions.share_inside, wanted=1.0),
        intelex=False,
    ),
)
