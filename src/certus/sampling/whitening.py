"""Coordinates in which a target is round: chains take longer steps there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy import linalg

from certus.sampling.sampler import Floats
from certus.sampling.target import Target


@dataclass(frozen=True)
class Whitening:
    """``theta = center + factor z``: with ``factor factor' = H^-1``, H the Hessian of -log density at the mode, the
    target of z is near a standard normal distribution wherever that of theta is near a normal one. A vector stands for
    a diagonal factor.
    """

    center: Floats
    factor: Floats

    def theta(self, z: Floats) -> Floats:
        """The point in the target's own coordinates, or many of them."""
        return self.center + (z * self.factor if self.factor.ndim == 1 else z @ self.factor.T)

    @classmethod
    def at_mode(cls, mode: Floats, hessian: Floats) -> Self:
        """From the mode and the Hessian there, which has to be positive definite."""
        upper = linalg.cholesky(hessian)  # H = upper' upper
        return cls(mode, linalg.solve_triangular(upper, np.eye(len(mode))))

    def white(self, target: Target) -> Target:
        """The target of z."""

        def both(z: Floats) -> tuple[float, Floats]:
            value, gradient = target.value_and_gradient(self.theta(z))
            return value, gradient * self.factor if self.factor.ndim == 1 else gradient @ self.factor

        return Target(
            lambda z: target.log_density(self.theta(z)),
            lambda z: both(z)[1],
            dim=target.dim,
            names=target.names,
            value_and_gradient=both,
        )
