"""Hidden Markov models whose states emit Gaussian rows."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from certus.base import RandomStateLike, register
from certus.base.params import ArrayLike, Interval, OneOf
from certus.graphical.emissions.first_means import column_floors, filled_rows, first_means
from certus.graphical.emissions.gaussian_densities import KINDS, check_covariances, log_densities
from certus.graphical.emissions.gaussian_moments import expected_moments
from certus.graphical.emissions.gaussian_updates import (
    GaussianPrior,
    at_least,
    broadcast_prior,
    divided,
    log_prior,
    new_means,
    scatter,
)
from certus.graphical.learning.baum_welch import Statistics
from certus.graphical.learning.hidden_markov_model import ROWS_BELONG_TOGETHER, HiddenMarkovModel
from certus.graphical.learning.letter_rule import Letters
from certus.graphical.sequences.observed_rows import ObservedRows
from certus.graphical.sequences.sequence_input import SequenceBatch, SequenceInput

Floats = NDArray[np.float64]
NUMBERS = [Interval(None, None), ArrayLike()]


@register(
    takes="sequences",
    known_failures=ROWS_BELONG_TOGETHER,
    tasks=("density",),
    guarantees=("the likelihood never fell", "no path beats the decoded one"),
    cost="fit O(n k (k + p)) per round, O(n k (k + p^2)) with full covariances; predict as a round",
)
class GaussianHMM(HiddenMarkovModel):
    """Hidden Markov model whose states emit rows of a Gaussian distribution.

    Missing cells (NaN) are integrated out, in learning too.

    Parameters
    ----------
    covariance_type : {"spherical", "diag", "full", "tied"}, default="diag"
        One variance per state, independent columns, any covariance per state, or one covariance for all states.
    min_covar : float, default=0.001
        Added to the variances that learning begins with.
    means_prior, means_weight : float or array-like, default=0
        Mean and strength of the normal prior of the means.
    covars_prior : float or array-like, default=0.01
        Scale of the prior of the covariances, inverse gamma or inverse Wishart; a number stands for a matrix full of
        it, as in hmmlearn.
    covars_weight : float, default=1
        Its strength.

    Attributes
    ----------
    means_ : ndarray of shape (n_components, n_features)
        Means of the states.
    covars_ : ndarray of shape (n_components, n_features, n_features)
        Covariances of the states. Set them in the form of the type: (n_components,), (n_components, n_features),
        (n_components, n_features, n_features) or, tied, (n_features, n_features).

    Examples
    --------
    >>> import numpy as np
    >>> from certus.graphical import GaussianHMM
    >>> rng = np.random.default_rng(0)
    >>> states = np.repeat([0, 1, 0, 1], 50)
    >>> X = rng.normal(4.0 * states, 1.0)[:, None]
    >>> model = GaussianHMM(2, n_iter=100, random_state=0).fit(X)
    >>> print(np.sort(model.means_.ravel()).round(1))
    [0.1 3.9]
    >>> found = model.predict(X)
    >>> print(max(np.mean(found == states), np.mean(found != states)))
    1.0
    """

    _constraints: ClassVar[Any] = {
        **HiddenMarkovModel._constraints,
        "covariance_type": [OneOf(*KINDS)],
        "min_covar": [Interval(0, None)],
        "means_prior": NUMBERS,
        "means_weight": [Interval(0, None), ArrayLike()],
        "covars_prior": [Interval(0, None), ArrayLike()],
        "covars_weight": [Interval(0, None)],
        "params": [Letters("stmc")],
        "init_params": [Letters("stmc")],
    }
    _state: ClassVar[tuple[str, ...]] = (*HiddenMarkovModel._chain_state, "means_", "_covars_")
    _emitted: ClassVar[dict[str, str]] = {"m": "means_", "c": "covars_"}

    covariance_type: str
    means_: Floats
    _covars_: Floats

    def __init__(
        self,
        n_components: int = 1,
        covariance_type: str = "diag",
        min_covar: float = 1e-3,
        startprob_prior: Any = 1.0,
        transmat_prior: Any = 1.0,
        means_prior: Any = 0,
        means_weight: Any = 0,
        covars_prior: Any = 1e-2,
        covars_weight: float = 1,
        algorithm: str = "viterbi",
        random_state: RandomStateLike = None,
        n_iter: int = 10,
        tol: float = 1e-2,
        verbose: bool | int = False,
        params: str = "stmc",
        init_params: str = "stmc",
        implementation: str = "log",
        n_init: int = 1,
    ) -> None:
        self._set_parameters(locals())

    @property
    def covars_(self) -> Floats:
        """Covariances of the states as matrices."""
        if "_covars_" not in vars(self):
            raise AttributeError(f"{type(self).__name__} has no covars_ yet.")
        spread = self._spread()
        return np.array([np.diag(row) for row in spread]) if spread.ndim == 2 else spread.copy()

    @covars_.setter
    def covars_(self, values: Any) -> None:
        given = np.array(values, dtype=np.float64)
        states, width = self.n_components, given.shape[-1] if given.ndim else 1
        if self.covariance_type == "spherical":
            if given.ndim == 3:  # what the attribute gives
                given = given[:, 0, 0]
            elif given.ndim == 2 and (given == given[:, :1]).all():
                given = given[:, 0]
        elif self.covariance_type == "diag" and given.ndim == 3:
            given = np.diagonal(given, axis1=1, axis2=2).copy()
        elif self.covariance_type == "tied" and given.ndim == 3 and (given == given[:1]).all():
            given = given[0]
        shape = {
            "spherical": (states,),
            "diag": (states, width),
            "full": (states, width, width),
            "tied": (width, width),
        }
        self._covars_ = check_covariances(given, "covars_", shape[self.covariance_type], matrices=self._matrices)

    @property
    def _matrices(self) -> bool:
        return self.covariance_type in ("full", "tied")

    def _is_set(self, name: str) -> bool:
        return super()._is_set(self._stored_name(name))

    def _stored_name(self, name: str) -> str:
        return "_covars_" if name == "covars_" else name

    def _forget(self) -> None:
        super()._forget()
        self.__dict__.pop("_covars_", None)

    def _width(self) -> int:
        return int(np.shape(self.means_)[-1])

    def _spread(self) -> Floats:
        """Variances of shape (states, d), or covariances of shape (states, d, d)."""
        states, width = self.n_components, self._width()
        if self.covariance_type == "spherical":
            return np.repeat(self._covars_[:, None], width, axis=1)
        if self.covariance_type == "tied":
            return np.repeat(self._covars_[None], states, axis=0)
        return self._covars_

    def _before_start(self, batches: SequenceInput) -> None:
        self._floors = column_floors(next(iter(batches)), self.min_covar)

    def _start_emissions(self, batch: SequenceBatch, letters: str, rng: np.random.Generator) -> None:
        states = self.n_components
        if "m" in letters:
            self.means_ = first_means(batch, states, rng)
        if "c" in letters:
            rows = filled_rows(batch)
            width = rows.shape[1]
            one = np.atleast_2d(np.cov(rows.T, bias=len(rows) == 1)) + self.min_covar * np.eye(width)
            self._covars_ = {
                "spherical": np.full(states, np.trace(one) / width),
                "diag": np.tile(np.diag(one), (states, 1)),
                "full": np.tile(one, (states, 1, 1)),
                "tied": one,
            }[self.covariance_type]
            self._covars_ = at_least(self._covars_, self._floors, matrices=self._matrices)

    def _check_emissions(self) -> None:
        means = np.array(self.means_, dtype=np.float64)
        if means.ndim != 2 or len(means) != self.n_components or not np.isfinite(means).all():
            raise ValueError(
                f"means_ must be finite and have a row for each of {self.n_components} states, got the shape "
                f"{means.shape}."
            )
        width = vars(self).get("n_features_in_", means.shape[1])
        if means.shape[1] != width:
            raise ValueError(f"means_ must have {width} columns, as X has, got {means.shape[1]}.")
        self.means_ = np.ascontiguousarray(means)
        self.covars_ = self._covars_
        if self._covars_.ndim > 1 and self._covars_.shape[-1] != means.shape[1]:
            raise ValueError(f"covars_ must be of {means.shape[1]} columns, as means_, got {self._covars_.shape[-1]}.")

    def _log_emissions(self, rows: ObservedRows) -> Floats:
        return log_densities(rows, self.means_, self._spread())

    def _emission_statistics(self, rows: ObservedRows, posterior: Floats) -> Statistics:
        return expected_moments(rows, posterior, self.means_, self._spread())

    def _prior(self) -> GaussianPrior:
        states, width = self.n_components, self._width()
        shape = (states, width, width) if self._matrices else (states, width)
        return GaussianPrior(
            broadcast_prior(self.means_prior, "means_prior", (states, width)),
            broadcast_prior(self.means_weight, "means_weight", (states, 1)),
            broadcast_prior(self.covars_prior, "covars_prior", shape),
            np.full(states, max(self.covars_weight - (width if self._matrices else 1), 0.0)),
        )

    def _update_emissions(self, statistics: Statistics, letters: str) -> None:
        prior, before = self._prior(), self.means_
        if "m" in letters:
            self.means_ = new_means(statistics, before, prior)
        if "c" not in letters:
            return
        around, weight, degrees = scatter(statistics, before, self.means_, prior), statistics["weight"], prior.degrees
        kind = self.covariance_type
        if kind == "diag":
            found = divided(around, degrees[:, None] + weight, self._covars_)
        elif kind == "spherical":
            found = divided(around.sum(axis=1), (degrees[:, None] + weight).sum(axis=1), self._covars_)
        elif kind == "full":
            found = divided(around, (degrees + weight[:, 0])[:, None, None], self._covars_)
        else:  # the prior counts once
            total = around.sum(axis=0) - prior.scale[1:].sum(axis=0)
            found = divided(total, degrees[0] + weight[:, 0].sum(), self._covars_)
        self._covars_ = at_least(found, self._floors, matrices=self._matrices)

    def _emission_log_prior(self) -> float:
        prior, spread = self._prior(), self._spread()
        if spread.ndim == 2:
            return log_prior(self.means_, spread, prior, prior.degrees[:, None], prior.scale)
        if self.covariance_type == "tied":  # the prior of the covariance counts once
            once = np.arange(self.n_components) == 0
            return log_prior(self.means_, spread, prior, prior.degrees * once, prior.scale * once[:, None, None])
        return log_prior(self.means_, spread, prior, prior.degrees, prior.scale)

    def _draw(self, state: int, rng: np.random.RandomState) -> Any:
        spread = self._spread()[state]
        if spread.ndim == 1:
            return self.means_[state] + np.sqrt(spread) * rng.standard_normal(len(spread))
        return self.means_[state] + np.linalg.cholesky(spread) @ rng.standard_normal(len(spread))

    def _emission_parameters(self) -> int:
        states, width = self.n_components, self._width()
        pairs = width * (width + 1) // 2
        return (
            states * width
            + {"spherical": states, "diag": states * width, "full": states * pairs, "tied": pairs}[self.covariance_type]
        )

    def _emission_scores(self, rows: ObservedRows, posterior: Floats) -> list[Floats]:
        spread = self._spread()
        found = expected_moments(rows, posterior, self.means_, spread)
        if spread.ndim == 2:
            by_variance = 0.5 * (found["second"] / spread**2 - found["weight"] / spread)
            by_kind = by_variance.sum(axis=1) if self.covariance_type == "spherical" else by_variance
            return [found["first"] / spread, by_kind]
        inverse = np.linalg.inv(spread)
        by_matrix = 0.5 * (inverse @ found["second"] @ inverse - found["weight"][:, :1, None] * inverse)
        by_mean = np.einsum("kij,kj->ki", inverse, found["first"])
        return [by_mean, by_matrix.sum(axis=0) if self.covariance_type == "tied" else by_matrix]

    def _plain_emissions(self) -> dict[str, Any]:
        return {"emission": "gaussian", "means": self.means_.tolist(), "covars": self.covars_.tolist()}
