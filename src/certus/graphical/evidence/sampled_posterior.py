"""How far posteriors from drawn rows can be from the exact ones, for all states together.

Rejection: the accepted rows are draws from the posterior, so that counts are binomial (Clopper and Pearson 1934).
Weighting: with weights w in [0, 1], P(x | e) = a / (a + b) for the means a of w 1[x] and b of w 1[not x], each of
which is bounded on both sides (Waudby-Smith and Ramdas 2024).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.guarantees import Certificate, CertificateError, mean_bound
from certus.guarantees.holdout import clopper_pearson
from certus.guarantees.records import Basis, Derivation, number, plural, rules

QUANTITY = "distance of a posterior probability from the exact one"
RULES = {"rejection": "graphical/rejection-posterior", "weighting": "graphical/weighting-posterior"}
THEOREMS = {
    "rejection": "The use of confidence or fiducial limits, illustrated for the binomial (Clopper and Pearson 1934)",
    "weighting": "Estimating means of bounded random variables by betting (Waudby-Smith and Ramdas 2024)",
}
Floats = NDArray[np.float64]


def rejection_certificate(counts: NDArray[np.int64], drawn: int, confidence: float) -> Certificate:
    """From the counts of the accepted rows per cell of the targets."""
    return _record("rejection", confidence, {"drawn": drawn}, {"counts": counts.tolist()})


def weighting_certificate(cells: NDArray[np.int64], weights: Floats, count: int, confidence: float) -> Certificate:
    """From the cell and the weight of every row; ``count`` is the number of cells."""
    witness = {"cells": cells.tolist(), "weights": weights.tolist(), "count": count}
    return _record("weighting", confidence, {"drawn": len(cells)}, witness)


def rejection_limits(counts: list[int], confidence: float) -> tuple[Floats, Floats, Floats]:
    """Shares of the cells, and limits between which all exact ones lie with the confidence."""
    total, delta = sum(counts), (1.0 - confidence) / (2 * len(counts))
    if min(counts) < 0 or total < 1:
        raise CertificateError(f"{QUANTITY}: the witness holds no counts")
    low = np.array([clopper_pearson.lower(count, total, delta) for count in counts])
    high = np.array([clopper_pearson.upper(count, total, delta) for count in counts])
    return np.array(counts) / total, low, high


def weighting_limits(cells: Any, weights: Any, count: int, confidence: float) -> tuple[Floats, Floats, Floats]:
    """The same from weighted rows."""
    place, weight = np.asarray(cells, dtype=np.int64), np.asarray(weights, dtype=np.float64)
    if len(place) != len(weight) or not ((weight >= 0) & (weight <= 1)).all():
        raise CertificateError(f"{QUANTITY}: the witness holds no weights")
    if not weight.sum() > 0:  # all weights are too small for doubles: nothing is known
        return np.zeros(count), np.zeros(count), np.ones(count)
    inside = (place[:, None] == np.arange(count)) * weight[:, None]
    parts = np.hstack([inside, weight[:, None] - inside])
    level = 1.0 - (1.0 - confidence) / (2 * count)
    found = np.array([mean_bound(column, confidence=level, side="both").value for column in parts.T])
    (a_low, a_high), (b_low, b_high) = found[:count].T, found[count:].T
    with np.errstate(invalid="ignore"):
        low = np.where(a_low > 0, a_low / (a_low + b_high), 0.0)
        high = np.where(a_high + b_low > 0, a_high / (a_high + b_low), 1.0)
    return inside.sum(axis=0) / weight.sum(), low, high


def _record(method: str, confidence: float, inputs: Any, witness: Any) -> Certificate:
    if method == "rejection":
        shares, low, high = rejection_limits([int(count) for count in witness["counts"]], confidence)
    else:
        shares, low, high = weighting_limits(witness["cells"], witness["weights"], int(witness["count"]), confidence)
    value = float(np.maximum(shares - low, high - shares).max())
    value = min(1.0, math.nextafter(value * (1.0 + 1e-15), math.inf))
    claim = (
        f"With probability {confidence:.12g} over {plural(int(inputs['drawn']), 'drawn row')}, every one of the "
        f"{len(shares)} posterior probabilities is within {number(value, 'upper')} of the exact one."
    )
    basis = Basis(RULES[method], THEOREMS[method], ("independent-draws", "floating-point-model"))
    return basis.probable(confidence, claim, QUANTITY, "upper", value, 1.0, inputs, witness)


@rules.checker(RULES["rejection"])
def check_rejection(certificate: Certificate, _data: Any = None) -> Derivation:
    """Bound the counts again, all tails at once."""
    record = _record("rejection", certificate.confidence, certificate.inputs, certificate.witness)
    counts = np.array([int(count) for count in certificate.witness["counts"]], dtype=np.int64)
    rows = np.full(len(counts), counts.sum())
    delta = (1.0 - certificate.confidence) / (2 * len(counts))
    shares = counts / counts.sum()
    low, high = clopper_pearson.lowers(counts, rows, delta), clopper_pearson.uppers(counts, rows, delta)
    return Derivation(min(1.0, float(np.maximum(shares - low, high - shares).max())), error=1e-9, record=record)


@rules.checker(RULES["weighting"])
def check_weighting(certificate: Certificate, _data: Any = None) -> Derivation:
    """Bound the means again from the rows of the witness."""
    record = _record("weighting", certificate.confidence, certificate.inputs, certificate.witness)
    return Derivation(record.value, error=1e-9, record=record)
