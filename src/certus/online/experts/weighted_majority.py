"""Weighted majority, deterministic and randomized (Littlestone, Warmuth 1994)."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from certus.base import Boolean, Interval, RandomState, RandomStateLike, register, resolve_seed
from certus.base.params import Constraints
from certus.online.experts.vote_learner import VoteLearner

Floats = NDArray[np.float64]
BETA = Interval(1e-300, 0.999999)  # nearer to 1, differences of weights would drown in rounding errors


@register(
    takes="advice",
    tasks=("experts",),
    guarantees=("mistakes at most a m + b ln n for every expert with m mistakes",),
    cost="O(n) per trial for n experts",
)
class WeightedMajority(VoteLearner):
    """Predicts what the larger weight of experts says; who is wrong keeps the part beta of its weight.

    At most (ln(1/beta) m + ln n) / ln(2/(1+beta)) mistakes are made, for every expert with m of them. Randomized it
    follows an expert drawn by weight, and expects at most (ln(1/beta) m + ln n) / (1-beta) and m + ln n/eta + eta T/8
    mistakes, eta = ln 1/beta: with eta = sqrt(8 ln n/T), m + sqrt(T ln n/2).

    Parameters
    ----------
    beta : float, default=0.36787944117144233
        What a wrong expert keeps, above 0 and at most 0.999999; the default is exp(-1).
    randomized : bool, default=False
        Whether to follow an expert drawn by weight instead of the majority.
    random_state : int, RandomState or None, default=None
        Seed of the draws.

    Examples
    --------
    >>> from certus.online import WeightedMajority
    >>> model = WeightedMajority(beta=0.5)
    >>> print(model.run([[1, 1, 0], [1, 0, 0], [0, 1, 0]], [0, 0, 0]))
    [1. 0. 0.]
    >>> model.ledger_.mistakes, round(model.ledger_.mistake_bound)
    (1, 3)
    """

    _constraints: ClassVar[Constraints] = {
        "beta": [BETA],
        "randomized": [Boolean()],
        "random_state": [RandomState()],
    }
    _state: ClassVar[tuple[str, ...]] = (*VoteLearner._state, "seed_")

    seed_: int

    def __init__(
        self, beta: float = math.exp(-1.0), *, randomized: bool = False, random_state: RandomStateLike = None
    ) -> None:
        self._set_parameters(locals())

    def _begin(self, experts: int) -> None:
        super()._begin(experts)
        self.seed_ = resolve_seed(self.random_state) if self.randomized else 0

    def _eta(self) -> float:
        return -math.log(self.beta)

    def _decide(self, chances: Floats) -> Floats:
        if not self.randomized:
            return super()._decide(chances)
        trials = np.arange(self.trials_, self.trials_ + len(chances))
        return (uniforms(self.seed_, trials) < chances).astype(np.float64)

    def _ledger_settings(self) -> dict[str, Any]:
        seed = self.seed_ if self._started else 0
        return {"beta": float(self.beta), "randomized": bool(self.randomized), "seed": seed}


def uniforms(seed: int, trials: NDArray[np.int64]) -> Floats:
    """The uniform number of each trial, whichever batches the trials come in."""
    return np.array([np.random.Generator(np.random.Philox(key=seed, counter=trial)).random() for trial in trials])
