"""Is a backward pass the derivative of its forward pass?"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from certus.neural.modules.module import Array, Module, floats

STEP = 2.0**-17  # small beside the distance to most kinks of ReLU; the error of differences is some 1e-10
FLOOR = 1e-3  # derivatives below this share of the largest count as being of that size


def check_gradient(module: Module, *inputs: Any) -> float:
    """Largest relative error of `backward` against central differences, over all inputs and parameters.

    The error that is differentiated is a fixed random combination of the outputs (of a loss: its value). Errors are
    relative to the largest derivative of the array in question. Arrays of whole numbers, such as labels, and inputs
    whose gradient is None are left as they are. The module is unchanged afterwards, also its running means and its
    random masks.

    Examples
    --------
    >>> from certus.neural.modules import Dense, Sequential, Tanh, check_gradient
    >>> net = Sequential(Dense(3, 4, random_state=0), Tanh(), Dense(4, 2, random_state=1))
    >>> check_gradient(net, [[0.1, -0.2, 0.3]]) < 1e-7
    True
    """
    given = [entry if np.asarray(entry).dtype.kind in "iub" else floats(entry) for entry in inputs]
    used = copy.deepcopy(module)
    output = floats(used.forward(*given))
    combination = np.random.default_rng(0).standard_normal(output.shape) if output.ndim else np.asarray(1.0)
    passed = used.backward(combination)
    inner = passed if isinstance(passed, tuple) else (passed,)

    def error(trial: Module, values: list[Any]) -> float:
        return float((floats(trial.forward(*values)) * combination).sum())

    pairs = []
    for place, derivative in enumerate(inner):
        if derivative is not None and given[place].dtype.kind == "f":

            def of_input(x: Array, place: int = place) -> float:
                values = [*given[:place], x.reshape(given[place].shape), *given[place + 1 :]]
                return error(copy.deepcopy(module), values)

            pairs.append(_compared(of_input, given[place], floats(derivative)))
    for name, parameter in module.parameters.items():

        def of_parameter(w: Array, name: str = name) -> float:
            trial = copy.deepcopy(module)
            trial.parameters[name][...] = w.reshape(trial.parameters[name].shape)
            return error(trial, given)

        pairs.append(_compared(of_parameter, parameter, used.gradients[name]))
    largest = max((size for _, size in pairs), default=0.0)
    return max((wrong / max(size, FLOOR * largest, 1e-300) for wrong, size in pairs), default=0.0)


def _compared(function: Callable[[Array], float], point: Array, derivative: Array) -> tuple[float, float]:
    """The largest difference from what differences say, and the size of the derivatives."""
    flat, differences = point.ravel(), np.zeros(point.size)
    for place in range(point.size):
        step = np.zeros(point.size)
        step[place] = STEP * max(1.0, abs(flat[place]))
        differences[place] = (function(flat + step) - function(flat - step)) / (2.0 * step[place])
    wrong = np.abs(derivative.ravel() - differences)
    return float(wrong.max(initial=0.0)), float(np.abs(differences).max(initial=0.0))
