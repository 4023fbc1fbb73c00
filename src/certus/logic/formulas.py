"""Literals, terms, clauses, DNF and CNF, with the connectives ``&``, ``|`` and ``~``.

The simplest kind comes out: literals joined by & are a term, by | a clause; else a DNF or a CNF, whichever needs no
multiplying out.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Bits = NDArray[np.bool_]


class Formula:
    """What all formulas can do."""

    def to_dnf(self) -> DNF:
        """The same function as a sum of terms."""
        raise NotImplementedError

    def to_cnf(self) -> CNF:
        """The same function as a product of clauses."""
        raise NotImplementedError

    def _terms(self) -> tuple[Term, ...] | None:
        """Its terms, if it is a sum of terms as it stands."""
        return None

    def _clauses(self) -> tuple[Clause, ...] | None:
        """Its clauses, if it is a product of clauses as it stands."""
        return None

    @property
    def variables(self) -> tuple[str, ...]:
        """The names that occur, in ascending order; x2 before x10."""
        raise NotImplementedError

    @property
    def monotone(self) -> bool:
        """Whether nothing is negated."""
        return all(literal.positive for part in self.to_dnf().terms for literal in part.literals)

    def __call__(self, values: ArrayLike | Mapping[str, ArrayLike]) -> Bits:
        """True or False for every row.

        Parameters
        ----------
        values : array-like of shape (n_rows, n_columns), or mapping of names to columns
            0 or 1 (or False and True); columns of a table are called x1, x2, ...
        """
        columns = columns_of(values)
        missing = [name for name in self.variables if name not in columns]
        if missing:
            raise ValueError(f"there is no column {missing[0]!r}; there are {', '.join(columns) or 'none'}.")
        rows = np.broadcast_shapes(*(column.shape for column in columns.values())) if columns else ()
        return np.broadcast_to(self._value(columns), rows).copy()

    def _value(self, columns: Mapping[str, Bits]) -> Any:
        raise NotImplementedError

    def __and__(self, other: Formula) -> Formula:
        if not isinstance(other, Formula):
            return NotImplemented
        if isinstance(self, (Literal, Term)) and isinstance(other, (Literal, Term)):
            return Term(_literals(self) | _literals(other))
        ours, theirs = self._clauses(), other._clauses()
        if ours is not None and theirs is not None:
            return CNF(ours + theirs)
        pairs = itertools.product(self.to_dnf().terms, other.to_dnf().terms)
        return DNF(Term(a.literals | b.literals) for a, b in pairs)

    def __or__(self, other: Formula) -> Formula:
        if not isinstance(other, Formula):
            return NotImplemented
        if isinstance(self, (Literal, Clause)) and isinstance(other, (Literal, Clause)):
            return Clause(_literals(self) | _literals(other))
        ours, theirs = self._terms(), other._terms()
        if ours is not None and theirs is not None:
            return DNF(ours + theirs)
        pairs = itertools.product(self.to_cnf().clauses, other.to_cnf().clauses)
        return CNF(Clause(a.literals | b.literals) for a, b in pairs)

    def __invert__(self) -> Formula:
        raise NotImplementedError


@dataclass(frozen=True)
class Literal(Formula):
    """A variable or its negation.

    Parameters
    ----------
    name : str
        The variable.
    positive : bool, default=True
        False for the negation.

    Examples
    --------
    >>> x, y = Literal("x"), Literal("y")
    >>> print(~x, x & ~y, x | y, ~(x & ~y), (x & y) | ~x, sep="; ")
    ~x; x & ~y; x | y; ~x | y; x & y | ~x
    """

    name: str
    positive: bool = True

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.isidentifier():
            raise ValueError(f"a variable must be called like x1, got {self.name!r}.")

    @property
    def variables(self) -> tuple[str, ...]:
        return (self.name,)

    def _value(self, columns: Mapping[str, Bits]) -> Any:
        return columns[self.name] if self.positive else ~columns[self.name]

    def _terms(self) -> tuple[Term, ...]:
        return (Term([self]),)

    def _clauses(self) -> tuple[Clause, ...]:
        return (Clause([self]),)

    def to_dnf(self) -> DNF:
        return DNF(self._terms())

    def to_cnf(self) -> CNF:
        return CNF(self._clauses())

    def __invert__(self) -> Literal:
        return Literal(self.name, not self.positive)

    def __str__(self) -> str:
        return self.name if self.positive else f"~{self.name}"


class _Group(Formula):
    """Literals under one connective."""

    def __init__(self, literals: Iterable[Literal] = ()) -> None:
        self.literals = frozenset(literals)

    @property
    def variables(self) -> tuple[str, ...]:
        return _in_order(literal.name for literal in self.literals)

    @property
    def ordered(self) -> list[Literal]:
        """The literals in ascending order."""
        return sorted(self.literals, key=lambda literal: (*_rank(literal.name), not literal.positive))

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.literals == other.literals

    def __hash__(self) -> int:
        return hash((type(self), self.literals))

    def __len__(self) -> int:
        return len(self.literals)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self)!r})"


class Term(_Group):
    """A conjunction of literals; without literals it is true.

    Parameters
    ----------
    literals : iterable of Literal
        What must all be true.

    Examples
    --------
    >>> print(Term([Literal("x4", False), Literal("x5"), Literal("x7")]))
    ~x4 & x5 & x7
    """

    def _value(self, columns: Mapping[str, Bits]) -> Any:
        value: Any = np.True_
        for literal in self.literals:
            value = value & literal._value(columns)
        return value

    def _terms(self) -> tuple[Term, ...]:
        return (self,)

    def _clauses(self) -> tuple[Clause, ...]:
        return tuple(Clause([literal]) for literal in self.ordered)

    def to_dnf(self) -> DNF:
        return DNF([self])

    def to_cnf(self) -> CNF:
        return CNF(self._clauses())

    def __invert__(self) -> Formula:
        return Clause(~literal for literal in self.literals)

    def __str__(self) -> str:
        return " & ".join(map(str, self.ordered)) or "1"


class Clause(_Group):
    """A disjunction of literals; without literals it is false.

    Parameters
    ----------
    literals : iterable of Literal
        Of which one must be true.

    Examples
    --------
    >>> Clause([Literal("x1"), Literal("x3")])([[1, 1, 0], [0, 1, 0]])
    array([ True, False])
    """

    def _value(self, columns: Mapping[str, Bits]) -> Any:
        value: Any = np.False_
        for literal in self.literals:
            value = value | literal._value(columns)
        return value

    def _terms(self) -> tuple[Term, ...]:
        return tuple(Term([literal]) for literal in self.ordered)

    def _clauses(self) -> tuple[Clause, ...]:
        return (self,)

    def to_dnf(self) -> DNF:
        return DNF(self._terms())

    def to_cnf(self) -> CNF:
        return CNF([self])

    def __invert__(self) -> Formula:
        return Term(~literal for literal in self.literals)

    def __str__(self) -> str:
        return " | ".join(map(str, self.ordered)) or "0"


class DNF(Formula):
    """A disjunction of terms: every Boolean function has one.

    Parameters
    ----------
    terms : iterable of Term
        Of which one must be true; equal ones count once.

    Examples
    --------
    >>> x, y = Literal("x"), Literal("y")
    >>> xor = (x & ~y) | (~x & y)
    >>> print(xor, "|", ~xor)
    x & ~y | ~x & y | (~x | y) & (x | ~y)
    """

    def __init__(self, terms: Iterable[Term] = ()) -> None:
        self.terms = tuple(dict.fromkeys(terms))

    @property
    def variables(self) -> tuple[str, ...]:
        return _in_order(name for term in self.terms for name in term.variables)

    def _value(self, columns: Mapping[str, Bits]) -> Any:
        value: Any = np.False_
        for term in self.terms:
            value = value | term._value(columns)
        return value

    def _terms(self) -> tuple[Term, ...]:
        return self.terms

    def to_dnf(self) -> DNF:
        return self

    def to_cnf(self) -> CNF:
        found: list[frozenset[Literal]] = [frozenset()]
        for term in self.terms:
            found = list(dict.fromkeys(part | {literal} for part in found for literal in term.ordered))
        return CNF(Clause(part) for part in found)

    def __invert__(self) -> Formula:
        return CNF(Clause(~literal for literal in term.literals) for term in self.terms)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DNF) and set(self.terms) == set(other.terms)

    def __hash__(self) -> int:
        return hash(frozenset(self.terms))

    def __str__(self) -> str:
        return " | ".join(map(str, self.terms)) or "0"

    def __repr__(self) -> str:
        return f"DNF({str(self)!r})"


class CNF(Formula):
    """A conjunction of clauses.

    Parameters
    ----------
    clauses : iterable of Clause
        Which must all be true; equal ones count once.

    Examples
    --------
    >>> a, b, c = Literal("a"), Literal("b"), Literal("c")
    >>> print(CNF([Clause([a, b]), Clause([~c])]), "=", CNF([Clause([a, b]), Clause([~c])]).to_dnf())
    (a | b) & ~c = a & ~c | b & ~c
    """

    def __init__(self, clauses: Iterable[Clause] = ()) -> None:
        self.clauses = tuple(dict.fromkeys(clauses))

    @property
    def variables(self) -> tuple[str, ...]:
        return _in_order(name for clause in self.clauses for name in clause.variables)

    def _value(self, columns: Mapping[str, Bits]) -> Any:
        value: Any = np.True_
        for clause in self.clauses:
            value = value & clause._value(columns)
        return value

    def _clauses(self) -> tuple[Clause, ...]:
        return self.clauses

    def to_dnf(self) -> DNF:
        found: list[frozenset[Literal]] = [frozenset()]
        for clause in self.clauses:
            found = list(dict.fromkeys(part | {literal} for part in found for literal in clause.ordered))
        return DNF(Term(part) for part in found)

    def to_cnf(self) -> CNF:
        return self

    def __invert__(self) -> Formula:
        return DNF(Term(~literal for literal in clause.literals) for clause in self.clauses)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CNF) and set(self.clauses) == set(other.clauses)

    def __hash__(self) -> int:
        return hash(frozenset(self.clauses))

    def __str__(self) -> str:
        parts = [f"({clause})" if len(clause) > 1 and len(self.clauses) > 1 else str(clause) for clause in self.clauses]
        return " & ".join(parts) or "1"

    def __repr__(self) -> str:
        return f"CNF({str(self)!r})"


def columns_of(values: ArrayLike | Mapping[str, ArrayLike]) -> dict[str, Bits]:
    """Columns of a table as x1, x2, ..., or those of a mapping; anything but 0 and 1 is refused."""
    if isinstance(values, Mapping):
        return {name: _bits(np.asarray(column), name) for name, column in values.items()}
    table = np.asarray(values)
    if table.ndim == 1:
        table = table[None, :]
    if table.ndim != 2:
        raise ValueError(f"values must be a table with a column per variable, got the shape {table.shape}.")
    return {f"x{place + 1}": _bits(column, f"x{place + 1}") for place, column in enumerate(table.T)}


def _bits(column: NDArray[Any], name: str) -> Bits:
    bad = ~np.isin(column, (0, 1))
    if bad.any():
        raise ValueError(
            f"column {name!r} must hold 0 or 1, got {column[bad].flat[0]!r}.\nHint: decode turns -1 and 1 into them."
        )
    return column.astype(bool)


def _literals(part: Formula) -> frozenset[Literal]:
    return part.literals if isinstance(part, _Group) else frozenset([part])  # type: ignore[list-item]


def _rank(name: str) -> tuple[str, int, str]:
    head = name.rstrip("0123456789")
    return head, int(name[len(head) :] or 0), name


def _in_order(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(names), key=_rank))
