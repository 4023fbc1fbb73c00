"""Some rows of all blocks, on which a start is found: near the optimum, Newton's method needs few passes.

Random keys belong to a block and its rows, so that who reads the blocks changes nothing; the rows with the smallest
keys are drawn.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base import resolve_threads
from certus.base.blocks import Block
from certus.linear.design.design_matrix import make_design
from certus.linear.problems.smooth_problem import ScoreOverflowError, SmoothProblem
from certus.linear.solvers.choice import steps_by_shape
from certus.linear.solvers.newton import Point, minimize

Array = NDArray[np.float64]
DRAWN = 10_000
STEPS = 50  # of Newton's method on the drawn rows
ROUGH = 1e-7  # their mean gradient at the end: the optimum of all rows is further away


@dataclass(frozen=True)
class DrawnRows:
    """Rows with their targets and weights, and the keys by which they were drawn."""

    keys: NDArray[np.uint64]
    X: NDArray[Any]
    y: NDArray[Any]
    weights: Array | None

    @classmethod
    def of(cls, block: Block) -> DrawnRows:
        """Of a block."""
        random = np.random.Generator(np.random.Philox([0, block.number]))
        keys = random.integers(2**64, size=block.rows, dtype=np.uint64)
        return cls(keys, block.X, block.y, block.weights).first()

    def first(self) -> DrawnRows:
        """Those with the smallest keys, in their order."""
        if len(self.keys) <= DRAWN:
            return self
        chosen = np.sort(np.argpartition(self.keys, DRAWN)[:DRAWN])
        weights = None if self.weights is None else self.weights[chosen]
        return DrawnRows(self.keys[chosen], self.X[chosen], self.y[chosen], weights)

    def joined(self, other: DrawnRows) -> DrawnRows:
        """Those of both."""
        weights = None
        if self.weights is not None and other.weights is not None:
            weights = np.concatenate([self.weights, other.weights])
        keys, X = np.concatenate([self.keys, other.keys]), np.concatenate([self.X, other.X])
        return DrawnRows(keys, X, np.concatenate([self.y, other.y]), weights).first()

    def block(self) -> Block:
        """As a block."""
        return Block(self.X, self.y, self.weights, 0, "the drawn rows")


def start_on(problem: SmoothProblem, targets: Any, drawn: DrawnRows, start: Point) -> Point:
    """The optimum for the drawn rows, under a penalty of the same strength per row; the start where there is none."""
    enough = 2 * problem.outputs * (problem.design.columns + 1) < len(drawn.keys)
    if not enough or problem.design.rows <= 2 * DRAWN:
        return start  # passes over few rows cost little
    target, weights = targets.of(drawn.block())
    total = float(len(target) if weights is None else weights.sum())
    if total <= 0.0 or (problem.outputs > 1 and len(np.unique(target)) < problem.outputs):
        return start
    share = total / problem.total_weight
    small = replace(
        problem,
        design=make_design(np.ascontiguousarray(drawn.X), resolve_threads()),
        target=target,
        weights=weights,
        strength=problem.strength * share,
        total_weight=total,
        null=problem.null * share,
    )
    try:
        found = minimize(
            small,
            steps_by_shape(small, "lbfgs"),
            start,
            tol=ROUGH,
            max_iter=STEPS,
            good_enough=_always,
            watch=_never,
        )
    except ScoreOverflowError:
        return start
    finite = np.isfinite(found.coef).all() and np.isfinite(found.center).all()
    return (np.ascontiguousarray(found.coef), found.center) if finite and found.converged else start


def _always(coef: Array, center: Array) -> bool:
    del coef, center
    return True


def _never(coef: Array, center: Array, facts: dict[str, float]) -> bool:
    del coef, center, facts
    return False
