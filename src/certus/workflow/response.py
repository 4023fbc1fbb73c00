"""How strongly a model speaks for each label, whatever kind of answer it gives."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax


def gives_probabilities(model: Any) -> bool:
    """Whether what `shares_of` gives are probabilities, rather than votes between 0 and 1."""
    own = getattr(model, "gives_probabilities", None)
    return bool(own) if own is not None else hasattr(model, "predict_proba")


def shares_of(model: Any, X: Any, labels: NDArray[Any]) -> NDArray[np.float64]:
    """Probabilities of sorted labels, or decision values squeezed between 0 and 1, or all weight on the answer.

    Labels that the model does not know get 0. With two labels (0 and 1) in each row of ``labels``, one row per target:
    the probability of every target's second label.
    """
    if labels.ndim == 2:
        return _second_shares(model, X)
    shares = np.zeros((len(X), len(labels)))
    places = np.searchsorted(labels, model.classes_)
    if hasattr(model, "predict_proba"):
        shares[:, places] = model.predict_proba(X)
    elif hasattr(model, "decision_function"):
        shares[:, places] = _squeezed(np.asarray(model.decision_function(X), dtype=np.float64), len(places))
    else:
        shares[np.arange(len(X)), np.searchsorted(labels, model.predict(X))] = 1.0
    return shares


def _second_shares(model: Any, X: Any) -> NDArray[np.float64]:
    """For every row and target how probable label 1 is, by a model of several 0/1 targets."""
    if not hasattr(model, "predict_proba"):
        return np.asarray(model.predict(X), dtype=np.float64)
    said = model.predict_proba(X)
    if isinstance(said, np.ndarray):  # a blend: one column per target already
        return said.astype(np.float64)
    seconds = zip(said, model.classes_, strict=True)
    return np.stack([one[:, 1] if len(known) == 2 else np.full(len(one), known[0]) for one, known in seconds], axis=1)


def _squeezed(decisions: NDArray[np.float64], classes: int) -> NDArray[np.float64]:
    if decisions.ndim == 1:
        return np.column_stack([expit(-decisions), expit(decisions)])
    if decisions.shape[1] != classes:  # one against one: the largest votes for nobody in particular
        raise ValueError(f"{decisions.shape[1]} decision values for {classes} classes")
    return np.asarray(softmax(decisions, axis=1))
