"""How many training rows provably have the label that the exact optimum would give them.

With the coefficients within a known distance of the optimum, every score is within a known distance of the
optimum's score; a row whose winning margin is larger keeps its label. The count needs no optimum, only the bound.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.guarantees import Certificate, CertificateError, rules
from certus.guarantees.rules import Derivation
from certus.guarantees.wording import count

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


def label_certificate(undecided: int, rows: int, distance: float) -> Certificate:
    """The certificate that all but ``undecided`` of the training labels are those of the exact optimum."""
    return _record({"undecided": undecided, "rows": rows, "distance": float(distance)})


def _record(witness: Any) -> Certificate:
    rows, kept = witness["rows"], witness["rows"] - witness["undecided"]
    return Certificate(
        claim=f"At least {count(kept)} of {count(rows)} training rows get the label that the exact optimum gives.",
        quantity="labels of the exact optimum",
        direction="lower",
        value=float(kept),
        trivial=0.0,
        confidence=1.0,
        kind="exact",
        theorem=THEOREM,
        rule=RULE,
        assumptions=("convex", "strongly-convex", "floating-point-model"),
        inputs={},
        witness=witness,
    )


@rules.checker(RULE)
def check_labels(certificate: Certificate, data: Any = None) -> Derivation:
    """Derive the count again from the witness; the distance itself is checked with the optimality gap."""
    del data
    witness = certificate.witness
    rows, undecided = witness["rows"], witness["undecided"]
    if isinstance(rows, float) or isinstance(undecided, float) or not 0 <= undecided <= rows:
        raise CertificateError(f"{certificate.quantity}: the witness is not a count of rows")
    if not witness["distance"] >= 0.0:
        raise CertificateError(f"{certificate.quantity}: the distance must be at least 0")
    return Derivation(float(rows - undecided), error=0.0, slack=0.0, record=_record(witness))
