"""What boosting promises about its rounds: none of them raised the loss of the training rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from certus.guarantees import Certificate, CertificateError, Report
from certus.guarantees.records import Basis, Derivation, number, plural, rules

RULE = "ensemble/training-loss-descent"
THEOREM = "Self-concordant analysis for logistic regression, proposition 1 (Bach 2010), and halved steps"
# Differences of mean losses below this share of the largest of them are rounding errors.
ROUNDING = 1e-12
# After so many halvings of a round's step it is left out.
MOST_HALVINGS = 10


def rises(before: float, after: float, size: float) -> bool:
    """Whether a loss is larger than before by more than rounding; ``size`` is the largest loss so far."""
    return not after <= before + ROUNDING * max(abs(size), abs(before))


def descent_report(losses: Sequence[float], first_round: int = 0) -> Report:
    """The certificate of one fit: ``losses`` before its first round and after each, which numbers ``first_round``."""
    if len(losses) < 2:
        return Report()
    return Report([_record({"losses": [float(loss) for loss in losses], "first_round": int(first_round)})])


def _largest_rise(losses: Sequence[float]) -> float:
    size = max(abs(loss) for loss in losses)
    largest = max(after - before for before, after in pairwise(losses))
    return max(largest, 0.0) + ROUNDING * size


def _record(witness: Any) -> Certificate:
    losses = witness["losses"]
    value = _largest_rise(losses)
    rounds = plural(len(losses) - 1, "round")
    claim = (
        f"The training loss never rose: in {rounds} it went from {number(losses[0])} to {number(losses[-1])}, "
        f"and no round raised it by more than {number(value, 'upper', 2)}."
    )
    return Basis(RULE, THEOREM, ("floating-point-model",)).exact(
        claim, "rise of the training loss in a round", "upper", value, math.inf, {}, witness
    )


@rules.checker(RULE)
def check_descent(certificate: Certificate, data: Any = None) -> Derivation:
    """Compare the losses again; ``data``, if given, is (model, X, y) or (model, X, y, sample_weight) of the fit."""
    witness = certificate.witness
    losses = [float(loss) for loss in witness["losses"]]
    size = max((abs(loss) for loss in losses), default=0.0)
    for number_, (before, after) in enumerate(pairwise(losses)):
        if not math.isfinite(after) or rises(before, after, size):
            raise CertificateError(f"{certificate.quantity}: round {number_ + 1} raised the loss by {after - before!r}")
    if data is not None:
        model, *rows = data
        again = model._training_losses(*rows)[witness["first_round"] :]
        if len(again) != len(losses) or not np.allclose(again, losses, rtol=1e-8, atol=1e-9 * size):
            raise CertificateError(f"{certificate.quantity}: the rows give other losses than the recorded ones")
    return Derivation(_largest_rise(losses), scale=size, record=_record(witness))
