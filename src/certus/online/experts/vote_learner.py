"""What halving and weighted majority share: experts that vote 0 or 1 and lose weight with every mistake."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from certus.base.persistence import check_shapes
from certus.guarantees.ledgers import Ledger, Line
from certus.online.experts import _native_calls
from certus.online.experts import regret_bounds as bounds
from certus.online.experts.advice_input import require_values
from certus.online.experts.advice_learner import AdviceLearner

Floats = NDArray[np.float64]
MAJORITY = "The Weighted Majority Algorithm (Littlestone, Warmuth 1994)"
HALVING = "Learning Quickly When Irrelevant Attributes Abound: Halving (Littlestone 1988)"


class VoteLearner(AdviceLearner):
    """Experts say 0 or 1; the weight of an expert is beta to the power of its mistakes, and a tie predicts 1.

    Attributes
    ----------
    expert_mistakes_ : ndarray of shape (n_experts,)
        How often every expert was wrong.
    mistakes_ : int
        How often the learner was wrong.
    expected_ : float
        The mistakes that a randomized learner expects to make; else as `mistakes_`.
    """

    _state: ClassVar[tuple[str, ...]] = ("n_experts_", "trials_", "expert_mistakes_", "mistakes_", "expected_")

    expert_mistakes_: NDArray[np.int64]
    mistakes_: int
    expected_: float

    def _eta(self) -> float:
        raise NotImplementedError

    def _decide(self, chances: Floats) -> Floats:
        """Predictions from the share of the weight that votes for 1."""
        return (chances >= 0.5).astype(np.float64)

    def _begin(self, experts: int) -> None:
        self.n_experts_, self.trials_ = experts, 0
        self.expert_mistakes_ = np.zeros(experts, dtype=np.int64)
        self.mistakes_, self.expected_ = 0, 0.0

    def _check_values(self, advice: Floats, labels: Floats | None, first: int) -> None:
        hint = "experts vote 0 or 1; WeightedAverage takes numbers."
        require_values(advice, (0.0, 1.0), 0.0, 1.0, name="advice", first=first, hint=hint)
        if labels is not None:
            require_values(labels, (0.0, 1.0), 0.0, 1.0, name="y", first=first, hint=hint)

    def _chances(self, advice: Floats, labels: Floats) -> Floats:
        return _native_calls.run_votes(advice, labels, self._eta(), self.expert_mistakes_)

    def _predict(self, advice: Floats) -> Floats:
        return self._decide(self._chances(advice, np.zeros(0)))

    def _learn(self, advice: Floats, labels: Floats) -> Floats:
        chances = self._chances(advice, labels)
        found = self._decide(chances)
        self.mistakes_ += int((found != labels).sum())
        for chance, label in zip(chances.tolist(), labels.tolist(), strict=True):
            self.expected_ += 1.0 - chance if label else chance  # in order: batches give equal bits
        self.trials_ += len(labels)
        return found

    @property
    def weights(self) -> Floats:
        """The weights of the next trial."""
        if not self._started:
            raise ValueError("no expert voted so far.\nHint: weights exist from the first trial on.")
        behind = self.expert_mistakes_ - self.expert_mistakes_.min()
        weights = np.where(behind == 0, 1.0, np.exp(-self._eta() * np.maximum(behind, 1)))
        return weights / weights.sum()

    def _numbers(self) -> dict[str, Any]:
        """What the ledger is made of; the twin finds the same."""
        return {
            "trials": self.trials_ if self._started else 0,
            "mistakes": self.mistakes_ if self._started else 0,
            "expected": self.expected_ if self._started else 0.0,
            "experts": self.n_experts_ if self._started else 1,
            "fewest": int(self.expert_mistakes_.min()) if self._started else 0,
        }

    def _ledger_settings(self) -> dict[str, Any]:
        raise NotImplementedError

    @property
    def ledger_(self) -> Ledger:
        """Mistakes, those of the best expert, and the bounds on them."""
        return vote_ledger(self._ledger_settings(), **self._numbers())

    def _restored(self) -> None:
        if not self._started:
            return
        check_shapes(self, expert_mistakes_=(self.n_experts_,))
        mistakes = self.expert_mistakes_
        if mistakes.dtype != np.int64 or not len(mistakes) or mistakes.min() < 0 or mistakes.max() > self.trials_:
            raise ValueError("expert_mistakes_ must be counts of at most trials_.")
        if not 0 <= self.mistakes_ <= self.trials_ or not 0.0 <= self.expected_ <= self.trials_:
            raise ValueError("mistakes_ must be a count of at most trials_.")
        self.expert_mistakes_ = np.ascontiguousarray(mistakes).copy()


def vote_ledger(
    settings: dict[str, Any], *, trials: int, mistakes: int, expected: float, experts: int, fewest: int
) -> Ledger:
    """The account of a vote: as a regret, and as a bound on the number of mistakes."""
    beta, randomized = settings["beta"], settings["randomized"]
    loss = expected if randomized else float(mistakes)
    if randomized:
        most = bounds.randomized_majority_bound(beta, experts, fewest, trials)
        rule, theorem = "online/randomized-majority", MAJORITY
    elif beta == 0.0:
        most, rule, theorem = float(bounds.halving_bound(experts, fewest)), "online/halving", HALVING
    else:
        most, rule, theorem = bounds.majority_bound(beta, experts, fewest), "online/weighted-majority", MAJORITY
    facts = {"beta": beta, "experts": experts, "fewest": fewest, "trials": trials}
    told: dict[str, Any] = {"rule": rule, "theorem": theorem, "loss": loss}
    regret = {**facts, "taken": fewest, "whole": False}
    lines = [Line(comparator=float(fewest), bound=bounds.outward(most) - fewest, facts=regret, **told)]
    if not randomized:
        whole, counted = float(math.floor(most * (1 + 1e-12))), {**facts, "taken": 0, "whole": True}
        lines.append(Line(quantity="mistakes", comparator=0.0, bound=whole, facts=counted, **told))
    return Ledger(
        learner="online/votes",
        settings=settings,
        trials=trials,
        loss=loss,
        mistakes=mistakes,
        lines=tuple(lines) if trials else (),
        kind="expectation" if randomized else "exact",
    )
