"""Weights of a module as arrays by name, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.neural.deep.lazy_torch import torch

Weights = dict[str, NDArray[Any]]


def read_weights(module: Any) -> Weights:
    """Copies of all parameters and buffers; shared ones stand under each of their names."""
    return {name: np.array(tensor.detach().cpu().numpy()) for name, tensor in module.state_dict().items()}


def write_weights(module: Any, weights: Mapping[str, Any]) -> None:
    """Set all parameters and buffers; refuses arrays of other names, shapes or types."""
    check_weights_fit(module, weights)
    with torch.no_grad():
        for name, tensor in module.state_dict().items():
            tensor.copy_(torch.from_numpy(np.array(weights[name], order="C")))


def check_weights_fit(module: Any, weights: Any) -> None:
    """Refuse arrays of other names, shapes or types than the parameters and buffers of a module."""
    state = module.state_dict()
    if not isinstance(weights, Mapping) or set(state) != set(weights):
        odd = sorted(set(state) ^ set(weights))[0] if isinstance(weights, Mapping) else "arrays by name"
        raise ValueError(f"the weights do not belong to this network: {odd!r} is in only one of them")
    for name, tensor in state.items():
        array, like = weights[name], torch.empty(0, dtype=tensor.dtype).numpy().dtype
        if not isinstance(array, np.ndarray) or array.shape != tuple(tensor.shape) or array.dtype != like:
            found = f"{np.shape(array)} of {getattr(array, 'dtype', type(array).__name__)}"
            raise ValueError(f"the weights {name!r} must be {tuple(tensor.shape)} of {like}, got {found}")
