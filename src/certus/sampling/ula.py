"""The unadjusted Langevin algorithm."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from certus.guarantees import Certificate
from certus.sampling.argument_checks import positive
from certus.sampling.discretization import largest_step
from certus.sampling.evidence.langevin_distance import distance_certificates
from certus.sampling.sampler import Floats, Info, Sampler, State
from certus.sampling.target import Target


@dataclass(frozen=True)
class ULA(Sampler):
    """Euler's scheme of the Langevin diffusion: ``theta - eta grad U + sqrt(2 eta) Z``, never corrected.

    Its stationary law differs from the target; for a normal target by a variance that is known exactly
    (`ula_variance`). Of a target with ``strong_convexity`` and ``smoothness`` the report of the draws bounds their
    Wasserstein distance from it.

    Parameters
    ----------
    step_size : float or "auto"
        eta; "auto" takes the largest step whose inflation of the variance, at the mode, is at most ``bias`` in every
        direction.
    bias : float, default=0.1
        Allowed relative inflation of the variance, for "auto".
    """

    step_size: float | Literal["auto"]
    bias: float = 0.1

    def __post_init__(self) -> None:
        if self.step_size != "auto" and (isinstance(self.step_size, str) or not 0 < self.step_size < np.inf):
            raise ValueError(f"step_size must be 'auto' or a number above 0, got {self.step_size!r}.")
        positive("bias", self.bias)

    def check(self, target: Target) -> None:
        if target.smoothness is not None and self.step_size != "auto":
            limit = 2 / target.smoothness
            if float(self.step_size) >= limit:
                raise ValueError(
                    f"step_size must be below 2 / smoothness = {limit:g}, got {self.step_size:g}: the chain diverges."
                )

    def promised(self, target: Target, runs: Sequence[tuple[Any, Floats]], first: int, last: int) -> list[Certificate]:
        return distance_certificates(target, [(float(each.step_size), start) for each, start in runs], first, last)

    def step(self, target: Target, state: State, generator: np.random.Generator) -> tuple[State, Info]:
        eta = float(self.step_size)
        noise = generator.standard_normal(target.dim)
        position = state.position + eta * state.gradient + np.sqrt(2 * eta) * noise
        if not np.isfinite(position).all() or np.abs(position).max() > 1e100:
            raise ValueError(f"step_size must be smaller: the chain diverged with {eta:g}.")
        return State(position, np.nan, target.gradient(position)), Info()

    def tuned(self, target: Target, state: State, draws: int, generator: np.random.Generator) -> tuple[ULA, State]:
        sampler = self
        if self.step_size == "auto":
            sampler = replace(self, step_size=largest_step(target, state.position, self.bias))
        return super(ULA, sampler).tuned(target, state, draws, generator)
