"""A fitted network of scikit-learn's form as modules."""

from __future__ import annotations

from typing import Any

import numpy as np

from certus.neural.modules.activations import ReLU, Sigmoid, Tanh
from certus.neural.modules.dense import Dense
from certus.neural.modules.module import Module
from certus.neural.modules.sequential import Sequential

ACTIVATIONS: dict[str, type[Module] | None] = {"identity": None, "logistic": Sigmoid, "tanh": Tanh, "relu": ReLU}


def to_modules(model: Any) -> Sequential:
    """The network's layers as `Dense` modules and activations, up to its scores; a `Sequential` is returned as it is.

    Parameters
    ----------
    model : Sequential or fitted network
        With `coefs_`, `intercepts_` and `activation` as scikit-learn's `MLPClassifier` and `MLPRegressor` have them.
        The weights are copied.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from certus.neural.modules import to_modules
    >>> net = SimpleNamespace(coefs_=[[[1.0]], [[2.0]]], intercepts_=[[0.0], [1.0]], activation="relu")
    >>> to_modules(net).forward([[3.0], [-3.0]]).ravel().tolist()
    [7.0, 1.0]
    """
    if isinstance(model, Sequential):
        return model
    if not hasattr(model, "coefs_"):
        raise TypeError(
            f"{type(model).__name__}: needs a Sequential, or a fitted network with coefs_ and intercepts_.\n"
            "Hint: fit it first."
        )
    _refuse_more_than_layers(model)
    count = len(model.coefs_) - 1
    kinds = [model.activation] * count if isinstance(model.activation, str) else list(model.activation)
    unknown = sorted(set(kinds) - set(ACTIVATIONS))
    if len(kinds) != count or unknown or getattr(model, "batch_norm", False):
        raise ValueError(
            f"{type(model).__name__}: the activations must be among {', '.join(ACTIVATIONS)}, without batch_norm, got "
            f"{', '.join(map(str, kinds)) or 'none'}.\nHint: build the same network from certus.neural.modules."
        )
    parts: list[Module] = []
    for place, (weights, offsets) in enumerate(zip(model.coefs_, model.intercepts_, strict=True)):
        W, b = np.asarray(weights, dtype=np.float64), np.asarray(offsets, dtype=np.float64)
        layer = Dense(*W.shape, random_state=0)
        layer.parameters["weights"][...], layer.parameters["bias"][...] = W, b
        parts.append(layer)
        activation = ACTIVATIONS[kinds[place]] if place < count else None
        if activation is not None:
            parts.append(activation())
    return Sequential(*parts)


def _refuse_more_than_layers(model: Any) -> None:
    """Several networks, or layers behind an encoding of columns, are not what their `coefs_` alone compute."""
    inputs = np.asarray(model.coefs_[0]).shape[0]
    several, encoded = len(getattr(model, "members_", None) or ()) > 1, hasattr(model, "columns_")
    if several or encoded or getattr(model, "n_features_in_", inputs) != inputs:
        found = "an average of networks" if several else "one that encodes its columns first"
        raise ValueError(
            f"{type(model).__name__}: the model must be one network of the columns themselves, got {found}.\n"
            "Hint: MLPClassifier or MLPRegressor on columns that were encoded before."
        )
