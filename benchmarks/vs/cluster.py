"""Clusterings against scikit-learn, its accelerator, fastcluster, kmedoids and hdbscan."""

from functools import partial
from typing import Any

import numpy as np

from benchmarks.measure.task import THREADS, Competitor, Data, Quality, Task
from benchmarks.problems import data

_PEERS = "benchmarks.peers.cluster_models."


def _relative_cost(model: Any, _prediction: Any, given: Data) -> float:
    """The cost of the clustering over that of one cluster."""
    X = given["X"]
    return float(model.inertia_) / float(((X - X.mean(axis=0)) ** 2).sum())


def _mean_distance(model: Any, _prediction: Any, given: Data) -> float:
    return float(model.inertia_) / len(given["X"])


def _mean_height(model: Any, _prediction: Any, _given: Data) -> float:
    heights = getattr(model, "linkage_matrix_", None)
    return float(np.mean(model.distances_ if heights is None else heights[:, 2]))


def _noise(model: Any, _prediction: Any, _given: Data) -> float:
    return float(np.mean(np.asarray(model.labels_) < 0))


def _cut(model: Any, _prediction: Any, _given: Data) -> float:
    """The normalized cut of the labels."""
    between = np.array(model.affinity_matrix_, dtype=float)
    np.fill_diagonal(between, 0.0)
    members = np.eye(int(model.labels_.max()) + 1)[model.labels_]
    inside = np.einsum("ik,ik->k", members, between @ members)
    volumes = members.T @ between.sum(axis=1)
    return float(((volumes - inside) / volumes).sum())


def _silhouette(model: Any, _prediction: Any, _given: Data) -> float:
    return float(model.silhouette_)


# Starts differ, so that the ends do: the best of four starts, and one percent is equal.
_COST = Quality("cost over that of one cluster", _relative_cost, slack=0.01)
_SAME_COST = Quality("cost over that of one cluster", _relative_cost, slack=1e-6)
_QUICK = {"n": 1_000, "d": 4}


def _task(name: str, about: str, competitors: tuple[Competitor, ...], quality: Quality, **size: Any) -> Task:
    return Task(
        name=name,
        about=about,
        action="fit",
        make_data=partial(data.clusters, classes=2, queries=10),
        size=size,
        quick_size=_QUICK,
        quality=quality,
        competitors=competitors,
    )


def _best_of_starts(clusters: int) -> tuple[Competitor, ...]:
    asked = {"n_clusters": clusters, "n_init": 4, "random_state": 0}
    return (
        Competitor("certus", "certus.cluster.KMeans", asked),
        Competitor("scikit-learn", "sklearn.cluster.KMeans", asked),
        Competitor("scikit-learn-intelex", "sklearnex.cluster.KMeans", asked),
    )


def _started(clusters: int) -> tuple[Competitor, ...]:
    places = {
        "certus": "certus.cluster.KMeans",
        "scikit-learn": "sklearn.cluster.KMeans",
        "scikit-learn-intelex": "sklearnex.cluster.KMeans",
    }
    return tuple(
        Competitor(name, f"{_PEERS}StartedKMeans", {"path": path, "clusters": clusters})
        for name, path in places.items()
    )


def _trees(linkage: str) -> tuple[Competitor, ...]:
    found = [
        Competitor("certus", "certus.cluster.AgglomerativeClustering", {"linkage": linkage, "n_clusters": 10}),
        Competitor(
            "scikit-learn",
            "sklearn.cluster.AgglomerativeClustering",
            {"linkage": linkage, "n_clusters": 10, "compute_distances": True},
        ),
        Competitor("fastcluster, all distances", f"{_PEERS}LinkedTree", {"linkage": linkage}),
    ]
    if linkage in ("ward", "single"):
        found.append(Competitor("fastcluster, rows", f"{_PEERS}LinkedTree", {"linkage": linkage, "of_rows": True}))
    return tuple(found)


