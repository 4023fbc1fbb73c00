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

    Labels that the model does not know get 0.
    """
    shares = np.zeros((len(X), len(labels)))
    places = np.searchsorted(labels, model.classes_)
    if hasattr(model, "predict_proba"):
        shares[:, places] = model.predict_proba(X)
    elif hasattr(model, "decision_function"):
        shares[:, places] = _squeezed(np.asarray(model.decision_function(X), dtype=np.float64), len(places))
    else:
        shares[np.arange(len(X)), np.searchsorted(labels, model.predict(X))] = 1.0
    return shares


def _squeezed(decisions: NDArray[np.float64], classes: int) -> NDArray[np.float64]:
    if decisions.ndim == 1:
        return np.column_stack([expit(-decisions), expit(decisions)])
    if decisions.shape[1] != classes:  # one against one: the largest votes for nobody in particular
        raise ValueError(f"{decisions.shape[1]} decision values for {classes} classes")
    return np.asarray(softmax(decisions, axis=1))
