"""Naive Bayes against scikit-learn."""

from functools import partial

from benchmarks.measure.task import Competitor, Task
from benchmarks.problems import data, predictions

_COMPETITORS = (
    Competitor("certus", "certus.bayes.GaussianNB"),
    Competitor("scikit-learn", "sklearn.naive_bayes.GaussianNB"),
)
_CLOUDS = partial(data.clusters, classes=10, spread=3.0)
_ACCURACY = predictions.accuracy(slack=1e-3)

TASKS = (
    Task(
        name="gaussian-tall",
        about="GaussianNB, ten classes",
        action="fit_predict",
        make_data=_CLOUDS,
        size={"n": 500_000, "d": 50, "queries": 100_000},
        quick_size={"n": 2_000, "d": 10, "queries": 500},
        quality=_ACCURACY,
        competitors=_COMPETITORS,
    ),
    Task(
        name="gaussian-breast-cancer",
        about="GaussianNB on a small table",
        action="fit_predict",
        make_data=data.breast_cancer,
        quality=_ACCURACY,
        competitors=_COMPETITORS,
    ),
    Task(
        name="gaussian-one-row",
        about="GaussianNB, prediction of a single row",
        action="predict_one",
        make_data=data.breast_cancer,
        quality=_ACCURACY,
        competitors=_COMPETITORS,
    ),
)
