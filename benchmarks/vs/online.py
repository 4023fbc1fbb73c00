"""Learners of streams against scikit-learn and river: one pass over the rows, accounts kept."""

from functools import partial
from typing import Any

import numpy as np

from benchmarks.measure.task import Competitor, Data, Quality, Task
from benchmarks.problems import stream_data

ONE_PASS = "benchmarks.peers.stream_models.OnePass"
ONE_BY_ONE = "benchmarks.peers.stream_models.OneByOne"
RIVER = "benchmarks.peers.stream_models.RiverBatches"
VOWPAL = "benchmarks.peers.stream_models.VowpalWabbit"
SGD = "sklearn.linear_model.SGDClassifier"


def _accuracy(_model: Any, prediction: Any, given: Data) -> float:
    return float(np.mean(np.asarray(prediction).astype(int) == given["y_test"]))


def _task(name: str, about: str, make_data: Any, n: int, competitors: tuple[Competitor, ...], slack: float) -> Task:
    return Task(
        name=name,
        about=about,
        action="fit_predict",
        make_data=make_data,
        size={"n": n},
        quick_size={"n": min(n, 20_000)},
        quality=Quality("accuracy afterwards", _accuracy, lower_is_better=False, slack=slack),
        competitors=competitors,
    )


def _logistic(n: int, d: int) -> Task:
    return _task(
        f"logistic-{n}x{d}",
        "logistic regression, one pass",
        partial(stream_data.dense, d=d),
        n,
        (
            Competitor("certus", ONE_PASS, {"path": "certus.online.OGDClassifier"}),
            Competitor("scikit-learn", ONE_PASS, {"path": SGD, "batch": 10_000, "loss": "log_loss"}),
            Competitor("river", RIVER, {"batch": 1000}),
            Competitor("Vowpal Wabbit", VOWPAL),
        ),
        0.003,
    )


TASKS = (
    _logistic(1_000_000, 30),
    _logistic(160_000, 39),
    _task(
        "perceptron-1000000x30",
        "perceptron, one pass",
        partial(stream_data.dense, d=30),
        1_000_000,
        (
            Competitor("certus", ONE_PASS, {"path": "certus.online.OnlinePerceptron"}),
            Competitor("scikit-learn", ONE_PASS, {"path": "sklearn.linear_model.Perceptron", "batch": 1_000_000}),
        ),
        0.1,
    ),
    _task(
        "batches-of-32",
        "logistic regression in batches of 32 rows",
        partial(stream_data.dense, d=30),
        64_000,
        (
            Competitor("certus", ONE_PASS, {"path": "certus.online.OGDClassifier", "batch": 32}),
            Competitor("scikit-learn", ONE_PASS, {"path": SGD, "batch": 32, "loss": "log_loss"}),
        ),
        0.003,
    ),
    _task(
        "hashed-rows",
        "logistic regression on 2^18 columns, 30 of them in a row",
        stream_data.hashed,
        1_000_000,
        (
            Competitor("certus", ONE_PASS, {"path": "certus.online.OGDClassifier"}),
            Competitor("scikit-learn", ONE_PASS, {"path": SGD, "batch": 10_000, "loss": "log_loss"}),
            Competitor("Vowpal Wabbit", VOWPAL),
        ),
        0.01,
    ),
    _task(
        "one-by-one",
        "logistic regression, dict after dict of 30 names",
        partial(stream_data.dense, d=30),
        50_000,
        (
            Competitor("certus", ONE_BY_ONE, {"path": "certus.online.OGDClassifier"}),
            Competitor("river", ONE_BY_ONE, {"path": "river.linear_model.LogisticRegression"}),
        ),
        0.05,
    ),
)
