"""What is sampled from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base import warn_user
from certus.sampling.argument_checks import positive, whole

Floats = NDArray[np.float64]


class Target:
    """A distribution on vectors, known by the logarithm of its density up to a constant.

    With the potential U = -log density, the target is exp(-U) / Z; samplers need U and its gradient, never Z.

    Parameters
    ----------
    log_density : callable
        ``log_density(theta)`` gives a number; minus infinity where the density is 0.
    gradient : callable, default=None
        ``gradient(theta)`` gives the gradient of ``log_density``. Without one, finite differences are used in up to 20
        dimensions, with a warning.
    dim : int
        Number of components.
    names : sequence of str, default=None
        Their names.
    strong_convexity, smoothness : float, default=None
        Bounds m and L of the eigenvalues of the Hessian of U everywhere, if they are known; they give bounds on steps
        and errors.
    row_gradient : callable, default=None
        ``row_gradient(theta, rows)``: gradient of the log-likelihood, summed over these rows (for `SGLD`).
    prior_gradient : callable, default=None
        Gradient of the log prior (for `SGLD`).
    n_rows : int, default=None
        Number of rows (for `SGLD`).
    value_and_gradient : callable, default=None
        ``value_and_gradient(theta)`` gives both at once, where that is cheaper; samplers along gradients call it.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.sampling import Target
    >>> normal = Target(lambda t: -0.5 * float(t @ t), lambda t: -t, dim=2)
    >>> normal.log_density(np.ones(2))
    -1.0
    """

    def __init__(
        self,
        log_density: Callable[[Floats], float],
        gradient: Callable[[Floats], Any] | None = None,
        *,
        dim: int,
        names: Sequence[str] | None = None,
        strong_convexity: float | None = None,
        smoothness: float | None = None,
        row_gradient: Callable[[Floats, NDArray[np.intp]], Any] | None = None,
        prior_gradient: Callable[[Floats], Any] | None = None,
        n_rows: int | None = None,
        value_and_gradient: Callable[[Floats], tuple[float, Any]] | None = None,
    ) -> None:
        dim = whole("dim", dim, 1)
        if names is not None and len(names) != dim:
            raise ValueError(f"names must have {dim} names, got {len(names)}.")
        for name, value in (("strong_convexity", strong_convexity), ("smoothness", smoothness)):
            if value is not None:
                positive(name, value)
        if n_rows is not None:
            whole("n_rows", n_rows, 1)
        if strong_convexity is not None and smoothness is not None and not 0 < strong_convexity <= smoothness:
            raise ValueError(
                f"strong_convexity must be above 0 and at most smoothness, got {strong_convexity} and {smoothness}."
            )
        self._log_density, self._gradient, self._both = log_density, gradient, value_and_gradient
        self.dim, self.strong_convexity, self.smoothness = dim, strong_convexity, smoothness
        self.names = list(names) if names is not None else [f"theta[{j}]" for j in range(self.dim)]
        self.row_gradient, self.prior_gradient, self.n_rows = row_gradient, prior_gradient, n_rows
        self._told = False

    @classmethod
    def from_torch(cls, log_density: Callable[[Any], Any], *, dim: int, names: Sequence[str] | None = None) -> Target:
        """A target whose log density is written with PyTorch's functions, which gives the gradient.

        Parameters
        ----------
        log_density : callable
            ``log_density(theta)`` takes a tensor of doubles of shape (dim,) and gives a tensor with one number.
        dim : int
            Number of components.
        names : sequence of str, default=None
            Their names.

        Examples
        --------
        >>> from certus.sampling import Target
        >>> normal = Target.from_torch(lambda t: -0.5 * (t @ t), dim=2)  # doctest: +SKIP
        """
        try:
            import torch
        except ImportError as error:
            raise ImportError(
                "Target.from_torch needs PyTorch, which is not installed.\nHint: pip install torch"
            ) from error

        def both(theta: Floats) -> tuple[float, Floats]:
            at = torch.tensor(theta, dtype=torch.float64, requires_grad=True)
            value = log_density(at)
            (gradient,) = torch.autograd.grad(value, at)
            return float(value.detach()), gradient.numpy()

        return cls(
            lambda theta: both(theta)[0], lambda theta: both(theta)[1], dim=dim, names=names, value_and_gradient=both
        )

    @property
    def has_gradient(self) -> bool:
        """Whether the gradient was given."""
        return self._gradient is not None

    def log_density(self, theta: Floats) -> float:
        """The logarithm of the density at a point, up to a constant."""
        return _number(self._log_density(theta))

    def gradient(self, theta: Floats) -> Floats:
        """The gradient of the log density, given or by central differences."""
        if self._gradient is None:
            return self._differences(theta)
        return self._vector(self._gradient(theta))

    def value_and_gradient(self, theta: Floats) -> tuple[float, Floats]:
        """Log density and gradient at a point."""
        if self._both is None:
            return self.log_density(theta), self.gradient(theta)
        value, gradient = self._both(theta)
        return _number(value), self._vector(gradient)

    def _vector(self, given: Any) -> Floats:
        found = np.asarray(given, dtype=np.float64)
        if found.shape != (self.dim,):
            raise ValueError(f"gradient must give a vector of shape ({self.dim},), got shape {found.shape}.")
        return found

    def _differences(self, theta: Floats) -> Floats:
        if self.dim > 20:
            raise ValueError(
                f"gradient must be given for more than 20 dimensions, got {self.dim}.\n"
                "Hint: Target(log_density, gradient, dim=...), or the sampler Metropolis, which needs none."
            )
        if not self._told:
            warn_user("No gradient was given: finite differences are used, which cost 2 dim evaluations each.")
            self._told = True
        width = 6e-6 * np.maximum(np.abs(theta), 1.0)
        steps = np.diag(width)
        ends = [self.log_density(theta + step) - self.log_density(theta - step) for step in steps]
        return np.asarray(ends) / (2 * width)

    def start(self, theta: Any) -> Floats:
        """A starting point, checked."""
        begin = np.array(theta, dtype=np.float64)
        if begin.shape != (self.dim,):
            raise ValueError(f"start must have shape ({self.dim},), got {begin.shape}.")
        value = self.log_density(begin)
        if not np.isfinite(value):
            raise ValueError(f"The log density must be finite at the start, got {value} at {begin.tolist()}.")
        return begin


def _number(value: Any) -> float:
    if isinstance(value, float):
        return value
    found = np.asarray(value)
    if found.size != 1 or found.dtype.kind not in "fiub":
        raise ValueError(f"log_density must give one number, got {value!r}.")
    return float(found.reshape(()))
