"""Learning Boolean functions: terms, disjunctions, covers, and what they cost."""

from certus.online.boolean.boolean_bounds import (
    disjunction_comparator,
    disjunction_majority_bound,
    disjunction_perceptron_bound,
    dnf_perceptron_bound,
    rotation_bench,
)
from certus.online.boolean.covers import (
    Disjunction,
    SatisfiabilityCover,
    minimal_disjunction,
    satisfiability_cover,
    set_cover,
)
from certus.online.boolean.disjunction_majority import DisjunctionMajority
from certus.online.boolean.subset_winnow import SubsetWinnow
from certus.online.boolean.term_elimination import TermElimination

__all__ = [
    "Disjunction",
    "DisjunctionMajority",
    "SatisfiabilityCover",
    "SubsetWinnow",
    "TermElimination",
    "disjunction_comparator",
    "disjunction_majority_bound",
    "disjunction_perceptron_bound",
    "dnf_perceptron_bound",
    "minimal_disjunction",
    "rotation_bench",
    "satisfiability_cover",
    "set_cover",
]


def __dir__() -> list[str]:
    return __all__
