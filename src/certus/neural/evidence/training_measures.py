"""What training alone says of a network: the length of the gradient, the gap without hidden layers, a margin bound."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from scipy import sparse

from certus.guarantees import Certificate, CertificateError
from certus.guarantees.records import Basis, Derivation, rules
from certus.neural.engine import NetworkEngine
from certus.neural.evidence.output_gap import output_gap
from certus.neural.evidence.spectral_margin import spectral_certificate
from certus.neural.learning.training_data import TrainingData

RULE = "neural/gradient-norm"
FEWEST_EPOCHS = 10  # with fewer, measuring would be a good part of the fit, and training has hardly begun
THEOREM = "First-order condition of a local minimum (Fermat)"


def training_certificates(learner: Any, engine: NetworkEngine, data: TrainingData) -> list[Certificate]:
    """The certificates that training ends with; each reads the rows about once, so there must have been some epochs."""
    if learner.n_iter_ < FEWEST_EPOCHS and learner.solver != "lbfgs":
        return []
    found: list[Certificate | None] = []
    if learner.l1 == 0.0 and learner.dropout == 0.0 and not learner.batch_norm and learner.solver != "adamw":
        found.append(gradient_certificate(learner, engine, data))
        if len(engine.coefs) == 1:
            found.append(output_gap(learner, engine, data))
    if data.classes is not None or learner.out_activation_ == "logistic":
        found.append(spectral_certificate(engine, data))
    return [certificate for certificate in found if certificate is not None]


def gradient_certificate(learner: Any, engine: NetworkEngine, data: TrainingData) -> Certificate | None:
    """The Euclidean length of the gradient of mean loss + alpha / (2 rows) |w|^2 where training stopped."""
    whole = data.whole()
    total = float(data.count) if whole.weights is None else float(whole.weights.sum())
    loss, gradient = engine.gradient(whole.X, classes=whole.classes, values=whole.values, weights=whole.weights)
    frozen = sum(coef.size for coef in engine.coefs[: learner.frozen])
    slope = gradient.astype(np.float64)
    penalized = slice(frozen, engine.n_weights)
    slope[penalized] += float(learner.alpha) / total * engine.parameters[penalized].astype(np.float64)
    length = float(np.linalg.norm(slope))
    values = whole.X.data if sparse.issparse(whole.X) else whole.X
    reach = float(np.abs(engine.forward(whole.X)).max(initial=0.0))  # scores and targets cancel in the residuals
    reach += 0.0 if whole.values is None else float(np.abs(whole.values).max(initial=0.0))
    size = (1.0 + float(np.abs(values).max(initial=0.0))) * (1.0 + abs(loss) + length + reach)
    multiple = 64 * len(engine.sizes)
    rounding = multiple * float(np.finfo(engine.dtype).eps) * size
    if not math.isfinite(length + rounding):
        return None
    return _record(
        math.nextafter(length + rounding, math.inf), {"length": length, "rounding": rounding, "multiple": multiple}
    )


def _record(value: float, witness: dict[str, Any]) -> Certificate:
    claim = (
        f"The gradient of the training objective has at most the length {value:.3g} where training stopped: a local "
        "statement, other minima may be lower."
    )
    return Basis(RULE, THEOREM, ("smooth", "floating-point-model")).exact(
        claim, "length of the gradient", "upper", value, math.inf, {}, witness
    )


@rules.checker(RULE)
def _check(certificate: Certificate, data: Any = None) -> Derivation:
    """The sum in rational arithmetic; `data`, if given, is the gradient. Rows ``(X, y)`` alone do not give it."""
    witness = certificate.witness
    if not (witness["length"] >= 0.0 and witness["rounding"] >= 0.0):
        raise CertificateError(f"{certificate.quantity}: lengths must be at least 0.")
    if data is not None and not isinstance(data, tuple):
        length = math.hypot(*(float(part) for part in np.ravel(data)))
        if length > witness["length"] + witness["rounding"]:
            raise CertificateError(
                f"{certificate.quantity}: the gradient has the length {length!r}, above the witness."
            )
    value = Fraction(witness["length"]) + Fraction(witness["rounding"])
    return Derivation(float(value), error=1e-15, record=_record(certificate.single_value, dict(witness)))
