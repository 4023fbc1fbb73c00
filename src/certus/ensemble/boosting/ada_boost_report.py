"""What a boosted vote of two classes promises from its training alone."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.guarantees import Certificate, CertificateError, Report, voting_margin_bound
from certus.guarantees.classes import stumps
from certus.guarantees.records import Basis, Derivation, percent, plural, rules

Array = NDArray[np.float64]
RULE = "ensemble/training-error-product"
THEOREM = (
    "A decision-theoretic generalization of on-line learning and an application to boosting (Freund, Schapire 1997)"
)
ROUNDING = 1e-9
MARGINS = (0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5)


def boosting_report(
    errors: Array, weights: Array, margins: Array, row_weights: Array, *, stump_features: int | None, descent: Report
) -> Report:
    """The certificates of one fit.

    Parameters
    ----------
    errors, weights : ndarray of shape (rounds,)
        Weighted error of each weak learner, and its weight in the vote.
    margins : ndarray of shape (n_samples,)
        Normalized margins of the training rows, between -1 and 1.
    row_weights : ndarray of shape (n_samples,)
        Their weights before the first round, with the sum 1.
    stump_features : int or None
        Columns of the table if the weak learners are stumps and the rows are equally weighted.
    descent : Report
        What is known about the loss of the rounds.
    """
    found = [training_error_certificate(errors, weights, margins, row_weights), *descent]
    if stump_features is not None:
        found.append(margin_certificate(margins, stump_features))
    return Report(found)


def margin_certificate(margins: Array, features: int, confidence: float = 0.95) -> Certificate:
    """The best of the margin bounds for the fixed `MARGINS`, each of which is paid for."""
    bounds = [
        voting_margin_bound(margins, margin, int(stumps(features).vc), confidence, uses=len(MARGINS))
        for margin in MARGINS
    ]
    return min(bounds, key=lambda bound: float(bound.value))  # type: ignore[arg-type]


def round_factors(errors: Any, weights: Any, classes: int = 2) -> Array:
    """Z_t = eps_t exp(alpha_t / K) + (1 - eps_t) exp(-alpha_t (K - 1) / K) of each round.

    The exponential loss of K classes is multiplied with it (Zhu, Zou, Rosset, Hastie 2009).
    """
    right = (1.0 - errors) * np.exp(-weights * (classes - 1) / classes)
    with np.errstate(over="ignore"):
        return np.asarray(errors * np.exp(weights / classes) + right)


def training_error_certificate(errors: Array, weights: Array, margins: Array, row_weights: Array) -> Certificate:
    """The certificate that the training error is at most the product of the rounds' factors.

    The exponential loss of the training rows bounds their error and equals the product, but for the rounding of the
    row weights; the larger of the two is stated.
    """
    with np.errstate(over="ignore"):
        loss = float(row_weights @ np.exp(-margins * weights.sum() / 2.0))
    return _record(
        {
            "errors": [float(error) for error in errors],
            "weights": [float(weight) for weight in weights],
            "exponential_loss": loss,
            "training_error": float(row_weights[margins <= 0.0].sum()),
        }
    )


def _record(witness: Any) -> Certificate:
    value = _stated(witness)
    rounds = len(witness["errors"])
    claim = (
        f"The error on the training rows is at most {percent(min(value, 1.0), 'upper')}: the product of the "
        f"factors of {plural(rounds, 'round')}."
    )
    return Basis(RULE, THEOREM, ("floating-point-model",)).exact(
        claim, "training error", "upper", value, 1.0, {}, witness
    )


def _stated(witness: Any) -> float:
    errors, weights = np.array(witness["errors"]), np.array(witness["weights"])
    product = float(np.prod(round_factors(errors, weights)))
    return max(product, witness["exponential_loss"]) * (1.0 + ROUNDING)


@rules.checker(RULE)
def check_training_error(certificate: Certificate, data: Any = None) -> Derivation:
    """Multiply the factors again, by logarithms; `data`, if given, are the margins and weights of the rows."""
    witness = certificate.witness
    logs = []
    for error, weight in zip(witness["errors"], witness["weights"], strict=True):
        if not 0.0 <= error < 1.0:
            raise CertificateError(f"{certificate.quantity}: {error!r} is not the error of a weak learner.")
        logs.append(math.log(error * math.exp(weight / 2.0) + (1.0 - error) * math.exp(-weight / 2.0)))
    product = math.exp(math.fsum(logs))
    loss, wrong = witness["exponential_loss"], witness["training_error"]
    if data is not None:
        loss, wrong = _again(witness, *data)
    value = max(product, loss)
    if not wrong <= value * (1.0 + ROUNDING):
        raise CertificateError(f"{certificate.quantity}: the rows give an error of {wrong!r}, more than {value!r}.")
    return Derivation(value, record=_record(witness))


def _again(witness: Any, margins: Any, row_weights: Any) -> tuple[float, float]:
    total = math.fsum(witness["weights"])
    pairs = [(float(margin), float(weight)) for margin, weight in zip(margins, row_weights, strict=True)]
    loss = math.fsum(weight * math.exp(-margin * total / 2.0) for margin, weight in pairs)
    return loss, math.fsum(weight for margin, weight in pairs if margin <= 0.0)
