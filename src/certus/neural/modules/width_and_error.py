"""How well networks with one hidden layer approximate a function, by their width."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import optimize

from certus.base import blas_on_one_thread, resolve_seed
from certus.neural.modules.activations import Tanh
from certus.neural.modules.dense import Dense
from certus.neural.modules.module import Array
from certus.neural.modules.module_losses import SquaredError
from certus.neural.modules.sequential import Sequential


def approximation_errors(
    function: Callable[[Array], Array],
    widths: Sequence[int],
    *,
    dimension: int = 1,
    points: int = 400,
    starts: int = 3,
    max_iter: int = 1000,
    random_state: Any = None,
) -> Array:
    """Largest error on a grid of [-1, 1]^dimension of fitted networks with one hidden layer of tanh units.

    Each network is fitted to the grid by L-BFGS from random starts, and the best is kept: what is measured is what
    was found; the best network of that width has at most this error on the grid.

    Parameters
    ----------
    function : callable
        Gives one value per row of points.
    widths : sequence of int
        Hidden units.
    dimension : {1, 2}, default=1
        Of the points.
    points : int, default=400
        Of the grid, rounded down to a square in two dimensions.
    starts : int, default=3
        Random starts per width.
    max_iter : int, default=1000
        Steps of L-BFGS per start.
    random_state : int, RandomState, Generator or None, default=None
        Seed.
    """
    if dimension not in (1, 2):
        raise ValueError(
            f"dimension must be 1 or 2, got {dimension!r}.\nHint: grids of more dimensions have too many points."
        )
    side = np.linspace(-1.0, 1.0, points if dimension == 1 else int(np.sqrt(points)))
    X = np.stack(np.meshgrid(*[side] * dimension), axis=-1).reshape(-1, dimension)
    y = np.asarray(function(X), dtype=np.float64).reshape(-1, 1)
    rng = np.random.default_rng(resolve_seed(random_state))
    with blas_on_one_thread():  # the products are small
        return np.array([min(_fitted_error(X, y, width, rng, max_iter) for _ in range(starts)) for width in widths])


def _fitted_error(X: Array, y: Array, width: int, rng: np.random.Generator, max_iter: int) -> float:
    net, loss = (
        Sequential(Dense(X.shape[1], width, random_state=rng), Tanh(), Dense(width, 1, random_state=rng)),
        SquaredError(),
    )
    steepness = rng.uniform(0.5, 8.0, width)  # gentle and steep units, with their bends all over the grid
    net.parameters["0.weights"][...] = steepness * rng.choice([-1.0, 1.0], net.parameters["0.weights"].shape)
    net.parameters["0.bias"][...] = steepness * rng.uniform(-1.0, 1.0, width)
    parameters = list(net.parameters.values())

    def of_vector(vector: NDArray) -> tuple[float, NDArray]:
        start = 0
        for parameter in parameters:
            parameter[...] = vector[start : start + parameter.size].reshape(parameter.shape)
            start += parameter.size
        value = loss.forward(net.forward(X), y)
        net.backward(loss.backward())
        return value, np.concatenate([gradient.ravel() for gradient in net.gradients.values()])

    first = np.concatenate([parameter.ravel() for parameter in parameters])
    options = {"maxiter": max_iter, "maxfun": 2 * max_iter, "ftol": 1e-14, "gtol": 1e-9}
    of_vector(optimize.minimize(of_vector, first, jac=True, method="L-BFGS-B", options=options).x)
    return float(np.abs(net.forward(X) - y).max())
