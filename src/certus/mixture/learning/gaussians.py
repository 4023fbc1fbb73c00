"""Gaussians with weights, in the five forms that their covariances may have."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack, solve_triangular

from certus.mixture._native_calls import Components

Floats = NDArray[np.float64]
KINDS = ("full", "tied", "diag", "spherical", "spherical_tied")
UNIT = float(np.finfo(np.float64).eps)
COLLAPSED = (
    "Fitting the mixture model failed because some components have ill-defined empirical covariance (for instance "
    "caused by singleton or collapsed samples). Try to decrease the number of components, increase reg_covar, or "
    "scale the input data."
)


class SingularCovarianceError(ValueError):
    """A covariance is not positive definite."""


def covariance_shape(kind: str, components: int, columns: int) -> tuple[int, ...]:
    """The shape in which covariances of a kind are kept."""
    return {
        "full": (components, columns, columns),
        "tied": (columns, columns),
        "diag": (components, columns),
        "spherical": (components,),
        "spherical_tied": (1,),
    }[kind]


def has_matrices(kind: str) -> bool:
    """Whether columns of a component may depend on each other."""
    return kind in ("full", "tied")


def spread_out(kind: str, values: Floats, components: int, columns: int) -> Floats:
    """Covariances (or factors) of every component: (k, p, p), or (k, p) of diagonal ones."""
    if kind == "tied":
        return np.repeat(values[None], components, axis=0)
    if kind == "spherical":
        return np.repeat(values[:, None], columns, axis=1)
    if kind == "spherical_tied":
        return np.full((components, columns), float(values[0]))
    return values


def matrix_factor(matrix: Floats, name: str) -> Floats:
    """Upper triangular U with U U' the inverse of a covariance; refuses what is singular to rounding."""
    lower, failed = lapack.dpotrf(matrix, lower=1, clean=1)
    # Nothing of a pivot is known that is as small as the rounding of what it was subtracted from.
    lost = ~(np.diagonal(lower) ** 2 > 4.0 * UNIT * np.diagonal(matrix))
    if failed or lost.any():
        column = failed - 1 if failed else int(np.argmax(lost))
        raise SingularCovarianceError(f"{COLLAPSED}\n{name} is singular, see column {column}.")
    return np.ascontiguousarray(solve_triangular(lower, np.eye(len(matrix)), lower=True).T)


def precision_factors(kind: str, covariances: Floats) -> Floats:
    """The factors U of the precisions, in the shape of the covariances: scikit-learn's ``precisions_cholesky_``."""
    if kind == "full":
        return np.stack([matrix_factor(one, f"The covariance of component {k}") for k, one in enumerate(covariances)])
    if kind == "tied":
        return matrix_factor(covariances, "The covariance of all components")
    bad = ~((covariances > 0.0) & np.isfinite(covariances))
    if bad.any():
        place = np.argwhere(bad)[0]
        column = f", column {place[1]}," if len(place) > 1 else ""
        raise SingularCovarianceError(f"{COLLAPSED}\nThe variance of component {place[0]}{column} is not positive.")
    return np.asarray(1.0 / np.sqrt(covariances))


def precisions_of(kind: str, factors: Floats) -> Floats:
    """Inverse covariances from their factors."""
    return factors @ np.swapaxes(factors, -1, -2) if has_matrices(kind) else factors**2


def log_determinants(factors: Floats) -> Floats:
    """Ln det U of every component, from factors that are spread out."""
    diagonals = np.diagonal(factors, axis1=1, axis2=2) if factors.ndim == 3 else factors
    return np.log(diagonals).sum(axis=1)


@dataclass(frozen=True)
class Gaussians:
    """The parameters of a mixture; never changed in place.

    Parameters
    ----------
    kind : str
        Form of the covariances.
    weights, means, covariances : arrays
        The parameters.
    """

    kind: str
    weights: Floats
    means: Floats
    covariances: Floats

    @property
    def size(self) -> tuple[int, int]:
        """Components and columns."""
        return self.means.shape[0], self.means.shape[1]

    @cached_property
    def factors(self) -> Floats:
        """Factors of the precisions, in the shape of the covariances."""
        return precision_factors(self.kind, self.covariances)

    @cached_property
    def spread(self) -> Floats:
        """Covariances of every component."""
        return spread_out(self.kind, self.covariances, *self.size)

    @cached_property
    def components(self) -> Components:
        """For the compiled loops."""
        return weighted_components(self.weights, self.means, spread_out(self.kind, self.factors, *self.size))

    def marginal(self, columns: NDArray[np.intp]) -> Components:
        """The densities of some columns, for the compiled loops."""
        if has_matrices(self.kind):
            parts = self.spread[:, columns[:, None], columns]
            factors = np.stack([matrix_factor(one, f"The covariance of component {k}") for k, one in enumerate(parts)])
        else:
            factors = 1.0 / np.sqrt(self.spread[:, columns])
        return weighted_components(self.weights, self.means[:, columns], factors)

    def regression(self, columns: NDArray[np.intp]) -> tuple[Floats, Floats]:
        """How all columns follow from some: matrices A of shape (k, p, o), and what remains, (k, p, p).

        E[x | x_o] = m + A (x_o - m_o), with the covariance C - A C_o; the rows of the given columns are exact.
        """
        joint = self.spread[:, :, columns]  # (k, p, o)
        given = joint[:, columns]
        slopes = np.swapaxes(np.linalg.solve(given, np.swapaxes(joint, 1, 2)), 1, 2)
        slopes[:, columns] = np.eye(len(columns))
        rest = self.spread - slopes @ np.swapaxes(joint, 1, 2)
        rest[:, columns] = 0.0
        rest[:, :, columns] = 0.0
        return slopes, (rest + np.swapaxes(rest, 1, 2)) / 2.0


def weighted_components(weights: Floats, means: Floats, factors: Floats) -> Components:
    """Components whose joint log-density is ln(weight N(x; mean, covariance))."""
    with np.errstate(divide="ignore"):
        logs = np.log(weights)
    constants = logs + log_determinants(factors) - 0.5 * means.shape[1] * math.log(2.0 * math.pi)
    return Components(np.asarray(means, dtype=np.float64), np.asarray(factors, dtype=np.float64), constants)
