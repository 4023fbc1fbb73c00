"""Newton's method for the multinomial loss, whose rows have a score for every class.

The Newton equations alpha D + sum_i s_i H_i (K D)_i = -R couple the classes through H_i = diag(p_i) - p_i p_i'. They
are solved by conjugate gradients in the inner product of the space; the preconditioner takes for H_i the multiple
sum_k p_k (1 - p_k) / (classes - 1) of the identity, which has the same trace on scores that sum to 0.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from certus.kernels._native_calls import Array
from certus.kernels.learning.function_spaces import Solve, Space
from certus.kernels.solvers.machine_newton import Point, Solved, Tell, minimize
from certus.losses import Multinomial

LOSS = Multinomial()
MOST_PRODUCTS = 200  # of one Newton step


def multinomial_newton(
    space: Space, codes: NDArray[np.intp], s: Array, classes: int, alpha: float, wanted: float, max_iter: int,
    tell: Tell,
) -> Solved:  # fmt: skip
    """Minimize sum_i s_i l(y_i, f(x_i)) + (alpha / 2) sum_k |f_k|^2 until the gap is at most ``wanted``."""

    def direction(at: Point) -> Array:
        p = softmax(at.scores, axis=1)
        solve = space.newton(s * (p * (1.0 - p)).sum(axis=1) / (classes - 1), alpha)
        # The residual that is left is a share of the gradient that falls with it, so that convergence is quadratic.
        share = min(0.1, np.sqrt(at.gap / max(at.objective, 1e-300)))
        return _conjugate_gradients(space, s, p, alpha, solve, at.gradient, at.gradient_scores, share)

    return minimize(space, codes, s, LOSS, alpha, wanted, max_iter, tell, direction, (classes,))


def _conjugate_gradients(
    space: Space, s: Array, p: Array, alpha: float, solve: Solve, gradient: Array, gradient_scores: Array, share: float
) -> Array:
    """The Newton direction, up to a residual of ``share`` times the gradient."""
    found = np.zeros_like(gradient)
    residual, residual_scores = -gradient, -gradient_scores
    limit = share**2 * space.inner(gradient, gradient, gradient_scores)
    better = solve(residual)
    search = better
    size = space.inner(better, residual, residual_scores)
    for _ in range(MOST_PRODUCTS):
        scores = space.scores(search)
        curved = s[:, None] * p * (scores - (p * scores).sum(axis=1, keepdims=True))
        product = alpha * search + space.combine(curved)
        bend = space.inner(product, search, scores)
        if not (bend > 0.0 and size > 0.0):  # rounding is all that is left
            break
        step = size / bend
        found = found + step * search
        residual = residual - step * product
        residual_scores = space.scores(residual)
        if space.inner(residual, residual, residual_scores) <= limit:
            break
        better = solve(residual)
        new = space.inner(better, residual, residual_scores)
        search = better + new / size * search
        size = new
    return found
