"""How many training rows provably have the label that the exact optimum would give them.

With the coefficients within a known distance of the optimum, every score is within a known distance of the
optimum's score; a row whose winning margin is larger keeps its label. The count needs no optimum, only the bound.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.guarantees import Certificate
from certus.guarantees.records import Derivation, rules
from certus.guarantees.training import check_exact_labels, exact_labels

Array = NDArray[np.float64]
RULE = "linear/exact-labels"
THEOREM = "Strong convexity bounds the distance to the minimizer, Cauchy-Schwarz the scores (Nesterov 2018, 2.1)"


def undecided_rows(scores: Array, reach: Array) -> int:
    """Rows whose label could change when every score moves by at most ``reach`` of its row.

    ``scores`` is rows x outputs; with one output the sign decides, else the largest. ``reach`` bounds the change
    of the deciding difference.
    """
    if scores.shape[1] == 1:
        margin = np.abs(scores[:, 0])
    else:
        top = np.partition(scores, -2, axis=1)[:, -2:]
        margin = top[:, 1] - top[:, 0]
    return int((~(margin > reach)).sum())


@dataclass(frozen=True)
class LabelLimits:
    """How far the optimum's scores of a row can be from the model's: ``per_length * |(x - mean) / metric| + anyway``.

    ``several``: whether every output decides a label of its own.
    """

    coef: Array
    intercept: Array
    mean: Array
    metric: Array
    per_length: float
    anyway: float
    several: bool = False

    def undecided(self, design: Any) -> int:
        """Rows of this table, or part of it, whose label could differ from the exact optimum's."""
        scores, lengths = design.scores_and_lengths(self.coef, self.intercept, self.mean, self.metric)
        reach = (lengths * self.per_length + self.anyway) * (1.0 + 4.0 * np.finfo(float).eps)
        if self.several:
            return int((~(np.abs(scores) > reach[:, None]).all(axis=1)).sum())
        return undecided_rows(scores, reach if len(self.coef) == 1 else 2.0 * reach)


def label_certificate(undecided: int, rows: int, distance: float) -> Certificate:
    """The certificate that all but ``undecided`` of the training labels are those of the exact optimum."""
    return exact_labels(undecided, rows, theorem=THEOREM, rule=RULE, distance=float(distance))


@rules.checker(RULE)
def check_labels(certificate: Certificate, data: Any = None) -> Derivation:
    """Derive the count again from the witness; the distance itself is checked with the optimality gap."""
    del data
    return check_exact_labels(certificate, theorem=THEOREM, rule=RULE, bound="distance")
