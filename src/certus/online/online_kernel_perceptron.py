"""The perceptron over the functions of a kernel, in bounded memory (Dekel, Shalev-Shwartz, Singer 2008)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base import register
from certus.base.params import Exactly, Interval
from certus.guarantees import Ledger
from certus.guarantees.ledgers import Line
from certus.kernels import Kernel
from certus.online.evidence import kernel_twin
from certus.online.evidence.kernel_lines import budget_line, separating_functions
from certus.online.learning.kernel_stream import (
    KERNEL_STREAM_CONSTRAINTS,
    KERNEL_STREAM_STATE,
    Array,
    KernelStream,
)
from certus.online.learning.stream_weights import NOT_REPEATED


@register(
    guarantees=("bound on the number of mistakes, for any stream",),
    cost="fit n p per kept row, predict p per kept row",
    known_failures=NOT_REPEATED,
    draws_rows=True,
)
class OnlineKernelPerceptron(KernelStream):
    """Kernel perceptron of a stream, which may keep a limited number of rows.

    A row of which y f(x) <= 0, y = -1 or 1, is kept: f := f + y k(x, .). Where more than `budget` rows B would be
    kept, f is shrunk by (B + 1)^(-1 / (2 (B + 1))) and the oldest row forgotten, whose coefficient has become small by
    then. For every function u, with its hinge losses on the mistaken trials, there are at most

        sum of losses + sum of forgotten coefficients + |u| (|f| + sum of (1 - shrinkage) |f_t|)

    mistakes. `audit` finds a good u; all else is counted along the way.

    Parameters
    ----------
    kernel : {"rbf", "linear", "poly"} or Kernel, default="rbf"
        Of rows of numbers.
    budget : int, optional
        Most rows that are kept; by default all that were mistaken.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.online import OnlineKernelPerceptron
    >>> X = np.random.default_rng(0).normal(size=(400, 2))
    >>> y = X[:, 0] * X[:, 1] > 0
    >>> learner = OnlineKernelPerceptron(gamma=1.0, budget=30)
    >>> played = learner.run(X, y)
    >>> ledger = learner.audit(X, y).ledger_
    >>> len(learner.rows_), ledger.mistakes <= ledger.mistake_bound
    (30, True)
    """

    _constraints = {**KERNEL_STREAM_CONSTRAINTS, "budget": [Exactly(None), Interval(1, None, integer=True)]}
    _state = KERNEL_STREAM_STATE
    _fields = ("square", "wrong", "forgotten", "shrunk")

    budget: int | None

    def __init__(
        self,
        kernel: str | Kernel = "rbf",
        *,
        gamma: float | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        budget: int | None = None,
        classes: Sequence[Any] | None = None,
    ) -> None:
        self._set_parameters(locals())

    def _said(self, values: Array) -> int | None:
        ahead = np.flatnonzero(values == values.max())
        if len(values) == 1:
            return 0 if values[0] > 0.0 else None
        return int(ahead[0]) if len(ahead) == 1 else None

    def _step(self, row: Array, values: Array, signs: Array) -> None:
        wrong = signs * values <= 0.0
        if not wrong.any():
            return
        change = np.where(wrong, signs, 0.0)
        self._number("square")[:] += 2.0 * change * values + change**2 * self._own(row)
        self._number("wrong")[:] += wrong
        self._keep(row, change)
        if self.budget is not None and len(self.rows_) > self.budget:
            self._forget_oldest()

    def _forget_oldest(self) -> None:
        shrinkage = shrinkage_of(int(self.budget or 1))
        square = self._number("square")
        self._number("shrunk")[:] += (1.0 - shrinkage) * np.sqrt(np.maximum(square, 0.0))
        self.dual_coef_ = self.dual_coef_ * shrinkage
        square *= shrinkage**2
        oldest, removed = self.rows_[0], self.dual_coef_[0]
        values = self._with_kept(oldest) @ self.dual_coef_
        square += removed**2 * self._own(oldest) - 2.0 * removed * values
        self._number("forgotten")[:] += np.abs(removed)
        self.rows_, self.dual_coef_ = self.rows_[1:].copy(), self.dual_coef_[1:].copy()

    def _best(self, rows: Array, labels: NDArray[Any]) -> dict[str, Any]:
        first, kernel, parts = self._first_trials(labels), self._kernel(), []
        wrong = kernel_twin.wrong_trials(self, kernel.gram(rows), labels)
        for problem in self._problems():
            kept = wrong[:, problem] & (np.arange(len(labels)) >= first[problem])
            signs = np.where(labels[kept] == self.classes_[problem], 1.0, -1.0)
            length = float(np.sqrt(max(self._number("square")[problem], 0.0)) + self._number("shrunk")[problem])
            found = separating_functions(kernel.gram(rows[kept]), signs)
            parts.append(min(found, key=lambda facts: facts["hinge"] + facts["norm"] * length))
        return {"parts": parts}

    @property
    def ledger_(self) -> Ledger:
        """Mistakes, and the bound on them after `audit`."""
        if "rows_" not in vars(self):
            raise AttributeError(f"{type(self).__name__} has learned nothing yet.")
        audited = vars(self).get("audited_")
        lines: tuple[Line, ...] = ()
        if audited is not None and audited["trials"] == self.trials_:
            problems = self._problems()
            numbers = {name: self._number(name)[problems].tolist() for name in ("square", "forgotten", "shrunk")}
            spare = max(0.0, self.mistakes_ - float(self._number("wrong")[problems].sum()))
            lines = (budget_line(self.mistakes_, audited["parts"], numbers, spare),)
        return Ledger(
            learner=kernel_twin.PERCEPTRON,
            settings=self._twin_settings(),
            trials=self.trials_,
            loss=float(self.mistakes_),
            mistakes=self.mistakes_,
            lines=lines,
        )


def shrinkage_of(budget: int) -> float:
    """So that after as many steps as rows are kept a coefficient is 1 / sqrt(B + 1)."""
    return float((budget + 1.0) ** (-0.5 / (budget + 1.0)))
