"""How much log-likelihood per row one more EM step would gain: near 0 at a stationary point, which may be local."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from certus.guarantees import Certificate, CertificateError
from certus.guarantees.records import Basis, Derivation, number, plural, rules
from certus.mixture.evidence.plain_family_step import family_step
from certus.mixture.evidence.plain_step import gaussian_step
from certus.mixture.evidence.plain_variational_step import variational_step

Floats = NDArray[np.float64]
RULE = "mixture/next-step"
QUANTITY = "gain of one more EM step"
UNIT = float(np.finfo(np.float64).eps)
BASIS = Basis(
    RULE,
    "Maximum likelihood from incomplete data via the EM algorithm (Dempster, Laird and Rubin 1977)",
    ("floating-point-model",),
)


def step_certificate(reached: float, after: float, rows: int, model: Mapping[str, Any]) -> Certificate:
    """The certificate of parameters with this log-likelihood per row, and of those that one more step leads to."""
    return _record({"rows": rows}, {"reached": reached, "after": after, "model": dict(model)})


def _rounding(witness: Any) -> float:
    """What a mean of logarithms may be off by."""
    return 1e3 * UNIT * (1.0 + max(abs(float(witness["reached"])), abs(float(witness["after"]))))


def _record(inputs: Any, witness: Any) -> Certificate:
    reached, after = float(witness["reached"]), float(witness["after"])
    if not (math.isfinite(reached) and math.isfinite(after)):
        raise CertificateError(f"{QUANTITY}: the witness holds a number that cannot occur")
    value = max(0.0, after - reached) + _rounding(witness)
    model = witness["model"]
    if not isinstance(model, Mapping):
        raise CertificateError(f"{QUANTITY}: the witness holds no model")
    what = "log posterior" if model.get("prior") is not None else "log-likelihood"
    what = "lower bound of the log evidence (ELBO)" if model.get("kind") == "variational" else what
    claim = (
        f"On {plural(int(inputs['rows']), 'row')} the {what} per row is {number(reached)}, and one more EM "
        f"step raises it by at most {number(value, 'upper')}. This is about a local maximum: other starts may "
        "reach more."
    )
    return BASIS.exact(claim, QUANTITY, "upper", value, math.inf, inputs, witness)


@rules.checker(RULE)
def check_step(certificate: Certificate, data: Any = None) -> Derivation:
    """Subtract again; with the rows (X, or X and sample_weight) make the step again in plain NumPy."""
    inputs, witness = certificate.inputs, certificate.witness
    record = _record(inputs, witness)
    if data is not None:
        rows, weights = _read(data)
        try:
            found = _STEPS[witness["model"]["kind"]](witness["model"], rows, weights)
        except (ArithmeticError, IndexError, KeyError, TypeError, ValueError) as error:
            raise CertificateError(f"{QUANTITY}: the witness is not a model of these rows ({error})") from error
        for value, name in zip(found, ("reached", "after"), strict=True):
            if abs(value - float(witness[name])) > 1e-8 * (1.0 + abs(value)):
                raise CertificateError(f"{QUANTITY}: on these rows the log-likelihood per row is {value!r}")
    return Derivation(record.value, error=1e-12, record=record)


def _read(data: Any) -> tuple[Floats, Floats]:
    X, weights = data if isinstance(data, tuple) and len(data) == 2 else (data, None)
    rows = np.asarray(X, dtype=np.float64)
    return rows, np.ones(len(rows)) if weights is None else np.asarray(weights, dtype=np.float64)


def _known_variance_step(model: Mapping[str, Any], rows: Floats, weights: Floats) -> tuple[float, float]:
    """Log-likelihoods per row before and after a step of the means alone."""
    sigma, means = float(model["sigma"]), np.array(model["means"])

    def joint(centers: Floats) -> Floats:
        parts = -0.5 * ((rows[:, None] - centers) ** 2).sum(axis=2) / sigma**2
        return parts - math.log(len(centers)) - rows.shape[1] * math.log(math.sqrt(2.0 * math.pi) * sigma)

    def score(centers: Floats) -> float:
        return float(weights @ logsumexp(joint(centers), axis=1) / weights.sum())

    logs = joint(means)
    shares = weights[:, None] * np.exp(logs - logsumexp(logs, axis=1, keepdims=True))
    total = shares.sum(axis=0)[:, None]
    moved = np.where(total > 0.0, shares.T @ rows / np.where(total > 0.0, total, 1.0), means)
    return score(means), score(moved)


_STEPS: dict[str, Callable[[Mapping[str, Any], Floats, Floats], tuple[float, float]]] = {
    "known-variance": _known_variance_step,
    "gaussian": gaussian_step,
    "variational": variational_step,
    "family": family_step,
}
