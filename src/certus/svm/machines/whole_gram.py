"""The whole kernel matrix of a table, for methods that need all of it."""

from __future__ import annotations

import numpy as np

from certus.kernels import Gaussian, Linear, Polynomial, Tanh
from certus.svm._native_calls import GAUSSIAN, GIVEN, LINEAR, POLYNOMIAL, Floats, Kernel, Table


def whole_gram(kernel: Kernel, table: Table) -> Floats:
    """k(x_i, x_j) of all pairs of rows."""
    kind, gamma, coef0, degree = kernel
    if kind == GIVEN:
        return np.ascontiguousarray(table)
    if kind == GAUSSIAN and gamma == 0.0:
        return np.ones((table.shape[0], table.shape[0]))
    if kind == GAUSSIAN:
        return Gaussian(gamma).gram(table)
    if kind == LINEAR:
        return Linear().gram(table)
    return Polynomial(degree, gamma, coef0).gram(table) if kind == POLYNOMIAL else Tanh(gamma, coef0).gram(table)
