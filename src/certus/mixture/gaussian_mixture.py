"""Mixture of Gaussians by expectation and maximization."""

from __future__ import annotations

import math
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from certus.base import RandomStateLike, predict_method, register
from certus.base.blocks import ScaledFit
from certus.base.inputs import TableLike, WeightsLike, check_weights
from certus.base.params import ArrayLike, Exactly, OneOf
from certus.guarantees import Report
from certus.mixture.in_blocks.expected_in_blocks import fit_gaussians, whole_table_needed
from certus.mixture.learning.gaussian_learner import GaussianLearner
from certus.mixture.learning.gaussian_steps import GaussianSteps
from certus.mixture.learning.gaussians import KINDS, Gaussians
from certus.mixture.learning.given_parameters import checked_matrices, checked_means, checked_weights, with_given
from certus.mixture.learning.mixture_model import LARGEST
from certus.mixture.learning.mixture_starts import FilledRows, first_gaussians, prior_of
from certus.mixture.learning.observed_cells import ObservedCells
from certus.mixture.learning.parts_of_mixtures import (
    column_places,
    conditional_gaussians,
    marginal_gaussians,
)

Floats = NDArray[np.float64]


@register(
    tasks=("density",),
    guarantees=("gain of one more EM step", "held-out bound on the share of improbable rows"),
    cost="fit O(k n p^2) per step, O(k n p) with diagonal covariances; predict as a step",
)
class GaussianMixture(GaussianLearner):
    """Mixture of Gaussians by expectation and maximization.

    Maximizes, over weights, means and covariances, the log-likelihood of the rows (with weights w),

        sum_i w_i ln sum_k weight_k N(x_i; mean_k, covariance_k),

    of the cells that are there: missing ones (NaN) are integrated out.

    Parameters
    ----------
    covariance_type : {"full", "tied", "diag", "spherical", "spherical_tied"}, default="full"
        Any covariance per component, one for all, independent columns, one variance per component, or one for all.
    reg_covar : float, default=1e-6
        Added to variances after every step, so that they stay positive. A likelihood can then fall a little; with 0 it
        never does. With a prior it is added to the prior's scale instead.
    n_init : int, default=1
        Number of starts; the one that ends highest is kept.
    init_params : {"kmeans", "k-means++", "random", "random_from_data"}, default="kmeans"
        Where to start: clusters, rows far from each other, random shares of the rows, or random rows.
    weights_init, means_init, precisions_init : array-like, default=None
        First weights, means and inverse covariances (in the shape of ``covariances_``) instead.
    warm_start : bool, default=False
        Whether a further fit goes on from the present parameters.
    verbose_interval : int, default=10
        There for compatibility; every step is printed.
    prior : {"conjugate", None}, default=None
        "conjugate" maximizes the posterior under a normal-inverse-Wishart prior scaled to the data (Fraley and Raftery
        2007), under which no component collapses onto few rows.
    n_jobs : int, default=None
        How many starts are climbed from at a time. The result does not depend on it.

    Attributes
    ----------
    weights_ : ndarray of shape (n_components,)
        Shares of the components.
    means_ : ndarray of shape (n_components, n_features)
        Means.
    covariances_ : ndarray
        Covariances: (n_components, n_features, n_features) if full, (n_features, n_features) if tied, (n_components,
        n_features) if diag, (n_components,) if spherical, (1,) if spherical_tied.
    precisions_, precisions_cholesky_ : ndarray
        Their inverses, and upper triangular factors of these, in the same shape.
    lower_bound_ : float
        Log-likelihood (log posterior) per row at the end.
    lower_bounds_ : list of float
        Before every step.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.mixture import GaussianMixture
    >>> X = np.array([[1.0, 2], [1, 4], [1, 0], [10, 2], [10, 4], [10, 0]])
    >>> model = GaussianMixture(2, random_state=0).fit(X)
    >>> print(np.sort(model.means_[:, 0]))
    [ 1. 10.]
    >>> print(model.impute([[1.0, np.nan]]))
    [[1. 2.]]
    """

    _scaled = ScaledFit(
        "exact", fit_gaussians, {"order": "C", "allow_nan": True, "largest": LARGEST}, whole_table_needed, target=False
    )
    _constraints: ClassVar[Any] = {
        **GaussianLearner._constraints,
        "covariance_type": [OneOf(*KINDS)],
        "weights_init": [ArrayLike(), Exactly(None)],
        "means_init": [ArrayLike(), Exactly(None)],
        "precisions_init": [ArrayLike(), Exactly(None)],
        "prior": [OneOf("conjugate"), Exactly(None)],
    }

    weights_init: Any
    means_init: Any
    precisions_init: Any
    prior: str | None

    def __init__(
        self,
        n_components: int = 1,
        *,
        covariance_type: str = "full",
        tol: float = 1e-3,
        reg_covar: float = 1e-6,
        max_iter: int = 100,
        n_init: int = 1,
        init_params: str = "kmeans",
        weights_init: Any = None,
        means_init: Any = None,
        precisions_init: Any = None,
        random_state: RandomStateLike = None,
        warm_start: bool = False,
        verbose: int = 0,
        verbose_interval: int = 10,
        prior: str | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self._set_parameters(locals())

    @classmethod
    def from_parameters(
        cls, weights: Any, means: Any, covariances: Any, covariance_type: str = "full"
    ) -> GaussianMixture:
        """A mixture with given parameters, to score, sample, impute and so on without rows to learn from.

        Parameters
        ----------
        weights : array-like of shape (n_components,)
            Shares of the components.
        means : array-like of shape (n_components, n_features)
            Means.
        covariances : array-like
            Covariances, in the shape of ``covariances_``.
        covariance_type : {"full", "tied", "diag", "spherical", "spherical_tied"}, default="full"
            Their form.

        Returns
        -------
        GaussianMixture
            Fitted, with an empty report.
        """
        if covariance_type not in KINDS:
            raise ValueError(f"covariance_type must be one of {', '.join(KINDS)}, got {covariance_type!r}.")
        shape = np.shape(means)
        if len(shape) != 2 or 0 in shape:
            raise ValueError(f"means must have a row per component, got the shape {shape}.")
        model = Gaussians(
            covariance_type,
            checked_weights(weights, shape[0]),
            checked_means(means, shape[0], shape[1]),
            checked_matrices(covariances, covariance_type, shape[0], shape[1], "covariance"),
        )
        return cls._of(model)

    @classmethod
    def _of(cls, parameters: Gaussians) -> GaussianMixture:
        made = cls(parameters.size[0], covariance_type=parameters.kind)
        made.n_features_in_ = parameters.size[1]
        made._keep_parameters(parameters, np.dtype(np.float64))
        made.converged_, made.n_iter_, made.history_ = True, 0, np.empty(0)
        made.lower_bound_, made.lower_bounds_ = -math.inf, []
        made.report_ = Report([])
        return made

    def _steps(self, cells: ObservedCells, filled: FilledRows) -> GaussianSteps:
        prior = None
        if self.prior is not None:
            prior = prior_of(filled, self.covariance_type, self.n_components, self.reg_covar)
        return GaussianSteps(cells, self.reg_covar, prior)

    def _starts(self, steps: GaussianSteps, filled: FilledRows, seed: int) -> list[Any]:
        kind, count, width = self.covariance_type, self.n_components, filled.rows.shape[1]
        weights = None if self.weights_init is None else checked_weights(self.weights_init, count)
        means = None if self.means_init is None else checked_means(self.means_init, count, width)
        precisions = self.precisions_init
        if precisions is not None:
            precisions = checked_matrices(precisions, kind, count, width, "precision")
        given = (kind, weights, means, precisions)

        def start(run: int) -> Gaussians:
            if any(part is None for part in given):
                found = first_gaussians(steps, filled, kind, count, self.init_params, [seed, run])
                return with_given(found, *given)
            return with_given(None, *given)

        return [partial(start, run) for run in range(self.n_init)]

    def _n_parameters(self) -> int:
        columns = self.means_.shape[1]
        pairs = columns * (columns + 1) // 2
        spread = {
            "full": self.n_components * pairs,
            "tied": pairs,
            "diag": self.n_components * columns,
            "spherical": self.n_components,
            "spherical_tied": 1,
        }[self.covariance_type]
        return spread + columns * self.n_components + self.n_components - 1

    @predict_method
    def bic(self, X: TableLike, sample_weight: WeightsLike = None) -> float:
        """The Bayesian information criterion on these rows: lower is better.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        sample_weight : array-like of shape (n_samples,), default=None
            Their weights.
        """
        size = self._size(X, sample_weight)
        return -2.0 * self.score(X, sample_weight=sample_weight) * size + self._n_parameters() * math.log(size)

    @predict_method
    def aic(self, X: TableLike, sample_weight: WeightsLike = None) -> float:
        """Akaike's information criterion on these rows: lower is better.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        sample_weight : array-like of shape (n_samples,), default=None
            Their weights.
        """
        size = self._size(X, sample_weight)
        return -2.0 * self.score(X, sample_weight=sample_weight) * size + 2.0 * self._n_parameters()

    def _size(self, X: TableLike, sample_weight: WeightsLike) -> float:
        rows = self._check_table(X)
        weights = check_weights(self, sample_weight, rows)
        return float(len(rows) if weights is None else weights.sum())

    @predict_method
    def marginal(self, columns: Any) -> GaussianMixture:
        """The distribution of some columns, whatever the others are.

        Parameters
        ----------
        columns : sequence of int or str
            Their numbers, or names.

        Returns
        -------
        GaussianMixture
        """
        places = column_places(columns, self.n_features_in_, getattr(self, "feature_names_in_", None))
        return type(self)._of(marginal_gaussians(self._parameters(), places))

    @predict_method
    def condition(self, columns: Any, values: Any) -> GaussianMixture:
        """The distribution of the other columns, given the values of these.

        Parameters
        ----------
        columns : sequence of int or str
            Their numbers, or names.
        values : array-like of shape (n_columns,)
            Their values.

        Returns
        -------
        GaussianMixture
            Of the other columns, in their order.
        """
        places = column_places(columns, self.n_features_in_, getattr(self, "feature_names_in_", None))
        given = np.atleast_1d(np.array(values, dtype=np.float64))
        if given.shape != places.shape or not (np.abs(given) <= LARGEST).all():
            raise ValueError(f"values must hold one finite number per column ({len(places)}), got {values!r}.")
        if len(places) == self.n_features_in_:
            raise ValueError(
                f"columns must leave at least one column out, got all {len(places)}.\nHint: score_samples gives the "
                "density of whole rows."
            )
        return type(self)._of(conditional_gaussians(self._parameters(), places, given))
