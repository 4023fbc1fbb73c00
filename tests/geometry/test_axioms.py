"""Checks of axioms: what they find is a contradiction, and they find the classical ones."""

from __future__ import annotations

import numpy as np
import pytest

from certus.geometry import check_metric, check_partition, check_similarity

X = np.random.default_rng(0).exponential(size=(300, 3))


@pytest.mark.parametrize("name", ["euclidean", "manhattan", "chebyshev", "canberra", "hamming"])
def test_metrics_hold(name: str) -> None:
    assert check_metric(name, X).holds
    assert check_metric(name, X, seed=3).axiom is None


@pytest.mark.parametrize(
    ("distance", "axiom", "size"),
    [
        (lambda x, y: float(((x - y) ** 2).sum()), "triangle", 3),
        (lambda x, y: float(np.abs(x[0] - y[0])), "identity", 2),
        (lambda x, y: 1.0, "identity", 1),
        (lambda x, y: float(np.maximum(x - y, 0).sum() + 1e-3 * (x != y).any()), "symmetry", 2),
        (lambda x, y: float((x - y).sum()), "nonnegativity", 2),
    ],
)
def test_what_is_no_metric_is_contradicted(distance: object, axiom: str, size: int) -> None:
    rows = X.copy()
    rows[1, 0] = rows[0, 0]
    found = check_metric(distance, rows[:40])
    assert (found.holds, found.axiom, len(found.witness)) == (False, axiom, size)
    if axiom == "triangle":
        x, y, z = rows[list(found.witness)]
        assert distance(x, z) > distance(x, y) + distance(y, z)


def test_names_of_no_metrics() -> None:
    assert check_metric("sqeuclidean", X).axiom == "triangle"
    assert check_metric("cosine", X).axiom == "triangle"


def test_the_discrete_metric_is_a_metric_but_comes_from_no_norm() -> None:
    def discrete(x: np.ndarray, y: np.ndarray) -> float:
        return float((x != y).any())

    assert check_metric(discrete, X[:30]).holds
    # A norm is homogeneous: its metric has d(2x, 2y) = 2 d(x, y).
    assert discrete(2 * X[0], 2 * X[1]) != 2 * discrete(X[0], X[1])


def test_similarities() -> None:
    assert check_similarity(lambda x, y: float(np.exp(-np.abs(x - y).sum())), X).holds
    assert check_similarity(lambda x, y: float(x @ y), X).axiom == "identity"
    found = check_similarity(lambda x, y: 1.0 if (x == y).all() else float(x[0] > y[0]), X[:20])
    assert found.axiom == "symmetry"
    assert not found


@pytest.mark.parametrize(
    ("clusters", "axiom", "witness"),
    [
        ([[0, 2], [1]], None, ()),
        ([[0], [1]], "covering", (2,)),
        ([[0, 1], [2, 0]], "disjoint", (0,)),
        ([[3]], "rows", (3,)),
    ],
)
def test_partitions(clusters: list[list[int]], axiom: str | None, witness: tuple[int, ...]) -> None:
    found = check_partition(clusters, 3)
    assert (found.axiom, found.witness) == (axiom, witness)
