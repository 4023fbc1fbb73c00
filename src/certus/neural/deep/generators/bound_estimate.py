"""The lower bound of the log-density of held-out rows: what training ends with, promised by nobody."""

from __future__ import annotations

import math
from typing import Any

from certus.guarantees import Certificate, CertificateError
from certus.guarantees.records import Basis, Derivation, rules

RULE = "neural/variational-bound"
QUANTITY = "mean lower bound of the log-density"
THEOREM = "Auto-Encoding Variational Bayes (Kingma, Welling 2014)"


def bound_estimate(total: float, rows: int, columns: int) -> Certificate:
    """Of so many held-out rows, which also chose the epoch and of whose codes one each was drawn.

    Parameters
    ----------
    total : float
        Sum over the rows, in the columns' own units.
    rows, columns : int
        Their numbers.
    """
    value = total / rows
    claim = (
        f"An estimate, not a guarantee: on average over {rows} held-out rows of {columns} columns, the logarithm of "
        f"the density is at least about {value:.4g}. The rows chose the epoch, and one code was drawn for each."
    )
    witness = {"total": total, "rows": rows, "columns": columns}
    return Basis(RULE, THEOREM, ()).exact(
        claim, QUANTITY, "lower", value, -math.inf, {}, witness, confidence=0.0, kind="estimate"
    )


@rules.checker(RULE)
def _check(certificate: Certificate, _data: Any = None) -> Derivation:
    """The mean once more."""
    witness = certificate.witness
    rows = witness["rows"]
    if not isinstance(rows, int) or rows < 1 or not math.isfinite(witness["total"]):
        raise CertificateError(f"{certificate.quantity}: there must be rows with a finite sum.")
    record = bound_estimate(witness["total"], rows, witness["columns"])
    return Derivation(record.value, record=record)
