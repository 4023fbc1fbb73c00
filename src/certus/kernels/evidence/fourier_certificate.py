"""How far random Fourier features can be from their kernel, and the second route by which it is checked.

Every frequency contributes to the approximated value of a pair of rows an independent term, with the kernel's value as
its mean and within an interval of length ``span`` (2 for cos w.(x - x'), 4 for 2 cos(w.x + b) cos(w.x' + b)). By
Hoeffding's inequality and a union over P pairs, all errors are at most

    span sqrt(log(2 P / (1 - confidence)) / (2 D))        for D frequencies.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from certus.guarantees import Certificate, CertificateError
from certus.guarantees.records import Basis, Derivation, confidence_percent, count, number, rules

RULE = "kernels/fourier-error"
THEOREM = "Hoeffding's inequality over random frequencies (Rahimi, Recht 2007)"
CONFIDENCE = 0.95
LARGEST = 2.0  # a value in (0, 1] and its approximation: no error is larger where the features have length 1


def fourier_certificate(rows: int, frequencies: int, *, span: float, exact_diagonal: bool) -> Certificate:
    """The certificate of the largest error over all pairs of the training rows."""
    witness = {"rows": rows, "frequencies": frequencies, "span": span, "exact_diagonal": exact_diagonal}
    return _record(_bound(witness), witness)


def _bound(witness: Any) -> float:
    """Rounded up: the formula in floating point loses at most a few units in the last place."""
    logarithm = math.log(2.0 * _pairs(witness) / (1.0 - CONFIDENCE)) if _pairs(witness) else 0.0
    return float(witness["span"]) * math.sqrt(logarithm / (2.0 * witness["frequencies"])) * (1.0 + 1e-14)


def _pairs(witness: Any) -> int:
    rows = int(witness["rows"])
    return rows * (rows - 1) // 2 + (0 if witness["exact_diagonal"] else rows)


def _record(value: float, witness: Any) -> Certificate:
    claim = (
        f"With probability {confidence_percent(CONFIDENCE)} over the random frequencies, no kernel value of two "
        f"of the {count(witness['rows'])} training rows is approximated with an error above {number(value, 'upper')}."
    )
    return Basis(RULE, THEOREM, ("independent-draws",)).probable(
        CONFIDENCE,
        claim,
        "error of a kernel value",
        "upper",
        value,
        LARGEST if witness["exact_diagonal"] else 1.0 + LARGEST,
        {},
        witness,
    )


@rules.checker(RULE)
def check_fourier_error(certificate: Certificate, data: Any = None) -> Derivation:
    """Derive the bound again from the sum of logarithms; with ``(K, features)`` the errors themselves are looked at.

    Data of which one value is off by more than the bound do not contradict it for certain: at the stated confidence
    this happens once in twenty draws. They are refused, because then the claim is false for these draws.
    """
    witness = certificate.witness
    if not (witness["frequencies"] >= 1 and witness["rows"] >= 1 and witness["span"] > 0.0):
        raise CertificateError(f"{certificate.quantity}: the witness holds a number that cannot occur.")
    pairs = _pairs(witness)
    half = witness["span"] ** 2 / (2 * witness["frequencies"])
    logarithm = math.log1p(2.0 * pairs / (1.0 - CONFIDENCE) - 1.0) if pairs else 0.0
    if data is not None:
        K, features = (np.asarray(given, dtype=np.float64) for given in data)
        worst = float(np.abs(K - features @ features.T).max())
        if not worst <= float(certificate.value) + 1e-12:  # type: ignore[arg-type]
            raise CertificateError(f"{certificate.quantity}: on these data a value is off by {worst!r}.")
    if not isinstance(certificate.value, float):
        raise CertificateError(f"{certificate.quantity}: the bound must be one number.")
    return Derivation(math.sqrt(half * logarithm), error=1e-13, slack=1e-6, record=_record(certificate.value, witness))
