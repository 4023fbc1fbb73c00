"""How far a kernel machine's solution can be from the best one, rounding errors included.

For every f and all dual variables u, Fenchel's inequality gives, with r = alpha f + sum_i s_i u_i k(x_i, .),

    P(f) - min P <= sum_i s_i (l(y_i, f(x_i)) + l*(y_i, u_i) - u_i f(x_i)) + |r|^2 / (2 alpha)

and no term is negative. P is strongly convex: |f - f*|^2 <= 2 (P(f) - min P) / alpha for the minimizer f*.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.guarantees.training import FenchelTerms, GapEvidence
from certus.kernels.learning.function_spaces import UNIT, Space
from certus.kernels.solvers.machine_newton import Solved
from certus.losses import ConvexLoss, Multinomial

Array = NDArray[np.float64]


@dataclass(frozen=True)
class MachineEvidence(GapEvidence):
    """What the certificate rests on: the terms of Fenchel's inequality and the norm of r, all outputs together.

    ``objective`` is an upper bound on P, ``value`` what was computed.
    """

    bound: FenchelTerms
    value: float

    def distance(self) -> float:
        """Bound on the norm of f - f*."""
        return float(np.sqrt(2.0 * self.gap / self.bound.alpha)) * (1.0 + 8.0 * UNIT)


def evidence(
    space: Space, y: NDArray[Any], s: Array, loss: ConvexLoss, alpha: float, solved: Solved
) -> MachineEvidence:
    """Evidence for one output (y and dual are vectors) or for the multinomial loss (y holds positions of classes)."""
    coef, dual = solved.coef, solved.dual
    scores, error = space.scores(coef), space.score_error(coef)
    flat = np.zeros_like(scores)
    if isinstance(loss, Multinomial):
        losses, slack = _multinomial_slack(loss, y, scores, error, dual)
        values, zero = loss.value(y, scores), loss.value(y, flat)
    else:
        losses, slack = _slack(loss, y, scores[:, 0], error[:, 0], dual[:, 0])
        values, zero = np.asarray(loss.value(y, scores[:, 0])), np.asarray(loss.value(y, flat[:, 0]))
    weighted = s[:, None] * dual
    gradient = alpha * coef + space.combine(weighted)
    gradient_error = space.combine_error(weighted) + 4.0 * UNIT * (alpha * np.abs(coef) + np.abs(gradient))
    if space.form == "dual":
        gradient_error = gradient_error + 4.0 * UNIT * np.abs(weighted)
    residual = float(np.linalg.norm(space.norm_bound(gradient, gradient_error)))
    norms = space.norm_bound(coef, np.zeros_like(coef))
    chain = 1.0 + (len(s) + 8) * UNIT
    counted = s > 0.0
    return MachineEvidence(
        objective=(float(s[counted] @ losses[counted]) + 0.5 * alpha * float(norms @ norms)) * chain,
        objective_at_zero=float(s[counted] @ zero[counted]),
        bound=FenchelTerms(float(s[counted] @ slack[counted]) * chain, residual * chain, float(alpha)),
        value=float(s[counted] @ values[counted]) + 0.5 * alpha * max(space.inner(coef, coef, scores), 0.0),
    )


def _slack(loss: ConvexLoss, y: Array, f: Array, error: Array, u: Array) -> tuple[Array, Array]:
    """Upper bounds on the losses and on the terms of Fenchel's inequality, which are convex in f."""
    conjugate = np.asarray(loss.conjugate(y, u))
    losses, slack = np.full_like(f, -np.inf), np.zeros_like(f)
    for at in (f - error, f + error):
        value = np.asarray(loss.value(y, at))
        product = u * at
        rounding = 8.0 * UNIT * (np.abs(value) + np.abs(conjugate) + np.abs(product) + np.abs(u * y))
        losses = np.maximum(losses, value * (1.0 + 8.0 * UNIT))
        slack = np.maximum(slack, value + conjugate - product + rounding)
    return losses, slack


def _multinomial_slack(loss: Multinomial, y: NDArray[Any], f: Array, error: Array, u: Array) -> tuple[Array, Array]:
    """The same for scores of several classes; their error enters through the gradient and its Lipschitz constant."""
    value, conjugate = loss.value(y, f), loss.conjugate(y, u)
    length = np.linalg.norm(error, axis=1)
    drift = np.linalg.norm(loss.derivative(y, f) - u, axis=1) * length + 0.5 * loss.smoothness * length**2
    product = np.einsum("ik,ik->i", u, f)
    sizes = np.abs(value) + np.abs(conjugate) + np.abs(u * f).sum(axis=1) + np.abs(f).max(axis=1) + 1.0
    rounding = 8.0 * f.shape[1] * UNIT * sizes  # the dual variables sum to 0 only up to rounding
    losses = value + loss.lipschitz * length + rounding
    return losses, np.maximum(value + conjugate - product, 0.0) + drift + rounding


def together(parts: list[MachineEvidence]) -> MachineEvidence:
    """The evidence for several independent problems with one alpha: their objectives are added."""
    return MachineEvidence(
        objective=sum(part.objective for part in parts),
        objective_at_zero=sum(part.objective_at_zero for part in parts),
        bound=FenchelTerms(
            sum(part.bound.slack for part in parts),
            float(np.linalg.norm([part.bound.residual for part in parts])) * (1.0 + 8.0 * UNIT * len(parts)),
            parts[0].bound.alpha,
        ),
        value=sum(part.value for part in parts),
    )
