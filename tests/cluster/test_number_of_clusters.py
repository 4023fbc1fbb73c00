"""The number of clusters: every method finds three clouds, and scores are what they say."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.datasets import make_blobs

from certus.cluster import KMeans, choose_clusters
from certus.evaluation import silhouette_score

mpl.use("Agg")
X = make_blobs(150, 2, centers=[[0, 0], [12, 0], [0, 12]], cluster_std=1.0, random_state=0)[0]


@pytest.mark.parametrize("method", ["silhouette", "elbow", "gap", "penalty", "bic"])
def test_every_method_finds_separated_clouds(method: str) -> None:
    choice = choose_clusters(X, range(2, 8) if method == "silhouette" else range(1, 8), method=method, random_state=0)
    assert choice.n_clusters == choice.model.n_clusters == 3
    assert "3 clusters" in choice.reason
    assert set(choice.scores) == set(range(2, 8) if method == "silhouette" else range(1, 8))
    assert str(choice).count("*") == 1
    assert len(choice.plot().lines) == 2
    again = choose_clusters(X, choice.scores, method=method, random_state=0)
    assert again.scores == choice.scores


def test_scores_are_what_they_say() -> None:
    models = {k: KMeans(k, n_init=4, random_state=5).fit(X) for k in (1, 2, 3, 4)}
    costs = {k: model.inertia_ for k, model in models.items()}
    found = choose_clusters(X, (2, 3), random_state=5).scores
    assert found[3] == pytest.approx(silhouette_score(X, models[3].labels_))
    assert choose_clusters(X, (1, 2, 3), method="elbow", random_state=5).scores[2] == pytest.approx(costs[2])
    assert choose_clusters(X, (1, 4), method="penalty", random_state=5).scores[1] == pytest.approx(1.05 * costs[1])
    variance = costs[1] / (2 * 149)
    likelihood = -150 * np.log(2 * np.pi * variance) - costs[1] / (2 * variance)
    bic = choose_clusters(X, (1, 2), method="bic", random_state=5).scores[1]
    assert bic == pytest.approx(likelihood - 3 / 2 * np.log(150))


def test_one_cloud_has_no_clusters() -> None:
    cloud = np.random.default_rng(0).normal(size=(120, 2))
    assert choose_clusters(cloud, range(1, 6), method="gap", random_state=0).n_clusters == 1
    assert choose_clusters(cloud, range(1, 6), method="bic", random_state=0).n_clusters == 1


def test_what_cannot_be_is_said() -> None:
    with pytest.raises(ValueError, match="clusters must be numbers from 2 to 149"):
        choose_clusters(X, (1, 2))
    with pytest.raises(ValueError, match="clusters must be numbers from 1 to 150"):
        choose_clusters(X, (), method="gap")
    with pytest.raises(ValueError, match="method"):
        choose_clusters(X, method="eye")
