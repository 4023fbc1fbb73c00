"""Axioms of groups, spaces, maps, norms and inner products: what has them passes, what lacks one is contradicted."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from certus.geometry import (
    check_bilinear,
    check_group,
    check_inner_product,
    check_linear,
    check_metric,
    check_norm,
    check_vector_space,
    is_subspace,
)

PERMUTATIONS = list(itertools.permutations(range(3)))


def compose(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(a[i] for i in b)


def test_groups() -> None:
    assert check_group(range(7), lambda a, b: (a + b) % 7, commutative=True)
    assert check_group(range(1, 7), lambda a, b: a * b % 7, commutative=True)
    assert check_group(PERMUTATIONS, compose)
    found = check_group(PERMUTATIONS, compose, commutative=True)
    a, b = found.witness
    assert found.axiom == "commutativity"
    assert compose(a, b) != compose(b, a)


def test_what_is_no_group_is_contradicted() -> None:
    found = check_group(range(3), lambda a, b: a + b)
    assert (found.axiom, found.witness) == ("closure", (1, 2))
    found = check_group(range(5), lambda a, b: (a - b) % 5)
    a, b, c = found.witness
    assert found.axiom == "associativity"
    assert ((a - b) - c) % 5 != (a - (b - c)) % 5
    assert check_group(range(1, 4), max).axiom == "inverse"
    assert check_group(range(3), lambda a, _: a).axiom == "identity"
    assert check_group(range(6), lambda a, b: a * b % 6).witness == (0,)
    with pytest.raises(ValueError, match="elements must be 1 to 500 different ones"):
        check_group([1, 1], max)


def test_every_table_of_three_elements_is_judged_right() -> None:
    groups = 0
    for table in itertools.product(range(3), repeat=9):
        found = check_group(range(3), lambda a, b, table=table: table[3 * a + b])
        by_hand = (
            all(table[3 * table[3 * a + b] + c] == table[3 * a + table[3 * b + c]] for a, b, c in np.ndindex(3, 3, 3))
            and any(all(table[3 * e + a] == a == table[3 * a + e] for a in range(3)) for e in range(3))
            and all(sorted(table[3 * a : 3 * a + 3]) == [0, 1, 2] for a in range(3))
        )
        assert found.holds == by_hand
        groups += found.holds
    assert groups == 3  # one group, three choices of its identity


def test_vector_spaces() -> None:
    assert check_vector_space(np.add, np.multiply, 4)
    assert check_vector_space(lambda u, v: (u + v) % 2, lambda k, v: k * v % 2, 4, modulus=2)
    assert check_vector_space(lambda u, v: (u + v) % 5, lambda k, v: k * v % 5, 2, modulus=5)


@pytest.mark.parametrize(
    ("add", "scale", "axiom"),
    [
        (np.subtract, np.multiply, "associativity"),
        (lambda u, v: (u + v) / 2, np.multiply, "zero"),
        (lambda u, v: u + v + [0, 0, u[0] * v[1]], np.multiply, "commutativity"),
        (np.add, lambda k, v: k * v + 1, "zero"),
        (np.add, lambda k, v: k * v * np.eye(v.size)[0], "unit"),
        (np.add, lambda k, v: abs(k) * v, "inverse"),
        (np.add, lambda k, v: k * k * k * v, "scalar distributivity"),
        (np.add, lambda k, v: k * v if v[0] == 0 else k * v * [1, *[0 if k not in (0, 1, -1) else 1] * (v.size - 1)],
         "vector distributivity"),
    ],
)  # fmt: skip
def test_what_is_no_vector_space_is_contradicted(add: Any, scale: Any, axiom: str) -> None:
    found = check_vector_space(add, scale, 3)
    assert (found.holds, found.axiom) == (False, axiom)
    assert found.reason


def test_a_finite_field_is_not_the_reals() -> None:
    assert check_vector_space(np.add, np.multiply, 3, modulus=2).axiom == "inverse"  # 1 + 1 is not 0
    with pytest.raises(ValueError, match="modulus must be a prime, got 4"):
        check_vector_space(np.add, np.multiply, 3, modulus=4)


@pytest.mark.parametrize(
    ("contains", "axiom"),
    [
        (lambda v: v.sum() == 0, None),
        (lambda v: not v.any(), None),
        (lambda _: True, None),
        (lambda v: v.sum() == 1, "zero"),
        (lambda v: (v >= 0).all(), "multiples"),
        (lambda v: (v == np.round(v)).all(), "multiples"),
        (lambda v: v[0] * v[1] == 0, "addition"),
        (lambda v: np.linalg.norm(v) <= 3, "multiples"),
    ],
)
def test_subspaces(contains: Callable[[np.ndarray], bool], axiom: str | None) -> None:
    found = is_subspace(contains, 3)
    assert (found.holds, found.axiom) == (axiom is None, axiom)
    if axiom == "addition":
        u, v = found.witness
        assert contains(u)
        assert contains(v)
        assert not contains(u + v)
    if axiom == "multiples":
        k, v = found.witness
        assert contains(v)
        assert not contains(k * v)


def test_members_of_a_subspace_can_be_given() -> None:
    def contains(v: np.ndarray) -> bool:
        return abs(v[0] - 0.3 * v[1]) <= 1e-12 * abs(v).max() or abs(v[1] - 0.3 * v[0]) <= 1e-12 * abs(v).max()

    assert is_subspace(contains, 2)  # no member but 0 has small whole entries
    assert is_subspace(contains, 2, members=[[0.3, 1.0], [1.0, 0.3]]).axiom == "addition"
    with pytest.raises(ValueError, match="members must be vectors of the set, got row 0"):
        is_subspace(contains, 2, members=[[1.0, 1.0]])


def test_linear_functions() -> None:
    M = np.random.default_rng(0).normal(size=(3, 4))
    assert check_linear(lambda v: M @ v, 4)
    assert check_linear(lambda v: v.sum(), 4)
    for function, axiom in [
        (lambda v: M @ v + 1e-12, "additivity"),
        (lambda v: np.maximum(v, 0), "additivity"),
        (lambda v: np.abs(v).max(), "additivity"),
        (lambda v: v**2, "additivity"),
        (lambda v: v if v[0] == np.round(v[0]) else 0 * v, "homogeneity"),
    ]:
        found = check_linear(function, 4)
        assert not found.holds
        if axiom == "additivity":
            u, v = found.witness
            assert found.axiom == axiom
            assert not np.allclose(function(u + v), function(u) + function(v), rtol=1e-9, atol=0)


def test_bilinear_forms() -> None:
    M = np.random.default_rng(0).normal(size=(3, 3))
    assert check_bilinear(lambda u, v: u @ M @ v, 3)
    assert check_bilinear(lambda u, v: u @ M @ v, 3, symmetric=True).axiom == "symmetry"
    assert check_bilinear(lambda u, v: u @ (M + M.T) @ v, 3, symmetric=True)
    assert check_bilinear(lambda u, v: (u**2) @ v, 3).axiom == "left additivity"
    assert check_bilinear(lambda u, v: u @ (v**2), 3).axiom == "right additivity"
    found = check_bilinear(lambda u, v: u @ v + 1, 3)
    u, w, fixed = found.witness
    assert (u + w) @ fixed + 1 != (u @ fixed + 1) + (w @ fixed + 1)


@pytest.mark.parametrize("order", [1, 2, 3, np.inf])
def test_norms(order: float) -> None:
    assert check_norm(lambda v: np.linalg.norm(v, order), 4)
    assert check_norm(lambda v: 1e-150 * np.linalg.norm(v, order), 4)
    assert check_norm(lambda v: 1e150 * np.linalg.norm(v, order), 4)


def test_the_discrete_metric_is_no_norm() -> None:
    def size(v: np.ndarray) -> float:
        return float(v.any())

    rows = np.random.default_rng(0).normal(size=(30, 3))
    assert check_metric(lambda x, y: size(x - y), rows)
    found = check_norm(size, 3)
    k, v = found.witness
    assert found.axiom == "homogeneity"
    assert size(k * v) != abs(k) * size(v)


def test_what_is_no_norm_is_contradicted() -> None:
    def half(v: np.ndarray) -> float:
        return float(np.sqrt(np.abs(v)).sum() ** 2)

    found = check_norm(half, 3)
    u, v = found.witness
    assert found.axiom == "triangle"
    assert half(u + v) > half(u) + half(v)
    assert check_norm(lambda v: float(v @ v), 3).axiom == "homogeneity"
    assert check_norm(lambda v: abs(v[0]), 3).axiom == "positivity"
    assert check_norm(lambda v: np.linalg.norm(v) + 1, 3).axiom == "positivity"
    assert check_norm(lambda v: v.sum(), 3).axiom == "positivity"
    assert check_norm(lambda v: np.nan, 3).axiom == "positivity"
    assert check_norm(lambda v: max(v.max(), -2 * v.min()), 3).axiom == "homogeneity"


def test_inner_products() -> None:
    root = np.random.default_rng(0).normal(size=(4, 4))
    assert check_inner_product(np.dot, 4)
    assert check_inner_product(lambda u, v: (root @ u) @ (root @ v), 4)
    assert check_inner_product(lambda u, v: u @ (v * [1, 1e-20, 1e20, 1]), 4)  # small is not zero
    for values, witness_size in [([1, 1, 1, 0], 0.0), ([1, 1, 1, -1e-3], -1e-3)]:
        turn = np.linalg.qr(root)[0]
        M = turn @ np.diag(values) @ turn.T
        M = (M + M.T) / 2
        found = check_inner_product(lambda u, v, M=M: u @ M @ v, 4)
        (v,) = found.witness
        assert found.axiom == "positivity"
        assert v @ M @ v / (v @ v) == pytest.approx(witness_size, abs=6e-4 if witness_size else 1e-14)
    assert check_inner_product(lambda u, v: u @ root @ v, 4).axiom == "symmetry"
    assert check_inner_product(lambda u, v: float(abs(u) @ abs(v)), 4).axiom == "left additivity"


@pytest.mark.parametrize("dimension", [0, -1, 2.5])
def test_bad_dimension(dimension: Any) -> None:
    with pytest.raises(ValueError, match="dimension must be a whole number of at least 1"):
        check_norm(np.linalg.norm, dimension)
