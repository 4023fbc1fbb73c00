"""Boolean formulas: literals, terms, clauses, DNF and CNF, as text, as functions of tables and as half-spaces."""

from certus.logic.formula_text import as_cnf, parse, truth_table_dnf
from certus.logic.formulas import CNF, DNF, Clause, Formula, Literal, Term
from certus.logic.truth_values import (
    decode,
    doubled,
    encode,
    linear_threshold,
    monomials,
    number_of_functions,
    number_of_monotone_terms,
    number_of_terms,
    sign,
)

__all__ = [
    "CNF",
    "DNF",
    "Clause",
    "Formula",
    "Literal",
    "Term",
    "as_cnf",
    "decode",
    "doubled",
    "encode",
    "linear_threshold",
    "monomials",
    "number_of_functions",
    "number_of_monotone_terms",
    "number_of_terms",
    "parse",
    "sign",
    "truth_table_dnf",
]


def __dir__() -> list[str]:
    return __all__
