"""What a sampler is: a state, a step, and what the step tells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.guarantees import Certificate
from certus.sampling.target import Target

Floats = NDArray[np.float64]
LARGEST_LOG = 600.0  # of step sizes, which stay above 0 and finite even where every step is refused, or none


@dataclass(frozen=True)
class State:
    """Where a chain is: the position, the log density there and, for samplers that use it, the gradient."""

    position: Floats
    log_density: float
    gradient: Any = None


@dataclass(frozen=True)
class Info:
    """What one step tells: the probability of acceptance, whether the path diverged, evaluations of the gradient."""

    acceptance: float = 1.0
    divergent: bool = False
    steps: int = 1


@dataclass(frozen=True)
class Sampler:
    """A rule for the next draw. Samplers never change: tuning gives a new one."""

    def check(self, target: Target) -> None:
        """Refuse a target that this sampler cannot be used with."""

    def init(self, target: Target, position: Floats) -> State:
        """The state at a position."""
        if self._needs_gradient:
            value, gradient = target.value_and_gradient(position)
            if not np.isfinite(gradient).all():
                raise ValueError(f"gradient must be finite at the start, got {gradient} at {position.tolist()}.")
            return State(position, value, gradient)
        return State(position, target.log_density(position))

    def promised(self, target: Target, runs: Sequence[tuple[Any, Floats]], first: int, last: int) -> list[Certificate]:
        """What is proved about the draws after ``first`` to ``last`` steps of chains, each a sampler and its start."""
        return []

    @property
    def _needs_gradient(self) -> bool:
        return True

    def step(self, target: Target, state: State, generator: np.random.Generator) -> tuple[State, Info]:
        """The next state, from the target, this state and random numbers alone."""
        raise NotImplementedError

    def tuned(self, target: Target, state: State, draws: int, generator: np.random.Generator) -> tuple[Any, State]:
        """The sampler after adapting itself for some draws, and the state then; by default only a burn-in."""
        for _ in range(draws):
            state, _ = self.step(target, state, generator)
        return self, state


@dataclass
class DualAveraging:
    """Step sizes that approach a wanted acceptance probability (Hoffman, Gelman 2014, section 3.2)."""

    wanted: float
    start: float
    gamma: float = 0.05
    t0: float = 10.0
    kappa: float = 0.75
    count: int = 0
    error: float = 0.0
    log_step: float = field(init=False)
    log_mean: float = 0.0

    def __post_init__(self) -> None:
        self.log_step = float(np.log(self.start))
        self.center = float(np.log(10 * self.start))

    def update(self, acceptance: float) -> float:
        """The step size to try next."""
        self.count += 1
        share = 1 / (self.count + self.t0)
        self.error = (1 - share) * self.error + share * (self.wanted - acceptance)
        log_step = self.center - np.sqrt(self.count) / self.gamma * self.error
        self.log_step = float(np.clip(log_step, -LARGEST_LOG, LARGEST_LOG))
        weight = self.count**-self.kappa
        self.log_mean = weight * self.log_step + (1 - weight) * self.log_mean
        return float(np.exp(self.log_step))

    @property
    def final(self) -> float:
        """The step size to keep."""
        return float(np.exp(self.log_mean)) if self.count else float(np.exp(self.log_step))


def tune_step(
    sampler: Any, wanted: float, target: Target, state: State, draws: int, generator: np.random.Generator
) -> tuple[Any, State]:
    """Adapt ``step_size`` alone by dual averaging."""
    averaging = DualAveraging(wanted, sampler.step_size)
    for _ in range(draws):
        state, info = sampler.step(target, state, generator)
        sampler = replace(sampler, step_size=averaging.update(info.acceptance))
    return replace(sampler, step_size=averaging.final), state
