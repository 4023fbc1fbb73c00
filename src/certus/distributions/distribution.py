"""What all distributions have: density, moments, entropy, divergence, draws, maximum likelihood."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import fields
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.integrate import quad

from certus.base import RandomStateLike, resolve_seed
from certus.distributions.probability_input import Floats


class Distribution(ABC):
    """A probability distribution: a small object that never changes; its parameters are its attributes.

    Logarithms are natural: `entropy` and `kl` are in nats.
    """

    @abstractmethod
    def log_density(self, x: Any) -> Any:
        """The logarithm of the density (of the probability, for counts and labels) at every row of ``x``."""

    def density(self, x: Any) -> Any:
        """The density (the probability, for counts and labels) at every row of ``x``."""
        return np.exp(self.log_density(x))

    if TYPE_CHECKING:  # a parameter of some distributions, a property of the others

        @property
        def mean(self) -> Any:
            """The expectation."""

        @property
        def variance(self) -> Any:
            """The variance, of every component if there are several; infinite or NaN where it does not exist."""

    @property
    def std(self) -> Any:
        """The standard deviation."""
        return np.sqrt(self.variance)

    @property
    def mode(self) -> Any:
        """Where the density is largest; NaN if that is no single point."""
        raise NotImplementedError(f"{type(self).__name__} has no mode in closed form.")

    @abstractmethod
    def entropy(self) -> float:
        """``-E log p(X)`` in nats; the differential entropy of a density."""

    def kl(self, other: Self) -> float:
        """``E log p(X) - log q(X)`` for X of this distribution, in nats: 0 only if both are the same.

        It is the excess of the expected log loss if ``other`` is predicted where this distribution is true.
        """
        raise NotImplementedError(f"{type(self).__name__} has no divergence in closed form.")

    def sample(self, n: int, random_state: RandomStateLike = None) -> NDArray[Any]:
        """``n`` independent draws, a row each."""
        if isinstance(n, bool | str) or not 0 <= n < np.inf or int(n) != n:
            raise ValueError(f"n must be a whole number of draws, got {n!r}.")
        return self._draw(int(n), np.random.default_rng(resolve_seed(random_state)))

    @abstractmethod
    def _draw(self, n: int, generator: np.random.Generator) -> NDArray[Any]: ...

    @classmethod
    def fit(cls, data: Any, weights: ArrayLike | None = None) -> Self:
        """The distribution of this family that makes the rows most probable; a weight counts as repetition."""
        raise NotImplementedError(f"{cls.__name__} cannot be fitted to data.")

    def score(self, x: Any) -> dict[str, Any]:
        """The score function: derivatives of the log density by each parameter, at every row of ``x``."""
        raise NotImplementedError(f"{type(self).__name__} has no score function.")

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters by name."""
        return {each.name: getattr(self, each.name) for each in fields(self)}  # type: ignore[arg-type]

    def _same_family(self, other: Any) -> None:
        if type(other) is not type(self):
            raise ValueError(f"other must be of class {type(self).__name__}, got {other!r}.")

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        theirs = other.parameters
        return all(np.array_equal(value, theirs[name]) for name, value in self.parameters.items())

    def __hash__(self) -> int:
        return hash((type(self), repr(self)))

    def _store(self, **values: Any) -> None:
        """Set checked parameters, arrays read-only."""
        for name, value in values.items():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False
            object.__setattr__(self, name, value)


class Univariate(Distribution):
    """A distribution of numbers, by the functions of SciPy's of the same kind."""

    _law: ClassVar[Any]
    _discrete: ClassVar[bool] = False

    @abstractmethod
    def _arguments(self) -> dict[str, Any]:
        """The parameters as SciPy names them."""

    def log_density(self, x: Any) -> Any:
        function = self._law.logpmf if self._discrete else self._law.logpdf
        return function(np.asarray(x, dtype=np.float64), **self._arguments())

    def cdf(self, x: Any) -> Any:
        """``P(X <= x)``."""
        return self._law.cdf(np.asarray(x, dtype=np.float64), **self._arguments())

    def quantile(self, q: Any) -> Any:
        """The smallest x with ``P(X <= x) >= q``."""
        return self._law.ppf(np.asarray(q, dtype=np.float64), **self._arguments())

    def interval_probability(self, low: Any, high: Any) -> Any:
        """``P(low < X <= high)``; exact in both tails, where a difference of two values near 1 would be rounded
        away.
        """
        low, high = np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)
        below = self.cdf(high) - self.cdf(low)
        above = self._law.sf(low, **self._arguments()) - self._law.sf(high, **self._arguments())
        return np.maximum(np.where(self.cdf(low) > 0.5, above, below), 0.0)[()]

    # Not plain properties, so that a parameter of this name can take their place.
    @cached_property
    def mean(self) -> Any:
        """The expectation."""
        return float(self._law.mean(**self._arguments()))

    @cached_property
    def variance(self) -> Any:
        """The variance; infinite or NaN where it does not exist."""
        return float(self._law.var(**self._arguments()))

    def entropy(self) -> float:
        return float(self._law.entropy(**self._arguments()))

    def kl(self, other: Self) -> float:
        self._same_family(other)
        return _expected_difference(self, other)

    def _draw(self, n: int, generator: np.random.Generator) -> NDArray[Any]:
        return np.asarray(self._law.rvs(size=n, random_state=generator, **self._arguments()))


