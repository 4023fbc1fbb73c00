"""What every building block of a network has: a forward map, and the two derivatives that go with it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


class Module:
    """A differentiable map phi = F(inputs, W) that can pass gradients of an error E back.

    `forward` keeps what the next `backward` needs. `backward` takes dE/dphi, stores dE/dW in `gradients` (new values at
    every call, in the arrays' order of `parameters`) and returns dE/dinputs: an array for one input, a tuple for
    several, with None for an input that cannot be varied.

    Attributes
    ----------
    parameters : dict of arrays
        The live arrays: change them in place and the module has changed.
    gradients : dict of arrays
        Derivatives of the error by them, after `backward`.
    training : bool
        Whether modules that behave differently while learning (`BatchNorm`, `Dropout`) do so.
    """

    def __init__(self) -> None:
        self._own_parameters: dict[str, Array] = {}
        self._own_gradients: dict[str, Array] = {}
        self.training = True
        self._kept: Any = None

    @property
    def parameters(self) -> dict[str, Array]:
        """The live arrays, the children's under ``child.name``."""
        inner = {
            f"{name}.{key}": value for name, part in self.children().items() for key, value in part.parameters.items()
        }
        return {**self._own_parameters, **inner}

    @property
    def gradients(self) -> dict[str, Array]:
        """Derivatives of the error by the parameters, after `backward`."""
        inner = {
            f"{name}.{key}": value for name, part in self.children().items() for key, value in part.gradients.items()
        }
        return {**self._own_gradients, **inner}

    def children(self) -> dict[str, Module]:
        """The modules that this one is made of, by name."""
        return {}

    def train(self, training: bool = True) -> None:
        """Turn the behavior while learning on or off, here and in all children."""
        self.training = training
        for part in self.children().values():
            part.train(training)

    def forward(self, *inputs: Any) -> Any:
        raise NotImplementedError

    def backward(self, gradient: ArrayLike) -> Any:
        raise NotImplementedError

    def _recall(self) -> Any:
        """What `forward` kept for the way back."""
        if self._kept is None:
            raise RuntimeError(
                f"{type(self).__name__}: backward needs the inputs of a forward call, got none yet.\n"
                "Hint: call forward(...) first; every backward goes with the last forward."
            )
        return self._kept


def floats(values: ArrayLike) -> Array:
    """Inputs in double precision."""
    return np.asarray(values, dtype=np.float64)


def check_width(module: Module, inputs: Array, width: int, *, dimensions: int | None = None) -> None:
    """Refuse inputs whose last axis is not as wide as the module's weights, or of another number of axes."""
    if inputs.ndim == 0 or inputs.shape[-1] != width or (dimensions is not None and inputs.ndim != dimensions):
        axes = "" if dimensions is None else f"{dimensions} axes, "
        raise ValueError(
            f"{type(module).__name__}: the inputs must have {axes}the last one of {width}, got the shape "
            f"{inputs.shape}.\n"
            f"Hint: (batch, features) or (batch, time, features), with {width} features."
        )
