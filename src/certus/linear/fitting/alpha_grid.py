"""The grid of penalties for a path: geometric, from the least alpha that makes all coefficients 0."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base import ParameterError
from certus.linear.problems.penalized_problem import PenalizedProblem

Array = NDArray[np.float64]
RESOLUTION = float(np.finfo(np.float64).resolution)


def alpha_grid(problem: PenalizedProblem, l1_ratio: float, *, eps: float, count: int, positive: bool) -> Array:
    """``count`` values from alpha_max down to ``eps`` alpha_max; the problem must be prepared."""
    if l1_ratio == 0:
        raise ValueError(
            "Automatic alpha grid generation is not supported for l1_ratio=0. Please supply a grid by providing your "
            "estimator with the appropriate `alphas=` argument."
        )
    products = problem.moments.cross if problem.has_moments else problem.table.products(problem.target)
    sizes = np.maximum(products[:, 0], 0.0) if positive else np.linalg.norm(products, axis=1)
    largest = float(sizes.max(initial=0.0)) / (problem.weight * l1_ratio)
    if largest <= RESOLUTION:
        return np.full(count, RESOLUTION)
    return np.geomspace(largest, largest * eps, num=count)


def given_alphas(alphas: Any) -> Array:
    """A user's list of penalties, checked and in decreasing order."""
    for index, alpha in enumerate(alphas):
        if not isinstance(alpha, numbers.Real) or isinstance(alpha, bool):
            raise ParameterError(f"alphas[{index}] must be an instance of float, not {type(alpha).__name__}.")
        if not float(alpha) >= 0.0:
            raise ParameterError(f"alphas[{index}] == {alpha}, must be >= 0.0.")
    return np.sort(np.asarray(alphas, dtype=np.float64))[::-1].copy()
