"""Is the winner better than guessing: one verdict of three, from an exact comparison on the test rows."""

from certus.workflow.verdict.against_constants import (
    Comparison,
    Rival,
    against_bound,
    against_labels,
    against_mean,
    against_numbers,
)
from certus.workflow.verdict.verdict_record import ClusterVerdict, Verdict, Word, decide

__all__ = [
    "ClusterVerdict",
    "Comparison",
    "Rival",
    "Verdict",
    "Word",
    "against_bound",
    "against_labels",
    "against_mean",
    "against_numbers",
    "decide",
]
