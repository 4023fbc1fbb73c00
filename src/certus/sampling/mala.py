"""The Metropolis-adjusted Langevin algorithm. Roberts, Tweedie (1996)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from certus.sampling.argument_checks import positive
from certus.sampling.sampler import Info, Sampler, State, tune_step
from certus.sampling.target import Target


@dataclass(frozen=True)
class MALA(Sampler):
    """Langevin steps that are accepted or refused, so that the draws have exactly the target as their stationary law.

    Parameters
    ----------
    step_size : float, default=None
        By default it is adapted while tuning, to an acceptance of 0.574.
    """

    step_size: float | None = None

    def __post_init__(self) -> None:
        if self.step_size is not None:
            positive("step_size", self.step_size)

    def step(self, target: Target, state: State, generator: np.random.Generator) -> tuple[State, Info]:
        eta = 0.1 if self.step_size is None else self.step_size
        there = state.position + eta * state.gradient
        position = there + np.sqrt(2 * eta) * generator.standard_normal(target.dim)
        value = target.log_density(position)
        acceptance = 0.0
        if np.isfinite(value):
            slope = target.gradient(position)
            back = position + eta * slope
            ways = ((position - there) ** 2).sum() - ((state.position - back) ** 2).sum()
            ratio = value - state.log_density + ways / (4 * eta)
            acceptance = float(np.exp(min(0.0, ratio))) if np.isfinite(ratio) else 0.0
        if generator.random() < acceptance:
            return State(position, value, slope), Info(acceptance)
        return state, Info(acceptance)

    def tuned(self, target: Target, state: State, draws: int, generator: np.random.Generator) -> tuple[MALA, State]:
        if self.step_size is not None:
            return super().tuned(target, state, draws, generator)
        return tune_step(replace(self, step_size=0.1), 0.574, target, state, draws, generator)
