"""What questions to a network with continuous nodes are answered with."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.distributions import Factor
from certus.guarantees import Certificate

Floats = NDArray[np.float64]


class MixedPosterior:
    """P(targets | evidence): probabilities of discrete targets, and a mixture of normals over continuous ones.

    Attributes
    ----------
    factor : Factor
        The joint table of the discrete targets (a single 1 if there are none).
    values : ndarray
        Its probabilities, with an axis per discrete target in the order in which they were asked for.
    names : tuple of str
        The continuous targets.
    states : dict of str to list
        The configuration of every component: the discrete targets, and those on which the normals depend.
    weights, means, covariances : ndarray
        Of the components: shapes (k,), (k, names) and (k, names, names). Impossible components are left out.
    mean, covariance : ndarray
        Of the continuous targets, over all components.
    log_evidence : float
        Log of the probability of what is observed of discrete nodes times the density of the continuous ones.
    certificate : Certificate or None
        How far rounding can have moved these numbers; None where that would take too long.
    """

    def __init__(
        self,
        factor: Factor,
        names: tuple[str, ...],
        states: Mapping[str, list[Any]],
        components: tuple[Floats, Floats, Floats],
        log_evidence: float,
        certify: Callable[[], Certificate | None],
    ) -> None:
        self.factor, self.names, self.states = factor, names, dict(states)
        self.weights, self.means, self.covariances = components
        self.log_evidence = log_evidence
        self._certify = certify

    @property
    def values(self) -> Floats:
        return self.factor.values

    @cached_property
    def mean(self) -> Floats:
        return self.weights @ self.means

    @cached_property
    def covariance(self) -> Floats:
        off = self.means - self.mean
        return np.einsum("c,cij->ij", self.weights, self.covariances + np.einsum("ci,cj->cij", off, off))

    @cached_property
    def certificate(self) -> Certificate | None:
        return self._certify()

    def density(self, points: Any) -> Floats:
        """The density of the continuous targets at points of shape (n, names), or (n,) for one target.

        Parameters
        ----------
        points : array-like
            Where; no target may be observed.
        """
        rows = np.asarray(points, dtype=np.float64)
        rows = rows.reshape(-1, len(self.names)) if rows.ndim < 2 else rows
        if not self.names or rows.shape[1] != len(self.names):
            raise ValueError(f"points must have a column for each of {list(self.names)}, got the shape {rows.shape}.")
        observed = [name for k, name in enumerate(self.names) if not (self.covariances[:, k, k] > 0.0).all()]
        if observed:
            raise ValueError(
                f"The targets must not be observed to have a density, got {observed[0]!r}, which is known."
            )
        lower = np.linalg.cholesky(self.covariances)
        off = np.linalg.solve(lower, (rows[None] - self.means[:, None]).transpose(0, 2, 1))
        sizes = np.log(np.diagonal(lower, axis1=1, axis2=2)).sum(axis=1)
        logs = -0.5 * (off**2).sum(axis=1) - sizes[:, None] - 0.5 * len(self.names) * math.log(2.0 * math.pi)
        return self.weights @ np.exp(logs)

    def __repr__(self) -> str:
        parts = [repr(self.factor)] if self.factor.names else []
        if self.names:
            parts.append(f"{', '.join(self.names)}: {len(self.weights)} normal component(s), mean {self.mean!r}")
        return f"MixedPosterior({'; '.join(parts)})"
