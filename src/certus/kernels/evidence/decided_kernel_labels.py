"""How many training rows of a kernel machine provably have the label that the exact optimum would give them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.guarantees import Certificate
from certus.guarantees.records import Derivation, rules
from certus.guarantees.training import check_exact_labels, exact_labels
from certus.kernels.evidence.kernel_machine_gap import MachineEvidence

Array = NDArray[np.float64]
RULE = "kernels/exact-labels"
THEOREM = "Strong convexity bounds the distance to the minimizer, Cauchy-Schwarz the scores (Nesterov 2018, 2.1)"


def label_certificate(scores: Array, error: Array, lengths: Array, evidence: MachineEvidence) -> Certificate:
    """How many training labels are those of the exact optimum.

    Scores (rows x outputs, known up to ``error``) differ from the optimum's by at most the distance of the functions
    times sqrt k(x, x) (``lengths``); the difference of two of them by sqrt 2 times that.
    """
    distance = evidence.distance()
    reach = distance * lengths * (1.0 + 1e-12)
    if scores.shape[1] == 1:
        margin = np.abs(scores[:, 0])
    else:
        top = np.partition(scores, -2, axis=1)[:, -2:]
        margin, reach = top[:, 1] - top[:, 0], math.sqrt(2.0) * reach
    undecided = int((~(margin > reach + 2.0 * error.max(axis=1))).sum())
    return exact_labels(undecided, len(scores), theorem=THEOREM, rule=RULE, distance=distance)


@rules.checker(RULE)
def check_labels(certificate: Certificate, data: Any = None) -> Derivation:
    """Derive the count again from the witness; the distance itself is checked with the optimality gap."""
    del data
    return check_exact_labels(certificate, theorem=THEOREM, rule=RULE, bound="distance")
