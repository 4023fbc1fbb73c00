"""How much cheaper any clustering with as many centers could be."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from certus.cluster.evidence.dual_bound import DualBound
from certus.guarantees import Certificate, CertificateError
from certus.guarantees.records import Derivation, number, percent, rules

Floats = NDArray[np.float64]
SPECTRAL, DUAL = "cluster/spectral-cost", "cluster/dual-cost"
THEOREMS = {
    SPECTRAL: "K-means clustering via principal component analysis (Ding, He 2004)",
    DUAL: "Approximating k-means-type clustering via semidefinite programming (Peng, Wei 2007)",
}
QUANTITY = "excess cost of the clustering"
KEPT = 20_000  # numbers up to which centers (or a dual matrix) are kept, so that data can be checked against them
_OUTWARD = 1.0 + 2.0**-48


def spectral_certificate(cost: float, centers: Floats, values: Floats, error: float) -> Certificate:
    """The certificate of a cost, from the eigenvalues (ascending) of the scatter matrix and a bound on their errors.

    Whatever the k centers, the rows minus their centers lose at most k - 1 directions of the scatter around the
    mean: the cost of any clustering is at least the sum of the other eigenvalues.
    """
    count = len(centers)
    kept = values[: max(0, len(values) - (count - 1))]
    witness = _witness(cost, math.fsum(np.maximum(kept, 0.0)), count * error, centers)
    return _record(SPECTRAL, _excess(witness), {"clusters": count}, witness)


def dual_certificate(cost: float, centers: Floats, bound: DualBound) -> Certificate:
    """The certificate of a cost, from a dual solution of the semidefinite relaxation."""
    witness = _witness(cost, max(0.0, bound.value), bound.error, centers)
    rows, columns = np.nonzero(np.triu(bound.Z))
    if len(rows) <= KEPT:
        entries = {"rows": rows.tolist(), "columns": columns.tolist(), "values": bound.Z[rows, columns].tolist()}
        witness["dual"] = entries
    return _record(DUAL, _excess(witness), {"clusters": len(centers)}, witness)


def _witness(cost: float, tail: float, error: float, centers: Floats) -> dict[str, Any]:
    witness: dict[str, Any] = {"cost": cost, "tail": tail, "error": error}
    if centers.size <= KEPT:
        witness["centers"] = centers.tolist()
    return witness


def _excess(witness: Any) -> float:
    """Share of the cost that another clustering could save at most, rounded up."""
    cost, lower = float(witness["cost"]), max(0.0, float(witness["tail"]) - float(witness["error"]))
    if cost <= 0.0:
        return 0.0
    return min(1.0, max(0.0, (1.0 - lower / cost) * _OUTWARD + 2.0**-50))


def _record(rule: str, excess: float, inputs: Any, witness: Any) -> Certificate:
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
        theorem=THEOREMS[rule],
        rule=rule,
        inputs=inputs,
        witness=witness,
    )


@rules.checker(SPECTRAL)
def check_spectral_cost(certificate: Certificate, data: Any = None) -> Derivation:
    """Derive the excess again from the witness; with ``X`` or ``(X, sample_weight)`` from singular values too."""
    if data is not None:
        table, weights = _read(data)
        centered = (table - np.average(table, axis=0, weights=weights)) * np.sqrt(weights)[:, None]
        squares = np.linalg.svd(centered, compute_uv=False) ** 2
        tail = float(squares[int(certificate.inputs["clusters"]) - 1 :].sum())
        _compare(certificate, table, weights, tail, float(squares.sum()))
    return _derived(certificate)


@rules.checker(DUAL)
def check_dual_cost(certificate: Certificate, data: Any = None) -> Derivation:
    """Derive the excess again from the witness; with ``X`` or ``(X, sample_weight)`` from its dual matrix too."""
    if data is not None:
        table, weights = _read(data)
        if "dual" not in certificate.witness:
            raise CertificateError(
                f"{certificate.quantity}: a dual matrix of more than {KEPT} entries is not kept in a certificate, so "
                "data cannot be checked against it"
            )
        tail, total = _dual_value(certificate, table, weights)
        _compare(certificate, table, weights, tail, total)
    return _derived(certificate)


def _derived(certificate: Certificate) -> Derivation:
    witness = certificate.witness
    parts = [float(witness[name]) for name in ("cost", "tail", "error")]
    if not all(math.isfinite(part) and part >= 0.0 for part in parts):
        raise CertificateError(f"{certificate.quantity}: the witness holds a number that cannot occur")
    excess = _excess(witness)
    record = _record(certificate.rule, excess, certificate.inputs, witness)
    return Derivation(excess, error=1e-12, scale=1.0, record=record)


def _dual_value(certificate: Certificate, table: Floats, weights: Floats) -> tuple[float, float]:
    """The bound of the kept dual matrix from all eigenvalues, and the total scatter."""
    entries = certificate.witness["dual"]
    Z = np.zeros((len(table), len(table)))
    Z[np.array(entries["rows"], dtype=np.intp), np.array(entries["columns"], dtype=np.intp)] = entries["values"]
    Z = np.maximum(Z, Z.T)
    if (Z < 0.0).any():
        raise CertificateError(f"{certificate.quantity}: the dual matrix has a negative entry")
    v = np.sqrt(weights / weights.sum())
    P = np.eye(len(table)) - np.outer(v, v)
    centered = np.sqrt(weights)[:, None] * (table - np.average(table, axis=0, weights=weights))
    values = np.linalg.eigvalsh(P @ (centered @ centered.T + Z) @ P)
    leading = np.sort(values)[::-1][: int(certificate.inputs["clusters"]) - 1]
    total = float(np.sum(centered**2))
    return total - float(v @ Z @ v) - float(np.maximum(leading, 0.0).sum()), total


def _read(data: Any) -> tuple[Floats, Floats]:
    X, weights = data if isinstance(data, tuple) else (data, None)
    table = np.asarray(X.toarray() if sparse.issparse(X) else X, dtype=np.float64)
    return table, np.ones(len(table)) if weights is None else np.asarray(weights, dtype=np.float64)


def _compare(certificate: Certificate, table: Floats, weights: Floats, tail: float, total: float) -> None:
    """Raise unless the data give the lower bound and the cost that the witness states."""
    witness = certificate.witness
    if float(witness["tail"]) - float(witness["error"]) > max(0.0, tail) + 1e-9 * total:
        raise CertificateError(f"{certificate.quantity}: the data give a lower bound of {tail!r} only")
    if "centers" in witness:
        centers = np.array(witness["centers"], dtype=np.float64)
        squared = [float(np.min(np.sum((centers - row) ** 2, axis=1))) for row in table]
        cost = float(weights @ squared)
        if abs(cost - float(witness["cost"])) > 1e-6 * max(cost, 1e-9 * total):
            raise CertificateError(f"{certificate.quantity}: on these data the clustering costs {cost!r}")