def _namesakes(name: str, options: dict[str, Any], *others: Competitor) -> tuple[Competitor, ...]:
    return (
        Competitor("certus", f"certus.cluster.{name}", options),
        Competitor("scikit-learn", f"sklearn.cluster.{name}", options),
        *others,
    )


# One of rows, columns and clusters grows, the others stay.
_GROWING = (
    (10_000, 8, 20),
    (100_000, 8, 20),
    (1_000_000, 8, 20),
    (100_000, 2, 20),
    (100_000, 64, 20),
    (100_000, 8, 200),
)
_LINKED = Quality("mean height of the merges", _mean_height, slack=1e-6)
_STARTED = ((50, 200_000, 32), (1_000, 100_000, 32), (50, 731_682, 8), (26, 20_000, 16))
TASKS = (
    _task(
        "k-means-tall", "KMeans, 10 of 50 overlapping clouds", _best_of_starts(10), _COST, n=200_000, d=20, spread=2.0
    ),
    _task("k-means-many", "KMeans, 100 clusters", _best_of_starts(100), _COST, n=50_000, d=10, spread=2.0),
    _task("k-means-small", "KMeans on a small table", _best_of_starts(5), _COST, n=500, d=10),
    *(
        _task(f"lloyd-{n}x{d}-{k}", f"KMeans, {k} clusters, same start and rounds", _started(k), _SAME_COST, n=n, d=d)
        for k, n, d in _STARTED
    ),
    *(
        _task(f"scaling-{n}x{d}-{k}", f"KMeans, growing tables, {k} clusters", _started(k), _SAME_COST, n=n, d=d)
        for n, d, k in _GROWING
    ),
    *(
        _task(f"{linkage}-{n}x{d}", f"hierarchy, {linkage} linkage", _trees(linkage), _LINKED, n=n, d=d)
        for linkage, n, d in (
            ("ward", 2_500, 8),
            ("ward", 10_000, 8),
            ("ward", 1_797, 64),
            ("average", 10_000, 8),
            ("single", 10_000, 8),
            ("complete", 10_000, 8),
        )
    ),
    _task(
        "silhouette",
        "mean silhouette",
        tuple(
            Competitor(name, f"{_PEERS}Silhouette", {"path": f"{module}.silhouette_score"})
            for name, module in (("certus", "certus.evaluation"), ("scikit-learn", "sklearn.metrics"))
        ),
        Quality("mean silhouette", _silhouette, lower_is_better=False, slack=1e-9),
        n=20_000,
        d=32,
    ),
    _task(
        "dbscan",
        "DBSCAN",
        _namesakes("DBSCAN", {"eps": 0.3, "min_samples": 10, "n_jobs": THREADS}),
        Quality("fraction of noise", _noise, slack=1e-3),
        n=50_000,
        d=3,
    ),
    _task(
        "hdbscan",
        "HDBSCAN",
        _namesakes(
            "HDBSCAN",
            {"min_cluster_size": 50, "n_jobs": THREADS},
            Competitor("hdbscan", "hdbscan.HDBSCAN", {"min_cluster_size": 50, "core_dist_n_jobs": THREADS}),
        ),
        Quality("fraction of noise", _noise, slack=0.02),
        n=20_000,
        d=3,
    ),
    _task(
        "medoids",
        "KMedoids, 26 medoids, the matrix of distances included",
        (
            Competitor("certus", "certus.cluster.KMedoids", {"n_clusters": 26, "n_init": 1, "bound_effort": 0}),
            Competitor("kmedoids", f"{_PEERS}FasterPAM", {"clusters": 26, "threads": THREADS}),
        ),
        Quality("mean distance to the medoid", _mean_distance, slack=0.02),
        n=4_000,
        d=16,
    ),
    _task(
        "spectral",
        "SpectralClustering, ten parts; ours with its bound",
        _namesakes("SpectralClustering", {"n_clusters": 10, "gamma": 1e-3, "random_state": 0, "n_jobs": THREADS}),
        Quality("normalized cut", _cut, slack=0.01),
        n=4_649,
        d=256,
    ),
)
