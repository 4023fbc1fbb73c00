"""The halving algorithm (Littlestone 1988)."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from certus.base import register
from certus.base.params import Constraints
from certus.online.experts.vote_learner import VoteLearner


@register(
    takes="advice",
    tasks=("experts",),
    guarantees=("at most floor(lg n) mistakes if an expert makes none",),
    cost="O(n) per trial for n experts",
)
class Halving(VoteLearner):
    """Predicts what most of the experts say that were never wrong; a tie predicts 1.

    Every mistake drops at least half of them: with a perfect expert there are at most floor(lg n) mistakes. When
    nobody is left, those with the fewest mistakes vote, and at most m (floor(lg n) + 1) + floor(lg n) mistakes are
    made if the best expert makes m.

    Examples
    --------
    >>> from certus.online import Halving
    >>> advice = [[1, 1, 0, 0, 1, 1, 0, 0], [0, 1, 0, 1, 0, 0, 1, 1], [1, 1, 0, 1, 1, 1, 0, 0]]
    >>> model = Halving()
    >>> print(model.run(advice, [0, 1, 1]), model.ledger_.mistakes, model.ledger_.mistake_bound)
    [1. 1. 0.] 2 3.0
    """

    _constraints: ClassVar[Constraints] = {}

    def __init__(self) -> None:
        self._set_parameters(locals())

    def _eta(self) -> float:
        return math.inf

    def _ledger_settings(self) -> dict[str, Any]:
        return {"beta": 0.0, "randomized": False, "seed": 0}
