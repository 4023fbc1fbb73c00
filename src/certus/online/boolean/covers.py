"""Smallest covers and smallest consistent disjunctions, and what satisfiability has to do with them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import Bounds, LinearConstraint, milp

from certus.guarantees.records import check_choice
from certus.logic import CNF, Clause, Formula, Literal, as_cnf, decode

Integers = NDArray[np.int64]
METHODS = ("exact", "greedy")


@dataclass(frozen=True)
class Disjunction:
    """A disjunction of variables that agrees with all rows.

    Parameters
    ----------
    variables : tuple of int
        Its columns, in ascending order.
    smallest : bool
        Whether no smaller one agrees with the rows.
    """

    variables: tuple[int, ...]
    smallest: bool

    @property
    def formula(self) -> Clause:
        """As a formula of x1, x2, ..."""
        return Clause(Literal(f"x{place + 1}") for place in self.variables)


def set_cover(members: ArrayLike, *, method: str = "exact") -> tuple[int, ...] | None:
    """The fewest sets that cover every element, or those that a greedy search takes.

    Parameters
    ----------
    members : array-like of shape (n_elements, n_sets)
        1 where the set has the element.
    method : {"exact", "greedy"}, default="exact"
        An integer program; or always the set with most new elements, the first of several: at most 1 + ln m times as
        many as needed.

    Returns
    -------
    tuple of int, or None
        The places of the sets; None if an element is in no set.

    Examples
    --------
    >>> table = [[1, 0, 1, 0], [1, 0, 0, 1], [0, 1, 1, 0], [0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 0, 1]]
    >>> set_cover(table)
    (0, 1)
    """
    check_choice(method, "method", METHODS)
    table = np.asarray(members)
    if table.ndim != 2:
        raise ValueError(f"members must have a row per element and a column per set, got the shape {table.shape}.")
    bits = decode(table)
    if not bits.any(axis=1).all():
        return None
    if not len(bits):
        return ()
    return _fewest(bits) if method == "exact" else _greedy(bits)


def _fewest(bits: NDArray[np.bool_]) -> tuple[int, ...]:
    sets = bits.shape[1]
    found = milp(
        np.ones(sets),
        constraints=LinearConstraint(bits.astype(np.float64), lb=1.0),
        integrality=np.ones(sets),
        bounds=Bounds(0.0, 1.0),
    )
    if found.x is None:
        raise RuntimeError(f"the integer program was not solved: {found.message}")
    return tuple(np.flatnonzero(found.x > 0.5).tolist())


def _greedy(bits: NDArray[np.bool_]) -> tuple[int, ...]:
    open_rows, chosen = np.ones(len(bits), dtype=bool), []
    while open_rows.any():
        best = int(bits[open_rows].sum(axis=0).argmax())
        chosen.append(best)
        open_rows &= ~bits[:, best]
    return tuple(sorted(chosen))


def minimal_disjunction(X: ArrayLike, y: ArrayLike, *, method: str = "exact") -> Disjunction | None:
    """The disjunction of fewest columns that is true on the rows with label 1 and false on those with label 0.

    A column that is 1 on a row with label 0 cannot be in it; the rest must cover the rows with label 1.

    Parameters
    ----------
    X : array-like of shape (m, n)
        0 or 1.
    y : array-like of shape (m,)
        0 or 1.
    method : {"exact", "greedy"}, default="exact"
        As for `set_cover`.

    Returns
    -------
    Disjunction, or None
        None if no disjunction agrees with all rows.

    Examples
    --------
    >>> found = minimal_disjunction([[1, 0, 1], [0, 1, 1], [0, 0, 1]], [1, 1, 0])
    >>> found.variables, print(found.formula)
    x1 | x2
    ((0, 1), None)
    """
    rows, labels = decode(np.atleast_2d(np.asarray(X))), decode(np.asarray(y))
    if labels.shape != (len(rows),):
        raise ValueError(f"y must have one label per row: {len(rows)} rows, got the shape {labels.shape}.")
    allowed = np.flatnonzero(~rows[~labels].any(axis=0))
    chosen = set_cover(rows[labels][:, allowed], method=method)
    if chosen is None:
        return None
    return Disjunction(tuple(int(allowed[place]) for place in chosen), method == "exact")


@dataclass(frozen=True)
class SatisfiabilityCover:
    """A CNF as a set cover: it can be satisfied if and only if as many sets as variables cover all elements.

    Elements are the clauses and the variables; for every variable there are the set of clauses that it satisfies and
    the set of those that its negation satisfies, both with the variable itself.

    Parameters
    ----------
    members : array of shape (n_clauses + n_variables, 2 n_variables)
        1 where the set has the element; sets of x1, ~x1, x2, ~x2, ...
    variables : tuple of str
        The variables.
    """

    members: Integers
    variables: tuple[str, ...]

    def assignment(self, cover: tuple[int, ...]) -> dict[str, bool]:
        """The assignment that a cover by as many sets as variables stands for."""
        if len(cover) != len(self.variables) or not self.members[:, list(cover)].any(axis=1).all():
            raise ValueError(f"{len(self.variables)} sets must cover all elements, got {cover}.")
        return {name: 2 * place in cover for place, name in enumerate(self.variables)}

    def cover(self, assignment: dict[str, bool]) -> tuple[int, ...]:
        """The sets of an assignment; they cover everything if and only if it satisfies the formula."""
        return tuple(2 * place + (not assignment[name]) for place, name in enumerate(self.variables))


def satisfiability_cover(formula: Formula | str) -> SatisfiabilityCover:
    """A formula in conjunctive normal form as a set cover.

    Parameters
    ----------
    formula : CNF or its text
        Such as ``"(x1 | x4) & ~x1"``.

    Returns
    -------
    SatisfiabilityCover

    Examples
    --------
    >>> problem = satisfiability_cover("(x1 | x4 | x7) & x1 & (~x2 | x2 | x5)")
    >>> cover = set_cover(problem.members)
    >>> len(cover) == len(problem.variables), problem.assignment(cover)["x1"]
    (True, True)
    """
    cnf: CNF = as_cnf(formula)
    names = cnf.variables
    members = np.zeros((len(cnf.clauses) + len(names), 2 * len(names)), dtype=np.int64)
    for place, name in enumerate(names):
        for column, positive in ((2 * place, True), (2 * place + 1, False)):
            literal = Literal(name, positive)
            members[[row for row, clause in enumerate(cnf.clauses) if literal in clause.literals], column] = 1
            members[len(cnf.clauses) + place, column] = 1
    return SatisfiabilityCover(members, names)
