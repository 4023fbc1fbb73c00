"""That no round of learning lowered the likelihood. Dempster, Laird, Rubin (1977), theorem 1."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.graphical.evidence.plain_model import log_likelihood, plain_model, sequences_of
from certus.guarantees import Certificate, CertificateError
from certus.guarantees.records import Basis, Derivation, number, plural, rules

RULE = "graphical/likelihood-ascent"
QUANTITY = "largest fall of the likelihood in a round"
UNIT = float(np.finfo(np.float64).eps)
BASIS = Basis(
    RULE,
    "Maximum likelihood from incomplete data via the EM algorithm (Dempster, Laird and Rubin 1977)",
    ("floating-point-model",),
)


def ascent_certificate(model: Any, history: NDArray[np.float64], rows: int) -> Certificate:
    """The certificate of a fitted model."""
    inputs = {"rows": rows, "states": model.n_components}
    return _record(inputs, {"history": history.tolist(), "log_prior": model._log_prior(), "model": plain_model(model)})


def _rounding(inputs: Any, history: list[float]) -> float:
    """What a value of the history may be off by: a few roundings per row, each relative to the sum so far."""
    return 4.0 * UNIT * int(inputs["rows"]) * (int(inputs["states"]) + 10 + max(abs(value) for value in history))


def _record(inputs: Any, witness: Any) -> Certificate:
    history = [float(value) for value in witness["history"]]
    if len(history) < 2 or not all(math.isfinite(value) for value in history):
        raise CertificateError(f"{QUANTITY}: the witness holds no history")
    fall = max(0.0, *(before - after for before, after in pairwise(history)))
    value = fall + 2.0 * _rounding(inputs, history)
    claim = (
        f"In {plural(len(history) - 1, 'round')} the log-likelihood of the training rows plus the log prior went "
        f"from {number(history[0])} to {number(history[-1])}, and no round lowered it by more than "
        f"{number(value, 'upper')}. This is a local maximum at best: other starts may reach more."
    )
    return BASIS.exact(claim, QUANTITY, "upper", value, math.inf, inputs, witness)


@rules.checker(RULE)
def check_ascent(certificate: Certificate, data: Any = None) -> Derivation:
    """Take the differences again; with the rows (X, or X and lengths) find the last likelihood by a plain recursion."""
    inputs, witness = certificate.inputs, certificate.witness
    record = _record(inputs, witness)
    if data is not None:
        found = sum(log_likelihood(witness["model"], part) for part in sequences_of(witness["model"], data))
        stated = float(witness["history"][-1]) - float(witness["log_prior"])
        if abs(found - stated) > 1e-8 * (1.0 + abs(found)) + _rounding(inputs, list(witness["history"])):
            raise CertificateError(f"{QUANTITY}: the log-likelihood of these rows is {found!r}, not {stated!r}")
    return Derivation(record.value, error=1e-12, record=record)