def _expected_difference(p: Univariate, q: Univariate) -> float:
    """The divergence by summation or quadrature between extreme quantiles, for families without a closed form."""
    low, high = p.quantile(1e-14), p.quantile(1 - 1e-14)
    if p._discrete:
        x = np.arange(low, high + 1)
        return float(p.density(x) @ (p.log_density(x) - q.log_density(x)))
    edges = p.quantile([1e-14, 1e-6, 0.01, 0.25, 0.5, 0.75, 0.99, 1 - 1e-6, 1 - 1e-14])

    def integrand(x: float) -> float:
        return float(p.density(x) * (p.log_density(x) - q.log_density(x)))

    pieces = [quad(integrand, a, b, limit=200)[0] for a, b in pairwise(edges)]
    return max(float(sum(pieces)), 0.0)


def number(name: str, value: Any, *, low: float = -np.inf, high: float = np.inf, closed: bool = False) -> float:
    """A finite number between bounds that are allowed themselves if ``closed``."""
    try:
        found = float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be a number, got {value!r}.") from None
    inside = low <= found <= high if closed else low < found < high
    if not np.isfinite(found) or not inside:
        bounds = "" if low == -np.inf else f" {'at least' if closed else 'above'} {low:g}"
        bounds += "" if high == np.inf else f" and {'at most' if closed else 'below'} {high:g}"
        raise ValueError(f"{name} must be a finite number{bounds}, got {found:g}.")
    return found


def whole(name: str, value: Any, *, low: int = 0) -> int:
    """A whole number that is at least ``low``."""
    found = number(name, value, low=low, closed=True)
    if found != int(found):
        raise ValueError(f"{name} must be a whole number, got {found:g}.")
    return int(found)


def positive_vector(name: str, value: Any, *, least: int = 1) -> Floats:
    """A vector of positive finite numbers."""
    found = np.array(value, dtype=np.float64)
    if found.ndim != 1 or len(found) < least or not np.isfinite(found).all() or (found <= 0).any():
        raise ValueError(f"{name} must be a vector of at least {least} positive numbers, got {value!r}.")
    return found


def vector(name: str, value: Any) -> Floats:
    """A vector of finite numbers."""
    found = np.array(value, dtype=np.float64)
    if found.ndim != 1 or not len(found) or not np.isfinite(found).all():
        raise ValueError(f"{name} must be a vector of finite numbers, got {value!r}.")
    return found


def rows_of_width(x: Any, width: int) -> Floats:
    """A vector, or rows, of so many components."""
    found = np.asarray(x, dtype=np.float64)
    if found.ndim == 0 or found.shape[-1] != width:
        raise ValueError(f"x must have {width} components per row, got shape {found.shape}.")
    return found


def positive_definite(name: str, value: Any, dim: int | None = None) -> Floats:
    """A symmetric positive definite matrix (of a given size)."""
    found = np.array(value, dtype=np.float64)
    if found.ndim != 2 or found.shape[0] != found.shape[1] or (dim is not None and len(found) != dim):
        size = "" if dim is None else f" of shape ({dim}, {dim})"
        raise ValueError(f"{name} must be a square matrix{size}, got shape {found.shape}.")
    if not np.isfinite(found).all() or not np.allclose(found, found.T, rtol=1e-8, atol=1e-12 * np.abs(found).max()):
        raise ValueError(f"{name} must be finite and symmetric, got {value!r}.")
    found = (found + found.T) / 2
    try:
        np.linalg.cholesky(found)
    except np.linalg.LinAlgError:
        smallest = float(np.linalg.eigvalsh(found)[0])
        raise ValueError(
            f"{name} must be positive definite, got a smallest eigenvalue of {smallest:.3g}.\n"
            "Hint: columns that are constant or copies of each other give such a matrix; add a small multiple of the "
            "identity."
        ) from None
    return found
