"""Divided clusters: DIANA by its definition, own criteria, and what makes no sense."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from certus.cluster import DivisiveClustering
from certus.geometry import pairwise_distances


def plain_split(D: np.ndarray, members: list[int]) -> list[int]:
    """The rows that part, with every mean taken anew."""
    apart: list[int] = []
    while len(apart) < len(members) - 1:
        gains = {}
        for row in members:
            rest = [other for other in members if other not in (row, *apart)]
            if row not in apart and rest:
                near = D[row, apart].mean() if apart else 0.0
                gains[row] = D[row, rest].mean() - near
        best = max(gains, key=lambda row: (gains[row], -row))
        if apart and gains[best] <= 1e-12:
            break
        apart.append(best)
    return apart


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
def test_splits_are_those_of_the_definition(seed: int, metric: str) -> None:
    X = np.random.default_rng(seed).normal(size=(14, 2))
    D = pairwise_distances(X, metric=metric)
    groups, diameters = [list(range(14))], []
    for k in range(2, 15):
        widest = max(groups, key=lambda group: D[np.ix_(group, group)].max())
        diameters.append(D[np.ix_(widest, widest)].max())
        groups.remove(widest)
        apart = plain_split(D, widest)
        groups += [apart, [row for row in widest if row not in apart]]
        model = DivisiveClustering(k, metric=metric).fit(X)
        found = {tuple(np.flatnonzero(model.labels_ == label)) for label in range(k)}
        assert found == {tuple(sorted(group)) for group in groups}
        assert_allclose(model.diameters_, diameters)
        given = DivisiveClustering(k, metric="precomputed").fit(D)
        assert_array_equal(given.labels_, model.labels_)
        assert_array_equal(given.predict(D), model.predict(X))
        assert_array_equal(model.predict(X), model.labels_)


def test_a_function_splits_as_it_likes() -> None:
    X = np.random.default_rng(1).uniform(size=(40, 1))
    model = DivisiveClustering(4, split=lambda rows: rows[:, 0] > (rows.min() + rows.max()) / 2).fit(X)
    ends = sorted((X[model.labels_ == label].min(), X[model.labels_ == label].max()) for label in range(4))
    assert all(one[1] < other[0] for one, other in itertools.pairwise(ends))
    for useless in (lambda rows: np.ones(len(rows), dtype=bool), lambda rows: [True, False]):
        with pytest.raises(ValueError, match="split must return 40 booleans"):
            DivisiveClustering(2, split=useless).fit(X)
    with pytest.raises(ValueError, match="needs rows"):
        DivisiveClustering(2, split=lambda rows: rows[:, 0] > 0, metric="precomputed").fit(np.zeros((3, 3)))


def test_equal_rows_one_row_and_too_many_clusters() -> None:
    assert_array_equal(np.sort(DivisiveClustering(3).fit(np.ones((3, 2))).labels_), [0, 1, 2])
    assert_array_equal(DivisiveClustering(1).fit([[1.0]]).labels_, [0])
    assert len(np.unique(DivisiveClustering(5).fit(np.ones((9, 2))).labels_)) == 5
    with pytest.raises(ValueError, match="n_samples=3 should be >= n_clusters=4"):
        DivisiveClustering(4).fit(np.eye(3))
    with pytest.raises(ValueError, match="square"):
        DivisiveClustering(2, metric="precomputed").fit(np.ones((3, 2)))
