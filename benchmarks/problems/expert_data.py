"""Advice of many experts, of whom one at a time is good."""

from typing import Any

import numpy as np

from benchmarks.measure.task import Data

_SEED = 20240229


def shifting_experts(n: int, trials: int, shifts: int = 3) -> Data:
    """Advice in [0, 1/2] against labels 0; in every part of the stream another expert is near 0."""
    rng = np.random.default_rng(_SEED)
    X = rng.uniform(0.0, 0.5, (trials, n))
    for part in range(shifts + 1):
        rows = slice(part * trials // (shifts + 1), (part + 1) * trials // (shifts + 1))
        X[rows, part] *= 0.3
    return {"X": X, "y": np.zeros(trials)}


def loss_paid(model: Any, _prediction: Any, _data: Data) -> float:
    """What the learner paid in all."""
    return float(model.ledger_.loss if hasattr(model, "ledger_") else model.loss_)
