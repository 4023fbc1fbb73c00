"""The penalty of the group lasso."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from certus.losses.penalties.convex_penalty import (
    Array,
    KnownPenalty,
    as_vector,
    refuse_negative,
    scale_into,
    zero_or_infinity,
)


@dataclass(frozen=True)
class GroupL2(KnownPenalty):
    """s sum_g c_g |w_g|: makes whole groups of coefficients exactly 0 (Yuan, Lin 2006).

    ``groups`` lists the positions (of a matrix the rows) of every group; each position belongs to exactly one.
    ``weights`` holds the c_g; without them all are 1.
    """

    groups: Sequence[Sequence[int]]
    strength: float = 1.0
    weights: Sequence[float] | None = None

    name: ClassVar[str] = "group"

    def __post_init__(self) -> None:
        refuse_negative("The strength of GroupL2", self.strength)
        positions = sorted(j for group in self.groups for j in group)
        if positions != list(range(len(positions))) or not all(len(group) for group in self.groups):
            raise ValueError("The groups must hold every position 0, 1, … exactly once, and none may be empty.")
        if self.weights is not None and (len(self.weights) != len(self.groups) or not min(self.weights, default=1) > 0):
            raise ValueError("weights must hold a positive number for every group.")

    @property
    def block(self) -> tuple[float, float, bool]:
        """A block per group; l1 is to be multiplied by its weight."""
        return self.strength, 0.0, False

    @cached_property
    def factors(self) -> Array:
        """The weights of the groups."""
        return np.ones(len(self.groups)) if self.weights is None else as_vector(self.weights)

    @cached_property
    def order(self) -> NDArray[np.intp]:
        """The positions group after group."""
        return np.array([j for group in self.groups for j in group], dtype=np.intp)

    @cached_property
    def sizes(self) -> NDArray[np.intp]:
        """Positions of every group."""
        return np.array([len(group) for group in self.groups], dtype=np.intp)

    def lengths(self, w: ArrayLike) -> Array:
        """The length of every group of coefficients."""
        squares = (as_vector(w)[self.order] ** 2).reshape(len(self.order), -1).sum(axis=1)
        return np.sqrt(np.add.reduceat(squares, np.cumsum(self.sizes) - self.sizes)) if len(squares) else np.empty(0)

    def value(self, w: ArrayLike) -> float:
        """Weighted sum of the groups' lengths times the strength."""
        return self.strength * float(self.factors @ self.lengths(w))

    def prox(self, w: ArrayLike, step: float) -> Array:
        """Every group shortened in proportion to its weight, and not past 0."""
        lengths = self.lengths(w)
        amounts = step * self.strength * self.factors
        kept = np.maximum(1.0 - amounts / np.where(lengths > 0.0, lengths, 1.0), 0.0)
        out = np.array(w, dtype=np.float64)
        out[self.order] *= np.repeat(kept, self.sizes).reshape(-1, *[1] * (out.ndim - 1))
        return out

    def dual_norm(self, u: ArrayLike) -> float:
        """The largest length over weight of a group."""
        return float((self.lengths(u) / self.factors).max(initial=0.0))

    def conjugate(self, u: ArrayLike) -> float:
        """Zero where the dual norm is at most the strength."""
        return zero_or_infinity(self.dual_norm(u) <= self.strength)

    def feasible_scale(self, u: ArrayLike) -> float:
        """The strength over the dual norm."""
        return scale_into(self.strength, self.dual_norm(u))
