"""The contract of learners that predict from the advice of experts, trial by trial."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import Tags

from certus.base import Learner, check_parameters, fit_method, predict_method
from certus.guarantees import Ledger, Report
from certus.online.experts.advice_input import advice_table, labels_of

Floats = NDArray[np.float64]


class AdviceLearner(Learner):
    """A learner of trials: experts give advice, the learner predicts, the label comes.

    Attributes
    ----------
    n_experts_ : int
        How many experts there are.
    trials_ : int
        Trials so far.
    ledger_ : Ledger
        Realized regret and the bound on it, after every trial.
    report_ : Report
        The certificates of the ledger when ``fit``, ``partial_fit`` or ``run`` ended last.
    """

    _arguments: ClassVar[dict[str, str]] = {
        "": """
advice : array-like of shape (n_experts,) or (n_trials, n_experts)
    What the experts say, one column each.
X : array-like of shape (n_trials, n_experts)
    What the experts say, a row per trial.
y : float or array-like of shape (n_trials,)
    What came out.
"""
    }
    _sleeps: ClassVar[bool] = False

    n_experts_: int
    trials_: int

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.allow_nan = self._sleeps
        return tags

    def _begin(self, experts: int) -> None:
        """Set the state before the first trial; parameters are checked."""
        raise NotImplementedError

    def _predict(self, advice: Floats) -> Floats:
        raise NotImplementedError

    def _learn(self, advice: Floats, labels: Floats) -> Floats:
        """Predictions made before each label; all trials, or an error and the state as it was."""
        raise NotImplementedError

    def _check_values(self, advice: Floats, labels: Floats | None, first: int) -> None:
        """Refuse numbers that the rule cannot take."""

    @property
    def _started(self) -> bool:
        return "trials_" in vars(self)

    def _read(self, advice: ArrayLike) -> Floats:
        experts, trials = (self.n_experts_, self.trials_) if self._started else (None, 0)
        return advice_table(advice, experts, trials + 1, asleep=self._sleeps)

    def _advance(self, advice: ArrayLike, y: ArrayLike) -> Floats:
        table = self._read(advice)
        first = self.trials_ + 1 if self._started else 1
        labels = labels_of(y, len(table), first)
        self._check_values(table, labels, first)
        if not self._started:
            self._start(table.shape[1])
        return self._learn(table, labels)

    def _start(self, experts: int) -> None:
        check_parameters(type(self).__name__, self._constraints, self.get_params(deep=False))
        self._begin(experts)

    def predict_one(self, advice: ArrayLike) -> float:
        """The prediction for one row of advice; nothing is learned.

        Returns
        -------
        float
        """
        return float(self._predicted(advice, rows=1)[0])

    def learn_one(self, advice: ArrayLike, y: float) -> AdviceLearner:
        """Learn one trial.

        Returns
        -------
        self
        """
        if np.ndim(advice) != 1 or np.ndim(y) != 0:
            raise ValueError(
                f"learn_one takes the advice of one trial and its label, got shapes {np.shape(advice)} and "
                f"{np.shape(y)}.\nHint: run(advice, y) takes many trials."
            )
        self._advance(advice, y)
        self.__dict__.setdefault("report_", Report())
        return self

    @fit_method
    def run(self, advice: ArrayLike, y: ArrayLike) -> Floats:
        """Predict and learn trial by trial.

        Returns
        -------
        ndarray of shape (n_trials,)
            The predictions, each made before its label was seen.
        """
        predictions = self._advance(advice, y)
        self.report_ = self.ledger_.report()
        return predictions

    @fit_method
    def fit(self, X: ArrayLike, y: ArrayLike) -> AdviceLearner:
        """Forget everything, and learn these trials in order."""
        self._forget()
        if np.ndim(X) != 2 or len(np.asarray(X)) == 0:
            raise ValueError(f"X must have at least one trial and one column per expert, got {np.shape(X)}.")
        self._advance(X, y)
        self.report_ = self.ledger_.report()
        return self

    @fit_method
    def partial_fit(self, X: ArrayLike, y: ArrayLike) -> AdviceLearner:
        """Learn further trials in order."""
        self._advance(X, y)
        self.report_ = self.ledger_.report()
        return self

    @predict_method
    def predict(self, X: ArrayLike) -> Floats:
        """Predictions for rows of advice with the weights as they are; nothing is learned."""
        return self._predicted(X)

    def _predicted(self, advice: ArrayLike, rows: int | None = None) -> Floats:
        table = self._read(advice)
        if rows is not None and len(table) != rows:
            raise ValueError(
                f"predict_one takes the advice of one trial, got {len(table)} rows.\nHint: use predict for many."
            )
        self._check_values(table, None, self.trials_ + 1 if self._started else 1)
        if self._started:
            return self._predict(table)
        self._start(table.shape[1])
        try:
            return self._predict(table)
        finally:
            self._forget()

    @property
    def ledger_(self) -> Ledger:
        """The account so far."""
        raise NotImplementedError
