"""How many clusters? A score for every number, and the number that it favors."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array

from certus.base import OneOf, check_parameters, resolve_seed
from certus.base.inputs import RandomStateLike, TableLike
from certus.cluster.k_means import KMeans
from certus.evaluation import silhouette_score

Floats = NDArray[np.float64]
STARTS, REFERENCES = 4, 10
SHARE = 0.05  # of the cost of the fewest clusters, which another one has to save under "penalty"
METHODS = ("silhouette", "elbow", "gap", "penalty", "bic")


@dataclass(frozen=True)
class ClusterChoice:
    """A number of clusters and why.

    Parameters
    ----------
    n_clusters : int
        The number.
    scores : dict of int to float
        The score of every number that was tried.
    model : KMeans
        The fitted model with that number.
    method : str
        How it was chosen.
    reason : str
        The same as a sentence.
    """

    n_clusters: int
    scores: dict[int, float]
    model: KMeans
    method: str
    reason: str

    def __str__(self) -> str:
        rows = [f"{k:>8}  {score:>12.6g}{'  *' if k == self.n_clusters else ''}" for k, score in self.scores.items()]
        return "\n".join([f"clusters  {self.method:>12}", *rows, self.reason])

    def plot(self, ax: Any = None) -> Any:
        """Draw the scores; returns the axes."""
        if ax is None:
            import matplotlib.pyplot as plt

            ax = plt.subplots()[1]
        ax.plot(list(self.scores), list(self.scores.values()), marker="o")
        ax.axvline(self.n_clusters, linestyle="--", color="gray")
        ax.set_xlabel("clusters")
        ax.set_ylabel(self.method)
        return ax


def choose_clusters(
    X: TableLike,
    clusters: Iterable[int] = range(2, 11),
    *,
    method: str = "silhouette",
    random_state: RandomStateLike = None,
) -> ClusterChoice:
    """Choose the number of clusters of k-means.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows.
    clusters : iterable of int, default=range(2, 11)
        Numbers to try.
    method : {"silhouette", "elbow", "gap", "penalty", "bic"}, default="silhouette"
        The highest mean silhouette; the cost farthest below the chord from the first to the last; the least number
        whose gap to the logarithm of the cost of uniform rows is within one standard error of the next (Tibshirani,
        Walther and Hastie 2001); the least J + lambda K, with lambda a twentieth of the cost of the fewest clusters;
        the highest BIC of spherical Gaussians of one variance (Pelleg and Moore 2000).
    random_state : int, RandomState, Generator or None, default=None
        Seed of all starts and reference tables.

    Returns
    -------
    ClusterChoice
        ``n_clusters``, ``scores``, ``model`` and ``reason``; ``plot()`` draws the scores.

    Examples
    --------
    >>> from certus.cluster import choose_clusters
    >>> X = [[x + dx] for x in (0.0, 20.0, 40.0) for dx in (0.0, 0.5, 1.0, 1.5)]
    >>> choose_clusters(X, range(2, 6), random_state=0).n_clusters
    3
    """
    check_parameters("choose_clusters", {"method": [OneOf(*METHODS)]}, {"method": method})
    table = check_array(X, dtype=np.float64)
    tried = sorted({int(k) for k in clusters})
    most = len(table) - 1 if method == "silhouette" else len(table)
    if not tried or tried[0] < (2 if method == "silhouette" else 1) or tried[-1] > most:
        raise ValueError(
            f"clusters must be numbers from {2 if method == 'silhouette' else 1} to {most} for these rows and "
            f"method={method!r}, got {tried}."
        )
    seed = int(random_state) if isinstance(random_state, int | np.integer) else resolve_seed(random_state) % 2**32
    models = {k: _fitted(table, k, seed) for k in tried}
    costs = np.array([models[k].inertia_ for k in tried])
    scores, best, reason = _SCORES[method](table, tried, models, costs, seed)
    kept = dict(zip(tried, (float(score) for score in scores), strict=True))
    return ClusterChoice(tried[best], kept, models[tried[best]], method, reason.format(tried[best]))


def _fitted(X: Floats, clusters: int, seed: int) -> KMeans:
    return KMeans(clusters, n_init=STARTS, random_state=seed).fit(X)


def _silhouette(X: Floats, tried: list[int], models: Any, costs: Floats, seed: int) -> tuple[Any, int, str]:  # noqa: ARG001
    scores = [silhouette_score(X, models[k].labels_) for k in tried]
    return scores, int(np.argmax(scores)), "{} clusters have the highest mean silhouette."


def _elbow(X: Floats, tried: list[int], models: Any, costs: Floats, seed: int) -> tuple[Any, int, str]:  # noqa: ARG001
    if len(tried) < 3:
        return costs, 0, "{} clusters: a bend needs three numbers at least."
    across = (np.array(tried, dtype=float) - tried[0]) / (tried[-1] - tried[0])
    drop = costs[0] - costs[-1]
    down = (costs - costs[-1]) / drop if drop > 0.0 else np.zeros(len(costs))
    return (
        costs,
        int(np.argmax(1.0 - across - down)),
        "At {} clusters the cost is farthest below the chord of its curve.",
    )


def _gap(X: Floats, tried: list[int], models: Any, costs: Floats, seed: int) -> tuple[Any, int, str]:  # noqa: ARG001
    rng = np.random.default_rng([seed, 1])
    low, high = X.min(axis=0), X.max(axis=0)
    tables = [rng.uniform(low, high, size=X.shape) for _ in range(REFERENCES)]
    tiny = np.finfo(np.float64).tiny
    logs = np.log([[max(_fitted(table, k, seed).inertia_, tiny) for k in tried] for table in tables])
    gaps = logs.mean(axis=0) - np.log(np.maximum(costs, tiny))
    errors = logs.std(axis=0) * np.sqrt(1.0 + 1.0 / REFERENCES)
    enough = np.flatnonzero(gaps[:-1] >= gaps[1:] - errors[1:])
    best = int(enough[0]) if len(enough) else int(np.argmax(gaps))
    return gaps, best, "{} clusters are the fewest whose gap to uniform rows the next number does not clearly exceed."


def _penalty(X: Floats, tried: list[int], models: Any, costs: Floats, seed: int) -> tuple[Any, int, str]:  # noqa: ARG001
    price = SHARE * costs[0]
    scores = costs + price * np.array(tried)
    return scores, int(np.argmin(scores)), f"{{}} clusters have the least cost plus {price:.4g} per cluster."


def _bic(X: Floats, tried: list[int], models: Any, costs: Floats, seed: int) -> tuple[Any, int, str]:  # noqa: ARG001
    rows, columns = X.shape
    scores = []
    for k, cost in zip(tried, costs, strict=True):
        variance = max(cost / (columns * max(1, rows - k)), np.finfo(np.float64).tiny)
        sizes = np.bincount(models[k].labels_, minlength=k)
        sizes = sizes[sizes > 0]
        likelihood = float(sizes @ np.log(sizes / rows)) - rows * columns / 2.0 * np.log(2.0 * np.pi * variance)
        likelihood -= cost / (2.0 * variance)
        scores.append(likelihood - (k - 1 + k * columns + 1) / 2.0 * np.log(rows))
    return scores, int(np.argmax(scores)), "{} clusters have the highest BIC of spherical Gaussians."


_SCORES = {"silhouette": _silhouette, "elbow": _elbow, "gap": _gap, "penalty": _penalty, "bic": _bic}
