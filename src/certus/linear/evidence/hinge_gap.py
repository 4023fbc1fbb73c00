"""How far a classifier with the hinge loss and an L1 penalty can be from the best one.

With signs y, weights s and strengths c,

    min P >= sum u     for every u with  0 <= u <= s,   |X'(y u)|_j <= c_j,   sum y u = 0

(the last only with an intercept). The linear program's multipliers are such a u up to rounding; they are clipped,
balanced and shrunk until they are. What rounding leaves, |X'(y u)|_j above c_j by h_j and sum y u = g, costs
sum h_j |w*_j| + |g| |b*|, for which P bounds both: sum c_j |w*_j| <= P, and b* lies among the values of y - X w*.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from certus.guarantees.training import DualValue, GapEvidence
from certus.linear.design.moments import gamma
from certus.linear.solvers.hinge_program import HingeProblem

Array = NDArray[np.float64]


def feasible_hinge_dual(u: Array, problem: HingeProblem) -> Array:
    """The multipliers, clipped to their box, balanced, and shrunk to the penalty's dual ball."""
    u, y = np.clip(u, 0.0, problem.s), problem.y
    if problem.fit_intercept:
        for _ in range(3):  # the larger side is shrunk to the smaller one
            up, down = math.fsum(u[y > 0.0]), math.fsum(u[y < 0.0])
            if up == down:
                break
            side, factor = (y > 0.0, down / up) if up > down else (y < 0.0, up / down)
            u = np.where(side, u * factor, u)
    reach = float((np.abs(problem.X.T @ (y * u)) / problem.c).max(initial=0.0))
    return u / reach if reach > 1.0 else u


def hinge_evidence(problem: HingeProblem, w: Array, b: float, u: Array, slip: float) -> GapEvidence:
    """Evidence for the stored coefficients and a dual point from `feasible_hinge_dual`; ``slip`` is the error of b."""
    X, y, s, c = problem.X, problem.y, problem.s, problem.c
    sizes = np.abs(X)
    losses = np.maximum(1.0 - y * (X @ w + b), 0.0)
    objective = float(s @ losses + c @ np.abs(w))
    chain = gamma(len(y) + X.shape[1] + 16)
    over = np.maximum(np.abs(X.T @ (y * u)) - c, 0.0) + chain * (sizes.T @ u)
    largest = sizes.max(axis=0)
    largest = (largest.toarray() if hasattr(largest, "toarray") else np.asarray(largest)).ravel()
    off = abs(math.fsum(y * u)) if problem.fit_intercept else 0.0
    height = 1.0 + float((largest / c).max(initial=0.0)) * objective
    size = 1.0 + sizes @ np.abs(w) + abs(b) + slip / chain
    rounding = float((over / c).max(initial=0.0)) * objective + off * height
    rounding += chain * (float(s @ size) + float(u.sum()) + objective)
    return GapEvidence(
        objective=objective * (1.0 + chain),
        objective_at_zero=problem.losses(np.zeros(len(w))),
        bound=DualValue(float(u.sum()), float(rounding)),
    )
