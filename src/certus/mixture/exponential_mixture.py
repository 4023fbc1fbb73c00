"""Mixture of exponential families by expectation and maximization: switches, counts, waiting times, categories."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags, check_random_state

from certus.base import Iterations, check_X, fit_method, predict_method, register, resolve_seed, warn_user
from certus.base.em import best_climb
from certus.base.inputs import RandomStateLike, TableLike, TargetLike, WeightsLike, check_weights
from certus.base.params import Interval, OneOf, RandomState
from certus.base.persistence import check_shapes
from certus.guarantees import Report
from certus.mixture.evidence.next_step import step_certificate
from certus.mixture.learning.family_columns import FAMILIES, FamilyColumns, drawn_cells, refuse_foreign_cells
from certus.mixture.learning.mixture_model import LARGEST, MixtureModel

Floats = NDArray[np.float64]


class _Parameters(NamedTuple):
    weights: Floats
    means: Floats


class _FamilySteps:
    """The rows as the driver of EM sees them."""

    ascends = True

    def __init__(self, columns: FamilyColumns, weights: Floats) -> None:
        self.columns, self.weights, self.total = columns, weights, float(weights.sum())

    def log_joint(self, parameters: _Parameters) -> Floats:
        """ln(weight_k p_k(x))."""
        with np.errstate(divide="ignore"):
            return self.columns.log_densities(parameters.means) + np.log(parameters.weights)

    def expect(self, parameters: _Parameters) -> tuple[float, Floats]:
        """Log-likelihood per row, and the shares of the components in every row times its weight."""
        joint = self.log_joint(parameters)
        densities = logsumexp(joint, axis=1)
        shares = self.weights[:, None] * np.exp(joint - densities[:, None])
        return float(self.weights @ densities) / self.total, shares

    def maximize(self, statistics: Floats, parameters: _Parameters) -> _Parameters:
        """The shares of the components, and the means of the cells by their shares."""
        means = self.columns.means(statistics, parameters.means)
        return _Parameters(statistics.sum(axis=0) / statistics.sum(), self.checked(means))

    def checked(self, means: Floats) -> Floats:
        """The means, unless one of waiting times is 0."""
        if self.columns.family == "exponential" and not (means > 0.0).all():
            component, column = np.argwhere(~(means > 0.0))[0]
            raise ValueError(
                f"The likelihood has no end: component {component} has only zeros left in column {column}.\n"
                "Hint: use fewer components, or leave rows with zeros out."
            )
        return means

    def log_likelihood(self, parameters: _Parameters) -> float:
        """Log-likelihood per row."""
        return self.expect(parameters)[0]

    def expected_log_likelihood(self, new: _Parameters, old: _Parameters) -> float:
        """Q(new, old)."""
        shares, joint = self.expect(old)[1], self.log_joint(new)
        return float((shares * np.where(shares > 0.0, joint, 0.0)).sum())

    def describe(self, parameters: _Parameters) -> dict[str, Any]:
        """The parameters by name."""
        return {"weights": parameters.weights.copy(), "parameters": parameters.means.copy()}


@register(
    tasks=("density",),
    guarantees=("gain of one more EM step", "held-out bound on the share of improbable rows"),
    cost="fit O(k n p) per step, predict O(k n p)",
)
class ExponentialMixture(MixtureModel):
    """Mixture whose components have independent columns of one exponential family, by EM.

    Missing cells (NaN) are left out: given the component, the others do not depend on them.

    Parameters
    ----------
    n_components : int, default=1
        Number of components.
    family : {"bernoulli", "poisson", "exponential", "categorical", "gaussian"}, default="gaussian"
        Cells are 0 or 1, counts, waiting times, codes from 0, or numbers with variance 1 (`GaussianMixture` learns
        variances).
    tol : float, default=1e-6
        Steps end when one changes the log-likelihood per row by less than this.
    max_iter : int, default=500
        Most steps.
    n_init : int, default=5
        Number of starts, each half way between the mean of all rows and different rows; the one that ends highest is
        kept.
    random_state : int, RandomState, Generator or None, default=None
        Seed of starts, and of `sample`.

    Attributes
    ----------
    weights_ : ndarray of shape (n_components,)
        Shares of the components.
    parameters_ : ndarray of shape (n_components, n_features)
        The mean of every component and column; for "categorical" (n_components, n_features, n_categories), the
        probability of every category.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.mixture import ExponentialMixture
    >>> X = np.random.default_rng(0).poisson([[2.0, 9.0]] * 100 + [[30.0, 1.0]] * 100)
    >>> ExponentialMixture(2, family="poisson", random_state=0).fit(X).weights_.round(2)
    array([0.5, 0.5])
    """

    _constraints: ClassVar[Any] = {
        "n_components": [Interval(1, None, integer=True)],
        "family": [OneOf(*FAMILIES)],
        "tol": [Interval(0, None)],
        "max_iter": [Interval(1, None, integer=True)],
        "n_init": [Interval(1, None, integer=True)],
        "random_state": [RandomState()],
    }
    _state: ClassVar[tuple[str, ...]] = ("weights_", "parameters_", "history_", "n_iter_", "converged_")

    family: str
    n_init: int
    random_state: Any
    weights_: Floats
    parameters_: Floats

    def __init__(
        self,
        n_components: int = 1,
        *,
        family: str = "gaussian",
        tol: float = 1e-6,
        max_iter: int = 500,
        n_init: int = 5,
        random_state: RandomStateLike = None,
    ) -> None:
        self._set_parameters(locals())

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.positive_only = self.family != "gaussian"
        return tags

    def _check_table(self, X: TableLike, *, reset: bool = False) -> Any:
        rows = check_X(self, X, reset=reset, order="C", dtype=np.float64, largest=LARGEST, allow_nan=True)
        refuse_foreign_cells(rows, self.family)
        return rows

    @fit_method
    def fit(self, X: TableLike, y: TargetLike | None = None, sample_weight: WeightsLike = None) -> ExponentialMixture:
        """Find the components.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training rows; NaN where a cell is missing.
        y : ignored
            There for compatibility.
        """
        table = self._check_table(X, reset=True)
        given = check_weights(self, sample_weight, table)
        weights = np.ones(len(table)) if given is None else given
        rows, weights = table[weights > 0.0], weights[weights > 0.0]
        if len(rows) < self.n_components:
            raise ValueError(
                f"Expected n_samples >= n_components but got n_components = {self.n_components}, n_samples = "
                f"{len(rows)}.\nHint: {type(self).__name__} needs at least one row per component."
            )
        missing = np.isnan(rows).all(axis=0)
        if missing.any():
            raise ValueError(
                f"Every column of X must have a value, got column {int(np.argmax(missing))} with none.\n"
                "Hint: drop this column."
            )
        categories = int(np.nanmax(rows)) + 1 if self.family == "categorical" else 0
        steps = _FamilySteps(FamilyColumns(rows, self.family, categories), weights)
        starts = self._starts(rows, steps, (rows.shape[1], categories) if categories else (rows.shape[1],))
        with Iterations(self, self.max_iter * len(starts), X) as iterations:
            run = best_climb(
                steps,
                starts,
                tol=self.tol,
                max_iter=self.max_iter,
                tell=lambda objective: iterations.step(objective=-objective),
            )
        self.weights_, self.parameters_ = run.parameters
        self.history_, self.n_iter_, self.converged_ = np.array(run.history), run.steps, run.converged
        if not run.converged:
            warn_user(
                f"{type(self).__name__} did not converge in {self.max_iter} steps.\nHint: increase max_iter or tol.",
                ConvergenceWarning,
            )
        after = steps.log_likelihood(steps.maximize(steps.expect(run.parameters)[1], run.parameters))
        plain = {"kind": "family", "family": self.family, "weights": self.weights_.tolist()}
        plain["means"] = self.parameters_.tolist()
        self.report_ = Report([step_certificate(run.history[-1], after, len(table), plain)])
        return self

    def _starts(self, rows: Floats, steps: _FamilySteps, shape: tuple[int, ...]) -> list[Any]:
        columns, count = steps.columns, self.n_components
        whole = steps.checked(columns.means(steps.weights[:, None], np.full((1, *shape), 1.0)))
        places, first, which = np.unique(rows, axis=0, return_index=True, return_inverse=True, equal_nan=True)
        chances = np.bincount(which.ravel(), steps.weights, len(places)) / steps.total
        seed = resolve_seed(self.random_state)

        def start(run: int) -> _Parameters:
            rng = np.random.default_rng([seed, run])
            taken = rng.choice(len(places), min(count, len(places)), replace=False, p=chances)
            drawn = first[np.resize(taken, count)]
            shares = np.zeros((len(rows), count))
            shares[drawn, np.arange(count)] = 1.0
            means = 0.5 * (columns.means(shares, np.tile(whole, (count, *[1] * len(shape)))) + whole)
            return _Parameters(np.full(count, 1.0 / count), means)

        return [partial(start, run) for run in range(self.n_init if count > 1 else 1)]

    def _log_joint(self, rows: Floats) -> Floats:
        categories = self.parameters_.shape[2] if self.family == "categorical" else 0
        steps = _FamilySteps(FamilyColumns(rows, self.family, categories), np.ones(len(rows)))
        return steps.log_joint(_Parameters(self.weights_, self.parameters_))

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
            raise ValueError(f"n_samples must be at least 1, got {n_samples}.")
        rng: Any = check_random_state(self.random_state)
        counts = rng.multinomial(int(n_samples), self.weights_ / self.weights_.sum())
        component = np.repeat(np.arange(self.n_components), counts)
        return drawn_cells(self.family, self.parameters_[component], rng), component

    def _restored(self) -> None:
        if "weights_" not in vars(self):
            return
        count, width = self.n_components, self.n_features_in_
        shape = (count, width, None) if self.family == "categorical" else (count, width)
        check_shapes(self, weights_=(count,), parameters_=shape, history_=(None,))
        if not (np.isfinite(self.parameters_).all() and (self.weights_ >= 0.0).all()):
            raise ValueError("weights_ and parameters_ are not those of a mixture.")
