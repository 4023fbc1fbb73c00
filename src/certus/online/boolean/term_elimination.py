"""Elimination of literals: conjunctions with at most n + 1 mistakes."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from certus.base import register
from certus.base.params import Constraints
from certus.base.persistence import check_shapes
from certus.guarantees.ledgers import Ledger, Line, twin
from certus.guarantees.records import rules
from certus.logic import Literal, Term
from certus.online.experts.advice_input import require_values
from certus.online.experts.advice_learner import AdviceLearner

Floats = NDArray[np.float64]
RULE = "online/term-elimination"
THEOREM = "A Theory of the Learnable: elimination (Valiant 1984)"


@register(
    takes="advice",
    tasks=("experts",),
    guarantees=("at most n + 1 mistakes if a term of n variables is right",),
    cost="O(n) per trial for n variables",
)
class TermElimination(AdviceLearner):
    """Predicts the conjunction of all literals that no positive row contradicted.

    It begins with all 2n literals. A row with label 1 that it calls 0 removes the literals that are false on it: n
    at the first such mistake, at least one at every later one. If some term is right on all rows, it makes at most n
    + 1 mistakes; a row with label 0 that it calls 1 shows that none is, and voids the bound.

    Attributes
    ----------
    left_ : ndarray of shape (2, n_experts)
        1 for the literals that are left: variables, and their negations.
    mistakes_ : int
        Mistakes so far.
    refuted_ : int
        The first trial that no term can agree with, or 0.

    Examples
    --------
    >>> from certus.online import TermElimination
    >>> model = TermElimination()
    >>> print(model.run([[1, 0, 1], [1, 1, 1], [0, 1, 1], [1, 1, 0]], [1, 1, 0, 0]))
    [0. 0. 0. 0.]
    >>> print(model.term_, model.ledger_.mistakes, model.ledger_.mistake_bound)
    x1 & x3 2 4.0
    """

    _constraints: ClassVar[Constraints] = {}
    _state: ClassVar[tuple[str, ...]] = ("n_experts_", "trials_", "left_", "mistakes_", "refuted_")

    left_: NDArray[np.int64]
    mistakes_: int
    refuted_: int

    def __init__(self) -> None:
        self._set_parameters(locals())

    def _begin(self, experts: int) -> None:
        self.n_experts_, self.trials_ = experts, 0
        self.left_ = np.ones((2, experts), dtype=np.int64)
        self.mistakes_ = self.refuted_ = 0

    def _check_values(self, advice: Floats, labels: Floats | None, first: int) -> None:
        hint = "Boolean variables are 0 or 1."
        require_values(advice, (0.0, 1.0), 0.0, 1.0, name="advice", first=first, hint=hint)
        if labels is not None:
            require_values(labels, (0.0, 1.0), 0.0, 1.0, name="y", first=first, hint=hint)

    def _predict(self, advice: Floats) -> Floats:
        false = advice @ self.left_[1] + (1.0 - advice) @ self.left_[0]
        return (false == 0).astype(np.float64)

    def _learn(self, advice: Floats, labels: Floats) -> Floats:
        found = np.zeros(len(labels))
        for trial, (row, label) in enumerate(zip(advice, labels, strict=True)):
            found[trial] = self._predict(row[None, :])[0]
            self.trials_ += 1
            if found[trial] == label:
                continue
            self.mistakes_ += 1
            if label:
                self.left_[0, row == 0] = 0
                self.left_[1, row == 1] = 0
            elif not self.refuted_:
                self.refuted_ = self.trials_
        return found

    @property
    def term_(self) -> Term:
        """The conjunction of the literals that are left."""
        signs = ((0, True), (1, False))
        return Term(
            Literal(f"x{place + 1}", positive) for row, positive in signs for place in np.flatnonzero(self.left_[row])
        )

    @property
    def ledger_(self) -> Ledger:
        """Mistakes, and the bound on them while some term agrees with all rows."""
        if not self._started:
            return Ledger(learner=RULE, trials=0, loss=0.0, mistakes=0)
        return elimination_ledger(self.trials_, self.n_experts_, self.mistakes_, self.refuted_)

    def _restored(self) -> None:
        if not self._started:
            return
        check_shapes(self, left_=(2, self.n_experts_))
        if self.left_.dtype != np.int64 or not np.isin(self.left_, (0, 1)).all():
            raise ValueError("left_ must be 0 or 1.")
        if not 0 <= self.mistakes_ <= self.trials_ or not 0 <= self.refuted_ <= self.trials_:
            raise ValueError("mistakes_ and refuted_ must be at most trials_.")
        self.left_ = self.left_.copy()


def elimination_ledger(trials: int, variables: int, mistakes: int, refuted: int) -> Ledger:
    """The account of an elimination."""
    line = Line(
        quantity="mistakes",
        loss=float(mistakes),
        comparator=0.0,
        bound=float(variables + 1),
        rule=RULE,
        theorem=THEOREM,
        assumptions=("realizable",),
        facts={"variables": variables},
        needs_range=True,
    )
    ledger = Ledger(learner=RULE, trials=trials, loss=float(mistakes), mistakes=mistakes, lines=(line,))
    return ledger.voided(refuted, "no term agrees with all rows") if refuted else ledger


@rules.checker(RULE)
def _check(certificate: Any, _data: Any) -> float:
    """N literals at the first mistake, then one each of the n that are left."""
    variables = certificate.witness["variables"]
    literals, mistakes = 2 * variables, 0
    while literals > 0:
        literals -= variables if mistakes == 0 else 1
        mistakes += 1
    return float(mistakes)


@twin(RULE)
def _replay(_settings: Any, data: Any) -> Ledger:
    """The account with the set of literals written out."""
    rows, labels = data
    left = {(place, value) for place in range(len(rows[0])) for value in (0, 1)}
    mistakes = refuted = 0
    for trial, (row, label) in enumerate(zip(rows, labels, strict=True), 1):
        said = all(row[place] == value for place, value in left)
        mistakes += said != bool(label)
        if label:
            left = {(place, value) for place, value in left if row[place] == value}
        elif said and not refuted:
            refuted = trial
    return elimination_ledger(len(rows), len(rows[0]), mistakes, refuted)
