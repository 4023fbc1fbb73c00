"""Hidden Markov models whose states emit counts."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy
from sklearn.utils import Tags

from certus.base import RandomStateLike, register
from certus.base.params import ArrayLike, Interval
from certus.graphical.emissions.count_densities import check_counts, log_factorials, times_logarithms
from certus.graphical.emissions.first_means import first_means
from certus.graphical.emissions.gaussian_updates import broadcast_prior, divided
from certus.graphical.learning.baum_welch import Statistics
from certus.graphical.learning.hidden_markov_model import ROWS_BELONG_TOGETHER, HiddenMarkovModel
from certus.graphical.learning.letter_rule import Letters
from certus.graphical.sequences.observed_rows import ObservedRows
from certus.graphical.sequences.sequence_input import SequenceBatch

Floats = NDArray[np.float64]


@register(
    takes="sequences",
    known_failures=ROWS_BELONG_TOGETHER,
    tasks=("density",),
    guarantees=("the likelihood never fell", "no path beats the decoded one"),
    cost="fit O(n k (k + p)) per round; predict as a round",
)
class PoissonHMM(HiddenMarkovModel):
    """Hidden Markov model whose states emit counts with Poisson distributions, independent across columns.

    Missing counts are NaN.

    Parameters
    ----------
    lambdas_prior, lambdas_weight : float or array-like, default=0.0
        Events and rows that a gamma prior adds to those that are seen: the estimate is (prior + sum of counts) /
        (weight + rows).

    Attributes
    ----------
    lambdas_ : ndarray of shape (n_components, n_features)
        Expected counts of the columns in each state.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.graphical import PoissonHMM
    >>> rng = np.random.default_rng(0)
    >>> X = rng.poisson(np.repeat([2.0, 12.0, 2.0], 40))[:, None]
    >>> model = PoissonHMM(2, n_iter=50, random_state=0).fit(X)
    >>> print(np.sort(model.lambdas_.ravel()).round())
    [ 2. 13.]
    """

    _constraints: ClassVar[Any] = {
        **HiddenMarkovModel._constraints,
        "lambdas_prior": [Interval(0, None), ArrayLike()],
        "lambdas_weight": [Interval(0, None), ArrayLike()],
        "params": [Letters("stl")],
        "init_params": [Letters("stl")],
    }
    _state: ClassVar[tuple[str, ...]] = (*HiddenMarkovModel._chain_state, "lambdas_")
    _emitted: ClassVar[dict[str, str]] = {"l": "lambdas_"}

    lambdas_: Floats

    def __init__(
        self,
        n_components: int = 1,
        startprob_prior: Any = 1.0,
        transmat_prior: Any = 1.0,
        lambdas_prior: Any = 0.0,
        lambdas_weight: Any = 0.0,
        algorithm: str = "viterbi",
        random_state: RandomStateLike = None,
        n_iter: int = 10,
        tol: float = 1e-2,
        verbose: bool | int = False,
        params: str = "stl",
        init_params: str = "stl",
        implementation: str = "log",
        n_init: int = 1,
    ) -> None:
        self._set_parameters(locals())

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.input_tags.categorical = True  # whole numbers, for those who read tags
        return tags

    def _width(self) -> int:
        return int(np.shape(self.lambdas_)[-1])

    def _read_rows(self, X: Any, *, reset: bool, learning: bool = False) -> ObservedRows:
        return check_counts(super()._read_rows(X, reset=reset, learning=learning))

    def _start_emissions(self, batch: SequenceBatch, letters: str, rng: np.random.Generator) -> None:
        means = first_means(batch, self.n_components, rng)
        self.lambdas_ = np.maximum(means, 0.01 * (means.mean(axis=0) + 0.1))

    def _check_emissions(self) -> None:
        found = np.array(self.lambdas_, dtype=np.float64)
        if found.ndim != 2 or len(found) != self.n_components:
            raise ValueError(f"lambdas_ must have a row for each of {self.n_components} states, got {found.shape}.")
        if not np.isfinite(found).all() or (found < 0.0).any():
            raise ValueError(f"lambdas_ must hold finite numbers that are not negative, got {found.min():g}.")
        width = vars(self).get("n_features_in_", found.shape[1])
        if found.shape[1] != width:
            raise ValueError(f"lambdas_ must have {width} columns, as X has, got {found.shape[1]}.")
        self.lambdas_ = np.ascontiguousarray(found)

    def _log_emissions(self, rows: ObservedRows) -> Floats:
        expected: Any = self.lambdas_.sum(axis=1) if rows.missing is None else ~rows.missing @ self.lambdas_.T
        found = times_logarithms(rows.values, self.lambdas_) - expected
        return found - log_factorials(rows.values).sum(axis=1)[:, None]

    def _emission_statistics(self, rows: ObservedRows, posterior: Floats) -> Statistics:
        weight = posterior.sum(axis=0)[:, None] if rows.missing is None else posterior.T @ ~rows.missing
        return {"counts": posterior.T @ rows.values, "weight": weight}

    def _prior(self) -> tuple[Floats, Floats]:
        shape = self.lambdas_.shape
        return (
            broadcast_prior(self.lambdas_prior, "lambdas_prior", shape),
            broadcast_prior(self.lambdas_weight, "lambdas_weight", shape),
        )

    def _update_emissions(self, statistics: Statistics, letters: str) -> None:
        if "l" in letters:
            events, rows = self._prior()
            self.lambdas_ = divided(events + statistics["counts"], rows + statistics["weight"], self.lambdas_)

    def _emission_log_prior(self) -> float:
        events, rows = self._prior()
        return float((xlogy(events, self.lambdas_) - rows * self.lambdas_).sum())

    def _draw(self, state: int, rng: np.random.RandomState) -> Any:
        return rng.poisson(self.lambdas_[state])

    def _emission_parameters(self) -> int:
        return self.n_components * self._width()

    def _emission_scores(self, rows: ObservedRows, posterior: Floats) -> list[Floats]:
        found = self._emission_statistics(rows, posterior)
        positive = self.lambdas_ > 0.0
        return [found["counts"] / np.where(positive, self.lambdas_, np.inf) - found["weight"]]

    def _plain_emissions(self) -> dict[str, Any]:
        return {"emission": "poisson", "lambdas": self.lambdas_.tolist()}
