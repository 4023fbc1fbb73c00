"""What is timed. Each action prepares outside the clock and returns the call that is put under it.

The call returns the fitted model and its prediction (None where nothing is predicted).
"""

from collections.abc import Callable
from typing import Any

from benchmarks.measure.task import Data

Call = Callable[[], tuple[Any, Any]]
Build = Callable[[], Any]


def fit(build: Build, data: Data) -> Call:
    return lambda: (build().fit(data["X"], data["y"]), None)


def fit_predict(build: Build, data: Data) -> Call:
    def call() -> tuple[Any, Any]:
        model = build().fit(data["X"], data["y"])
        return model, model.predict(data["X_test"])

    return call


def predict(build: Build, data: Data) -> Call:
    model = build().fit(data["X"], data["y"])
    return lambda: (model, model.predict(data["X_test"]))


def predict_one(build: Build, data: Data) -> Call:
    """Latency of a single row; the quality is then measured on that row only."""
    model = build().fit(data["X"], data["y"])
    row = data["X_test"][:1]
    return lambda: (model, model.predict(row))
