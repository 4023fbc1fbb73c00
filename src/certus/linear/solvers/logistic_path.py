"""Logistic regression for many strengths of the penalty on one table, each fit started where the last one ended."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base import resolve_seed
from certus.linear.fitting.logistic_fit import DRAWN, Accuracy, kept_evidence, solve
from certus.losses import ElasticNet

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Path:
    """Per penalty: coefficients (outputs x columns), intercepts, iterations, and whether all fits converged."""

    coefs: list[Array]
    intercepts: list[Array]
    iterations: list[int]
    converged: bool


def penalty_at(strength_inverse: float, l1_ratio: float) -> ElasticNet:
    """The penalty for one C and one mixture."""
    strength = 0.0 if np.isinf(strength_inverse) else 1.0 / strength_inverse
    return ElasticNet(strength * l1_ratio, strength * (1.0 - l1_ratio))


def fit_path(member: Any, X: Any, codes: NDArray[Any], weights: Array | None, penalties: list[ElasticNet]) -> Path:
    """One fit per penalty, in their order; ``member`` is the LogisticRegression whose settings are used."""
    seed = resolve_seed(member.random_state) if member.solver in DRAWN else 0
    accuracy = Accuracy(member.tol, member.max_iter, None, seed)
    problem = member._problem(X, codes, weights, penalties[0])
    point = problem.zero()
    coefs, intercepts, iterations, converged = [], [], [], True
    for penalty in penalties:
        at = replace(problem, strength=penalty.l2)
        result = solve(at, penalty, member.solver, point, accuracy, _ignore, kept_evidence(at, penalty))
        point = result.coef, result.center
        coef, intercept = member._as_stored(at, result.coef, result.center)
        coefs.append(coef)
        intercepts.append(intercept)
        iterations.append(result.iterations)
        converged = converged and result.converged
    return Path(coefs, intercepts, iterations, converged)


def _ignore(coef: Array, center: Array, facts: dict[str, float]) -> bool:
    del coef, center, facts
    return False
