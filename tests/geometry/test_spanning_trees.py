"""Minimum spanning trees: the length of scipy's, and one tree whatever the method, the threads or the ties."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse.csgraph import minimum_spanning_tree as scipy_tree
from scipy.spatial.distance import cdist

from certus.geometry import minimum_spanning_tree, pairwise_distances


def twin_length(distances: np.ndarray, cores: np.ndarray | None) -> float:
    """By scipy, on the full matrix; zero lengths would be missing edges there, so all are moved by one."""
    if cores is not None:
        distances = np.maximum(distances, np.maximum.outer(cores, cores))
    return float(scipy_tree(distances + 1.0).sum()) - (len(distances) - 1)


def is_tree(edges: np.ndarray, rows: int) -> bool:
    home = np.arange(rows)
    for a, b in edges:
        if home[a] == home[b]:
            return False
        home[home == home[a]] = home[b]
    return len(edges) == rows - 1


@pytest.mark.parametrize("cores", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("name", "params"),
    [("euclidean", {}), ("manhattan", {}), ("minkowski", {"p": 3}), ("canberra", {}), ("cosine", {})],
)
def test_both_methods_find_the_shortest_tree(name: str, params: dict[str, Any], dtype: type, cores: bool) -> None:
    rng = np.random.default_rng(7)
    rows = (4e3 + rng.normal(size=(300, 3))).astype(dtype)
    distances = pairwise_distances(rows, metric=name, metric_params=params)
    core = np.sort(distances, axis=1)[:, 4] if cores else None
    trees = [
        minimum_spanning_tree(
            rows, metric=name, metric_params=params, core_distances=core, algorithm=method, n_jobs=jobs
        )
        for method in ("prim", "boruvka")
        for jobs in (1, 2)
    ]
    assert is_tree(trees[0].edges, 300)
    assert_allclose(trees[0].lengths.sum(), twin_length(distances, core), rtol=1e-9, atol=1e-10)
    for tree in trees[1:]:
        assert_array_equal(tree.edges, trees[0].edges)
        assert_array_equal(tree.lengths, trees[0].lengths)


@pytest.mark.parametrize("cores", [False, True])
def test_equal_lengths_give_one_tree(cores: bool) -> None:
    """A grid with every point twice: nearly all edges tie."""
    grid = np.stack(np.meshgrid(np.arange(9.0), np.arange(7.0)), axis=-1).reshape(-1, 2).repeat(2, axis=0)
    rows = np.random.default_rng(0).permutation(grid)
    core = np.full(len(rows), 1.0) if cores else None
    found = [minimum_spanning_tree(rows, core_distances=core, algorithm=method) for method in ("prim", "boruvka")]
    plain = minimum_spanning_tree(cdist(rows, rows), metric="precomputed", core_distances=core)
    called = minimum_spanning_tree(rows, metric=lambda x, y: float(np.linalg.norm(x - y)), core_distances=core)
    for tree in (*found[1:], plain, called):
        assert_array_equal(tree.edges, found[0].edges)
    assert_allclose(found[0].lengths.sum(), twin_length(cdist(rows, rows), core), atol=1e-9)


def test_small_and_equal_tables() -> None:
    assert len(minimum_spanning_tree([[1.0]]).edges) == 0
    tree = minimum_spanning_tree(np.zeros((40, 2)), algorithm="boruvka")
    assert is_tree(tree.edges, 40)
    assert tree.lengths.sum() == 0


def test_distances_that_overflow() -> None:
    rows = np.array([[0.0], [1e200], [-1e200], [1.0]])
    for method in ("prim", "boruvka"):
        tree = minimum_spanning_tree(rows, algorithm=method)
        assert is_tree(tree.edges, 4)
        assert tree.edges[0].tolist() == [0, 3]


def test_refusals() -> None:
    with pytest.raises(ValueError, match="core_distances must be 2 numbers"):
        minimum_spanning_tree([[0.0], [1.0]], core_distances=[1.0])
    with pytest.raises(ValueError, match="algorithm must be"):
        minimum_spanning_tree([[0.0], [1.0]], algorithm="kruskal")
    with pytest.raises(ValueError, match="needs a compiled metric"):
        minimum_spanning_tree([[0.0], [1.0]], algorithm="boruvka", metric=lambda x, y: 1.0)
