"""One tree on binned columns: it agrees with a slow twin, sums are exact, quantiles are right."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from certus.ensemble._native_calls import boosting_kernels as kernels
from certus.ensemble.forests.binning import binned
from tests.ensemble import naive_histogram_tree as twin


def growth(rules: twin.Rules, **changes: object) -> kernels.Growth:
    options = {
        "max_leaves": rules.max_leaves,
        "max_depth": rules.max_depth,
        "learning_rate": 0.5,
        "column_share": 1.0,
        "by_level": False,
        "seed": 0,
        "min_rows": float(rules.min_rows),
        "l2": rules.l2,
    }
    return kernels.Growth(**{**options, **changes})  # type: ignore[arg-type]


def table_of(bins: np.ndarray, kinds: list[str]) -> object:
    """A binned table from bin numbers: numbers are their own bins, 255 is missing."""
    X = np.where(bins == twin.MISSING, np.nan, bins.astype(float))
    categories = [
        np.arange(np.nanmax(X[:, j], initial=0) + 1) if k == "category" else None for j, k in enumerate(kinds)
    ]
    for column, kind in enumerate(kinds):
        if kind == "number":  # so that every smaller number has a bin, as in the twin
            there = sorted({int(b) for b in bins[:, column] if b != twin.MISSING})
            renumbered = {b: i for i, b in enumerate(there)}
            bins[:, column] = [renumbered.get(int(b), twin.MISSING) for b in bins[:, column]]
            X[:, column] = np.where(bins[:, column] == twin.MISSING, np.nan, bins[:, column])
    levels = [None if values is None else len(values) for values in categories]
    return binned(X, None, levels, 255, 0)


@st.composite
def problems(draw: st.DrawFn) -> tuple[np.ndarray, list[str], np.ndarray, np.ndarray, twin.Rules]:
    rows, columns = draw(st.integers(1, 60)), draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    bins = rng.integers(0, draw(st.integers(1, 9)), size=(rows, columns)).astype(np.uint8)
    bins[rng.random(bins.shape) < draw(st.sampled_from([0.0, 0.2]))] = twin.MISSING
    kinds = [draw(st.sampled_from(["number", "category"])) for _ in range(columns)]
    # multiples of 1/64 are sums without rounding in the twin as well, so that ties are ties in both
    gradients = np.round(rng.normal(size=rows) * 64) / 64
    hessians = np.ones(rows) if draw(st.booleans()) else rng.integers(1, 64, size=rows) / 64
    rules = twin.Rules(
        min_rows=draw(st.integers(1, 5)),
        l2=draw(st.sampled_from([0.0, 1.0])),
        max_leaves=draw(st.integers(2, 12)),
        max_depth=draw(st.sampled_from([1, 3, 100])),
    )
    return bins, kinds, gradients, hessians, rules


@settings(max_examples=400, deadline=None)
@given(problems())
def test_trees_agree_with_the_slow_twin(
    problem: tuple[np.ndarray, list[str], np.ndarray, np.ndarray, twin.Rules],
) -> None:
    bins, kinds, gradients, hessians, rules = problem
    table = table_of(bins, kinds)
    expected = twin.grow(bins, kinds, gradients, hessians, rules)
    grower = kernels.Grower(table, growth(rules), len(bins))
    grower.grow(gradients, hessians, 0)
    nodes, _ = grower.tree()
    found = np.zeros(len(bins))
    grower.add_values(found)
    gains = sorted(node.gain for node in expected if node.children)
    assert_allclose(sorted(nodes["gain"][nodes["left"] >= 0]), gains, rtol=1e-9, atol=1e-9)
    assert nodes["rows"][nodes["left"] < 0].sum() == len(bins)
    if len(set(np.round(gains, 9))) == len(gains):  # otherwise equal divisions may be taken in another order
        assert_allclose(found, twin.predict(expected, gradients, hessians, rules, 0.5), rtol=1e-9, atol=1e-12)


def test_the_coarse_grid_gives_the_sums_of_its_own_rounding() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40_000, 5))
    gradients, hessians = rng.normal(size=len(X)), rng.random(len(X))
    grower = kernels.Grower(binned(X, None, None, 255, 0), growth(twin.Rules(min_rows=20)), len(X))
    grower.grow(gradients, hessians, 0)
    nodes, _ = grower.tree()
    leaf_of = np.zeros(len(X))
    grower.add_values(leaf_of)
    for number in np.unique(leaf_of):  # leaves have the exact Newton step, whatever the grid
        inside = leaf_of == number
        assert_allclose(number, -0.5 * gradients[inside].sum() / hessians[inside].sum(), rtol=1e-9)
    root = nodes[0]
    left = X[:, root["column"]] <= root["threshold"]
    score = [gradients[rows].sum() ** 2 / hessians[rows].sum() for rows in (left, ~left, left | True)]
    assert_allclose(root["gain"], score[0] + score[1] - score[2], rtol=1e-2)


def test_coarse_and_fine_grids_find_nearly_the_same_gain() -> None:
    """A row with a huge gradient makes the grid fine; without it the coarse one serves."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(50_000, 3))
    gradients = np.sign(X[:, 0]) * (1 + rng.random(len(X)))
    gains = []
    for outlier in (2.0, 1e5):
        gradients[0] = outlier
        grower = kernels.Grower(binned(X[:, :1], None, None, 255, 0), growth(twin.Rules(max_leaves=2)), len(X))
        grower.grow(gradients, np.empty(0), 0)
        gains.append(grower.tree()[0]["gain"][0])
    rest = gradients[1:]
    left = X[1:, 0] <= 0
    assert_allclose(gains[0], rest[left].sum() ** 2 / left.sum() + rest[~left].sum() ** 2 / (~left).sum(), rtol=0.02)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.75])
