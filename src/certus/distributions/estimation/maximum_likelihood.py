"""Maximum likelihood and maximum a posteriori for any log-density, with the conditions of a maximum reported.

The maximum of ``sum_i w_i log p(x_i; theta) + log prior(theta)`` is looked for by BFGS with central differences. On the
simplex theta = softmax(z); there the condition is Lagrange's: the derivatives of all components that are not 0 are
equal, and their value is the multiplier.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize
from scipy.special import softmax

from certus.distributions.estimation.weighted_rows import row_weights

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Estimate:
    """A parameter vector at which a likelihood or posterior is largest nearby, and what shows it.

    Attributes
    ----------
    theta : ndarray
        The parameters.
    log_density : float
        The sum over the rows (and the prior) there.
    gradient_norm : float
        Largest derivative in a direction that may be taken, over the number of rows: 0 at a maximum.
    hessian : ndarray
        Second derivatives; negative semi-definite (on the simplex: along it) at a maximum. A local maximum is all that
        these conditions show.
    multiplier : float or None
        Lagrange's multiplier of ``sum theta = 1``, on the simplex.
    converged : bool
        Whether the gradient is below 1e-4 and the Hessian has no positive direction.
    """

    theta: Floats
    log_density: float
    gradient_norm: float
    hessian: Floats
    multiplier: float | None
    converged: bool


def maximum_likelihood(
    log_density: Callable[[Any, Floats], Any],
    data: Any,
    start: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    domain: Literal["real", "simplex"] = "real",
) -> Estimate:
    """The parameters that make the rows most probable.

    Parameters
    ----------
    log_density : callable
        ``log_density(data, theta)`` gives a number per row.
    data : array-like
        The rows.
    start : array-like of shape (n_parameters,)
        Where to begin; inside the simplex if that is the domain.
    weights : array-like of shape (n_rows,), default=None
        Repetitions.
    domain : {"real", "simplex"}, default="real"
        Whether theta is any vector, or probabilities with sum 1.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.distributions import maximum_likelihood
    >>> rows = np.array([0, 1, 1, 2, 2, 2, 0, 1])
    >>> found = maximum_likelihood(lambda x, p: np.log(p[x]), rows, [0.2, 0.3, 0.5], domain="simplex")
    >>> print(found.theta.round(6), round(found.multiplier, 4))
    [0.25  0.375 0.375] 8.0
    """
    return maximum_a_posteriori(log_density, None, data, start, weights=weights, domain=domain)


def maximum_a_posteriori(
    log_density: Callable[[Any, Floats], Any],
    log_prior: Callable[[Floats], float] | None,
    data: Any,
    start: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    domain: Literal["real", "simplex"] = "real",
) -> Estimate:
    """The parameters of largest posterior density: likelihood and prior on the same scale.

    ``log_prior(theta)`` may leave out constants; without one it is `maximum_likelihood`. A normal prior of variance
    tau^2 on the coefficients of a linear model with noise sigma^2 gives ridge regression with n lambda = sigma^2 /
    tau^2.
    """
    if domain not in ("real", "simplex"):
        raise ValueError(f"domain must be 'real' or 'simplex', got {domain!r}.")
    rows = np.asarray(data)
    weight = row_weights(weights, len(rows))

    def objective(theta: Floats) -> float:
        with np.errstate(divide="ignore", invalid="ignore"):
            found = np.broadcast_to(np.asarray(log_density(rows, theta), dtype=np.float64), weight.shape)
            value = float(weight[weight > 0] @ found[weight > 0])
        return value + (0.0 if log_prior is None else float(log_prior(theta)))

    begin = np.array(start, dtype=np.float64)
    if domain == "simplex" and ((begin <= 0).any() or abs(begin.sum() - 1) > 1e-8):
        raise ValueError(f"start must hold positive probabilities with sum 1, got {start!r}.")
    if not np.isfinite(objective(begin)):
        raise ValueError(f"The log density must be finite at the start, got {objective(begin)}.")
    scale = max(float(weight.sum()), 1.0)
    theta = _climbed(lambda each: objective(each) / scale, begin, domain)
    return _conditions(objective, theta, scale, domain)


def _climbed(objective: Callable[[Floats], float], begin: Floats, domain: str) -> Floats:
    """BFGS, with steps into places where the density is 0 refused."""
    simplex = domain == "simplex"

    def loss(z: Floats) -> float:
        value = objective(softmax(z) if simplex else z)
        return -value if np.isfinite(value) else 1e300

    z = np.log(begin) if simplex else begin
    for _ in range(3):  # again from the solution: the differences of the gradient are finer there
        z = minimize(loss, z, jac=lambda at: _gradient(loss, at), method="BFGS", options={"gtol": 1e-9}).x
    return np.asarray(softmax(z) if simplex else z)


def _conditions(objective: Callable[[Floats], float], theta: Floats, scale: float, domain: str) -> Estimate:
    hessian = _hessian(objective, theta)
    if domain == "real":
        slope, multiplier, along = _gradient(objective, theta), None, hessian
    else:
        steps = np.minimum(1e-5, theta / 2)
        slope = _gradient(objective, theta, steps)
        # Directions e_i - theta keep the sum, so that slope_i = multiplier for components that are not 0.
        multiplier = float(theta @ slope)
        slope = theta * (slope - multiplier)
        along = np.eye(len(theta)) - 1 / len(theta)
        along = along @ hessian @ along
    norm = float(np.abs(slope).max()) / scale
    top = float(np.linalg.eigvalsh(along)[-1])
    curved = top <= 1e-3 * max(float(np.abs(along).max()), 1e-300)
    return Estimate(theta, objective(theta), norm, hessian, multiplier, bool(norm <= 1e-4 and curved))


def _gradient(function: Callable[[Floats], float], at: Floats, steps: Floats | None = None) -> Floats:
    """Central differences."""
    width = 6e-6 * np.maximum(np.abs(at), 1.0) if steps is None else steps
    return np.array(
        [
            (function(at + step * unit) - function(at - step * unit)) / (2 * step)
            for step, unit in zip(width, np.eye(len(at)), strict=True)
        ]
    )


def _hessian(function: Callable[[Floats], float], at: Floats) -> Floats:
    """Central second differences; components of a simplex near 0 get small steps."""
    size = len(at)
    width = np.minimum(1e-4 * np.maximum(np.abs(at), 1.0), np.where(at > 0, np.maximum(at / 4, 1e-12), 1e-4))
    units = np.eye(size) * width
    found = np.empty((size, size))
    for i in range(size):
        for j in range(i, size):
            plus, minus = units[i] + units[j], units[i] - units[j]
            ends = function(at + plus) - function(at + minus) - function(at - minus) + function(at - plus)
            found[i, j] = found[j, i] = ends / (4 * width[i] * width[j])
    return found
