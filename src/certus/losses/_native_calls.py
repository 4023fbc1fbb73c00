"""The native twins of the losses, for the kernels of other packages."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus import _native
from certus.losses.loss import KnownLoss
from certus.losses.registry import BY_NAME

Array = NDArray[np.float64]
_NO_WEIGHTS = np.empty(0)
_NO_CURVATURE = np.empty((0, 0))


@lru_cache(maxsize=256)
def native_loss(loss: KnownLoss) -> _native.Loss:
    """The loss as kernels take it."""
    assert loss.native is not None
    return _native.Loss(loss.native, loss.parameter)


def native_loss_named(name: str, parameter: float) -> _native.Loss:
    """The same by a name, ours or scikit-learn's, with a parameter that need not be a sensible one."""
    native = BY_NAME[name].native
    assert native is not None
    return _native.Loss(native, parameter)


def loss_gradient(
    loss: KnownLoss,
    X: NDArray[Any],
    target: Array,
    weights: Array | None,
    coef: Array,
    intercept: Array,
    threads: int,
    *,
    want_curvature: bool = False,
) -> tuple[float, Array, Array, Array]:
    """Loss of the scores ``X coef' + intercept``, summed, and its gradients for the coefficients and the intercepts.

    Last comes the curvature of the rows, or an empty matrix.
    """
    gradient, gradient_intercept = np.empty_like(coef), np.empty_like(intercept)
    curvature = np.empty((X.shape[0], len(coef))) if want_curvature else _NO_CURVATURE
    value = _native.loss_gradient(
        native_loss(loss),
        X,
        target,
        _NO_WEIGHTS if weights is None else weights,
        coef,
        intercept,
        threads,
        gradient,
        gradient_intercept,
        curvature,
    )
    return value, gradient, gradient_intercept, curvature
