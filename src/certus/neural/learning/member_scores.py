"""Scores of networks that share their weights: those of the mean of what the members predict."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, log_softmax, logsumexp

from certus.neural.engine import NetworkEngine


def combined_scores(engine: NetworkEngine, table: Any, activation: str) -> NDArray[Any]:
    """Scores whose prediction is the mean of the members' predictions."""
    scores = np.stack([engine.forward(table, member=member) for member in range(engine.members)])
    if activation == "softmax":
        return np.asarray(logsumexp(log_softmax(scores, axis=2), axis=0) - np.log(engine.members))
    if activation == "logistic":
        mean = expit(scores).mean(axis=0)
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(mean) - np.log1p(-mean))
    return np.asarray(scores.mean(axis=0))
