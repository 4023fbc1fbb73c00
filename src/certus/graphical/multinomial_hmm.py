"""Hidden Markov models whose states emit counts of symbols."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Tags

from certus.base import RandomStateLike, register
from certus.base.params import ArrayLike, Exactly, Interval
from certus.graphical.emissions.count_densities import check_counts, log_factorials, times_logarithms
from certus.graphical.emissions.first_means import cluster_means
from certus.graphical.learning.baum_welch import Statistics
from certus.graphical.learning.chain_answers import normalized_scores
from certus.graphical.learning.chain_updates import distributions_in, normalized_counts
from certus.graphical.learning.hidden_markov_model import ROWS_BELONG_TOGETHER, HiddenMarkovModel
from certus.graphical.learning.letter_rule import Letters
from certus.graphical.sequences.observed_rows import ObservedRows
from certus.graphical.sequences.sequence_input import SequenceBatch, SequenceInput

Floats = NDArray[np.float64]


@register(
    takes="sequences",
    known_failures=ROWS_BELONG_TOGETHER,
    tasks=("density",),
    guarantees=("the likelihood never fell", "no path beats the decoded one"),
    cost="fit O(n k (k + p)) per round; predict as a round",
)
class MultinomialHMM(HiddenMarkovModel):
    """Hidden Markov model whose states emit counts of symbols in some trials: a row has a count per symbol.

    A row of NaN is missing.

    Parameters
    ----------
    n_trials : int or array-like of shape (n_samples,), default=None
        The sums of the rows, which are compared with it; None: they are taken as they are.

    Attributes
    ----------
    emissionprob_ : ndarray of shape (n_components, n_features)
        Probabilities of the symbols in each state.
    n_trials_ : int or None
        The sum of all training rows, if it is one; `sample` uses it.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.graphical import MultinomialHMM
    >>> rng = np.random.default_rng(0)
    >>> X = np.vstack([rng.multinomial(20, p, 30) for p in ([0.8, 0.1, 0.1], [0.1, 0.1, 0.8])])
    >>> model = MultinomialHMM(2, n_iter=50, random_state=0).fit(X)
    >>> print(np.bincount(model.predict(X)))
    [30 30]
    """

    _constraints: ClassVar[Any] = {
        **HiddenMarkovModel._constraints,
        "n_trials": [Exactly(None), Interval(0, None, integer=True), ArrayLike()],
        "params": [Letters("ste")],
        "init_params": [Letters("ste")],
    }
    _state: ClassVar[tuple[str, ...]] = (*HiddenMarkovModel._chain_state, "emissionprob_", "n_trials_")
    _emitted: ClassVar[dict[str, str]] = {"e": "emissionprob_"}

    emissionprob_: Floats
    n_trials_: int | None

    def __init__(
        self,
        n_components: int = 1,
        n_trials: Any = None,
        startprob_prior: Any = 1.0,
        transmat_prior: Any = 1.0,
        algorithm: str = "viterbi",
        random_state: RandomStateLike = None,
        n_iter: int = 10,
        tol: float = 1e-2,
        verbose: bool | int = False,
        params: str = "ste",
        init_params: str = "ste",
        implementation: str = "log",
        n_init: int = 1,
    ) -> None:
        self._set_parameters(locals())

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.input_tags.categorical = True  # whole numbers, for those who read tags
        tags.input_tags.allow_nan = False  # a whole row may be missing, a single count may not
        return tags

    def _width(self) -> int:
        return int(np.shape(self.emissionprob_)[-1])

    def _read_rows(self, X: Any, *, reset: bool, learning: bool = False) -> ObservedRows:
        rows = check_counts(super()._read_rows(X, reset=reset, learning=learning))
        if len(rows.broken) != len(rows.absent):
            row = int(np.setdiff1d(rows.broken, rows.absent)[0])
            raise ValueError(
                f"X must have all counts of a row or none, got some and NaN in row {row}.\n"
                "Hint: PoissonHMM takes columns one by one, and misses single counts."
            )
        if learning and self.n_trials is not None:
            self._check_trials(rows)
        return rows

    def _check_trials(self, rows: ObservedRows) -> None:
        expected = np.asarray(self.n_trials)
        if expected.ndim and expected.shape != (len(rows),):
            raise ValueError(f"n_trials must be one number or one per row ({len(rows)}), got {expected.shape}.")
        wrong = rows.values.sum(axis=1) != expected
        wrong[rows.absent] = False
        if wrong.any():
            row = int(np.flatnonzero(wrong)[0])
            raise ValueError(
                f"X must have rows with the sum n_trials, got the sum {rows.values[row].sum():g} in row {row}."
            )

    def _before_start(self, batches: SequenceInput) -> None:
        totals: set[int] = set()
        for batch in batches:
            there = np.delete(batch.rows.values, batch.rows.absent, axis=0)
            totals.update(int(total) for total in np.unique(there.sum(axis=1)))
        self.n_trials_ = totals.pop() if len(totals) == 1 else None

    def _start_emissions(self, batch: SequenceBatch, letters: str, rng: np.random.Generator) -> None:
        there = np.delete(batch.rows.values, batch.rows.absent, axis=0)
        shares = (there + 0.1) / (there + 0.1).sum(axis=1, keepdims=True)
        centers = np.maximum(cluster_means(shares, self.n_components, rng), 1e-3)
        self.emissionprob_ = centers / centers.sum(axis=1, keepdims=True)

    def _check_emissions(self) -> None:
        width = vars(self).get("n_features_in_", self._width())
        self.emissionprob_ = distributions_in(self.emissionprob_, "emissionprob_", (self.n_components, width))

    def _log_emissions(self, rows: ObservedRows) -> Floats:
        counts = rows.values
        ways = log_factorials(counts.sum(axis=1)) - log_factorials(counts).sum(axis=1)
        return times_logarithms(counts, self.emissionprob_) + ways[:, None]

    def _emission_statistics(self, rows: ObservedRows, posterior: Floats) -> Statistics:
        return {"symbols": posterior.T @ rows.values}

    def _update_emissions(self, statistics: Statistics, letters: str) -> None:
        if "e" in letters:
            self.emissionprob_ = normalized_counts(statistics["symbols"], 1.0, self.emissionprob_)

    def _emission_log_prior(self) -> float:
        return 0.0

    def _draw(self, state: int, rng: np.random.RandomState) -> Any:
        trials = vars(self).get("n_trials_") if self.n_trials is None else self.n_trials
        if trials is None or np.ndim(trials):
            raise ValueError(f"n_trials must be one number to draw rows, got {trials!r}.")
        return rng.multinomial(trials, self.emissionprob_[state])

    def _emission_parameters(self) -> int:
        return self.n_components * (self._width() - 1)

    def _emission_scores(self, rows: ObservedRows, posterior: Floats) -> list[Floats]:
        return [normalized_scores(posterior.T @ rows.values, self.emissionprob_)]

    def _plain_emissions(self) -> dict[str, Any]:
        return {"emission": "counts", "emissionprob": self.emissionprob_.tolist()}

    def _restored(self) -> None:
        super()._restored()
        trials = vars(self).get("n_trials_")
        if trials is not None and (type(trials) is not int or not 0 <= trials < 2**31):
            raise ValueError("n_trials_ is not a number of trials.")
