"""Stochastic gradient Langevin dynamics. Welling, Teh (2011)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from certus.sampling.argument_checks import positive, whole
from certus.sampling.sampler import Floats, Info, Sampler, State
from certus.sampling.target import Target


@dataclass(frozen=True)
class SGLD(Sampler):
    """Langevin steps with the gradient of a random batch: unbiased, b instead of n row gradients a step.

    ``theta + eta ((n / b) sum of row gradients + prior gradient) + sqrt(2 eta) Z``. The noise of the batch adds to the
    variance of the draws, see `sgld_variance`.

    Parameters
    ----------
    step_size : float
        eta.
    batch_size : int
        Rows per step, b.
    replace : bool, default=False
        Whether rows are drawn with replacement.
    """

    step_size: float
    batch_size: int
    replace: bool = False

    def __post_init__(self) -> None:
        positive("step_size", self.step_size)
        whole("batch_size", self.batch_size, 1)

    @property
    def _needs_gradient(self) -> bool:
        return False

    def check(self, target: Target) -> None:
        if target.row_gradient is None or target.n_rows is None:
            raise ValueError("SGLD needs a Target with row_gradient and n_rows.")
        if not self.replace and self.batch_size > target.n_rows:
            raise ValueError(f"batch_size must be at most n_rows = {target.n_rows}, got {self.batch_size}.")

    def estimate(self, target: Target, theta: Floats, rows: np.ndarray) -> Floats:
        """The gradient of the log density estimated from these rows."""
        found = np.asarray(target.row_gradient(theta, rows), dtype=np.float64)  # type: ignore[misc]
        if found.shape != (target.dim,):
            raise ValueError(f"row_gradient must give a vector of shape ({target.dim},), got shape {found.shape}.")
        found = found * (target.n_rows / len(rows))  # type: ignore[operator]
        if target.prior_gradient is None:
            return found
        prior = np.asarray(target.prior_gradient(theta), dtype=np.float64)
        if prior.shape != (target.dim,):
            raise ValueError(f"prior_gradient must give a vector of shape ({target.dim},), got shape {prior.shape}.")
        return found + prior

    def step(self, target: Target, state: State, generator: np.random.Generator) -> tuple[State, Info]:
        count = int(target.n_rows or 1)
        if self.replace:
            rows = generator.integers(0, count, self.batch_size)
        else:
            rows = generator.choice(count, self.batch_size, replace=False)
        drift = self.estimate(target, state.position, rows)
        noise = generator.standard_normal(target.dim)
        position = state.position + self.step_size * drift + np.sqrt(2 * self.step_size) * noise
        if not np.isfinite(position).all() or np.abs(position).max() > 1e100:
            raise ValueError(f"step_size must be smaller: the chain diverged with {self.step_size:g}.")
        return State(position, np.nan), Info()
