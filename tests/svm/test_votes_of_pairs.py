"""Several classes: the values of all pairs, the votes that are made of them, and how ties are broken."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from certus.svm import SVC, NuSVC

PAIRS = list(itertools.combinations(range(4), 2))
MACHINES = [SVC(gamma=0.4, C=2.0, tol=1e-9), NuSVC(gamma=0.4, nu=0.3, tol=1e-9)]


@pytest.fixture(scope="module", params=MACHINES, ids=lambda machine: type(machine).__name__)
def case(request: pytest.FixtureRequest) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray]:
    """A machine, rows of four overlapping classes, further rows, and the values of all pairs there, fitted alone."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 4, 160)
    X = rng.normal(size=(160, 2)) + 1.2 * np.array([[0, 0], [1, 0], [0, 1], [1, 1]])[y]
    queries = rng.uniform(-2, 3, size=(2000, 2))
    alone = []
    for pair in PAIRS:
        rows = np.isin(y, pair)
        alone.append(-request.param.fit(X[rows], y[rows]).decision_function(queries))  # positive: the first one
    return request.param, np.column_stack([X, y]), queries, np.column_stack(alone)


def fitted(machine: Any, table: np.ndarray, **options: Any) -> Any:
    return type(machine)(**{**machine.get_params(), **options}).fit(table[:, :2], table[:, 2].astype(int))


def votes_and_sums(pairs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    votes, sums = np.zeros((len(pairs), 4)), np.zeros((len(pairs), 4))
    for value, (first, second) in zip(pairs.T, PAIRS, strict=True):
        votes[:, first] += value > 0
        votes[:, second] += value <= 0
        sums[:, first] += value
        sums[:, second] -= value
    return votes, sums


def test_shapes_of_the_decision_function(case: Any) -> None:
    machine, table, queries, pairs = case
    ovo = fitted(machine, table, decision_function_shape="ovo").decision_function(queries)
    assert_allclose(ovo, pairs, atol=1e-5)
    votes, sums = votes_and_sums(ovo)
    ovr = fitted(machine, table, decision_function_shape="ovr").decision_function(queries)
    assert_allclose(ovr, votes + sums / (3 * (np.abs(sums) + 1)), atol=1e-12)


def test_ties_of_votes_go_to_the_first_class_or_to_the_surest(case: Any) -> None:
    machine, table, queries, _ = case
    votes, sums = votes_and_sums(fitted(machine, table, decision_function_shape="ovo").decision_function(queries))
    most = votes == votes.max(axis=1, keepdims=True)
    first, surest = most.argmax(axis=1), np.where(most, sums, -np.inf).argmax(axis=1)
    assert (first != surest).sum() > 5  # otherwise nothing is tested
    assert_array_equal(fitted(machine, table).predict(queries), first)
    assert_array_equal(fitted(machine, table, break_ties=True).predict(queries), surest)
    with pytest.raises(ValueError, match="break_ties must be False"):
        fitted(machine, table, break_ties=True, decision_function_shape="ovo").predict(queries)
