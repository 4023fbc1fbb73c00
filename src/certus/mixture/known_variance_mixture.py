"""Mixture of equally frequent round Gaussians of one known width: only the means are learned."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp
from sklearn.exceptions import ConvergenceWarning

from certus.base import Iterations, fit_method, register, warn_user
from certus.base.em import climb
from certus.base.inputs import TableLike, TargetLike, WeightsLike, check_weights
from certus.base.params import ArrayLike, Exactly, Interval
from certus.base.persistence import check_shapes
from certus.guarantees import Report
from certus.mixture.evidence.next_step import step_certificate
from certus.mixture.learning.mixture_model import LARGEST, MixtureModel

Floats = NDArray[np.float64]


class KnownVarianceModel:
    """The rows as the driver of EM sees them; parameters are the means."""

    ascends = True

    def __init__(self, rows: Floats, weights: Floats, sigma: float) -> None:
        self.rows, self.weights, self.sigma = rows, weights, sigma

    def log_joint(self, means: Floats) -> Floats:
        """ln(p(x | mean_k) / k)."""
        scaled, centers = self.rows / self.sigma, means / self.sigma
        squared = np.stack([((scaled - center) ** 2).sum(axis=1) for center in centers], axis=1)
        constant = math.log(len(means)) + self.rows.shape[1] * (0.5 * math.log(2.0 * math.pi) + math.log(self.sigma))
        return np.asarray(-0.5 * squared - constant)

    def shares(self, means: Floats) -> Floats:
        """E[z_ij]."""
        joint = self.log_joint(means)
        return np.exp(joint - logsumexp(joint, axis=1, keepdims=True))

    def log_likelihood(self, parameters: Floats) -> float:
        """Log-likelihood per row."""
        densities = logsumexp(self.log_joint(parameters), axis=1)
        return float(self.weights @ densities / self.weights.sum())

    def expect(self, parameters: Floats) -> tuple[float, Floats]:
        """Log-likelihood per row, and the shares of the components in every row times its weight."""
        joint = self.log_joint(parameters)
        densities = logsumexp(joint, axis=1)
        shares = self.weights[:, None] * np.exp(joint - densities[:, None])
        return float(self.weights @ densities / self.weights.sum()), shares

    def maximize(self, statistics: Floats, parameters: Floats) -> Floats:
        """The means of the rows by their shares; a component without any keeps its mean."""
        total = statistics.sum(axis=0)[:, None]
        # Around the present means, from which the new ones differ little.
        moves = np.stack([s @ (self.rows - m) for s, m in zip(statistics.T, parameters, strict=True)])
        return parameters + np.divide(moves, total, out=np.zeros_like(moves), where=total > 0.0)

    def expected_log_likelihood(self, new: Floats, old: Floats) -> float:
        """Q(new, old) = sum_i ln(1 / (sqrt(2 pi) sigma)^d) - sum_j E[z_ij] |x_i - m_j|^2 / (2 sigma^2)."""
        exponents = self.log_joint(new) + math.log(len(new))
        return float(self.weights @ (self.shares(old) * exponents).sum(axis=1))

    def describe(self, parameters: Floats) -> dict[str, Any]:
        """The means."""
        return {"means": parameters.copy()}


@register(
    tasks=("density",),
    guarantees=("gain of one more EM step", "held-out bound on the share of improbable rows"),
    cost="fit O(k n p) per step, predict O(k n p)",
)
class KnownVarianceMixture(MixtureModel):
    """Mixture of k equally frequent round Gaussians of one known width, by EM for the means.

    As ``sigma`` goes to 0, the steps become those of k-means.

    Parameters
    ----------
    sigma : float, default=1.0
        Standard deviation of every component in every column.
    means_init : array-like of shape (n_components, n_features), default=None
        First means; by default rows at even quantiles along the direction of most variance.
    tol : float, default=1e-6
        Steps end when one changes the log-likelihood per row by less than this.

    Attributes
    ----------
    means_ : ndarray of shape (n_components, n_features)
        The means.
    trace_ : list of dict
        For every step the ``means`` that it led to, their ``log_likelihood`` per row, and ``q_before`` and ``q_after``:
        the expected log-likelihood of all rows and components, of the old and of the new means.

    Examples
    --------
    >>> from certus.mixture import KnownVarianceMixture
    >>> X = [[-2.0], [-1.0], [1.0], [2.0]]
    >>> model = KnownVarianceMixture(2, sigma=1.0, means_init=[[-0.5], [0.5]]).fit(X)
    >>> [round(float(step["means"][1, 0]), 4) for step in model.trace_[:3]]
    [0.9927, 1.3422, 1.4268]
    """

    _constraints: ClassVar[Any] = {
        "n_components": [Interval(1, None, integer=True)],
        "sigma": [Interval(0, None, closed="neither")],
        "means_init": [ArrayLike(), Exactly(None)],
        "tol": [Interval(0, None)],
        "max_iter": [Interval(1, None, integer=True)],
    }
    _state: ClassVar[tuple[str, ...]] = ("means_", "history_", "n_iter_", "converged_", "trace_")

    sigma: float
    means_init: Any
    means_: Floats
    trace_: list[dict[str, Any]]

    def __init__(
        self,
        n_components: int = 2,
        *,
        sigma: float = 1.0,
        means_init: TableLike | None = None,
        tol: float = 1e-6,
        max_iter: int = 100,
    ) -> None:
        self._set_parameters(locals())

    @fit_method
    def fit(self, X: TableLike, y: TargetLike | None = None, sample_weight: WeightsLike = None) -> KnownVarianceMixture:
        """Find the means."""
        rows = self._check_table(X, reset=True)
        given = check_weights(self, sample_weight, rows)
        weights = np.ones(len(rows)) if given is None else given
        model = KnownVarianceModel(rows[weights > 0.0], weights[weights > 0.0], float(self.sigma))
        with Iterations(self, self.max_iter, X) as iterations:
            run = climb(
                model,
                self._first_means(model),
                tol=self.tol,
                max_iter=self.max_iter,
                tell=lambda objective: iterations.step(objective=-objective),
                keep_trace=True,
            )
        self.means_, self.history_, self.trace_ = run.parameters, np.array(run.history), run.trace
        self.n_iter_, self.converged_ = run.steps, run.converged
        if not run.converged:
            warn_user(
                f"{type(self).__name__} did not converge in {self.max_iter} steps.\nHint: increase max_iter or tol.",
                ConvergenceWarning,
            )
        after = model.log_likelihood(model.maximize(model.expect(self.means_)[1], self.means_))
        plain = {"kind": "known-variance", "sigma": float(self.sigma), "means": self.means_.tolist()}
        self.report_ = Report([step_certificate(run.history[-1], after, len(rows), plain)])
        return self

    def _first_means(self, model: KnownVarianceModel) -> Floats:
        width = model.rows.shape[1]
        if self.means_init is None:
            return _spread_rows(model.rows, model.weights, self.n_components)
        means = np.array(self.means_init, dtype=np.float64)
        if means.ndim == 1 and width == 1:
            means = means[:, None]
        if means.shape != (self.n_components, width) or not (np.abs(means) <= LARGEST).all():
            raise ValueError(
                f"means_init must hold {self.n_components} rows of {width} finite numbers, got the shape {means.shape}."
            )
        return means

    def _log_joint(self, rows: Floats) -> Floats:
        return KnownVarianceModel(rows, np.ones(len(rows)), float(self.sigma)).log_joint(self.means_)

    def expected_log_likelihood(self, new_means: TableLike, old_means: TableLike, X: TableLike) -> float:
        """Q(new, old): the log-likelihood of rows and components, expected under the old means.

        Parameters
        ----------
        new_means, old_means : array-like of shape (n_components, n_features)
            Means of the components.
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        float
            The sum over the rows, without the constant ln(1 / n_components) of each.
        """
        rows = np.asarray(X, dtype=np.float64).reshape(len(X), -1)  # type: ignore[arg-type]
        new, old = (np.asarray(means, dtype=np.float64).reshape(-1, rows.shape[1]) for means in (new_means, old_means))
        return KnownVarianceModel(rows, np.ones(len(rows)), float(self.sigma)).expected_log_likelihood(new, old)

    def _restored(self) -> None:
        if "means_" in vars(self):
            check_shapes(self, means_=(self.n_components, self.n_features_in_), history_=(None,))


def _spread_rows(rows: Floats, weights: Floats, count: int) -> Floats:
    """Rows at even quantiles along the direction of most variance, whatever the order of the rows."""
    shares = weights / weights.sum()
    centered = rows - shares @ rows
    axis = np.linalg.eigh((shares[:, None] * centered).T @ centered)[1][:, -1]
    axis = axis if axis[np.abs(axis).argmax()] > 0.0 else -axis
    along = centered @ axis
    order = np.argsort(along)
    # Rows that are equally far along are put in the order of their columns, so that theirs in the table plays no part.
    equal = np.diff(along[order]) == 0.0
    tied = np.flatnonzero(np.append(equal, False) | np.insert(equal, 0, False))
    if len(tied):
        among = order[tied]
        order[tied] = among[np.lexsort((*rows[among].T, along[among]))]
    reached = np.cumsum(shares[order])
    places = np.searchsorted(reached, (np.arange(count) + 0.5) / count)
    return rows[order[np.minimum(places, len(rows) - 1)]].copy()
