"""One way to train whatever a laboratory is given: an estimator, or a function from rows to a predictor."""

from collections.abc import Callable
from typing import Any, Protocol, TypeAlias

import numpy as np

Predictor = Callable[[np.ndarray], np.ndarray]


class Estimator(Protocol):
    """An estimator of any library with scikit-learn's interface."""

    def fit(self, X: Any, y: Any) -> Any:
        """Train on the rows."""

    def predict(self, X: Any) -> Any:
        """One prediction per row."""


# What a laboratory trains: an estimator, of which a copy is fitted, or a function (X, y) -> predictor.
Trainable: TypeAlias = Estimator | Callable[[np.ndarray, np.ndarray], Predictor]


def fitted(learner: Trainable, X: np.ndarray, y: np.ndarray) -> Predictor:
    """Train a copy of an estimator, or call a function (X, y) -> predictor; return what predicts.

    Examples
    --------
    >>> constant = lambda X, y: lambda new: np.full(len(new), y.mean())
    >>> fitted(constant, np.zeros((2, 1)), np.array([1.0, 3.0]))(np.zeros((1, 1))).tolist()
    [2.0]
    """
    if hasattr(learner, "fit"):
        from sklearn.base import clone

        trained: Predictor = clone(learner).fit(X, y).predict
        return trained
    if not callable(learner):
        raise ValueError(
            f"learner must be an estimator or a function from (X, y) to a predictor, got {type(learner).__name__}."
        )
    found: Predictor = learner(X, y)
    return found
