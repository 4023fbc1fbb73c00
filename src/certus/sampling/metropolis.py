"""Random-walk Metropolis. Metropolis et al. (1953); adaptation as in Haario, Saksman, Tamminen (2001)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from certus.sampling.argument_checks import positive
from certus.sampling.sampler import DualAveraging, Floats, Info, Sampler, State
from certus.sampling.target import Target


@dataclass(frozen=True)
class Metropolis(Sampler):
    """Proposes a normal step and takes it with probability min(1, density ratio). Needs no gradient.

    Parameters
    ----------
    scale : float, default=None
        Standard deviation of a step; by default the covariance of the draws and the scale are learned while tuning.
    """

    scale: float | None = None
    factor: Floats | None = None

    def __post_init__(self) -> None:
        if self.scale is not None:
            positive("scale", self.scale)

    @property
    def _needs_gradient(self) -> bool:
        return False

    def step(self, target: Target, state: State, generator: np.random.Generator) -> tuple[State, Info]:
        noise = generator.standard_normal(target.dim)
        scale = 2.38 / np.sqrt(target.dim) if self.scale is None else self.scale
        move = scale * (noise if self.factor is None else self.factor @ noise)
        proposal = state.position + move
        value = target.log_density(proposal)
        acceptance = float(np.exp(min(0.0, value - state.log_density))) if np.isfinite(value) else 0.0
        if generator.random() < acceptance:
            return State(proposal, value), Info(acceptance)
        return state, Info(acceptance)

    def tuned(
        self, target: Target, state: State, draws: int, generator: np.random.Generator
    ) -> tuple[Metropolis, State]:
        if self.scale is not None:
            return super().tuned(target, state, draws, generator)
        wanted = 0.44 if target.dim == 1 else 0.234
        sampler = replace(self, scale=2.38 / np.sqrt(target.dim))
        for part in np.array_split(np.arange(draws), 4):
            averaging = DualAveraging(wanted, float(sampler.scale or 1.0))
            kept = []
            for _ in part:
                state, info = sampler.step(target, state, generator)
                sampler = replace(sampler, scale=averaging.update(info.acceptance))
                kept.append(state.position)
            sampler = replace(sampler, scale=averaging.final)
            spread = np.atleast_2d(np.cov(np.array(kept).T)) if len(kept) > 5 * target.dim else np.zeros((1, 1))
            if np.trace(spread) > 0:
                old = np.eye(target.dim) if sampler.factor is None else sampler.factor
                ridge = 1e-6 * np.trace(spread) / target.dim + 1e-300
                new = np.linalg.cholesky(spread + ridge * np.eye(target.dim))
                size = np.sqrt(np.trace(old @ old.T) / np.trace(new @ new.T))
                sampler = replace(sampler, factor=new, scale=float(sampler.scale or 1.0) * float(size))
        return sampler, state
