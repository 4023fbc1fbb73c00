"""How strongly a model speaks for each of a list of labels, whatever kind of classifier it is."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax

from certus.base import TableLike
from certus.guarantees.holdout import class_response

Floats = NDArray[np.float64]


def gives_probabilities(model: Any) -> bool:
    """Whether what `label_response` gives are probabilities, rather than votes between 0 and 1."""
    own = getattr(model, "gives_probabilities", None)
    return bool(own) if own is not None else hasattr(model, "predict_proba")


def label_response(model: Any, X: TableLike, labels: NDArray[Any]) -> Floats:
    """Probabilities of sorted labels, or decision values squeezed between 0 and 1, or all weight on the prediction.

    Labels that the model does not know get 0. With two labels (0 and 1) in each row of ``labels``, one row per target:
    the probability of every target's second label.
    """
    if labels.ndim == 2:
        return _second_label_response(model, X)
    known = np.searchsorted(labels, model.classes_)
    if hasattr(model, "predict_proba"):
        given = class_response(model, X, probabilities=True)
    elif hasattr(model, "decision_function"):
        given = _squeezed(np.asarray(model.decision_function(X), dtype=np.float64), len(known))
    else:
        given = np.asarray(np.asarray(model.predict(X))[:, None] == model.classes_, dtype=np.float64)
    response = np.zeros((len(given), len(labels)))
    response[:, known] = given
    return response


def _second_label_response(model: Any, X: TableLike) -> Floats:
    """For every row and target how probable label 1 is, by a model of several 0/1 targets."""
    if not hasattr(model, "predict_proba"):
        return np.asarray(model.predict(X), dtype=np.float64)
    given = model.predict_proba(X)
    if isinstance(given, np.ndarray):  # a blend: one column per target already
        return given.astype(np.float64)
    pairs = zip(given, model.classes_, strict=True)
    return np.stack([one[:, 1] if len(known) == 2 else np.full(len(one), known[0]) for one, known in pairs], axis=1)


def _squeezed(decisions: Floats, classes: int) -> Floats:
    if decisions.ndim == 1:
        return np.column_stack([expit(-decisions), expit(decisions)])
    if decisions.shape[1] != classes:  # one against one: the largest votes for nobody in particular
        raise ValueError(f"there are {decisions.shape[1]} decision values for {classes} classes.")
    return np.asarray(softmax(decisions, axis=1))
