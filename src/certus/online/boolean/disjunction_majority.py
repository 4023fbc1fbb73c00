"""Weighted majority over all monotone disjunctions of k variables."""

from __future__ import annotations

import itertools
import math
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from certus.base import Interval, register
from certus.base.params import Constraints
from certus.guarantees.ledgers import Ledger, replayed, twin
from certus.online.experts.vote_learner import VoteLearner
from certus.online.experts.weighted_majority import BETA

Floats = NDArray[np.float64]
MOST = 2_000_000
BLOCK = 4_000_000  # votes that are written out at a time


@register(
    takes="advice",
    tasks=("experts",),
    guarantees=("mistakes at most a m + b ln C(n, k) for every disjunction with m mistakes",),
    cost="O(C(n, k) k) per trial for n variables",
)
class DisjunctionMajority(VoteLearner):
    """Predicts what the larger weight of all C(n, k) disjunctions of k variables says.

    With beta = exp(-1) it makes at most 2.63 m + 2.63 k ln(n e/k) mistakes, if the best disjunction makes m: as few as
    anyone could hope for, at a cost that grows as n^k.

    Parameters
    ----------
    literals : int, default=2
        The number k.
    beta : float, default=0.36787944117144233
        What a wrong disjunction keeps of its weight, above 0 and at most 0.999999; the default is exp(-1).

    Attributes
    ----------
    expert_mistakes_ : ndarray of shape (n_disjunctions,)
        How often every disjunction was wrong, in the order of `itertools.combinations`.

    Examples
    --------
    >>> from certus.online import DisjunctionMajority
    >>> rows, labels = [[1, 1, 0, 0], [1, 0, 1, 0], [0, 1, 1, 1], [0, 1, 0, 0]], [0, 1, 0, 1]
    >>> model = DisjunctionMajority(2).fit(rows, labels)
    >>> dict(zip(model.disjunctions_, model.expert_mistakes_.tolist()))[(0, 2)]    # x1 | x3 is wrong three times
    3
    """

    _constraints: ClassVar[Constraints] = {
        "literals": [Interval(1, 64, integer=True)],
        "beta": [BETA],
    }

    literals: int

    def __init__(self, literals: int = 2, *, beta: float = math.exp(-1.0)) -> None:
        self._set_parameters(locals())

    def _eta(self) -> float:
        return -math.log(self.beta)

    @property
    def disjunctions_(self) -> list[tuple[int, ...]]:
        """The columns of every disjunction."""
        return list(itertools.combinations(range(self.n_experts_), self.literals))

    def _begin(self, experts: int) -> None:
        count = math.comb(experts, self.literals)
        if not 1 <= count <= MOST:
            raise ValueError(
                f"there are {count} disjunctions of {self.literals} among {experts} variables; 1 to {MOST} are "
                f"possible.\n"
                "Hint: Winnow learns disjunctions in O(n) per trial."
            )
        super()._begin(experts)
        self.expert_mistakes_ = np.zeros(count, dtype=np.int64)

    def _chances(self, advice: Floats, labels: Floats) -> Floats:
        step = max(1, BLOCK // len(self.expert_mistakes_))
        parts = [slice(start, start + step) for start in range(0, len(advice), step)]
        found = [
            super(DisjunctionMajority, self)._chances(votes_of(advice[part], self.literals), labels[part])
            for part in parts
        ]
        return np.concatenate(found) if found else np.zeros(0)

    def _numbers(self) -> dict[str, Any]:
        experts = len(self.expert_mistakes_) if self._started else 1
        return {**super()._numbers(), "experts": experts}

    def _ledger_settings(self) -> dict[str, Any]:
        return {"beta": float(self.beta), "randomized": False, "seed": 0, "literals": int(self.literals)}

    @property
    def ledger_(self) -> Ledger:
        """Mistakes, those of the best disjunction, and the bounds on them."""
        found = super().ledger_
        found.learner = "online/disjunctions"
        return found

    def _restored(self) -> None:
        if not self._started:
            return
        variables = self.n_experts_
        if not 1 <= variables <= MOST or math.comb(variables, self.literals) != np.size(self.expert_mistakes_):
            raise ValueError("expert_mistakes_ must have one number per disjunction.")
        self.n_experts_ = len(self.expert_mistakes_)
        try:
            super()._restored()
        finally:
            self.n_experts_ = variables


def votes_of(rows: Floats, literals: int) -> Floats:
    """What every disjunction of so many columns says."""
    columns = np.array(list(itertools.combinations(range(rows.shape[1]), literals)), dtype=np.int64)
    return np.ascontiguousarray(rows[:, columns].max(axis=2))


@twin("online/disjunctions")
def _replay(settings: Any, data: Any) -> Ledger:
    """The twin of votes on the table of all disjunctions."""
    rows, labels = data
    votes = votes_of(np.asarray(rows, dtype=np.float64), settings["literals"])
    found = replayed("online/votes", settings, (votes, labels))
    found.learner = "online/disjunctions"
    return found
