"""k-means against scikit-learn and its accelerator."""

from functools import partial
from typing import Any

from benchmarks.measure.task import Competitor, Data, Quality, Task
from benchmarks.problems import data


def _relative_cost(model: Any, _prediction: Any, given: Data) -> float:
    """The cost of the clustering over that of one cluster."""
    X = given["X"]
    return float(model.inertia_) / float(((X - X.mean(axis=0)) ** 2).sum())


# Starts differ, so that the ends do: the best of four starts, and one percent is equal.
_COST = Quality("cost over that of one cluster", _relative_cost, slack=0.01)


def _competitors(clusters: int) -> tuple[Competitor, ...]:
    asked = {"n_clusters": clusters, "n_init": 4, "random_state": 0}
    return (
        Competitor("certus", "certus.cluster.KMeans", asked),
        Competitor("scikit-learn", "sklearn.cluster.KMeans", asked),
        Competitor("scikit-learn-intelex", "sklearnex.cluster.KMeans", asked),
    )


def _task(name: str, about: str, clusters: int, **size: Any) -> Task:
    return Task(
        name=name,
        about=about,
        action="fit",
        make_data=partial(data.clusters, classes=2, queries=10),
        size=size,
        quick_size={"n": 1_000, "d": 4},
        quality=_COST,
        competitors=_competitors(clusters),
    )


TASKS = (
    _task("k-means-tall", "KMeans, 10 of 50 overlapping clouds", 10, n=200_000, d=20, spread=2.0),
    _task("k-means-many", "KMeans, 100 clusters", 100, n=50_000, d=10, spread=2.0),
    _task("k-means-small", "KMeans on a small table", 5, n=500, d=10),
)
