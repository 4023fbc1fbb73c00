"""Gibbs sampling. Geman, Geman (1984)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from certus.sampling.sampler import Floats, Info, Sampler, State
from certus.sampling.target import Target


@dataclass(frozen=True)
class Gibbs(Sampler):
    """Draws every component (or block) from its distribution given all others, one after the other.

    Parameters
    ----------
    conditionals : sequence of callables
        ``conditional(theta, generator)`` gives the whole vector with its own block drawn anew.
    """

    conditionals: Sequence[Callable[[Floats, np.random.Generator], Any]] = ()

    @property
    def _needs_gradient(self) -> bool:
        return False

    def check(self, target: Target) -> None:
        if not self.conditionals:
            raise ValueError("conditionals must be at least one function, got none.")
        if not all(map(callable, self.conditionals)):
            raise ValueError(f"conditionals must be functions, got {self.conditionals!r}.")

    def step(self, target: Target, state: State, generator: np.random.Generator) -> tuple[State, Info]:
        position = state.position
        for conditional in self.conditionals:
            position = np.array(conditional(position.copy(), generator), dtype=np.float64)
            if position.shape != (target.dim,):
                raise ValueError(f"conditionals must give vectors of shape ({target.dim},), got {position.shape}.")
            if not np.isfinite(position).all():
                raise ValueError(f"conditionals must give finite vectors, got {position}.")
        return State(position, np.nan), Info()
