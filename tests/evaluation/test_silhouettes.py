"""Silhouettes: the definition, the numbers of the notes, and intervals that contain the mean."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import make_blobs

from certus.evaluation import silhouette_bound, silhouette_samples, silhouette_score
from certus.geometry import pairwise_distances
from certus.guarantees import CertificateError


def plain(distances: np.ndarray, labels: np.ndarray, *, own: bool = False) -> np.ndarray:
    """One row after the other, as the definition says."""
    found = []
    for i, label in enumerate(labels):
        mine = labels == label
        if mine.sum() == 1:
            found.append(0.0)
            continue
        a = distances[i, mine].sum() / (mine.sum() - (not own))
        b = min(distances[i, labels == other].mean() for other in set(labels) - {label})
        found.append((b - a) / max(a, b) if max(a, b) > 0 else 0.0)
    return np.array(found)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine", "canberra"])
@pytest.mark.parametrize("own", [False, True])
def test_silhouettes_are_those_of_the_definition(metric: str, own: bool) -> None:
    rng = np.random.default_rng(0)
    X, labels = rng.normal(size=(80, 3)), rng.integers(0, 4, 80)
    labels[7] = 9  # alone
    distances = pairwise_distances(X, metric=metric)
    found = silhouette_samples(X, labels, metric=metric, including_self=own)
    assert_allclose(found, plain(distances, labels, own=own), atol=1e-12)
    assert_allclose(silhouette_samples(distances, labels, metric="precomputed", including_self=own), found, atol=1e-12)
    assert silhouette_score(X, labels, metric=metric, including_self=own) == pytest.approx(found.mean())


def test_numbers_of_the_notes() -> None:
    X, labels = [[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1]
    assert silhouette_score(X, labels) == pytest.approx(0.899749, abs=1e-6)
    assert silhouette_score(X, labels, including_self=True) == pytest.approx(0.949875, abs=1e-6)


def test_the_interval_contains_the_mean_as_often_as_it_says() -> None:
    X, _ = make_blobs(150, 2, centers=3, cluster_std=3.0, random_state=0)
    labels = (X[:, 0] > 0).astype(int)
    values = silhouette_samples(X, labels)
    inside = []
    for seed in range(200):
        low, high = silhouette_bound(X, labels, rows=60, confidence=0.8, seed=seed).value
        inside.append(low <= values.mean() <= high)
        assert high - low < 1.0
    assert np.mean(inside) >= 0.75
    # rows of one cluster only would be another sample, and be caught
    biased = [np.mean(np.random.default_rng(seed).choice(np.sort(values)[75:], 60)) for seed in range(50)]
    assert all(mean > high for mean in biased)


def test_the_interval_is_checked_against_the_rows() -> None:
    X, labels = make_blobs(300, 2, centers=3, random_state=0)
    certificate = silhouette_bound(X, labels, rows=500)
    assert certificate.kind == "probable"
    assert certificate.check()
    assert certificate.check((X, labels))
    with pytest.raises(CertificateError, match="other silhouettes"):
        certificate.check((X, np.roll(labels, 1)))


def test_what_cannot_be_is_said() -> None:
    X = np.arange(6.0)[:, None]
    for labels in (np.zeros(6), np.arange(6)):
        with pytest.raises(ValueError, match=r"Valid values are 2 to n_samples - 1 \(inclusive\)"):
            silhouette_score(X, labels)
    with pytest.raises(ValueError, match="non-zero elements on the diagonal"):
        silhouette_score(np.ones((4, 4)), [0, 0, 1, 1], metric="precomputed")
    with pytest.raises(ValueError, match="rows"):
        silhouette_bound(X, [0, 0, 0, 1, 1, 1], rows=0)
    assert silhouette_score(np.zeros((4, 1)), [0, 0, 1, 1]) == 0.0
