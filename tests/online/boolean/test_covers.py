"""Covers, disjunctions and satisfiability, against enumeration of all subsets and assignments."""

import itertools

import numpy as np
import pytest

from certus.logic import CNF, Clause, Literal
from certus.online.boolean import minimal_disjunction, satisfiability_cover, set_cover

ROWS = "101000 100100 100010 101100 110100 110010 001100 010100 010010 001001 000101 000011"
TABLE = np.array([[int(cell) for cell in row] for row in ROWS.split()])


def covers(table):
    """All subsets of sets that cover every element."""
    sets = range(table.shape[1])
    parts = itertools.chain.from_iterable(itertools.combinations(sets, size) for size in range(len(sets) + 1))
    return [part for part in parts if table[:, list(part)].any(axis=1).all()]


def test_twelve_elements_and_six_sets():
    """{P3, P4, P5} is the only cover by three sets; 1, 6, 6, 1 covers have 3, 4, 5, 6 sets; greedy takes four."""
    found = covers(TABLE)
    assert [sum(len(part) == size for part in found) for size in range(7)] == [0, 0, 0, 1, 6, 6, 1]
    assert (0, 1, 3, 5) in found
    assert set_cover(TABLE) == (2, 3, 4)
    assert set_cover(TABLE, method="greedy") == (0, 2, 3, 4)
    disjunction = minimal_disjunction(TABLE, np.ones(12, dtype=int))
    assert disjunction.variables == (2, 3, 4)
    assert str(disjunction.formula) == "x3 | x4 | x5"


def test_exact_and_greedy_covers():
    rng = np.random.default_rng(0)
    for _ in range(30):
        rows, labels = rng.integers(0, 2, (10, 5)), rng.integers(0, 2, 10)
        best = [
            part
            for size in range(6)
            for part in itertools.combinations(range(5), size)
            if (rows[:, list(part)].any(axis=1) == labels.astype(bool)).all()
        ]
        exact, greedy = (minimal_disjunction(rows, labels, method=method) for method in ("exact", "greedy"))
        assert (exact is None) == (greedy is None) == (not best)
        if exact is not None:
            assert len(exact.variables) == len(best[0])
            assert exact.variables in best
            assert greedy.variables in best
            assert (exact.smallest, greedy.smallest) == (True, False)


def test_covers_of_special_tables():
    assert set_cover(np.zeros((0, 3), dtype=int)) == ()
    assert set_cover([[0, 0]]) is None
    assert minimal_disjunction([[1, 0]], [0]).variables == ()
    assert minimal_disjunction([[1, 1], [1, 1]], [0, 1]) is None
    with pytest.raises(ValueError, match="must be 0 or 1"):
        set_cover([[0.5]])
    with pytest.raises(ValueError, match="one label per row"):
        minimal_disjunction([[1, 0]], [1, 0])
    with pytest.raises(ValueError, match="method"):
        set_cover([[1]], method="best")


def test_satisfiability_as_set_cover_and_back():
    """For all formulas of three random clauses: a cover of n sets exists if and only if an assignment does."""
    rng = np.random.default_rng(1)
    names = ("x1", "x2", "x3")
    for _ in range(60):
        clauses = [
            Clause(Literal(names[place], bool(rng.integers(2))) for place in rng.integers(0, 3, rng.integers(1, 3)))
            for _ in range(rng.integers(2, 7))
        ]
        formula = CNF(clauses)
        problem = satisfiability_cover(formula)
        wide = len(problem.variables)
        cube = [dict(zip(problem.variables, row, strict=True)) for row in itertools.product((0, 1), repeat=wide)]
        good = [row for row in cube if formula({name: [bit] for name, bit in row.items()})[0]]
        for row in cube:
            covered = problem.members[:, list(problem.cover(row))].any(axis=1).all()
            assert covered == (row in good)
        cover = set_cover(problem.members)
        assert (len(cover) == wide if cover is not None else False) == bool(good)
        if good:
            assert {name: int(value) for name, value in problem.assignment(cover).items()} in good
    with pytest.raises(ValueError, match="must cover all elements"):
        satisfiability_cover("x1 & ~x1").assignment((0,))
