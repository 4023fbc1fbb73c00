"""Mixture of Gaussians by variational Bayes: components that the rows do not need are left nearly empty."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from certus.base import RandomStateLike, register
from certus.base.params import ArrayLike, Exactly, Interval, OneOf
from certus.base.persistence import check_shapes
from certus.mixture.learning.gaussian_learner import GaussianLearner
from certus.mixture.learning.gaussians import has_matrices
from certus.mixture.learning.given_parameters import checked_matrices, checked_values
from certus.mixture.learning.mixture_starts import FilledRows, first_moments
from certus.mixture.learning.observed_cells import ObservedCells
from certus.mixture.learning.variational_gaussians import VariationalGaussians, VariationalPrior
from certus.mixture.learning.variational_steps import VariationalSteps

Floats = NDArray[np.float64]
_POSITIVE = Interval(0, None, closed="neither")


@register(
    tasks=("density",),
    guarantees=("gain of one more step of the ELBO", "held-out bound on the share of improbable rows"),
    cost="fit O(k n p^2) per step, O(k n p) with diagonal covariances; predict as a step",
)
class BayesianGaussianMixture(GaussianLearner):
    """Mixture of Gaussians by variational Bayes.

    Weights have a Dirichlet distribution or come from a Dirichlet process, means and precisions are normal-Wishart
    (normal-gamma with diagonal covariances). Steps maximize a lower bound of the log evidence, the ELBO

        E ln p(rows, components, parameters) - E ln q(components) q(parameters)

    over distributions q of that form; it is complete, with all constants. Missing cells (NaN) are integrated out.

    Parameters
    ----------
    covariance_type : {"full", "tied", "diag", "spherical"}, default="full"
        Any covariance per component, one for all, independent columns, or one variance per component.
    tol : float, default=1e-3
        Steps end when one changes the ELBO of all rows by less than this.
    reg_covar : float, default=1e-6
        Added to variances in every step. The ELBO can then fall a little; with 0 it never does.
    n_init : int, default=1
        Number of starts; the one that ends highest is kept.
    init_params : {"kmeans", "k-means++", "random", "random_from_data"}, default="kmeans"
        Where to start: clusters, rows far from each other, random shares of the rows, or random rows.
    weight_concentration_prior_type : {"dirichlet_process", "dirichlet_distribution"}, default="dirichlet_process"
        Prior of the weights.
    weight_concentration_prior : float or None, default=None
        Its concentration: lower leaves more components empty. None is 1 / n_components.
    mean_precision_prior : float or None, default=None
        How many rows the prior of a mean counts for. None is 1.
    mean_prior : array-like of shape (n_features,) or None, default=None
        Around which means are expected. None is the mean of the rows.
    degrees_of_freedom_prior : float or None, default=None
        Degrees of freedom of a precision. None is n_features.
    covariance_prior : float, array-like or None, default=None
        Inverse scale of a precision, in the shape of one component's covariance. None is the covariance of the rows,
        plus ``reg_covar`` where that is singular.
    warm_start : bool, default=False
        Whether a further fit goes on from the present parameters.
    verbose_interval : int, default=10
        There for compatibility; every step is printed.
    n_jobs : int, default=None
        How many starts are climbed from at a time. The result does not depend on it.

    Attributes
    ----------
    weights_ : ndarray of shape (n_components,)
        Expected shares of the components.
    weight_concentration_ : tuple of two ndarrays, or ndarray of shape (n_components,)
        Parameters of the Beta distributions of the process, or of the Dirichlet distribution.
    means_ : ndarray of shape (n_components, n_features)
        Expected means.
    mean_precision_ : ndarray of shape (n_components,)
        How many rows stand behind every mean, the prior's included.
    covariances_ : ndarray
        Inverses of the expected precisions, in scikit-learn's shapes.
    precisions_, precisions_cholesky_ : ndarray
        Expected precisions, and upper triangular factors of these.
    degrees_of_freedom_ : ndarray of shape (n_components,) or float
        Degrees of freedom of the precisions.
    weight_concentration_prior_, mean_precision_prior_, mean_prior_, degrees_of_freedom_prior_, covariance_prior_
        The prior that was used.
    history_ : ndarray
        ELBO per row: before every step, and at the end.
    lower_bound_ : float
        ELBO per row at the end.
    lower_bounds_ : list of float
        Before every step.
    report_ : Report
        How much the ELBO per row would gain by one more step; a local statement.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.mixture import BayesianGaussianMixture
    >>> X = np.concatenate([np.random.default_rng(0).normal(m, 1, (50, 1)) for m in (0.0, 9.0)])
    >>> model = BayesianGaussianMixture(5, weight_concentration_prior=0.01, max_iter=500, random_state=0).fit(X)
    >>> int((model.weights_ > 0.05).sum())
    2
    """

    _constraints: ClassVar[Any] = {
        **GaussianLearner._constraints,
        "covariance_type": [OneOf("full", "tied", "diag", "spherical")],
        "weight_concentration_prior_type": [OneOf("dirichlet_process", "dirichlet_distribution")],
        "weight_concentration_prior": [_POSITIVE, Exactly(None)],
        "mean_precision_prior": [_POSITIVE, Exactly(None)],
        "mean_prior": [ArrayLike(), Exactly(None)],
        "degrees_of_freedom_prior": [_POSITIVE, Exactly(None)],
        "covariance_prior": [ArrayLike(), _POSITIVE, Exactly(None)],
    }
    _state: ClassVar[tuple[str, ...]] = (
        *GaussianLearner._state,
        "weight_concentration_",
        "mean_precision_",
        "degrees_of_freedom_",
        "weight_concentration_prior_",
        "mean_precision_prior_",
        "mean_prior_",
        "degrees_of_freedom_prior_",
        "covariance_prior_",
    )

    weight_concentration_prior_type: str
    weight_concentration_prior: float | None
    mean_precision_prior: float | None
    mean_prior: Any
    degrees_of_freedom_prior: float | None
    covariance_prior: Any
    weight_concentration_: Any
    mean_precision_: Any
    degrees_of_freedom_: Any
    covariance_prior_: Any
    mean_prior_: Any

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
        weight_concentration_prior_type: str = "dirichlet_process",
        weight_concentration_prior: float | None = None,
        mean_precision_prior: float | None = None,
        mean_prior: Any = None,
        degrees_of_freedom_prior: float | None = None,
        covariance_prior: Any = None,
        random_state: RandomStateLike = None,
        warm_start: bool = False,
        verbose: int = 0,
        verbose_interval: int = 10,
        n_jobs: int | None = None,
    ) -> None:
        self._set_parameters(locals())

    def _steps(self, cells: ObservedCells, filled: FilledRows) -> VariationalSteps:
        width = filled.rows.shape[1]
        given = self.degrees_of_freedom_prior
        if given is not None and given <= width - 1.0:
            raise ValueError(
                f"The parameter 'degrees_of_freedom_prior' should be greater than {width - 1}, but got {given:.3f}."
            )
        concentration, pull = self.weight_concentration_prior, self.mean_precision_prior
        prior = VariationalPrior(
            self.weight_concentration_prior_type == "dirichlet_process",
            1.0 / self.n_components if concentration is None else float(concentration),
            filled.mean if self.mean_prior is None else checked_values(self.mean_prior, (width,), "means"),
            1.0 if pull is None else float(pull),
            float(width if given is None else given),
            self._prior_scale(filled, cells.total),
        )
        return VariationalSteps(cells, self.reg_covar, prior)

    def _prior_scale(self, filled: FilledRows, total: float) -> Floats:
        """The inverse scale, in the shape of one component's covariance."""
        kind, width = self.covariance_type, filled.rows.shape[1]
        if self.covariance_prior is None:
            covariance = filled.covariance * (total / max(total - 1.0, 1.0))
            variances = np.diag(covariance)
            found = covariance if has_matrices(kind) else variances if kind == "diag" else np.asarray(variances.mean())
            return self._regular(found)
        if kind == "spherical":
            return checked_values([self.covariance_prior], (1,), "spherical covariance_prior", positive=True)[0]
        if kind == "diag":
            return checked_values(self.covariance_prior, (width,), "diag covariance_prior", positive=True)
        return checked_matrices(self.covariance_prior, "tied", 1, width, "covariance_prior")

    def _regular(self, scale: Floats) -> Floats:
        """The covariance of the rows, with ``reg_covar`` added where it is singular: no density belongs to it then."""
        if scale.ndim == 2:
            lengths = np.sqrt(np.diag(scale))
            regular = bool((lengths > 0.0).all())
            regular = regular and float(np.linalg.eigvalsh(scale / np.outer(lengths, lengths))[0]) > 1e-12
        else:
            regular = bool((scale > 0.0).all())
        if regular:
            return scale
        if self.reg_covar == 0.0:
            raise ValueError(
                "covariance_prior=None needs rows whose covariance is regular; here a column is constant or a "
                "combination of others.\nHint: give covariance_prior, or a reg_covar above 0, which is then added."
            )
        return scale + self.reg_covar * (np.eye(len(scale)) if scale.ndim == 2 else 1.0)

    def _starts(self, steps: VariationalSteps, filled: FilledRows, seed: int) -> list[Any]:
        def start(run: int) -> VariationalGaussians:
            moments = first_moments(filled, self.covariance_type, self.n_components, self.init_params, [seed, run])
            return steps.updated(moments, self.covariance_type)

        return [partial(start, run) for run in range(self.n_init)]

    def _tolerance(self, steps: VariationalSteps) -> float:
        return self.tol / steps.cells.total

    def _keep_parameters(self, parameters: VariationalGaussians, dtype: Any) -> None:
        super()._keep_parameters(_Expected(parameters), dtype)
        own = parameters.concentrations
        self.weight_concentration_ = (own[0].copy(), own[1].copy()) if parameters.prior.process else own.copy()
        self.mean_precision_ = parameters.pulls
        degrees = parameters.degrees
        self.degrees_of_freedom_ = float(degrees) if degrees.ndim == 0 else degrees
        prior = parameters.prior
        self.weight_concentration_prior_, self.mean_precision_prior_ = prior.concentration, prior.pull
        self.mean_prior_, self.degrees_of_freedom_prior_ = prior.mean, prior.degrees
        self.covariance_prior_ = float(prior.scale) if prior.scale.ndim == 0 else prior.scale

    def _plain(self, steps: VariationalSteps, parameters: VariationalGaussians) -> dict[str, Any]:
        prior = parameters.prior
        return {
            "kind": "variational",
            "covariance_type": parameters.kind,
            **{name: value.tolist() for name, value in parameters.describe().items()},
            "process": prior.process,
            "concentration_prior": prior.concentration,
            "mean_prior": prior.mean.tolist(),
            "pull_prior": prior.pull,
            "degrees_prior": prior.degrees,
            "scale": prior.scale.tolist(),
            "reg_covar": float(self.reg_covar),
        }

    def _present(self) -> VariationalGaussians:
        """The beliefs that the attributes hold, in double."""
        prior = VariationalPrior(
            isinstance(self.weight_concentration_, tuple),
            float(self.weight_concentration_prior_),
            np.asarray(self.mean_prior_, dtype=np.float64),
            float(self.mean_precision_prior_),
            float(self.degrees_of_freedom_prior_),
            np.asarray(self.covariance_prior_, dtype=np.float64),
        )
        names = ("weight_concentration_", "means_", "mean_precision_", "degrees_of_freedom_", "covariances_")
        parts = (np.asarray(getattr(self, name), dtype=np.float64) for name in names)
        return VariationalGaussians(self.covariance_type, prior, *parts)

    def _log_joint(self, rows: Any) -> Floats:
        """E ln(weight_k p_k(x)) under the beliefs."""
        present = self._present()
        return ObservedCells(rows).log_joint(present.gaussians) + present.log_total

    def _restored(self) -> None:
        super()._restored()
        if "means_" not in vars(self):
            return
        count, width = self.n_components, self.n_features_in_
        check_shapes(self, mean_precision_=(count,), mean_prior_=(width,))
        own = self.weight_concentration_
        sticks = own if isinstance(own, tuple) else (own,)
        if not all(part.shape == (count,) and (part > 0.0).all() for part in sticks) or len(sticks) > 2:
            raise ValueError("weight_concentration_ does not have a positive number per component.")
        degrees = np.asarray(self.degrees_of_freedom_)
        if (
            degrees.shape != (() if self.covariance_type == "tied" else (count,))
            or not (self.mean_precision_ > 0).all()
        ):
            raise ValueError("degrees_of_freedom_ and mean_precision_ do not belong to the components.")


class _Expected:
    """Beliefs with the names of plain parameters."""

    def __init__(self, beliefs: VariationalGaussians) -> None:
        self.weights, self.means, self.covariances = beliefs.weights, beliefs.means, beliefs.covariances
        self.factors = beliefs.gaussians_factors
