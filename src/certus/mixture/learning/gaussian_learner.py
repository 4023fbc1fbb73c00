"""What learners of mixtures of Gaussians share: fitting by the driver of EM, missing cells, sampling."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags, check_random_state

from certus.base import Iterations, check_X, fit_method, predict_method, resolve_seed, resolve_threads, warn_user
from certus.base.em import Climb, best_climb
from certus.base.inputs import TableLike, TargetLike, WeightsLike, check_weights
from certus.base.params import Boolean, Exactly, Interval, OneOf, RandomState, Verbosity
from certus.base.persistence import check_shapes
from certus.guarantees import Report
from certus.mixture import _native_calls
from certus.mixture.evidence.next_step import step_certificate
from certus.mixture.evidence.plain_step import is_well_conditioned
from certus.mixture.learning.gaussians import (
    Gaussians,
    SingularCovarianceError,
    covariance_shape,
    precisions_of,
    spread_out,
    weighted_components,
)
from certus.mixture.learning.mixture_model import LARGEST, MixtureModel
from certus.mixture.learning.mixture_starts import METHODS, FilledRows, filled_table
from certus.mixture.learning.observed_cells import ObservedCells
from certus.mixture.learning.parts_of_mixtures import drawn_rows

Floats = NDArray[np.float64]
NOT_CONVERGED = (
    "Best performing initialization did not converge. Try different init parameters, or increase max_iter, tol, or "
    "check for degenerate data."
)


class GaussianLearner(MixtureModel):
    """What mixtures of Gaussians share.

    Parameters
    ----------
    random_state : int, RandomState, Generator or None, default=None
        Seed of starts, and of `sample`.
    verbose : int, default=0
        Whether steps are printed.
    """

    _constraints: ClassVar[Any] = {
        "n_components": [Interval(1, None, integer=True)],
        "tol": [Interval(0, None)],
        "reg_covar": [Interval(0, None)],
        "max_iter": [Interval(0, None, integer=True)],
        "n_init": [Interval(1, None, integer=True)],
        "init_params": [OneOf(*METHODS)],
        "random_state": [RandomState()],
        "warm_start": [Boolean()],
        "verbose": [Verbosity()],
        "verbose_interval": [Interval(1, None, integer=True)],
        "n_jobs": [Interval(None, None, integer=True), Exactly(None)],
    }
    _state: ClassVar[tuple[str, ...]] = (
        "weights_",
        "means_",
        "covariances_",
        "precisions_",
        "precisions_cholesky_",
        "converged_",
        "n_iter_",
        "lower_bound_",
        "lower_bounds_",
        "history_",
    )

    covariance_type: str
    reg_covar: float
    n_init: int
    init_params: str
    random_state: Any
    warm_start: bool
    n_jobs: int | None
    weights_: Any
    means_: Any
    covariances_: Any
    precisions_: Any
    precisions_cholesky_: Any
    lower_bound_: float
    lower_bounds_: list[float]

    @abstractmethod
    def _steps(self, cells: ObservedCells, filled: FilledRows) -> Any:
        """The rows as the driver of EM sees them."""

    @abstractmethod
    def _starts(self, steps: Any, filled: FilledRows, seed: int) -> list[Any]:
        """What gives first parameters, for every start."""

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def _check_table(self, X: TableLike, *, reset: bool = False) -> Any:
        rows = check_X(self, X, reset=reset, order="C", allow_nan=True, largest=LARGEST, min_rows=2 if reset else 1)
        if reset and len(rows) < self.n_components:
            self._refuse_few(len(rows))
        return rows

    def _refuse_few(self, rows: int) -> None:
        raise ValueError(
            f"Expected n_samples >= n_components but got n_components = {self.n_components}, n_samples = {rows}.\n"
            f"Hint: {type(self).__name__} needs at least one row per component."
        )

    @fit_method
    def fit(self, X: TableLike, y: TargetLike | None = None, sample_weight: WeightsLike = None) -> Self:
        """Find the components.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training rows; NaN where a cell is missing.
        y : ignored
            There for compatibility.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows: 0 removes a row, a whole number repeats it.
        """
        rows = self._check_table(X, reset=True)
        weights = check_weights(self, sample_weight, rows)
        if weights is None:
            cells = ObservedCells(rows)
        else:
            kept = weights > 0.0
            if np.count_nonzero(kept) < self.n_components:
                self._refuse_few(int(np.count_nonzero(kept)))
            cells = ObservedCells(rows if kept.all() else np.ascontiguousarray(rows[kept]), weights[kept])
        filled = filled_table(cells)
        steps = self._steps(cells, filled)
        run = self._climbed(steps, filled, X)
        self._keep_run(run, rows.dtype)
        self.report_ = self._evidence(steps, run, len(rows))
        return self

    def _climbed(self, steps: Any, filled: FilledRows, X: TableLike) -> Climb:
        before = -math.inf
        if self.warm_start and "converged_" in vars(self) and self._fits_before(filled.rows.shape[1]):
            present, before = self._present(), ([-math.inf, *self.lower_bounds_])[-1]
            starts = [lambda: present]
        else:
            starts = self._starts(steps, filled, resolve_seed(self.random_state))
        with Iterations(self, self.max_iter * len(starts), X) as iterations:
            return best_climb(
                steps,
                starts,
                threads=1 if self.n_jobs is None else resolve_threads(self.n_jobs),
                tell=lambda objective: iterations.step(objective=-objective),
                tol=self._tolerance(steps),
                max_iter=self.max_iter,
                before=before,
            )

    def _present(self) -> Any:
        """The parameters from which a warm start goes on."""
        return self._parameters()

    def _tolerance(self, steps: Any) -> float:
        """The change of the objective per row from which on steps end."""
        return self.tol

    def _fits_before(self, width: int) -> bool:
        shape = covariance_shape(self.covariance_type, self.n_components, width)
        return np.shape(self.means_) == (self.n_components, width) and np.shape(self.covariances_) == shape

    def _keep_run(self, run: Climb, dtype: Any) -> None:
        self._keep_parameters(run.parameters, dtype)
        self.history_, self.converged_, self.n_iter_ = np.array(run.history), bool(run.converged), run.steps
        self.lower_bounds_ = run.history[:-1]
        self.lower_bound_ = run.history[-1] if run.steps else -math.inf
        if not run.converged and self.max_iter > 0:
            warn_user(NOT_CONVERGED, ConvergenceWarning)

    def _keep_parameters(self, parameters: Any, dtype: Any) -> None:
        """Set the fitted attributes, in the type of the rows."""
        factors = parameters.factors
        self.weights_, self.means_ = parameters.weights.astype(dtype), parameters.means.astype(dtype)
        self.covariances_, self.precisions_cholesky_ = parameters.covariances.astype(dtype), factors.astype(dtype)
        self.precisions_ = precisions_of(self.covariance_type, factors).astype(dtype)

    def _evidence(self, steps: Any, run: Climb, rows: int) -> Report:
        """What one more step would gain; nothing is said next to a collapse, where rounding decides."""
        plain = self._plain(steps, run.parameters)
        if not is_well_conditioned(plain):
            return Report([])
        try:
            after = steps.log_likelihood(steps.maximize(steps.expect(run.parameters)[1], run.parameters))
        except SingularCovarianceError:
            return Report([])
        if not (math.isfinite(after) and math.isfinite(run.history[-1])):
            return Report([])
        return Report([step_certificate(run.history[-1], after, rows, plain)])

    def _plain(self, steps: Any, parameters: Any) -> dict[str, Any]:
        return {
            "kind": "gaussian",
            "covariance_type": parameters.kind,
            "weights": parameters.weights.tolist(),
            "means": parameters.means.tolist(),
            "covariances": parameters.covariances.tolist(),
            "reg_covar": float(self.reg_covar),
            "prior": None if steps.prior is None else steps.prior.plain(),
        }

    @fit_method
    def fit_predict(
        self, X: TableLike, y: TargetLike | None = None, sample_weight: WeightsLike = None
    ) -> NDArray[np.intp]:
        """Find the components, and give the most probable one of every row.

        Parameters
        ----------
        y : ignored
            There for compatibility.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self.fit(X, sample_weight=sample_weight).predict(X)

    def _parameters(self) -> Gaussians:
        """The attributes in double."""
        parts = (np.asarray(part, dtype=np.float64) for part in (self.weights_, self.means_, self.covariances_))
        return Gaussians(self.covariance_type, *parts)

    def _log_joint(self, rows: Any) -> Floats:
        if not np.isnan(rows).any():
            factors = np.asarray(self.precisions_cholesky_, dtype=np.float64)
            means = np.asarray(self.means_, dtype=np.float64)
            spread = spread_out(self.covariance_type, factors, *means.shape)
            weights = np.asarray(self.weights_, dtype=np.float64)
            return _native_calls.log_joint(rows, weighted_components(weights, means, spread))
        return ObservedCells(rows).log_joint(self._parameters())

    @predict_method
    def score_samples(self, X: TableLike) -> Floats:
        """The log-density of every row.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        rows = self._check_table(X)
        return np.asarray(logsumexp(self._log_joint(rows), axis=1), dtype=rows.dtype)

    @predict_method
    def impute(self, X: TableLike) -> Floats:
        """The rows with the mean of what is missing, given what is there.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        rows = self._check_table(X)
        return ObservedCells(rows).imputed(self._parameters()).astype(rows.dtype)

    @predict_method
    def sample(self, n_samples: int = 1) -> tuple[Floats, NDArray[np.int64]]:
        """Draw rows from the mixture.

        Parameters
        ----------
        n_samples : int, default=1
            How many.

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
            The rows, component after component.
        y : ndarray of shape (n_samples,)
            Their components.
        """
        if n_samples < 1:
            raise ValueError(
                f"Invalid value for 'n_samples': {n_samples}. The sampling requires at least one sample.\n"
                "Hint: ask for at least one row."
            )
        return drawn_rows(self._parameters(), int(n_samples), check_random_state(self.random_state))

    def _restored(self) -> None:
        if "means_" not in vars(self):
            return
        count, width = self.n_components, self.n_features_in_
        shape = covariance_shape(self.covariance_type, count, width)
        check_shapes(
            self,
            weights_=(count,),
            means_=(count, width),
            covariances_=shape,
            precisions_=shape,
            precisions_cholesky_=shape,
            history_=(None,),
        )
        parts = (self.weights_, self.means_, self.covariances_, self.precisions_, self.precisions_cholesky_)
        if not all(part.dtype in (np.float64, np.float32) and np.isfinite(part).all() for part in parts):
            raise ValueError("the parameters are not finite floating-point numbers.")
        if (self.weights_ < 0.0).any() or abs(float(self.weights_.sum()) - 1.0) > 1e-4:
            raise ValueError("weights_ are no probabilities.")
        found = self._parameters().factors  # refuses covariances that are not positive definite
        if not np.allclose(found, self.precisions_cholesky_, rtol=1e-2, atol=1e-2 * float(np.abs(found).max())):
            raise ValueError("precisions_cholesky_ does not belong to covariances_.")
