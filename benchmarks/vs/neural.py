"""Networks against scikit-learn: the same epochs, batches, type and first weights."""

from functools import partial
from typing import Any

from benchmarks.measure.task import THREADS, Competitor, Data, Quality, Task
from benchmarks.problems import data

_MODELS = "benchmarks.peers.network_models."


def _loss(model: Any, _prediction: Any, _given: Data) -> float:
    return float(model.loss_)


def _error(_model: Any, prediction: Any, given: Data) -> float:
    return float((prediction != given["y_test"][: len(prediction)]).mean())


_SAME_LOSS = Quality("loss of the last epoch", _loss, slack=0.05)
_SAME_ERROR = Quality("error on new rows", _error, slack=0.02)


def _competitors(kind: str, epochs: int, model: str = "Epochs", **asked: Any) -> tuple[Competitor, ...]:
    shared = {**asked, "max_iter": epochs}
    return (
        Competitor("certus", f"{_MODELS}{model}", {"path": f"certus.neural.{kind}", **shared, "n_jobs": THREADS}),
        Competitor("scikit-learn", f"{_MODELS}{model}", {"path": f"sklearn.neural_network.{kind}", **shared}),
    )


def _task(name: str, about: str, make: Any, competitors: tuple[Competitor, ...], **more: Any) -> Task:
    size = more.pop("size")
    given = {"action": "fit", "quality": _SAME_LOSS, "quick_size": {**size, "n": 300}, **more}
    return Task(name=name, about=about, make_data=make, size=size, competitors=competitors, **given)


_CLOUDS = partial(data.clusters, classes=26, queries=10)

TASKS = (
    _task(
        "26-classes",
        "100 hidden units, batches of 200, 20 epochs",
        _CLOUDS,
        _competitors("MLPClassifier", 20, hidden_layer_sizes=(100,)),
        size={"n": 15_000, "d": 16},
    ),
    _task(
        "two-classes",
        "64 hidden units, batches of 200, 10 epochs",
        partial(data.clusters, classes=2, queries=10),
        _competitors("MLPClassifier", 10, hidden_layer_sizes=(64,)),
        size={"n": 80_000, "d": 29},
    ),
    _task(
        "surface",
        "regression, 64 and 32 hidden units, batches of 200, 5 epochs",
        partial(data.smooth_surface, queries=10),
        _competitors("MLPRegressor", 5, hidden_layer_sizes=(64, 32)),
        size={"n": 260_000, "d": 12},
    ),
    _task(
        "wide",
        "512 and 512 hidden units, batches of 512, 3 epochs",
        partial(data.clusters, classes=10, queries=10),
        _competitors("MLPClassifier", 3, hidden_layer_sizes=(512, 512), batch_size=512),
        size={"n": 50_000, "d": 100},
    ),
    _task(
        "sparse",
        "64 hidden units on a sparse table, batches of 200, 3 epochs",
        data.sparse_labels,
        _competitors("MLPClassifier", 3, "SparseEpochs", hidden_layer_sizes=(64,)),
        size={"n": 11_000, "d": 22_000},
        quick_size={"n": 300, "d": 500, "density": 0.02},
    ),
    _task(
        "lbfgs-digits",
        "100 hidden units, 100 iterations of L-BFGS",
        data.digits,
        _competitors("MLPClassifier", 100, hidden_layer_sizes=(100,), solver="lbfgs"),
        size={},
        quick_size={},
    ),
    _task(
        "predict",
        "a million rows through 100 hidden units",
        partial(data.clusters, classes=2),
        _competitors("MLPClassifier", 3, hidden_layer_sizes=(100,)),
        size={"n": 20_000, "d": 50, "queries": 1_000_000},
        quick_size={"n": 300, "d": 5, "queries": 300},
        action="predict",
        quality=_SAME_ERROR,
    ),
    _task(
        "predict-one",
        "one row through 100 hidden units",
        partial(data.clusters, classes=2),
        _competitors("MLPClassifier", 3, hidden_layer_sizes=(100,)),
        size={"n": 20_000, "d": 50, "queries": 1},
        quick_size={"n": 300, "d": 5, "queries": 1},
        action="predict_one",
        quality=_SAME_ERROR,
    ),
)
