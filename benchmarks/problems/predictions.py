"""Quality of predictions on rows that were kept back."""

from typing import Any

import numpy as np

from benchmarks.measure.task import Data, Quality


def _accuracy(model: Any, prediction: np.ndarray | None, data: Data) -> float:
    if prediction is None:  # learning alone was timed
        prediction = model.predict(data["X_test"])
    return float(np.mean(prediction == data["y_test"][: len(prediction)]))


def _root_mean_square(_model: Any, prediction: np.ndarray, data: Data) -> float:
    return float(np.sqrt(np.mean((prediction - data["y_test"][: len(prediction)]) ** 2)))


def share_inside(_model: Any, prediction: np.ndarray, _data: Data) -> float:
    """Share of rows that a one-class machine takes for its own; there is no right answer to compare with."""
    return float(np.mean(prediction == 1))


def accuracy(slack: float) -> Quality:
    """Share of right labels; equal quality means within ``slack`` of the best competitor."""
    return Quality("accuracy", _accuracy, lower_is_better=False, slack=slack)


def root_mean_square(slack: float) -> Quality:
    """Root of the mean squared error; equal quality means within ``slack`` of the best competitor."""
    return Quality("rmse", _root_mean_square, slack=slack)
