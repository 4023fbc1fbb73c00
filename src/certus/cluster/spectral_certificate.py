"""How much cheaper any clustering with as many centers could be."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from certus.guarantees import Certificate, CertificateError, rules
from certus.guarantees.rules import Derivation
from certus.guarantees.wording import number, percent

Floats = NDArray[np.float64]
RULE = "cluster/spectral-cost"
THEOREM = "K-means clustering via principal component analysis (Ding, He 2004)"
QUANTITY = "excess cost of the clustering"
KEPT = 20_000  # numbers in the centers up to which they are kept, so that data can be checked against them
_OUTWARD = 1.0 + 2.0**-48


def spectral_certificate(cost: float, centers: Floats, values: Floats, error: float) -> Certificate:
    """The certificate of a cost, from the eigenvalues (ascending) of the scatter matrix and a bound on their errors.

    Whatever the k centers, the rows minus their centers lose at most k - 1 directions of the scatter around the
    mean: the cost of any clustering is at least the sum of the other eigenvalues.
    """
    count = len(centers)
    kept = values[: max(0, len(values) - (count - 1))]
    witness: dict[str, Any] = {
        "cost": cost,
        "tail": math.fsum(np.maximum(kept, 0.0)),
        "error": count * error,
    }
    if centers.size <= KEPT:
        witness["centers"] = centers.tolist()
    return _record(_excess(witness), {"clusters": count}, witness)


def _excess(witness: Any) -> float:
    """Share of the cost that another clustering could save at most, rounded up."""
    cost, lower = float(witness["cost"]), max(0.0, float(witness["tail"]) - float(witness["error"]))
    if cost <= 0.0:
        return 0.0
    return min(1.0, max(0.0, (1.0 - lower / cost) * _OUTWARD + 2.0**-50))


def _record(excess: float, inputs: Any, witness: Any) -> Certificate:
    cost = float(witness["cost"])
    return Certificate(
        claim=(
            f"No clustering of these rows with {inputs['clusters']} centers costs less than "
            f"{number(cost * (1.0 - excess), 'lower')}: this one costs {number(cost)}, and at most "
            f"{percent(excess, 'upper')} of that could be saved."
        ),
        quantity=QUANTITY,
        direction="upper",
        value=excess,
        trivial=1.0,
        confidence=1.0,
        kind="exact",
        theorem=THEOREM,
        rule=RULE,
        inputs=inputs,
        witness=witness,
    )


@rules.checker(RULE)
def check_spectral_cost(certificate: Certificate, data: Any = None) -> Derivation:
    """Derive the excess again from the witness; with ``X`` or ``(X, sample_weight)`` from singular values too."""
    witness = certificate.witness
    parts = [float(witness[name]) for name in ("cost", "tail", "error")]
    if not all(math.isfinite(part) and part >= 0.0 for part in parts):
        raise CertificateError(f"{certificate.quantity}: the witness holds a number that cannot occur")
    if data is not None:
        _check_with_data(certificate, data)
    excess = _excess(witness)
    return Derivation(excess, error=1e-12, scale=1.0, record=_record(excess, certificate.inputs, witness))


def _check_with_data(certificate: Certificate, data: Any) -> None:
    witness, count = certificate.witness, int(certificate.inputs["clusters"])
    X, weights = data if isinstance(data, tuple) else (data, None)
    table = np.asarray(X.toarray() if sparse.issparse(X) else X, dtype=np.float64)
    weights = np.ones(len(table)) if weights is None else np.asarray(weights, dtype=np.float64)
    centered = (table - np.average(table, axis=0, weights=weights)) * np.sqrt(weights)[:, None]
    singular = np.linalg.svd(centered, compute_uv=False)
    tail = float(np.sum(singular[count - 1 :] ** 2))
    total = float(np.sum(singular**2))
    if float(witness["tail"]) - float(witness["error"]) > tail + 1e-9 * total:
        raise CertificateError(f"{certificate.quantity}: the data give a lower bound of {tail!r} only")
    if "centers" in witness:
        centers = np.array(witness["centers"], dtype=np.float64)
        cost = sum(
            float(weight) * float(np.min(np.sum((centers - row) ** 2, axis=1)))
            for row, weight in zip(table, weights, strict=True)
        )
        if abs(cost - float(witness["cost"])) > 1e-6 * max(cost, 1e-9 * total):
            raise CertificateError(f"{certificate.quantity}: on these data the clustering costs {cost!r}")
