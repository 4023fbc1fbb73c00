"""From models, predictions and labels to one loss per row: what certify, compare and select share."""

from collections.abc import Callable
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from certus.guarantees.records.bound_arguments import check_losses, check_range


class Predictor(Protocol):
    """A fitted model of any library."""

    def predict(self, X: object, /) -> Any:
        """One prediction per row."""


# Gets true and predicted values and gives one loss per row.
LossFunction: TypeAlias = Callable[[np.ndarray, np.ndarray], ArrayLike]

UNBOUNDED = ("absolute", "squared")
LOSSES = ("auto", "error", *UNBOUNDED)


def labels(values: object, name: str) -> np.ndarray:
    """A vector of labels or numbers without missing values."""
    try:
        found = np.asarray(values)
    except ValueError:  # lists of several lengths
        raise ValueError(
            f"{name} must be a non-empty vector with one entry per row, got a list of lists of several lengths.\n"
            "Hint: a learner of such targets has its own `certify`."
        ) from None
    if found.ndim == 2 and found.shape[1] == 1:
        found = found[:, 0]
    if found.ndim != 1 or found.size == 0:
        raise ValueError(f"{name} must be a non-empty vector with one entry per row, got shape {found.shape}.")
    if found.dtype == object:
        found = _plain_labels(found, name)
    if found.dtype.kind == "f" and np.isnan(found).any():
        raise ValueError(f"{name} must not have missing values; row {int(np.flatnonzero(np.isnan(found))[0])} is NaN.")
    return found


def true_labels(y: object, y_true: object, call: str) -> np.ndarray:
    """The labels, which were given as y or as y_true; `call` shows how."""
    if (y is None) == (y_true is None):
        raise ValueError(
            f"exactly one of y and y_true must be given, got {'none' if y is None else 'both'}.\nHint: {call}."
        )
    return labels(y if y is not None else y_true, "y" if y is not None else "y_true")


def _plain_labels(values: np.ndarray, name: str) -> np.ndarray:
    """Objects of one kind as an array that sorts; a missing value is an error with its row."""
    for row, value in enumerate(values):
        if value is None or value != value:
            raise ValueError(f"{name} must not have missing values; row {row} is {value!r}.")
    plain = np.array(values.tolist())
    return plain if plain.dtype != object and plain.ndim == 1 else values.astype(str)


def predictions(model: object, X: object, name: str = "model") -> np.ndarray:
    """Predictions of a fitted model, or the array itself if predictions were given in its place."""
    if hasattr(model, "predict"):
        if X is None:
            raise ValueError(f"{name} is a fitted model, so X is needed to predict.\nHint: certify(model, X, y).")
        return labels(model.predict(X), f"predictions of {name}")
    if isinstance(model, type) or callable(model):
        raise ValueError(f"{name} must be a fitted model or an array of predictions, got {model!r}.")
    return labels(model, name)


def same_length(truth: np.ndarray, predicted: np.ndarray, name: str = "predictions") -> None:
    """Refuse labels and predictions of different length."""
    if len(truth) != len(predicted):
        raise ValueError(f"{name} must have one entry per label: {len(predicted)} predictions, {len(truth)} labels.")


def is_regression(model: object, truth: np.ndarray, predicted: np.ndarray) -> bool:
    """True for a regressor, or for real numbers that no classifier would give as labels."""
    kind = getattr(model, "_estimator_type", None)
    if kind is None and hasattr(model, "__sklearn_tags__"):
        kind = model.__sklearn_tags__().estimator_type
    if kind in ("regressor", "classifier"):
        return bool(kind == "regressor")
    both = (truth, predicted)
    return all(part.dtype.kind in "fiu" for part in both) and any(
        part.dtype.kind == "f" and (part != np.floor(part)).any() for part in both
    )


def automatic_loss(model: object, truth: np.ndarray, predicted: np.ndarray) -> str:
    """The loss that "auto" stands for."""
    return "absolute" if is_regression(model, truth, predicted) else "error"


def mistakes(truth: np.ndarray, predicted: np.ndarray, name: str = "predictions") -> np.ndarray:
    """One truth value per row: is the prediction wrong?"""
    same_length(truth, predicted, name)
    if (truth.dtype.kind in "US") != (predicted.dtype.kind in "US"):
        raise ValueError(
            f"{name} are of type {predicted.dtype}, labels of type {truth.dtype}: they can never be equal.\n"
            "Hint: give both as text or both as numbers."
        )
    wrong: np.ndarray = np.asarray(truth != predicted)
    return wrong


def row_losses(
    loss: str | Callable[..., Any],
    truth: np.ndarray,
    predicted: np.ndarray,
    loss_range: tuple[float, float] | None,
    name: str,
) -> tuple[np.ndarray, float, float]:
    """Losses of a regression (or of a loss function), with the range that the caller declared."""
    same_length(truth, predicted, name)
    if loss_range is None:
        raise ValueError(
            f"loss={loss!r} has no finite range, so no sample can bound its mean: one unseen row could "
            "outweigh all others.\nHint: declare loss_range=(low, high) if the loss cannot leave it, or use "
            "certus.conformal for prediction intervals, which need no range."
        )
    try:
        low, high = loss_range
    except (TypeError, ValueError):
        raise ValueError(f"loss_range must be a pair (low, high), got {loss_range!r}.") from None
    low, high = check_range(low, high)
    if callable(loss):
        values = np.asarray(loss(truth, predicted))
    elif loss == "error":
        values = mistakes(truth, predicted, name).astype(float)
    else:
        difference = np.asarray(truth, dtype=float) - np.asarray(predicted, dtype=float)
        values = np.abs(difference) if loss == "absolute" else difference**2
    if np.shape(values) != truth.shape:
        raise ValueError(f"loss must give one number per row, got shape {np.shape(values)}.")
    return check_losses(values, low, high, name=f"losses of {name}"), low, high


def check_loss(loss: str | LossFunction) -> None:
    """Refuse unknown names of losses."""
    if not callable(loss) and (not isinstance(loss, str) or loss not in LOSSES):
        raise ValueError(f"loss must be one of {', '.join(map(repr, LOSSES))} or a function, got {loss!r}.")
