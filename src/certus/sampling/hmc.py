"""Hamiltonian Monte Carlo. Duane et al. (1987), Neal (2011)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from certus.sampling.argument_checks import positive, whole
from certus.sampling.hamiltonian import Mass, draw_momentum, energy, leapfrog, tune
from certus.sampling.sampler import Info, Sampler, State
from certus.sampling.target import Target


@dataclass(frozen=True)
class HMC(Sampler):
    """Paths of ``n_steps`` leapfrog steps with a random momentum, accepted by the change of energy.

    Parameters
    ----------
    step_size : float, default=None
        By default it is adapted while tuning, to an acceptance of 0.8, together with the mass.
    n_steps : int, default=10
        Leapfrog steps of a path; the step size is varied by 10 % from path to path, so that no path closes on itself.
    dense : bool, default=False
        Whether the whole covariance is learned as mass, instead of its diagonal.
    """

    step_size: float | None = None
    n_steps: int = 10
    dense: bool = False
    mass: Mass | None = None

    def __post_init__(self) -> None:
        if self.step_size is not None:
            positive("step_size", self.step_size)
        whole("n_steps", self.n_steps, 1)

    def mass_of(self, target: Target) -> Mass:
        """The inverse mass."""
        return np.ones(target.dim) if self.mass is None else self.mass

    def step(self, target: Target, state: State, generator: np.random.Generator) -> tuple[State, Info]:
        mass = self.mass_of(target)
        eta = (0.1 if self.step_size is None else self.step_size) * generator.uniform(0.9, 1.1)
        momentum = draw_momentum(mass, generator)
        before = energy(mass, state, momentum)
        moved, new = state, momentum
        for _ in range(self.n_steps):
            moved, new = leapfrog(target, mass, moved, new, eta)
            if not np.isfinite(moved.log_density):
                break
        change = before - energy(mass, moved, new)
        acceptance = float(np.exp(min(0.0, change))) if np.isfinite(change) else 0.0
        info = Info(acceptance, bool(not np.isfinite(change) or change < -1000), self.n_steps)
        return (moved if generator.random() < acceptance else state), info

    def tuned(self, target: Target, state: State, draws: int, generator: np.random.Generator) -> tuple[HMC, State]:
        if self.step_size is not None:
            return super().tuned(target, state, draws, generator)
        return tune(self, 0.8, target, state, draws, generator)
