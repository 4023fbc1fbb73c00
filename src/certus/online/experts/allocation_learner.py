"""The contract of learners that put weights on experts and pay the average of their losses."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import Tags

from certus.base import Interval, Learner, check_parameters, fit_method, predict_method
from certus.base.params import Constraints
from certus.base.persistence import check_shapes
from certus.guarantees import Ledger, Report
from certus.online.experts.advice_input import advice_table, first_outside
from certus.online.experts.allocation_ledger import allocation_ledger
from certus.online.experts.mixture_forecaster import Range

Floats = NDArray[np.float64]


class AllocationLearner(Learner):
    """Weights over experts; each trial costs the weighted average of the experts' losses.

    Parameters
    ----------
    n_experts : int
        How many experts there are.
    loss_range : (float, float), default=(0.0, 1.0)
        Where losses lie. One outside voids what rests on that end, from its trial on.

    Attributes
    ----------
    trials_ : int
        Trials so far.
    losses_ : ndarray of shape (n_experts,)
        Every expert's loss so far.
    sums_ : ndarray
        What was paid, the number of trials, and what the bound is made of.
    outside_ : ndarray of shape (2,)
        First trials with a loss below and above the range, or 0.
    ledger_ : Ledger
        Realized regret and the bound on it, after every trial.
    report_ : Report
        The certificates of the ledger when ``fit``, ``partial_fit`` or ``run`` ended last.
    """

    _constraints: ClassVar[Constraints] = {"n_experts": [Interval(1, 10**9, integer=True)], "loss_range": [Range()]}
    _state: ClassVar[tuple[str, ...]] = ("trials_", "losses_", "sums_", "outside_")
    _arguments: ClassVar[dict[str, str]] = {
        "": """
losses : array-like of shape (n_experts,) or (n_trials, n_experts)
    What every expert loses.
X : array-like of shape (n_trials, n_experts)
    What every expert loses, a row per trial.
y : ignored
    There for compatibility.
"""
    }
    _learner: ClassVar[str]

    n_experts: int
    loss_range: tuple[float, float]
    trials_: int
    losses_: Floats
    sums_: Floats
    outside_: NDArray[np.int64]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        return tags

    @property
    def _started(self) -> bool:
        return "trials_" in vars(self)

    def _check(self) -> None:
        check_parameters(type(self).__name__, self._constraints, self.get_params(deep=False))
        self._settings()

    def _begin(self) -> None:
        self._check()
        self.trials_, self.losses_ = 0, np.zeros(self.n_experts)
        self.sums_, self.outside_ = np.zeros(4), np.zeros(2, dtype=np.int64)

    def _range(self) -> tuple[float, float]:
        low, high = map(float, self.loss_range)
        return low, high

    def _settings(self) -> dict[str, Any]:
        """What the twin needs to know."""
        raise NotImplementedError

    def _pay(self, table: Floats) -> Floats:
        """Learn the trials, and return what was paid in each."""
        raise NotImplementedError

    def _account(self) -> dict[str, Any]:
        return {"paid": float(self.sums_[0]), "losses": self.losses_}

    def _weights(self) -> Floats:
        raise NotImplementedError

    @property
    def weights(self) -> Floats:
        """The weights that are played next."""
        if self._started:
            return self._weights()
        self._begin()
        try:
            return self._weights()
        finally:
            self._forget()

    def _advance(self, losses: ArrayLike) -> Floats:
        first = self.trials_ + 1 if self._started else 1
        if not self._started:
            self._check()
        table = advice_table(losses, int(self.n_experts), first)
        if not self._started:
            self._begin()
        low, high = self._range()
        if first_outside(table, low, high) is not None:
            self._note_outside(table, low, high)
        paid = self._pay(table)
        self.trials_ += len(table)
        return paid

    def _note_outside(self, table: Floats, low: float, high: float) -> None:
        for side, ends in enumerate(((low, np.inf), (-np.inf, high))):
            found = first_outside(table, *ends)
            if found is not None and not self.outside_[side]:
                self.outside_[side] = self.trials_ + found[0] + 1

    def observe(self, losses: ArrayLike) -> float:
        """Pay for one trial and learn it.

        Returns
        -------
        float
            What was paid: the experts' losses, averaged with the weights played.
        """
        if np.ndim(losses) != 1:
            raise ValueError(f"observe takes the losses of one trial, got the shape {np.shape(losses)}.")
        paid = float(self._advance(losses)[0])
        self.__dict__.setdefault("report_", Report())
        return paid

    @fit_method
    def run(self, losses: ArrayLike) -> Floats:
        """Pay and learn trial by trial.

        Returns
        -------
        ndarray of shape (n_trials,)
            What was paid in each.
        """
        paid = self._advance(losses)
        self.report_ = self.ledger_.report()
        return paid

    @fit_method
    def fit(self, X: ArrayLike, y: object = None) -> AllocationLearner:
        """Forget everything, and learn these trials in order."""
        self._forget()
        if np.ndim(X) != 2 or len(np.asarray(X)) == 0:
            raise ValueError(f"X must have at least one trial and one column per expert, got {np.shape(X)}.")
        self._advance(X)
        self.report_ = self.ledger_.report()
        return self

    @fit_method
    def partial_fit(self, X: ArrayLike, y: object = None) -> AllocationLearner:
        """Learn further trials in order."""
        self._advance(X)
        self.report_ = self.ledger_.report()
        return self

    @predict_method
    def predict(self, X: ArrayLike) -> Floats:
        """What trials would cost with the weights as they are; nothing is learned.

        Returns
        -------
        ndarray of shape (n_trials,)
        """
        return advice_table(X, int(self.n_experts), self.trials_ + 1) @ self.weights

    @property
    def ledger_(self) -> Ledger:
        """Realized regret against the best expert, and the bound on it."""
        if not self._started:
            return Ledger(learner=self._learner, settings=self._settings(), trials=0, loss=0.0)
        outside = tuple(self.outside_.tolist())
        account = self._account()
        return allocation_ledger(self._learner, self._settings(), trials=self.trials_, outside=outside, account=account)

    def _restored(self) -> None:
        present = [name in vars(self) for name in self._state]
        if any(present) != all(present):
            raise ValueError("a part of the account is missing.")
        if not self._started:
            return
        check_shapes(self, losses_=(self.n_experts,), sums_=(4,), outside_=(2,))
        self.losses_ = _doubles(self.losses_, "losses_")
        self.sums_ = _doubles(self.sums_, "sums_")
        if self.outside_.dtype != np.int64 or (self.outside_ < 0).any():
            raise ValueError("outside_ must hold numbers of trials.")
        self.outside_ = self.outside_.copy()
        if self.trials_ < 0 or self.sums_[1] != self.trials_ or (self.sums_[2:] < 0).any():
            raise ValueError("trials_ and sums_ do not belong together.")


def _doubles(array: Floats, name: str) -> Floats:
    if array.dtype != np.float64 or not np.isfinite(array).all():
        raise ValueError(f"{name} must hold finite numbers in double precision.")
    return np.ascontiguousarray(array).copy()
