"""The certificates of lasso, elastic net and multi-task forms, and the second routes by which they are checked."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from certus.guarantees import Certificate, CertificateError
from certus.guarantees.records import Derivation, count, rules
from certus.guarantees.training import gap_record
from certus.linear.evidence.penalized_gap import PenalizedEvidence

Array = NDArray[np.float64]
GAP_RULE = "linear/penalized-gap"
ZEROS_RULE = "linear/provable-zeros"
DUALITY = "Fenchel duality gap (Rockafellar 1970, theorem 31.1)"
SPHERE = "Gap-safe sphere test (Fercoq, Gramfort, Salmon 2015, theorem 2)"
KEPT = 20_000  # coefficients up to this many are kept in the witness, so that data can be checked against them


def penalized_certificates(
    evidence: PenalizedEvidence, coef: Array, intercept: Array, problem: dict[str, Any]
) -> list[Certificate]:
    """The gap of the stored coefficients (t x p), and which of them are 0 at every optimum.

    ``problem`` names alpha, l1_ratio, fit_intercept, positive and whether the targets share their zeros (joint).
    """
    witness: dict[str, Any] = {
        "objective": evidence.objective,
        "dual": evidence.dual,
        "objective_at_zero": evidence.objective_at_zero,
    }
    if coef.size <= KEPT:
        witness["coef"] = coef.tolist()
        witness["intercept"] = intercept.tolist()
    certificates = [_gap_record(evidence.gap, problem, witness)]
    if evidence.zeros is not None and len(evidence.zeros):
        shown = evidence.zeros.tolist() if coef.size <= KEPT else None
        certificates.append(_zeros_record(len(evidence.zeros), coef.shape[1], shown, problem))
    return certificates


def _gap_record(gap: float, inputs: Any, witness: Any) -> Certificate:
    return gap_record(gap, witness["objective_at_zero"], theorem=DUALITY, rule=GAP_RULE, inputs=inputs, witness=witness)


def _zeros_record(zeros: int, columns: int, shown: list[int] | None, inputs: Any) -> Certificate:
    return Certificate(
        claim=f"At least {count(zeros)} of {count(columns)} columns have coefficients that are 0 at every optimum.",
        quantity="columns that every optimum leaves out",
        direction="lower",
        value=float(zeros),
        trivial=0.0,
        confidence=1.0,
        kind="exact",
        theorem=SPHERE,
        rule=ZEROS_RULE,
        assumptions=("convex", "floating-point-model"),
        inputs=inputs,
        witness={"zeros": zeros, "columns": columns, "shown": shown},
    )


@rules.checker(GAP_RULE)
def check_penalized_gap(certificate: Certificate, data: Any = None) -> Derivation:
    """Derive the gap again from the witness; with ``(X, y[, sample_weight])`` also look for a better solution."""
    witness = certificate.witness
    objective, dual = float(witness["objective"]), float(witness["dual"])
    if not (objective >= 0.0 and math.isfinite(objective)) or math.isnan(dual):
        raise CertificateError(f"{certificate.quantity}: the witness holds a number that cannot occur")
    bounds = [Fraction(objective)]
    if math.isfinite(dual):
        bounds.append(max(Fraction(objective) - Fraction(dual), Fraction(0)))
    gap = float(min(bounds))
    if not isinstance(certificate.value, float):
        raise CertificateError(f"{certificate.quantity}: the gap must be one number")
    if data is not None:
        _look_for_better(certificate, data)
    record = _gap_record(certificate.value, certificate.inputs, witness)
    return Derivation(gap, error=1e-15, slack=1e-6 if gap > 1e-300 else math.inf, record=record)


@rules.checker(ZEROS_RULE)
def check_provable_zeros(certificate: Certificate, data: Any = None) -> Derivation:
    """Compare the count with the list; with data also solve the problem and look at the listed coefficients."""
    witness = certificate.witness
    zeros, columns, shown = int(witness["zeros"]), int(witness["columns"]), witness["shown"]
    if not 0 <= zeros <= columns or (shown is not None and len(set(shown)) != zeros):
        raise CertificateError(f"{certificate.quantity}: the witness does not fit together")
    if data is not None:
        if shown is None:
            raise CertificateError(
                f"{certificate.quantity}: the columns of more than {KEPT} coefficients are not kept in a certificate"
            )
        _solve_and_compare(certificate, data, np.array(shown, dtype=np.intp))
    record = _zeros_record(zeros, columns, shown, certificate.inputs)
    return Derivation(float(zeros), error=0.0, slack=0.0, record=record)


class _Data:
    """The learners' objective in plain NumPy, centred in extended precision."""

    def __init__(self, inputs: Any, data: Any) -> None:
        X, y, *rest = data
        X = np.asarray(X.toarray() if sparse.issparse(X) else X, dtype=np.longdouble)
        Y = np.asarray(y, dtype=np.longdouble).reshape(len(X), -1)
        weights = np.ones(len(X)) if not rest or rest[0] is None else np.broadcast_to(rest[0], (len(X),))
        share = np.asarray(weights, dtype=np.longdouble) / np.sum(weights)
        center = bool(inputs["fit_intercept"])
        self.mean_x = share @ X if center else np.zeros(X.shape[1], dtype=np.longdouble)
        self.mean_y = share @ Y if center else np.zeros(Y.shape[1], dtype=np.longdouble)
        root = np.sqrt(share)[:, None]
        self.X, self.Y, self.root = root * (X - self.mean_x), root * (Y - self.mean_y), root
        self.inputs = inputs

    def objective(self, W: Any, offset: Any = 0.0) -> float:
        """Objective of coefficients (t x p); ``offset``: how far the intercepts are from their best values."""
        residual = self.Y - self.X @ W.T - self.root * offset
        size = np.linalg.norm(np.asarray(W, dtype=float), axis=0) if self.inputs["joint"] else np.abs(W)
        alpha, ratio = self.inputs["alpha"], self.inputs["l1_ratio"]
        return float(
            0.5 * (residual**2).sum() + alpha * ratio * size.sum() + 0.5 * alpha * (1.0 - ratio) * (W**2).sum()
        )

    def descend(self, W: Any, sweeps: int) -> Array:
        """Plain cyclic coordinate descent in double precision."""
        X, W = np.asarray(self.X, dtype=float), np.array(W, dtype=float)
        R = np.asarray(self.Y, dtype=float) - X @ W.T
        l1 = self.inputs["alpha"] * self.inputs["l1_ratio"]
        l2 = self.inputs["alpha"] * (1.0 - self.inputs["l1_ratio"])
        squares = np.einsum("ij,ij->j", X, X)
        for _ in range(sweeps):
            for j in np.flatnonzero(squares > 0.0):
                z = X[:, j] @ R + squares[j] * W[:, j]
                if self.inputs["positive"]:
                    z = np.maximum(z, 0.0)
                size = np.linalg.norm(z) if self.inputs["joint"] else np.abs(z)
                with np.errstate(divide="ignore", invalid="ignore"):
                    factor = np.where(size > l1, 1.0 - l1 / size, 0.0)
                fresh = z * factor / (squares[j] + l2)
                R -= np.outer(X[:, j], fresh - W[:, j])
                W[:, j] = fresh
        return W


