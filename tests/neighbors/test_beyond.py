"""Choice of k, decisions that may abstain, condensing, editing, ties, and what can be promised about them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from certus.guarantees import CertificateError
from certus.neighbors import (
    AdaptiveNeighborsClassifier,
    KNeighborsClassifier,
    KNeighborsClassifierCV,
    KNeighborsRegressor,
    KNeighborsRegressorCV,
    bayes_error_interval,
    condense,
    edit,
    kneighbors_graph,
    recall_bound,
    tied_votes,
)
from certus.neighbors.learning.border_rows import border_rows
from certus.neighbors.prototypes import _in_their_span, _voronoi_neighbors

rng = np.random.default_rng(0)
X = rng.normal(size=(70, 2))
labels = (X[:, 0] + 0.6 * rng.normal(size=70) > 0).astype(int)


@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_errors_are_those_of_leaving_rows_out(weights: str) -> None:
    model = KNeighborsClassifierCV(range(1, 9), weights=weights).fit(X, labels)
    numbers = KNeighborsRegressorCV(range(1, 9), weights=weights).fit(X, X[:, 0])
    for place, k in enumerate(range(1, 9)):
        votes, means = [], []
        for row in range(70):
            others = np.arange(70) != row
            votes.append(KNeighborsClassifier(k, weights=weights).fit(X[others], labels[others]).predict(X[[row]])[0])
            means.append(KNeighborsRegressor(k, weights=weights).fit(X[others], X[others, 0]).predict(X[[row]])[0])
        assert_allclose(model.loo_errors_[place], np.mean(np.array(votes) != labels))
        assert_allclose(numbers.loo_errors_[place], np.mean((np.array(means) - X[:, 0]) ** 2))
    assert model.n_neighbors_ == 1 + int(np.argmin(model.loo_errors_))
    assert_array_equal(
        model.predict(X), KNeighborsClassifier(model.n_neighbors_, weights=weights).fit(X, labels).predict(X)
    )


def test_too_few_rows_for_a_candidate() -> None:
    model = KNeighborsClassifierCV([1, 2, 90]).fit(X, labels)
    assert np.isnan(model.loo_errors_[2])
    assert KNeighborsClassifierCV().fit([[0.0]], [1]).predict([[3.0]]) == [1]


def test_decisions_are_those_of_the_definition() -> None:
    table = rng.random((400, 1))
    y = (rng.random(400) < table[:, 0]).astype(int)
    queries = rng.random((30, 1))
    found = AdaptiveNeighborsClassifier(0.9).fit(table, y).decide(queries)
    for row, query in enumerate(queries):
        order = np.argsort(np.abs(table - query)[:, 0], kind="stable")
        means = np.cumsum(2 * y[order] - 1) / np.arange(1, 401)
        least = np.sqrt(2 * np.log(2 * 400 / 0.1) / np.arange(1, 401))
        hits = np.flatnonzero(np.abs(means) > least)
        assert found.sure[row] == bool(len(hits))
        assert found.neighbors[row] == (hits[0] + 1 if len(hits) else 400)
        if len(hits):
            assert found.labels[row] == (means[hits[0]] > 0)


def test_sure_decisions_are_seldom_wrong() -> None:
    """P(y = 1) is 1/2 everywhere: every sure decision is a false one, in at most 20 % of tables."""
    wrong = 0
    for seed in range(200):
        draw = np.random.default_rng(seed)
        model = AdaptiveNeighborsClassifier(0.8).fit(draw.random((60, 1)), draw.integers(0, 2, size=60))
        wrong += int(model.decide([[0.5]]).sure[0])
    assert wrong <= 40
    bold = AdaptiveNeighborsClassifier(scale=0.5).fit(X, labels).decide(X)
    assert bold.sure.mean() > 0.9


@pytest.mark.parametrize("columns", [1, 2, 3, 4, 9, 12])
@pytest.mark.parametrize("grid", [False, True])
def test_condensing_changes_no_answer(columns: int, grid: bool) -> None:
    draw = np.random.default_rng(columns)
    table = draw.integers(0, 5, size=(150, columns)).astype(float) if grid else draw.normal(size=(150, columns))
    y = (np.sin(2 * table).sum(axis=1) > 0).astype(int)
    found = condense(table, y)
    queries = draw.uniform(table.min() - 1, table.max() + 1, size=(20_000, columns))
    whole, part = KNeighborsClassifier(1).fit(table, y), KNeighborsClassifier(1).fit(table[found.rows], y[found.rows])
    assert_array_equal(whole.predict(queries), part.predict(queries))
    assert len(found.rows) < 150 or columns > 2  # in more columns nearly all cells touch a border
    assert all(certificate.check() for certificate in found.report)


def test_condensing_keeps_no_more_than_it_must_in_one_column() -> None:
    line = np.arange(50.0)[:, None]
    assert_array_equal(condense(line, (line[:, 0] > 30.5).astype(int)).rows, [30, 31])
    assert_array_equal(condense(line, np.zeros(50, int)).rows, [0])


def test_linear_programs_find_the_borders_of_the_triangulation() -> None:
    for columns in (1, 2, 3, 4):
        for classes in (2, 3):
            draw = np.random.default_rng([columns, classes])
            points = draw.normal(size=(120, columns))
            codes = (points[:, 0] > 0) * draw.integers(0, classes, size=120)
            a, b = _voronoi_neighbors(_in_their_span(points))
            at_border = np.unique(np.concatenate([a[codes[a] != codes[b]], b[codes[a] != codes[b]]]))
            assert_array_equal(np.flatnonzero(border_rows(_in_their_span(points), codes)), at_border)


@pytest.mark.parametrize("unit", [1e-200, 1.0, 1e200])
def test_many_columns_are_condensed_too(unit: float) -> None:
    """Clouds within crosses of rows in nine columns: few of the clouds decide, and 1e5 answers stay as they were."""
    draw = np.random.default_rng(2)
    cross = np.concatenate([np.eye(9), -np.eye(9)]) + 0.02 * draw.normal(size=(18, 9))
    middles = 3.0 * draw.normal(size=(6, 9))
    table = np.concatenate([np.concatenate([cross, 0.1 * draw.normal(size=(20, 9))]) + at for at in middles])
    y = np.repeat([0, 1, 0, 1, 2, 2], 38)
    rows = condense(table * unit, y).rows
    assert len(rows) < 0.6 * len(table)
    queries = (table[draw.integers(0, len(table), 100_000)] + draw.normal(size=(100_000, 9))) * unit
    whole = KNeighborsClassifier(1).fit(table * unit, y)
    part = KNeighborsClassifier(1).fit(table[rows] * unit, y[rows])
    assert_array_equal(whole.predict(queries), part.predict(queries))


def test_what_cannot_be_condensed() -> None:
    with pytest.raises(ValueError, match="rows 0 and 1 differ"):
        condense([[0.0], [0.0], [1.0]], [0, 1, 1])


def test_editing_keeps_the_rows_that_others_confirm() -> None:
    kept = edit(X, labels, 3)
    votes = [
        KNeighborsClassifier(3).fit(np.delete(X, row, 0), np.delete(labels, row)).predict(X[[row]])[0]
        for row in range(70)
    ]
    assert_array_equal(kept, np.flatnonzero(np.array(votes) == labels))


@pytest.mark.parametrize("classes", [1, 2, 3, 4])
@pytest.mark.parametrize("k", range(1, 10))
def test_ties_by_enumeration(k: int, classes: int) -> None:
    def tie(votes: tuple[int, ...]) -> bool:
        return sorted(votes)[-2:].count(max(votes)) == 2

    splits = (votes for votes in itertools.product(range(k + 1), repeat=classes) if sum(votes) == k)
    possible = any(tie(votes) for votes in splits)
    found = tied_votes(k, classes)
    assert (found is not None) == possible
    if found is not None:
        assert sum(found) == k
        assert len(found) == classes
        assert tie(found)
    assert (classes != 2) or (found is None) == (k % 2 == 1)
    assert (classes != 3) or (found is None) == (k == 1)


def test_interval_of_the_best_error() -> None:
    table = np.random.default_rng(1).random((4000, 1))
    y = np.random.default_rng(2).random(4000) < 0.2 + 0.6 * table[:, 0]
    found = bayes_error_interval(table, y)
    low, high = found.value
    assert low < 0.35 < high  # the least error; the nearest neighbor tends to 0.44
    assert abs(high - 0.44) < 0.03
    assert found.kind == "estimate"
    assert found.check()
    assert found.check((table, y))
    with pytest.raises(CertificateError):
        found.check((table, ~y & (table[:, 0] > 0.5)))


def test_recall_of_a_graph_is_bounded() -> None:
    table = np.random.default_rng(3).normal(size=(400, 4))
    exact = kneighbors_graph(table, 6)
    assert recall_bound(table, exact).value > 0.98
    worse = exact.indices.reshape(400, 6).copy()
    worse[:, 4:] = (np.arange(400)[:, None] + [137, 211]) % 400  # a third of the neighbors is anything
    bound = recall_bound(table, worse, rows=800)
    true = np.mean([len(set(a[:4]) | (set(a[4:]) & set(b))) / 6 for a, b in zip(worse, exact.indices.reshape(400, 6))])
    assert 0.55 < bound.value <= true
    assert bound.check()
    with pytest.raises(ValueError, match="graph must have 400 rows"):
        recall_bound(table, exact[:20])


def test_more_neighbors_smooth_fewer_overfit() -> None:
    """Two overlapping classes: k = 1 repeats the training labels and changes its mind all along a line, k = 15 not."""
    draw = np.random.default_rng(4)
    table = np.concatenate([draw.normal(size=(100, 2)), draw.normal(size=(100, 2)) + 1.0])
    y = np.repeat([0, 1], 100)
    way = np.stack([np.linspace(-2, 3, 3000)] * 2, axis=1)
    changes, training = {}, {}
    for k in (1, 15, 101):
        model = KNeighborsClassifier(k).fit(table, y)
        changes[k] = int(np.sum(np.diff(model.predict(way)) != 0))
        training[k] = float(np.mean(model.predict(table) != y))
    assert changes[1] > 2 * changes[15] >= changes[101]
    assert training[1] == 0 < training[15]
    errors = KNeighborsClassifierCV([1, 15, 199]).fit(table, y).loo_errors_
    assert errors[1] < errors[0]
    assert errors[1] < errors[2]