def test_leaf_quantiles_repeat_weights(share: float) -> None:
    rng = np.random.default_rng(2)
    target = rng.normal(size=30)
    weights = rng.integers(1, 4, size=30).astype(float)
    values = []
    for y, w in ((target, weights), (np.repeat(target, weights.astype(int)), None)):
        grower = kernels.Grower(binned(np.zeros((len(y), 1)), w, None, 255, 0), growth(twin.Rules()), len(y), w)
        grower.grow(np.ones(len(y)), np.empty(0), 0)
        grower.use_quantiles(y, np.zeros(len(y)), share)
        values.append(grower.tree()[0]["value"][0])
    assert_allclose(values[0], values[1])
    repeated = np.repeat(target, weights.astype(int))
    assert_allclose(values[0], 0.5 * np.quantile(repeated, share, method="averaged_inverted_cdf"))


@pytest.mark.parametrize("weighted", [False, True])
def test_edges_are_quantiles(weighted: bool) -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(5000, 2))
    X[::7, 1] = np.nan
    weights = rng.integers(0, 3, size=len(X)).astype(float) if weighted else None
    rows, skip = np.arange(len(X), dtype=np.uint32), np.zeros(2, dtype=np.uint8)
    edges, counts = kernels.find_edges(X, rows, weights, skip, 64)
    repeat = np.ones(len(X), dtype=int) if weights is None else weights.astype(int)
    for column in range(2):
        values = np.repeat(X[:, column], repeat)
        values = values[~np.isnan(values)]
        expected = np.quantile(values, np.arange(1, 64) / 64, method="averaged_inverted_cdf")
        assert_allclose(edges[column, : counts[column]], np.unique(expected))


def test_few_values_have_a_bin_each() -> None:
    X = np.array([[1.0], [5.0], [2.0], [np.inf], [np.nan], [2.0]])
    edges, counts = kernels.find_edges(X, np.arange(6, dtype=np.uint32), None, np.zeros(1, dtype=np.uint8), 255)
    assert counts[0] == 3
    assert_array_equal(edges[0, :2], [1.5, 3.5])
    assert 5.0 <= edges[0, 2] < np.inf