def _look_for_better(certificate: Certificate, data: Any) -> None:
    witness = certificate.witness
    if "coef" not in witness:
        raise CertificateError(
            f"{certificate.quantity}: more than {KEPT} coefficients are not kept in a certificate, so data cannot "
            "be checked against it"
        )
    twin = _Data(certificate.inputs, data)
    coef = np.array(witness["coef"], dtype=np.longdouble)
    offset = np.array(witness["intercept"], dtype=np.longdouble) - (twin.mean_y - coef @ twin.mean_x)
    reached, other = twin.objective(coef, offset), twin.objective(twin.descend(coef, 100))
    assert isinstance(certificate.value, float)
    if reached - other > certificate.value + 1e-15 * len(twin.X) * max(reached, other):
        raise CertificateError(
            f"{certificate.quantity}: on these data another solution is better by {reached - other!r}, "
            f"more than the certificate's {certificate.value!r}"
        )


def _solve_and_compare(certificate: Certificate, data: Any, zeros: NDArray[np.intp]) -> None:
    twin = _Data(certificate.inputs, data)
    coef = twin.descend(np.zeros((twin.Y.shape[1], twin.X.shape[1])), 300)
    if np.abs(coef[:, zeros]).max(initial=0.0) > 1e-6 * np.abs(coef).max(initial=0.0):
        raise CertificateError(f"{certificate.quantity}: on these data a listed coefficient is not 0 at the optimum")
