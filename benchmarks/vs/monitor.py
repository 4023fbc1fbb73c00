"""Drift alarms against MAPIE's RiskMonitoring and river's ADWIN: rows until the alarm, and false alarms.

Every competitor knows the same reference, 1000 rows with 50 errors, and then watches streams of 0/1 losses, one
stream per row of the table; it says at which row it alarms first. The level of false alarms is 5 % over a whole
stream, as far as the competitor lets itself be told: ADWIN's delta is the level of one of its many tests, and is given
as 0.05 and as its default 0.002. ADWIN sees the reference as the beginning of the stream, and only alarms after it
count. The time is that of all streams together.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.measure.task import Data, Quality, Task
from benchmarks.peers.conformal_models import Library

_SEED = 20240301
_LEVEL = 0.05
_REFERENCE = 1000


def _streams(streams: int, rows: int, rate: float, before: int = 0) -> Data:
    """Streams whose error is 5 % in the first `before` rows and `rate` after them."""
    rng = np.random.default_rng(_SEED)
    rates = np.where(np.arange(rows) < before, 0.05, rate)
    reference = rng.permutation(np.arange(_REFERENCE) < 50).astype(float)
    return {"X": (rng.random((streams, rows)) < rates).astype(float), "y": reference, "before": np.array([before])}


class _PerStream:
    """Calls `first` for every stream; one without alarm counts as if it had come one row after the end."""

    def fit(self, X: np.ndarray, y: np.ndarray) -> "_PerStream":
        self.alarms = np.array([self.first(stream, y) or X.shape[1] + 1 for stream in X])
        return self


class CertusMonitor(_PerStream):
    def first(self, stream: np.ndarray, reference: np.ndarray) -> int | None:
        import certus

        watch = certus.monitor(errors=int(reference.sum()), rows=len(reference), confidence=1 - _LEVEL)
        return watch.update(losses=stream).alarm_row


class MapieMonitor(_PerStream):
    def first(self, stream: np.ndarray, reference: np.ndarray) -> int | None:
        from mapie.exchangeability_testing import RiskMonitoring

        watch = RiskMonitoring("accuracy", test_level=_LEVEL, tolerance=0.0, warn=False)
        watch.compute_threshold(np.zeros(len(reference), dtype=int), reference.astype(int))
        watch.update(np.zeros(len(stream), dtype=int), stream.astype(int))
        above = np.flatnonzero(watch.online_risk_lower_bound_sequence_history > watch.threshold)
        return int(above[0]) + 1 if above.size else None


@dataclass
class RiverAdwin(_PerStream):
    delta: float

    def first(self, stream: np.ndarray, reference: np.ndarray) -> int | None:
        from river.drift import ADWIN

        detector = ADWIN(delta=self.delta)
        for loss in reference:
            detector.update(float(loss))
        for row, loss in enumerate(stream, start=1):
            detector.update(float(loss))
            if detector.drift_detected:
                return row
        return None


def _delay(model: Any, _prediction: Any, made: Data) -> float:
    """Median number of rows from the drift to the alarm, over streams that did not alarm before it."""
    after = model.alarms - made["before"][0]
    return float(np.median(after[after > 0]))


def _false_alarms(model: Any, _prediction: Any, made: Data) -> float:
    return float(np.mean(model.alarms <= made["X"].shape[1]))


def _competitor(name: str, adapter: str, **parameters: Any) -> Library:
    return Library(name, f"{__name__}.{adapter}", parameters, library=name.split("-")[0])


_EVERYBODY = (
    _competitor("certus", "CertusMonitor"),
    _competitor("mapie", "MapieMonitor"),
    _competitor("river-adwin-0.05", "RiverAdwin", delta=_LEVEL),
    _competitor("river-adwin-0.002", "RiverAdwin", delta=0.002),
)


def _drift_task(name: str, about: str, wanted: float | None = None, **size: Any) -> Task:
    return Task(
        name=name,
        about=about,
        action="fit",
        make_data=_streams,
        size=size,
        quick_size={**size, "streams": 10, "rows": 300, "before": size.get("before", 0) and 100},
        quality=Quality("median rows until the alarm", _delay, wanted=wanted),
        competitors=_EVERYBODY,
    )


_STATIONARY = {"streams": 300, "rows": 500, "rate": 0.05}

# MAPIE takes a fifth of a millisecond per row, which limits the number of streams.
TASKS = (
    _drift_task("drift-10", "error rises from 5 % to 10 %", streams=60, rows=1500, rate=0.10),
    _drift_task("drift-15", "error rises from 5 % to 15 %", 70.0, streams=120, rows=900, rate=0.15),
    _drift_task("drift-20", "error rises from 5 % to 20 %", streams=120, rows=500, rate=0.20),
    _drift_task(
        "late-15", "error rises from 5 % to 15 % after 1500 rows", streams=40, rows=2700, rate=0.15, before=1500
    ),
    Task(
        name="false-alarms",
        about="error stays at 5 % for 500 rows: share of streams with an alarm",
        action="fit",
        make_data=_streams,
        size=_STATIONARY,
        quick_size={**_STATIONARY, "streams": 20, "rows": 200},
        quality=Quality(
            "share of false alarms",
            _false_alarms,
            wanted=_LEVEL + 4 * math.sqrt(_LEVEL * (1 - _LEVEL) / _STATIONARY["streams"]),
        ),
        competitors=_EVERYBODY,
    ),
)
