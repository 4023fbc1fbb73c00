"""What sampling gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from certus.base import register_part
from certus.evaluation import ess, mcse, rhat
from certus.guarantees import Report

Floats = NDArray[np.float64]


@register_part("sampling")
@dataclass(frozen=True, eq=False)
class Draws:
    """Draws of several chains, with what tells how far to trust them.

    R-hat, effective sample sizes and standard errors are estimates, not bounds: chains that all missed a part of the
    target look well.

    Attributes
    ----------
    values : ndarray of shape (chains, draws, dim)
        The draws.
    names : list of str
        Names of the components.
    acceptance : ndarray of shape (chains, draws)
        Probability of acceptance at every step.
    divergent : ndarray of shape (chains, draws)
        Whether the path of a step left the region where the step size is small enough.
    sampler : object
        The sampler of the first chain after tuning.
    report_ : Report
        What is proved about the draws, which diagnostics are not: of `ULA`, their distance from the target.
    """

    values: Floats
    names: list[str]
    acceptance: Floats
    divergent: NDArray[np.bool_]
    sampler: Any
    states: tuple[Any, ...] = field(default=(), repr=False)
    samplers: tuple[Any, ...] = field(default=(), repr=False)
    report_: Report = field(default_factory=Report, repr=False)
    _state: ClassVar[tuple[str, ...]] = ("values", "names", "acceptance", "divergent")

    def _restored(self) -> None:
        """Draws from a file have no chains that could go on."""
        for name, value in (("sampler", None), ("states", ()), ("samplers", ()), ("report_", Report())):
            object.__setattr__(self, name, value)
        shape = np.shape(self.values)
        sizes = (shape[:2], shape[:2], shape[2:])
        if len(shape) != 3 or (np.shape(self.acceptance), np.shape(self.divergent), (len(self.names),)) != sizes:
            raise ValueError("the draws, their acceptance and their names must have matching shapes.")
        if self.values.dtype != np.float64 or not np.isfinite(self.values).all():
            raise ValueError("draws must be finite doubles.")

    @property
    def rhat(self) -> Floats:
        """Rank-normalized split R-hat of every component."""
        return np.asarray(rhat(self.values))

    @property
    def ess(self) -> Floats:
        """Bulk effective sample size of every component."""
        return np.asarray(ess(self.values))

    @property
    def mcse(self) -> Floats:
        """Standard error of the mean of every component."""
        return np.asarray(mcse(self.values))

    def mean(self) -> Floats:
        """Mean of every component."""
        return np.asarray(self.values.mean(axis=(0, 1)))

    def variance(self) -> Floats:
        """Variance of every component."""
        return np.asarray(self.values.reshape(-1, self.values.shape[2]).var(axis=0, ddof=1))

    def quantile(self, q: Any) -> Floats:
        """Quantiles of every component."""
        return np.asarray(np.quantile(self.values, q, axis=(0, 1)))

    def expectation(self, function: Callable[[Floats], float]) -> tuple[float, float]:
        """The mean of a function of the vector, and its estimated standard error."""
        found = np.array([[float(function(theta)) for theta in chain] for chain in self.values])
        return float(found.mean()), float(mcse(found))

    def summary(self) -> str:
        """A table of means, deviations, intervals and diagnostics, all of them estimates."""
        low, high = self.quantile(0.05), self.quantile(0.95)
        tail = np.asarray(ess(self.values, kind="tail"))
        width = max(map(len, [*self.names, "estimates"]))
        lines = [f"{'estimates':>{width}}     mean      std     mcse       5%      95%  bulk ess  tail ess   rhat"]
        rows = zip(self.names, self.mean(), np.sqrt(self.variance()), self.mcse, low, high, self.ess, tail, strict=True)
        for (name, *numbers, bulk, last), r in zip(rows, self.rhat, strict=True):
            lines.append(
                f"{name:>{width}} " + " ".join(f"{x:8.3g}" for x in numbers) + f"  {bulk:8.0f}  {last:8.0f} {r:6.3f}"
            )
        count = int(self.divergent.sum())
        return "\n".join([*lines, f"{count} divergent paths" if count else "no divergent paths"])

    def __str__(self) -> str:
        return self.summary()

    def to_dict(self) -> dict[str, dict[str, Floats]]:
        """The draws as the dictionary that ArviZ's ``from_dict`` takes: posterior and sample_stats, by name."""
        return {
            "posterior": {name: self.values[:, :, j] for j, name in enumerate(self.names)},
            "sample_stats": {"acceptance_rate": self.acceptance, "diverging": self.divergent.astype(np.float64)},
        }
