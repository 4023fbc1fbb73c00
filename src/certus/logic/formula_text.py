"""Formulas from text: ``x1 & ~x2 | (x3 | x4) & x5``; ~ binds before &, & before |, and 0 and 1 are constants."""

from __future__ import annotations

import re

from certus.logic.formulas import CNF, DNF, Clause, Formula, Literal, Term

_PIECES = re.compile(r"\s*([A-Za-z_]\w*|[01](?!\w)|[&|~()])")


def parse(text: str) -> Formula:
    """The formula that a text says.

    Parameters
    ----------
    text : str
        Names, ``&``, ``|``, ``~``, parentheses, 0 and 1.

    Returns
    -------
    Literal, Term, Clause, DNF or CNF

    Examples
    --------
    >>> parse("x1 & x4 & x7 | x1 & ~x2"), parse("(x1 | x4) & x1")
    (DNF('x1 & x4 & x7 | x1 & ~x2'), CNF('(x1 | x4) & x1'))
    """
    pieces, place = [], 0
    stripped = text.rstrip()
    while place < len(stripped):
        found = _PIECES.match(stripped, place)
        if found is None:
            raise ValueError(
                f"the formula {text!r} cannot be read from place {place + 1} on: {stripped[place:][:20]!r}.\n"
                "Hint: names, &, |, ~ and parentheses are known."
            )
        pieces.append(found[1])
        place = found.end()
    return _Reader(text, pieces).read()


class _Reader:
    def __init__(self, text: str, pieces: list[str]) -> None:
        self.text, self.pieces, self.place = text, pieces, 0

    def read(self) -> Formula:
        found = self.sum()
        if self.place < len(self.pieces):
            raise self.error(f"nothing may follow before {self.pieces[self.place]!r}")
        return found

    def error(self, reason: str) -> ValueError:
        return ValueError(f"the formula {self.text!r} is incomplete or wrong: {reason}.\nHint: x1 & ~x2 | x3 is one.")

    def peek(self) -> str:
        return self.pieces[self.place] if self.place < len(self.pieces) else ""

    def take(self) -> str:
        self.place += 1
        return self.pieces[self.place - 1] if self.place <= len(self.pieces) else ""

    def sum(self) -> Formula:
        found = self.product()
        while self.peek() == "|":
            self.take()
            found = found | self.product()
        return found

    def product(self) -> Formula:
        found = self.factor()
        while self.peek() == "&":
            self.take()
            found = found & self.factor()
        return found

    def factor(self) -> Formula:
        piece = self.take()
        if piece == "~":
            return ~self.factor()
        if piece == "(":
            found = self.sum()
            if self.take() != ")":
                raise self.error("a parenthesis is open")
            return found
        if piece in ("0", "1"):
            return Term() if piece == "1" else Clause()
        if piece in ("", "&", "|", ")"):
            raise self.error(f"a variable is missing before {piece!r}" if piece else "a variable is missing at the end")
        return Literal(piece)


def truth_table_dnf(truth: list[int] | tuple[int, ...], names: list[str] | None = None) -> DNF:
    """The DNF with one term per row of a truth table that is true.

    Parameters
    ----------
    truth : sequence of 2^n values 0 or 1
        Row r is the input whose bits write r, the first variable as the highest.
    names : list of str, optional
        The variables; else x1, x2, ...

    Returns
    -------
    DNF

    Examples
    --------
    >>> print(truth_table_dnf([0, 1, 1, 0]))
    ~x1 & x2 | x1 & ~x2
    """
    size = len(truth)
    width = size.bit_length() - 1
    if size < 1 or size != 2**width or any(value not in (0, 1) for value in truth):
        raise ValueError(f"truth must have 2^n values 0 or 1, got {size} values.")
    names = names or [f"x{place + 1}" for place in range(width)]
    if len(names) != width:
        raise ValueError(f"names must be those of {width} variables, got {len(names)}.")
    rows = [row for row in range(size) if truth[row]]
    bit = {name: width - 1 - place for place, name in enumerate(names)}
    return DNF(Term(Literal(name, bool(row >> bit[name] & 1)) for name in names) for row in rows)


def as_cnf(formula: Formula | str) -> CNF:
    """A formula or its text as a CNF."""
    return (parse(formula) if isinstance(formula, str) else formula).to_cnf()
