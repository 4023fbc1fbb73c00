"""Hidden Markov models whose states emit rows of Gaussian mixtures."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from certus.base import RandomStateLike, register
from certus.base.params import ArrayLike, Exactly, Interval, OneOf
from certus.graphical.emissions.first_means import cluster_means, column_floors, filled_rows, first_means
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
from certus.graphical.learning.chain_answers import normalized_scores
from certus.graphical.learning.chain_updates import dirichlet_log_prior, distributions_in, normalized_counts
from certus.graphical.learning.hidden_markov_model import (
    PRIOR,
    ROWS_BELONG_TOGETHER,
    HiddenMarkovModel,
)
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
    cost="fit O(n k (k + m p)) per round, O(n k (k + m p^2)) with full covariances; predict as a round",
)
class GMMHMM(HiddenMarkovModel):
    """Hidden Markov model whose states emit rows of a mixture of Gaussians.

    Missing cells (NaN) are integrated out, in learning too.

    Parameters
    ----------
    n_mix : int, default=1
        Number of Gaussians of each state.
    min_covar : float, default=0.001
        Added to the variances that learning begins with.
    weights_prior : float or array-like, default=1.0
        Parameters of Dirichlet priors on the weights of each state's Gaussians; 1 is flat.
    means_prior, means_weight : float or array-like, default=0.0
        Mean and strength of the normal prior of the means.
    covars_prior, covars_weight : float or array-like, default=None
        Parameters of the prior of the covariances: shape and scale of an inverse gamma for "spherical" and "diag",
        scale and degrees of an inverse Wishart for "full" and "tied". None: no prior.
    covariance_type : {"spherical", "diag", "full", "tied"}, default="diag"
        One variance per Gaussian, independent columns, any covariance per Gaussian, or one for all of a state.

    Attributes
    ----------
    weights_ : ndarray of shape (n_components, n_mix)
        Weights of the Gaussians of each state.
    means_ : ndarray of shape (n_components, n_mix, n_features)
        Their means.
    covars_ : ndarray
        Their covariances, of shape (n_components, n_mix), (n_components, n_mix, n_features), (n_components, n_mix,
        n_features, n_features) or, tied, (n_components, n_features, n_features).

    Examples
    --------
    >>> import numpy as np
    >>> from certus.graphical import GMMHMM
    >>> rng = np.random.default_rng(0)
    >>> states = np.repeat([0, 1, 0, 1], 100)
    >>> X = np.where(states == 0, rng.choice([-6.0, 0.0], 400), 6.0)[:, None] + rng.normal(size=(400, 1))
    >>> model = GMMHMM(2, n_mix=2, n_iter=100, n_init=4, random_state=0).fit(X)
    >>> found = model.predict(X)
    >>> bool(max(np.mean(found == states), np.mean(found != states)) > 0.99)
    True
    """

    _constraints: ClassVar[Any] = {
        **HiddenMarkovModel._constraints,
        "n_mix": [Interval(1, None, integer=True)],
        "min_covar": [Interval(0, None)],
        "weights_prior": PRIOR,
        "means_prior": NUMBERS,
        "means_weight": [Interval(0, None), ArrayLike()],
        "covars_prior": [Exactly(None), *NUMBERS],
        "covars_weight": [Exactly(None), *NUMBERS],
        "covariance_type": [OneOf(*KINDS)],
        "params": [Letters("stmcw")],
        "init_params": [Letters("stmcw")],
    }
    _state: ClassVar[tuple[str, ...]] = (*HiddenMarkovModel._chain_state, "weights_", "means_", "covars_")
    _emitted: ClassVar[dict[str, str]] = {"m": "means_", "c": "covars_", "w": "weights_"}

    weights_: Floats
    means_: Floats
    covars_: Floats

    def __init__(
        self,
        n_components: int = 1,
        n_mix: int = 1,
        min_covar: float = 1e-3,
        startprob_prior: Any = 1.0,
        transmat_prior: Any = 1.0,
        weights_prior: Any = 1.0,
        means_prior: Any = 0.0,
        means_weight: Any = 0.0,
        covars_prior: Any = None,
        covars_weight: Any = None,
        algorithm: str = "viterbi",
        covariance_type: str = "diag",
        random_state: RandomStateLike = None,
        n_iter: int = 10,
        tol: float = 1e-2,
        verbose: bool | int = False,
        params: str = "stmcw",
        init_params: str = "stmcw",
        implementation: str = "log",
        n_init: int = 1,
    ) -> None:
        self._set_parameters(locals())

    @property
    def _matrices(self) -> bool:
        return self.covariance_type in ("full", "tied")

    def _width(self) -> int:
        return int(np.shape(self.means_)[-1])

    def _flat_means(self) -> Floats:
        return self.means_.reshape(-1, self._width())

    def _spread(self) -> Floats:
        """Variances of shape (states * mixtures, d), or covariances of shape (states * mixtures, d, d)."""
        width = self._width()
        if self.covariance_type == "spherical":
            return np.repeat(self.covars_.reshape(-1, 1), width, axis=1)
        if self.covariance_type == "tied":
            return np.repeat(self.covars_, self.n_mix, axis=0)
        return self.covars_.reshape(-1, *self.covars_.shape[2:])

    def _before_start(self, batches: SequenceInput) -> None:
        self._floors = column_floors(next(iter(batches)), self.min_covar)

    def _start_emissions(self, batch: SequenceBatch, letters: str, rng: np.random.Generator) -> None:
        states, mixtures = self.n_components, self.n_mix
        rows = filled_rows(batch)
        width = rows.shape[1]
        if "m" in letters:
            centers = first_means(batch, states, rng)
            nearest = ((rows[:, None] - centers) ** 2).sum(axis=2).argmin(axis=1)
            own = [rows[nearest == k] if (nearest == k).any() else centers[k : k + 1] for k in range(states)]
            self.means_ = np.array([cluster_means(part, mixtures, rng) for part in own])
        if "w" in letters:
            self.weights_ = np.full((states, mixtures), 1.0 / mixtures)
        if "c" in letters:
            one = np.atleast_2d(np.cov(rows.T, bias=len(rows) == 1)) + self.min_covar * np.eye(width)
            first = {
                "spherical": np.full((states, mixtures), np.trace(one) / width),
                "diag": np.tile(np.diag(one), (states, mixtures, 1)),
                "full": np.tile(one, (states, mixtures, 1, 1)),
                "tied": np.tile(one, (states, 1, 1)),
            }[self.covariance_type]
            self.covars_ = at_least(first, self._floors, matrices=self._matrices)

    def _check_emissions(self) -> None:
        states, mixtures = self.n_components, self.n_mix
        self.weights_ = distributions_in(self.weights_, "weights_", (states, mixtures))
        means = np.array(self.means_, dtype=np.float64)
        width = vars(self).get("n_features_in_", means.shape[-1] if means.ndim else 0)
        if means.shape != (states, mixtures, width) or not np.isfinite(means).all():
            raise ValueError(
                f"means_ must be finite and have the shape {(states, mixtures, width)}, got {means.shape}."
            )
        self.means_ = np.ascontiguousarray(means)
        shape = {
            "spherical": (states, mixtures),
            "diag": (states, mixtures, width),
            "full": (states, mixtures, width, width),
            "tied": (states, width, width),
        }[self.covariance_type]
        self.covars_ = check_covariances(self.covars_, "covars_", shape, matrices=self._matrices)

    def _log_parts(self, rows: ObservedRows) -> Floats:
        """Log of weight times density, of shape (n_rows, states, mixtures)."""
        with np.errstate(divide="ignore"):
            weights = np.log(self.weights_)
        found = log_densities(rows, self._flat_means(), self._spread())
        return found.reshape(len(rows), self.n_components, self.n_mix) + weights

    def _log_emissions(self, rows: ObservedRows) -> Floats:
        return np.ascontiguousarray(logsumexp(self._log_parts(rows), axis=2))

    def _shares(self, rows: ObservedRows, posterior: Floats) -> Floats:
        """Probabilities of state and Gaussian of every row, of shape (n_rows, states * mixtures)."""
        parts = self._log_parts(rows)
        most = parts.max(axis=2, keepdims=True)
        parts = np.exp(parts - np.where(np.isfinite(most), most, 0.0))
        parts *= posterior[:, :, None] / np.maximum(parts.sum(axis=2, keepdims=True), 1e-300)
        return parts.reshape(len(rows), -1)

    def _emission_statistics(self, rows: ObservedRows, posterior: Floats) -> Statistics:
        shares = self._shares(rows, posterior)
        shares[rows.absent] = 0.0
        found = expected_moments(rows, shares, self._flat_means(), self._spread())
        return {**found, "mixtures": shares.sum(axis=0).reshape(self.n_components, self.n_mix)}

    def _prior(self) -> GaussianPrior:
        """Priors of all Gaussians; degrees and scale are those of one covariance, whatever shares it."""
        states, mixtures, width = self.means_.shape
        count = states * mixtures
        strength = broadcast_prior(self.means_weight, "means_weight", (states, mixtures))
        mean = broadcast_prior(self.means_prior, "means_prior", (states, mixtures, width)).reshape(count, width)
        first, second = self.covars_prior, self.covars_weight
        if self._matrices:
            extra = (mixtures if self.covariance_type == "tied" else 1) + width + 1.0
            scale = broadcast_prior(0.0 if first is None else first, "covars_prior", (count, width, width))
            weight = broadcast_prior(-extra if second is None else second, "covars_weight", (count,))
            return GaussianPrior(mean, strength.reshape(count, 1), scale, np.maximum(weight + extra, 0.0))
        extra = width if self.covariance_type == "spherical" else 1.0
        shape = broadcast_prior(-(extra + 2.0) / 2.0 if first is None else first, "covars_prior", (count, 1))
        scale = 2.0 * broadcast_prior(0.0 if second is None else second, "covars_weight", (count, 1))
        return GaussianPrior(
            mean, strength.reshape(count, 1), scale, np.maximum(extra + 2.0 * (shape[:, 0] + 1.0), 0.0)
        )

    def _update_emissions(self, statistics: Statistics, letters: str) -> None:
        if "w" in letters:
            self.weights_ = normalized_counts(statistics["mixtures"], self.weights_prior, self.weights_)
        prior, before = self._prior(), self._flat_means()
        means = new_means(statistics, before, prior) if "m" in letters else before
        states, mixtures, width = self.n_components, self.n_mix, self._width()
        self.means_ = means.reshape(states, mixtures, width)
        if "c" not in letters:
            return
        flat = GaussianPrior(prior.mean, prior.strength, np.zeros(1), prior.degrees)
        around, weight, degrees = scatter(statistics, before, means, flat), statistics["weight"], prior.degrees
        if self.covariance_type == "spherical":
            found = divided(around.sum(axis=1) + prior.scale[:, 0], weight.sum(axis=1) + degrees, self._spread()[:, 0])
        elif self.covariance_type == "diag":
            found = divided(around + prior.scale, weight + degrees[:, None], self._spread())
        elif self.covariance_type == "full":
            found = divided(around + prior.scale, (weight[:, 0] + degrees)[:, None, None], self._spread())
        else:
            grouped = around.reshape(states, mixtures, width, width).sum(axis=1) + prior.scale[::mixtures]
            totals = weight[:, 0].reshape(states, mixtures).sum(axis=1) + degrees[::mixtures]
            found = divided(grouped, totals[:, None, None], self.covars_)
        self.covars_ = at_least(found, self._floors, matrices=self._matrices).reshape(self.covars_.shape)

    def _emission_log_prior(self) -> float:
        prior, spread = self._prior(), self._spread()
        degrees, scale = prior.degrees, prior.scale
        if self.covariance_type == "diag":
            degrees = degrees[:, None]
        elif self.covariance_type == "spherical":  # one variance stands in all columns
            degrees, scale = degrees[:, None] / self._width(), scale / self._width()
        elif self.covariance_type == "tied":  # and one covariance in all Gaussians of a state
            once = np.arange(len(degrees)) % self.n_mix == 0
            degrees, scale = degrees * once, scale * once[:, None, None]
        gaussians = log_prior(self._flat_means(), spread, prior, degrees, scale)
        return gaussians + dirichlet_log_prior(self.weights_, self.weights_prior)

    def _dirichlet_priors(self) -> list[Any]:
        return [*super()._dirichlet_priors(), self.weights_prior]

    def _draw(self, state: int, rng: np.random.RandomState) -> Any:
        place = state * self.n_mix + rng.choice(self.n_mix, p=self.weights_[state])
        mean, spread = self._flat_means()[place], self._spread()[place]
        noise = rng.standard_normal(len(mean))
        return mean + (np.sqrt(spread) * noise if spread.ndim == 1 else np.linalg.cholesky(spread) @ noise)

    def _emission_parameters(self) -> int:
        states, mixtures, width = self.means_.shape
        count, pairs = states * mixtures, width * (width + 1) // 2
        covariances = {"spherical": count, "diag": count * width, "full": count * pairs, "tied": states * pairs}
        return count * width + covariances[self.covariance_type] + states * (mixtures - 1)

    def _emission_scores(self, rows: ObservedRows, posterior: Floats) -> list[Floats]:
        found, spread = self._emission_statistics(rows, posterior), self._spread()
        states, mixtures, width = self.means_.shape
        by_weight = normalized_scores(found["mixtures"], self.weights_)
        if spread.ndim == 2:
            by_variance = 0.5 * (found["second"] / spread**2 - found["weight"] / spread)
            by_kind = by_variance.sum(axis=1) if self.covariance_type == "spherical" else by_variance
            return [found["first"] / spread, by_kind, by_weight]
        inverse = np.linalg.inv(spread)
        by_matrix = 0.5 * (inverse @ found["second"] @ inverse - found["weight"][:, :1, None] * inverse)
        if self.covariance_type == "tied":
            by_matrix = by_matrix.reshape(states, mixtures, width, width).sum(axis=1)
        return [np.einsum("kij,kj->ki", inverse, found["first"]), by_matrix, by_weight]

    def _plain_emissions(self) -> dict[str, Any]:
        spread = self._spread()
        matrices = np.array([np.diag(row) for row in spread]) if spread.ndim == 2 else spread
        shape = (self.n_components, self.n_mix, *matrices.shape[1:])
        return {
            "emission": "mixture",
            "weights": self.weights_.tolist(),
            "means": self.means_.tolist(),
            "covars": matrices.reshape(shape).tolist(),
        }
