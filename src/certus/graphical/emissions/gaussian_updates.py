"""New means and covariances from expected moments, with conjugate priors, and the prior's logarithm.

For a component of weight n the objective is, with the strengths nu and kappa and the scale psi of the prior,

    -1/2 [(n + nu) log|S| + tr(S^-1 (psi + kappa (m - m0)(m - m0)' + sum g (x - m)(x - m)'))],

which is largest at m = (kappa m0 + sum g x) / (kappa + n) and S = (psi + ...) / (nu + n).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
NO_WEIGHT = 1e-10


@dataclass(frozen=True)
class GaussianPrior:
    """Priors of Gaussian components.

    Parameters
    ----------
    mean, strength : array of shape (components, d), (components, 1)
        m0 and kappa.
    scale : array
        psi, of the shape of the covariances.
    degrees : array of shape (components,)
        nu: of one column, or of a matrix.
    """

    mean: Floats
    strength: Floats
    scale: Floats
    degrees: Floats


def new_means(moments: dict[str, Floats], means: Floats, prior: GaussianPrior) -> Floats:
    """The best means; those of components without weight stay."""
    total = prior.strength + moments["weight"]
    raised = prior.strength * prior.mean + moments["weight"] * means + moments["first"]
    return np.where(total > NO_WEIGHT, raised / np.where(total > NO_WEIGHT, total, 1.0), means)


def scatter(moments: dict[str, Floats], before: Floats, means: Floats, prior: GaussianPrior) -> Floats:
    """Psi plus the scatter around new means, of a sum around the ones before."""
    moved, pulled = means - before, means - prior.mean
    weight, first = moments["weight"], moments["first"]
    if moments["second"].ndim == 2:
        around = moments["second"] - 2.0 * moved * first + moved**2 * weight
        return np.asarray(prior.scale + prior.strength * pulled**2 + np.maximum(around, 0.0))
    cross = first[:, :, None] * moved[:, None, :]
    around = moments["second"] - cross - cross.transpose(0, 2, 1)
    around = around + moved[:, :, None] * moved[:, None, :] * weight[:, :1, None]
    return np.asarray(prior.scale + prior.strength[:, :, None] * pulled[:, :, None] * pulled[:, None, :] + around)


def divided(total: Floats, weight: Floats, present: Floats) -> Floats:
    """Scatter over weight; components without weight keep the present value."""
    seen = weight > NO_WEIGHT
    return np.where(seen, total / np.where(seen, weight, 1.0), present)


def at_least(covariances: Floats, floor: Floats, *, matrices: bool) -> Floats:
    """Variances or eigenvalues raised to a floor: the best among covariances that respect it."""
    if not matrices:
        return np.maximum(covariances, floor if covariances.shape[-1:] == floor.shape else floor.min())
    symmetric = (covariances + np.swapaxes(covariances, -1, -2)) / 2.0
    values, vectors = np.linalg.eigh(symmetric)
    least = np.maximum(floor.min(), 1e-12 * values[..., -1:])  # below the second, factors lose all digits
    if (values >= least).all():
        return np.asarray(symmetric)
    raised = (vectors * np.maximum(values, least)[..., None, :]) @ np.swapaxes(vectors, -1, -2)
    return np.asarray((raised + np.swapaxes(raised, -1, -2)) / 2.0)


def log_prior(means: Floats, spread: Floats, prior: GaussianPrior, degrees: Floats, scale: Floats) -> float:
    """Logarithm of the prior up to a constant, with ``degrees`` and ``scale`` of every covariance."""
    pulled = means - prior.mean
    if spread.ndim == 2:
        penalty = (degrees * np.log(spread) + scale / spread).sum()
        return -0.5 * float(penalty + (prior.strength * pulled**2 / spread).sum())
    inverse = np.linalg.inv(spread)
    penalty = (degrees * np.linalg.slogdet(spread)[1] + (scale * inverse).sum(axis=(1, 2))).sum()
    return -0.5 * float(penalty + (prior.strength[:, 0] * np.einsum("ki,kij,kj->k", pulled, inverse, pulled)).sum())


def broadcast_prior(value: Any, name: str, shape: tuple[int, ...]) -> Floats:
    """A prior given as a number, one per component, or in full."""
    given = np.asarray(value, dtype=np.float64)
    if given.shape == shape[:1] and len(shape) > 1 and given.shape != shape[-1:]:
        given = given.reshape(shape[:1] + (1,) * (len(shape) - 1))
    try:
        return np.broadcast_to(given, shape)
    except ValueError as error:
        raise ValueError(f"{name} must fit the shape {shape}, got the shape {given.shape}.") from error
