"""What the learners share whose experts are models: who predicts, who learns along, who is mixed."""

from __future__ import annotations

import copy
import inspect
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import NotFittedError
from sklearn.utils import Tags

from certus.base import Boolean, Interval, Learner, check_parameters, fit_method, predict_method
from certus.base.params import Constraints
from certus.guarantees import Ledger
from certus.online.experts.fixed_share import FixedShare
from certus.online.experts.mixture_forecaster import MixtureForecaster

Floats = NDArray[np.float64]


class NamedModels:
    """Pairs of a name and a model that predicts."""

    def allows(self, value: Any) -> bool:
        try:
            names = [name for name, _ in value]
            return bool(names) and len(set(names)) == len(names) and all(hasattr(m, "predict") for _, m in value)
        except (TypeError, ValueError):
            return False

    def __str__(self) -> str:
        return "a list of (name, model) with different names and models that predict"


class ModelExperts(Learner):
    """A mixture of models, ours or of others, with a ledger of the regret against the best of them.

    Parameters
    ----------
    experts : list of (str, model)
        Fitted models, or models with ``partial_fit`` that learn along; copies of them learn. A model that is not fitted
        yet, or that answers NaN, gives uninformed advice.
    alpha : float, default=0.0
        Share of `FixedShare`: above 0 for streams in which the best model changes.
    learn_along : bool, default=True
        Whether models with ``partial_fit`` learn each row after all have predicted it.

    Attributes
    ----------
    experts_ : list of models
        The models as they are now.
    mixture_ : FixedShare
        Their weights and the account.
    ledger_ : Ledger
        Realized regret against the best model, and the bound on it.
    report_ : Report
        The certificates of the ledger when ``fit``, ``partial_fit`` or ``run`` ended last.
    """

    _constraints: ClassVar[Constraints] = {
        "experts": [NamedModels()],
        "alpha": [Interval(0.0, 1.0)],
        "learn_along": [Boolean()],
    }
    _state: ClassVar[tuple[str, ...]] = ("experts_", "mixture_")
    _arguments: ClassVar[dict[str, str]] = {
        "": """
X : array-like of shape (n_trials, n_columns)
    Rows, in the form that the models take.
y : array-like of shape (n_trials,)
    Their labels or values.
"""
    }

    experts: Any
    alpha: float
    learn_along: bool
    experts_: list[Any]
    mixture_: MixtureForecaster

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        return tags

    def _new_mixture(self) -> MixtureForecaster:
        raise NotImplementedError

    def _advice(self, model: Any, X: NDArray[Any]) -> Floats:
        """What a model says of rows, one entry per row (and class)."""
        raise NotImplementedError

    def _prepare(self, y: NDArray[Any]) -> NDArray[Any]:
        """Labels as the loop needs them; everything that depends on the first ones."""
        raise NotImplementedError

    def _said(self, advice: Floats) -> Any:
        """The prediction from advice of shape (n_experts, ...)."""
        raise NotImplementedError

    def _settle(self, advice: Floats, label: Any) -> None:
        """Learn one trial in the mixture."""
        raise NotImplementedError

    def _further(self, model: Any, row: NDArray[Any], label: NDArray[Any]) -> None:
        model.partial_fit(row, label)

    def _learns(self, model: Any) -> bool:
        return bool(self.learn_along) and hasattr(model, "partial_fit")

    def _start(self) -> None:
        check_parameters(type(self).__name__, self._constraints, self.get_params(deep=False))
        self.experts_ = [copy.deepcopy(model) if self._learns(model) else model for _, model in self.experts]
        self.mixture_ = self._new_mixture()

    def _advance(self, X: ArrayLike, y: ArrayLike, *, anew: bool = False) -> list[Any]:
        """Learn rows; if one is refused, by us or by a model, everything is as it was before the first."""
        before = dict(vars(self))
        try:
            if anew:
                self._forget()
            elif "mixture_" in vars(self):
                self._work_on_copies()
            return self._advance_further(X, y)
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise

    def _work_on_copies(self) -> None:
        self.experts_ = [copy.deepcopy(model) if self._learns(model) else model for model in self.experts_]
        self.mixture_ = copy.deepcopy(self.mixture_)

    def _advance_further(self, X: ArrayLike, y: ArrayLike) -> list[Any]:
        rows, labels = np.asarray(X), np.asarray(y)
        if rows.ndim != 2 or labels.ndim != 1 or len(labels) != len(rows) or not len(rows):
            raise ValueError(f"X and y must have one label per row, at least one, got {rows.shape} and {labels.shape}.")
        if "mixture_" not in vars(self):
            self._start()
        codes = self._prepare(labels)
        fixed = [None if self._learns(model) else self._advice(model, rows) for model in self.experts_]
        found = []
        for trial in range(len(rows)):
            row = rows[trial : trial + 1]
            advice = np.stack(
                [
                    self._advice(model, row)[0] if known is None else known[trial]
                    for model, known in zip(self.experts_, fixed, strict=True)
                ]
            )
            found.append(self._said(advice))
            self._settle(advice, codes[trial])
            for model in self.experts_:
                if self._learns(model):
                    self._further(model, row, labels[trial : trial + 1])
        self.report_ = self.ledger_.report()
        return found

    def _weights(self) -> Floats:
        """The weights of the models in the next trial."""
        count = len(self.experts_)
        return self.mixture_.weights if self.mixture_._started else np.full(count, 1.0 / count)

    @property
    def ledger_(self) -> Ledger:
        """Realized regret against the best model, and the bound on it."""
        return self.mixture_.ledger_

    @fit_method
    def fit(self, X: ArrayLike, y: ArrayLike) -> ModelExperts:
        """Forget everything, and learn these rows in order."""
        self._advance(X, y, anew=True)
        return self

    @fit_method
    def run(self, X: ArrayLike, y: ArrayLike) -> NDArray[Any]:
        """Predict and learn row by row.

        Returns
        -------
        ndarray of shape (n_trials,)
            The predictions, each made before its label was seen.
        """
        return np.array(self._advance(X, y))

    @predict_method
    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Predictions with the weights and the models as they are.

        Returns
        -------
        ndarray of shape (n_trials,)
        """
        rows = np.asarray(X)
        advice = np.stack([self._advice(model, rows) for model in self.experts_])
        return np.array([self._said(advice[:, row]) for row in range(len(rows))])

    def _restored(self) -> None:
        if "mixture_" not in vars(self):
            return
        if not isinstance(self.mixture_, FixedShare) or not isinstance(self.experts_, list) or not self.experts_:
            raise ValueError("mixture_ must be the mixture of experts_.")
        if self.mixture_._started and self.mixture_.n_experts_ != len(self.experts_):
            raise ValueError("mixture_ must have a weight per model.")
        if not all(hasattr(model, "predict") for model in self.experts_):
            raise ValueError("experts_ must be models that predict.")


def asked(model: Any, question: str, X: NDArray[Any]) -> NDArray[Any] | None:
    """The answer of a model, or None of one that is not fitted."""
    try:
        with np.errstate(all="ignore"):  # of a model that has seen too little; its NaN is advice of nobody
            return np.asarray(getattr(model, question)(X))
    except NotFittedError:
        return None


def takes_classes(model: Any) -> bool:
    """Whether ``partial_fit`` wants to know all classes."""
    return "classes" in inspect.signature(model.partial_fit).parameters
