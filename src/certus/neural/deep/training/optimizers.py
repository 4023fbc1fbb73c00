"""One optimizer per phase of a training, with gradient clipping, and their memories as arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from certus.neural.deep.lazy_torch import torch
from certus.neural.deep.training.training_options import TrainingOptions

NAMES = ("adamw", "adam", "sgd", "rmsprop", "adagrad")


class Optimizers:
    """Moves the parameters of every phase.

    Parameters
    ----------
    options : TrainingOptions
        Kind, weight decay, clipping.
    parameters : dict of lists
        What each phase moves; frozen parameters are left out.
    """

    def __init__(self, options: TrainingOptions, parameters: dict[str, list[Any]]) -> None:
        self._clip = options.clip_norm
        self._moved = {phase: [p for p in given if p.requires_grad] for phase, given in parameters.items()}
        self._optimizers = {phase: _made(options, moved) for phase, moved in self._moved.items()}

    def step(self, phase: str, total: Any, weight: float, rate: float) -> None:
        """Follow the gradient of a mean loss, given as the sum and the weight of its parts."""
        optimizer = self._optimizers[phase]
        optimizer.zero_grad(set_to_none=True)
        total.backward(torch.full_like(total, 1.0 / weight))
        if self._clip is not None:
            torch.nn.utils.clip_grad_norm_(self._moved[phase], self._clip)
        for group in optimizer.param_groups:
            group["lr"] = rate
        optimizer.step()

    def memories(self) -> dict[str, Any]:
        """What the optimizers remember, as copies."""
        return {
            phase: {
                str(place): {name: _array(value) for name, value in kept.items()}
                for place, kept in optimizer.state_dict()["state"].items()
            }
            for phase, optimizer in self._optimizers.items()
        }

    def restore(self, memories: dict[str, Any]) -> None:
        """Continue with these memories."""
        for phase, optimizer in self._optimizers.items():
            found = optimizer.state_dict()
            found["state"] = {
                int(place): {name: _tensor(value) for name, value in kept.items()}
                for place, kept in memories.get(phase, {}).items()
            }
            optimizer.load_state_dict(found)


def _made(options: TrainingOptions, parameters: list[Any]) -> Any:
    """Torch's optimizer of that name."""
    if not parameters:
        raise ValueError("the module must have parameters to train, got none.\nHint: add a layer with weights.")
    shared: dict[str, Any] = {"lr": options.learning_rate, "weight_decay": options.weight_decay}
    if options.optimizer == "sgd":
        shared["momentum"] = options.momentum
    kinds = {
        "adamw": torch.optim.AdamW,
        "adam": torch.optim.Adam,
        "sgd": torch.optim.SGD,
        "rmsprop": torch.optim.RMSprop,
        "adagrad": torch.optim.Adagrad,
    }
    return kinds[options.optimizer](parameters, **shared)


def _array(value: Any) -> Any:
    return np.array(value.detach().cpu().numpy()) if isinstance(value, torch.Tensor) else value


def _tensor(value: Any) -> Any:
    return torch.from_numpy(value.copy()) if isinstance(value, np.ndarray) else value
