"""Sufficient statistics that can be added: of streams, files, threads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from certus.distributions.estimation.weighted_rows import weighted

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Sums:
    """Total weight of the rows, and weighted sums of functions of a row. Sums of whole numbers add up exactly.

    Examples
    --------
    >>> from certus.distributions import Sums
    >>> Sums(7.0, [4.0]) + Sums(3.0, [1.0])
    Sums(weight=10.0, sums=array([5.]))
    """

    weight: float
    sums: Floats

    def __post_init__(self) -> None:
        object.__setattr__(self, "sums", np.asarray(self.sums, dtype=np.float64))

    def __add__(self, other: Sums) -> Sums:
        if self.sums.shape != other.sums.shape:
            raise ValueError(f"Both must have sums of the same shape, got {self.sums.shape} and {other.sums.shape}.")
        return Sums(self.weight + other.weight, self.sums + other.sums)

    @classmethod
    def of(cls, weights: Floats, *columns: Floats) -> Sums:
        """The weighted sums of columns with a number per row (or of the columns of one table)."""
        return cls(float(weights.sum()), np.array([weights @ column for column in columns]).squeeze())


@dataclass(frozen=True, eq=False)
class Moments:
    """Weight, mean and scatter ``sum w (x - mean)(x - mean)'`` of rows, by the merge of Chan, Golub and LeVeque (1983).

    Unlike sums of squares it loses no digits when the mean is large.

    Examples
    --------
    >>> from certus.distributions import Moments
    >>> both = Moments.of([[1.0], [3.0]]) + Moments.of([[5.0]])
    >>> both.mean, both.covariance
    (array([3.]), array([[2.66666667]]))
    """

    weight: float
    mean: Floats
    scatter: Floats

    @classmethod
    def of(cls, data: Any, weights: ArrayLike | None = None) -> Moments:
        """The moments of a table of rows."""
        rows, weight = weighted(data, weights, dim=2)
        total = float(weight.sum())
        if total == 0:
            return cls.empty(rows.shape[1])
        mean = weight @ rows / total
        centered = rows - mean
        mean = mean + weight @ centered / total  # the rounding of the first mean
        centered = rows - mean
        return cls(total, mean, (centered * weight[:, np.newaxis]).T @ centered)

    @classmethod
    def empty(cls, dim: int) -> Moments:
        """The moments of no rows."""
        return cls(0.0, np.zeros(dim), np.zeros((dim, dim)))

    @property
    def covariance(self) -> Floats:
        """The scatter divided by the weight: the maximum-likelihood covariance, not the unbiased one."""
        return self.scatter / self.weight

    def __add__(self, other: Moments) -> Moments:
        if self.mean.shape != other.mean.shape:
            raise ValueError(f"Both must have the same columns, got {len(self.mean)} and {len(other.mean)}.")
        weight = self.weight + other.weight
        if weight == 0:
            return self
        shift = other.mean - self.mean
        mean = self.mean + shift * (other.weight / weight)
        between = np.outer(shift, shift) * (self.weight * other.weight / weight)
        return Moments(weight, mean, self.scatter + other.scatter + between)
