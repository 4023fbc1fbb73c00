"""Draw the pictures of docs/clustering.md: python -m docs.pages.clustering_pictures."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from certus.cluster import AgglomerativeClustering, KMeans
from certus.evaluation import DendrogramDisplay, Display, RegionsDisplay, SilhouetteDisplay
from certus.neighbors import KNeighborsClassifier

FOLDER = Path(__file__).parents[1] / "pictures"


def clouds(rows: int = 60) -> tuple[np.ndarray, np.ndarray]:
    """Three overlapping clouds, and which one each row is from."""
    rng = np.random.default_rng(0)
    middles = np.repeat([[0.0, 0.0], [3.0, 0.0], [1.0, 3.0]], rows // 3, axis=0)
    return middles + rng.normal(size=(rows, 2)), np.repeat([0, 1, 2], rows // 3)


def cells() -> Display:
    """Voronoi cells of few and of many centers."""
    X, _ = clouds()
    return RegionsDisplay.from_estimator({f"{k} centers": KMeans(k, random_state=0).fit(X) for k in (3, 8)}, X, grid=60)


def votes() -> Display:
    """Regions of one and of many neighbors."""
    X, y = clouds()
    return RegionsDisplay.from_estimator({f"k = {k}": KNeighborsClassifier(k).fit(X, y) for k in (1, 15)}, X, grid=60)


def silhouettes() -> Display:
    """Silhouettes of three clusters."""
    X, _ = clouds(120)
    return SilhouetteDisplay.from_estimator(KMeans(3, random_state=0).fit(X), X)


def tree() -> Display:
    """A tree of merges."""
    X, _ = clouds(30)
    return DendrogramDisplay.from_estimator(AgglomerativeClustering(3).fit(X))


PICTURES: dict[str, Callable[[], Display]] = {
    "voronoi-cells": cells,
    "neighbor-votes": votes,
    "silhouettes": silhouettes,
    "dendrogram": tree,
}


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, draw in PICTURES.items():
        (FOLDER / f"{name}.svg").write_text(draw().svg() + "\n", encoding="utf-8")
