"""Conformal intervals against MAPIE and crepes: equal validity first, then width, then time."""

import math
from typing import Any

import numpy as np

from benchmarks.measure.task import Data, Quality, Task
from benchmarks.peers.conformal_models import Library
from benchmarks.problems import data

_LEVEL = 0.9
_SEED = 20240229


def _predictions(n: int, queries: int) -> Data:
    """Predictions that are off by a normal error."""
    rng = np.random.default_rng(_SEED)
    X = 10.0 * rng.standard_normal((n + queries, 1))
    y = X[:, 0] + rng.standard_normal(n + queries)
    return {"X": X[:n], "y": y[:n], "X_test": X[n:], "y_test": y[n:]}


def _samples(repeats: int, rows: int) -> Data:
    """Many small samples of residuals, uniform on [-1, 1]: the half-width of an interval is its coverage."""
    rng = np.random.default_rng(_SEED)
    y = rng.uniform(-1.0, 1.0, size=(repeats, rows))
    return {"X": np.zeros((repeats, 1)), "y": y, "X_test": np.zeros((repeats, 1)), "y_test": np.zeros(repeats)}


def _linear(n: int, d: int, queries: int) -> Data:
    made = data.regression(n + queries, d)
    X, y = made["X"], made["y"]
    return {"X": X[:n], "y": y[:n], "X_test": X[n:], "y_test": y[n:]}


def _valid_width(_model: Any, interval: np.ndarray, made: Data) -> float:
    """Mean width, or infinity when the new rows show that coverage is short of the level."""
    y = made["y_test"]
    covered = np.mean((interval[:, 0] <= y) & (y <= interval[:, 1]))
    # Coverage also varies with the calibration set; its standard deviation is that of Beta(k, n + 1 - k).
    noise = math.sqrt(_LEVEL * (1 - _LEVEL) * (1 / len(y) + 1 / len(made["y"])))
    return float(np.mean(interval[:, 1] - interval[:, 0])) if covered >= _LEVEL - 4 * noise else math.inf


def _valid_average_width(_model: Any, interval: np.ndarray, _made: Data) -> float:
    """Mean width over all samples, or infinity when it shows that the average coverage is short of the level."""
    half = np.minimum(interval[:, 1], 1.0)
    valid = half.mean() >= _LEVEL - 4 * half.std() / math.sqrt(len(half))
    return float(2.0 * half.mean()) if valid else math.inf


_SPLIT = (
    Library("certus", "benchmarks.peers.conformal_models.CertusSplit", library="certus"),
    Library("mapie", "benchmarks.peers.conformal_models.MapieSplit", library="mapie"),
    Library("crepes", "benchmarks.peers.conformal_models.CrepesSplit", library="crepes"),
)
_SAMPLES = (
    Library("certus", "benchmarks.peers.conformal_models.certus_samples", library="certus"),
    Library("mapie", "benchmarks.peers.conformal_models.mapie_samples", library="mapie"),
    Library("crepes", "benchmarks.peers.conformal_models.crepes_samples", library="crepes"),
)


def _cross(cv: Any, rows: int) -> tuple[Library, ...]:
    ours = "leave-one-out" if cv == rows else cv
    return (
        Library("certus", "benchmarks.peers.conformal_models.CertusCross", {"cv": ours}, library="certus"),
        Library(
            "mapie",
            "benchmarks.peers.conformal_models.MapieCross",
            {"cv": cv, "our_folds": cv != rows},
            library="mapie",
        ),
    )


TASKS = (
    Task(
        name="split-million",
        about="a million calibration rows, intervals of 100 000 new rows",
        action="fit_predict",
        make_data=_predictions,
        size={"n": 1_000_000, "queries": 100_000},
        quick_size={"n": 2_000, "queries": 500},
        quality=Quality("width of valid intervals", _valid_width, slack=1e-6),
        competitors=_SPLIT,
    ),
    Task(
        name="split-small-samples",
        about="2000 calibration sets of 19 rows",
        action="fit_predict",
        make_data=_samples,
        size={"repeats": 2000, "rows": 19},
        quick_size={"repeats": 100, "rows": 19},
        quality=Quality("average width, if valid", _valid_average_width, slack=1e-6),
        competitors=_SAMPLES,
    ),
    Task(
        name="cv-plus",
        about="CV+ around linear regression, the same ten folds",
        action="fit_predict",
        make_data=_linear,
        size={"n": 2_000, "d": 20, "queries": 2_000},
        quick_size={"n": 200, "d": 5, "queries": 100},
        quality=Quality("width of valid intervals", _valid_width, slack=1e-6),
        competitors=_cross(10, 2_000),
    ),
    Task(
        name="jackknife-plus",
        about="jackknife+ around linear regression",
        action="fit_predict",
        make_data=_linear,
        size={"n": 300, "d": 10, "queries": 2_000},
        quick_size={"n": 300, "d": 5, "queries": 50},
        quality=Quality("width of valid intervals", _valid_width, slack=1e-6),
        competitors=_cross(300, 300),
    ),
)
