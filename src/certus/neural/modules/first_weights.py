"""First weights: small, random, never equal, since equal rows of weights learn the same."""

from __future__ import annotations

from typing import Any

import numpy as np

from certus.base import resolve_seed
from certus.neural.engine.initial_weights import initial_parameters
from certus.neural.modules.module import Array

SCHEMES = ("glorot", "he", "sparse")


def initial_weights(
    n_in: int, n_out: int, *, init: str = "glorot", fraction: float = 0.1, random_state: Any = None
) -> Array:
    """Random weights of shape (n_in, n_out).

    Parameters
    ----------
    n_in, n_out : int
        Inputs and outputs.
    init : {"glorot", "he", "sparse"}, default="glorot"
        Uniform within sqrt(6 / (n_in + n_out)), so that the variance 2 / (n_in + n_out) keeps signals as large on the
        way forward as on the way back; uniform with variance 2 / n_in, for ReLU; or standard normal for a fraction of
        the inputs of every unit, and 0 for the rest.
    fraction : float, default=0.1
        Of the inputs that each unit of "sparse" listens to, at least one.
    random_state : int, RandomState, Generator or None, default=None
        Seed.

    Examples
    --------
    >>> weights = initial_weights(784, 256, random_state=0)
    >>> weights.shape, bool(abs(weights).max() <= 0.07596)
    ((784, 256), True)
    """
    if init not in SCHEMES:
        raise ValueError(
            f"init must be one of {', '.join(SCHEMES)}, got {init!r}.\n"
            "Hint: 'glorot' for sigmoid and tanh, 'he' for ReLU."
        )
    random = np.random.RandomState(np.random.MT19937(resolve_seed(random_state)))
    (weights,), _ = initial_parameters(random, (n_in, n_out), (), init=init, fraction=fraction)
    return weights
