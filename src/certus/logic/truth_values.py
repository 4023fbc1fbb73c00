"""Truth as numbers, formulas as half-spaces, and features in which formulas are simple."""

from __future__ import annotations

import itertools
import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from certus.logic.formulas import Clause, Formula, Literal, Term

Floats = NDArray[np.float64]
MOST_VARIABLES = 20


def encode(truth: ArrayLike, values: str = "01") -> NDArray[np.int64]:
    """True and False as 1 and 0, or as 1 and -1.

    Parameters
    ----------
    truth : array-like of bool
        What is to be encoded.
    values : {"01", "pm"}, default="01"
        1 and 0, or 1 and -1.

    Returns
    -------
    ndarray of int

    Examples
    --------
    >>> encode([True, False]), encode([True, False], "pm")
    (array([1, 0]), array([ 1, -1]))
    """
    bits = np.asarray(truth, dtype=bool).astype(np.int64)
    return bits if _check(values) == "01" else 2 * bits - 1


def decode(numbers: ArrayLike, values: str = "01") -> NDArray[np.bool_]:
    """Inverse of `encode`; any other number is refused.

    Parameters
    ----------
    numbers : array-like
        What was encoded.
    values : {"01", "pm"}, default="01"
        1 and 0, or 1 and -1.

    Returns
    -------
    ndarray of bool

    Examples
    --------
    >>> decode([1, -1], "pm")
    array([ True, False])
    """
    found, low = np.asarray(numbers), 0 if _check(values) == "01" else -1
    bad = ~np.isin(found, (low, 1))
    if bad.any():
        raise ValueError(f"numbers must be {low} or 1, got {found[bad].flat[0]!r}.")
    return found == 1


def sign(x: ArrayLike, *, at_zero: int) -> NDArray[np.int64]:
    """-1, 0 or 1 by the sign of x, and `at_zero` where x is 0: conventions differ, so it must be said.

    Parameters
    ----------
    x : array-like of float
        Numbers.
    at_zero : {-1, 0, 1}
        The sign of 0.

    Returns
    -------
    ndarray of int

    Examples
    --------
    >>> sign([0, 1, 2], at_zero=0)    # or of 0/1 values is sign(x1 + x2) with sign(0) = 0
    array([0, 1, 1])
    """
    if at_zero not in (-1, 0, 1):
        raise ValueError(f"at_zero must be -1, 0 or 1, got {at_zero!r}.")
    found = np.sign(np.asarray(x, dtype=np.float64)).astype(np.int64)
    return np.where(found == 0, at_zero, found)


def linear_threshold(formula: Formula, width: int | None = None) -> tuple[Floats, float]:
    """(u, b) with formula(x) true if and only if u.x + b > 0, for a literal, term or clause of 0/1 variables.

    A clause over S: u = 1 on S (-1 where negated) and b = -1/2 + negations; a term: b = 1/2 - plain literals.

    Parameters
    ----------
    formula : Literal, Term or Clause
        Others are no half-spaces in general.
    width : int, optional
        Number of variables; else the largest that occurs.

    Returns
    -------
    u : ndarray of shape (width,)
    b : float

    Examples
    --------
    >>> linear_threshold(Clause([Literal("x1"), Literal("x3")]), 4)
    (array([1., 0., 1., 0.]), -0.5)
    """
    if isinstance(formula, Literal):
        formula = Clause([formula])
    if not isinstance(formula, (Term, Clause)):
        raise ValueError(
            f"a {type(formula).__name__} is no half-space in general.\nHint: use a literal, a term or a clause."
        )
    places = {literal: int(literal.name[1:]) - 1 for literal in formula.literals if _is_numbered(literal.name)}
    if len(places) != len(formula.literals):
        raise ValueError("variables must be called x1, x2, ..., so that they have a place.")
    u = np.zeros(max(places.values(), default=-1) + 1 if width is None else width)
    for literal, place in places.items():
        if place >= len(u):
            raise ValueError(f"width must be at least {place + 1} for {literal}, got {width}.")
        u[place] += 1.0 if literal.positive else -1.0
    negated = sum(not literal.positive for literal in formula.literals)
    return u, (negated - 0.5 if isinstance(formula, Clause) else 0.5 - (len(formula) - negated))


def doubled(X: ArrayLike) -> NDArray[np.int64]:
    """(x1, 1 - x1, ..., xn, 1 - xn): with negations as columns, every clause and term is monotone.

    Parameters
    ----------
    X : array-like of shape (m, n)
        0 or 1.

    Returns
    -------
    ndarray of shape (m, 2 n)

    Examples
    --------
    >>> doubled([[1, 0]])
    array([[1, 0, 0, 1]])
    """
    bits = encode(decode(np.atleast_2d(np.asarray(X))))
    return np.stack([bits, 1 - bits], axis=2).reshape(len(bits), -1)


def monomials(X: ArrayLike) -> tuple[NDArray[np.int64], list[tuple[int, ...]]]:
    """All 2^n products of columns, the empty one first: a monotone DNF is a monotone clause in them.

    Parameters
    ----------
    X : array-like of shape (m, n)
        0 or 1, n at most 20.

    Returns
    -------
    products : ndarray of shape (m, 2^n)
    subsets : list of tuple of int
        The columns of each product.

    Examples
    --------
    >>> monomials([[1, 0]])
    (array([[1, 1, 0, 0]]), [(), (0,), (1,), (0, 1)])
    """
    bits = encode(decode(np.atleast_2d(np.asarray(X))))
    width = bits.shape[1]
    if width > MOST_VARIABLES:
        raise ValueError(f"2^n products of n = {width} columns are too many.\nHint: n is at most {MOST_VARIABLES}.")
    subsets = [part for size in range(width + 1) for part in itertools.combinations(range(width), size)]
    return np.stack([bits[:, part].prod(axis=1) for part in subsets], axis=1), subsets


def number_of_terms(variables: int) -> int:
    """Terms (or clauses) that name no variable twice: 3^n, the empty one among them.

    Examples
    --------
    >>> number_of_terms(4)
    81
    """
    return int(3**variables)


def number_of_functions(variables: int) -> int:
    """Boolean functions: 2^(2^n).

    Examples
    --------
    >>> number_of_functions(3)
    256
    """
    return int(2 ** (2**variables))


def number_of_monotone_terms(variables: int, literals: int | None = None) -> int:
    """Monotone terms (or clauses): 2^n, or C(n, k) with k literals.

    Examples
    --------
    >>> number_of_monotone_terms(5), number_of_monotone_terms(5, 2)
    (32, 10)
    """
    return int(2**variables) if literals is None else math.comb(variables, literals)


def _check(values: str) -> str:
    if values not in ("01", "pm"):
        raise ValueError(f"values must be '01' or 'pm', got {values!r}.")
    return values


def _is_numbered(name: str) -> bool:
    return name[:1] == "x" and name[1:].isdigit() and int(name[1:]) >= 1
