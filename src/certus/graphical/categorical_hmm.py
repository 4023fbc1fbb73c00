"""Hidden Markov models whose states emit symbols."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Tags

from certus.base import RandomStateLike, check_X, register
from certus.base.params import Exactly, Interval
from certus.graphical import _native_calls
from certus.graphical.learning.baum_welch import Statistics
from certus.graphical.learning.chain_answers import normalized_scores
from certus.graphical.learning.chain_updates import (
    dirichlet_log_prior,
    distributions_in,
    normalized_counts,
    random_distributions,
)
from certus.graphical.learning.hidden_markov_model import PRIOR, HiddenMarkovModel
from certus.graphical.learning.letter_rule import Letters
from certus.graphical.sequences.observed_rows import ObservedRows
from certus.graphical.sequences.sequence_input import SequenceBatch, SequenceInput

Floats = NDArray[np.float64]
MOST_SYMBOLS = 10_000_000


@register(
    takes="sequences",
    tasks=("density",),
    guarantees=("the likelihood never fell", "no path beats the decoded one"),
    cost="fit O(n k^2) per round; predict O(n k^2)",
)
class CategoricalHMM(HiddenMarkovModel):
    """Hidden Markov model whose states emit symbols 0, 1, …, M - 1.

    A row is one symbol; NaN is a missing one.

    Parameters
    ----------
    emissionprob_prior : float or array-like, default=1.0
        Parameters of Dirichlet priors on the symbols of each state; 1 is flat.
    n_features : int, default=None
        Number of symbols; None: the largest of the training rows, plus 1.

    Attributes
    ----------
    emissionprob_ : ndarray of shape (n_components, n_features)
        Probabilities of the symbols in each state.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.graphical import CategoricalHMM
    >>> model = CategoricalHMM(2)
    >>> model.startprob_ = [0.5, 0.5]
    >>> model.transmat_ = [[0.95, 0.05], [0.1, 0.9]]
    >>> model.emissionprob_ = [[1 / 6] * 6, [0.1] * 5 + [0.5]]    # a fair die and a loaded one
    >>> rolls = [0, 3, 1, 2, 4, 2, 5, 5, 1, 5, 5, 5, 0, 5, 5]
    >>> print(model.predict(rolls))
    [0 0 0 0 0 0 1 1 1 1 1 1 1 1 1]
    >>> round(model.score(rolls), 4)
    -23.4294
    """

    _constraints: ClassVar[Any] = {
        **HiddenMarkovModel._constraints,
        "emissionprob_prior": PRIOR,
        "n_features": [Exactly(None), Interval(1, None, integer=True)],
        "params": [Letters("ste")],
        "init_params": [Letters("ste")],
    }
    _state: ClassVar[tuple[str, ...]] = (*HiddenMarkovModel._chain_state, "emissionprob_")
    _emitted: ClassVar[dict[str, str]] = {"e": "emissionprob_"}
    _wide: ClassVar[bool] = False

    emissionprob_: Floats

    def __init__(
        self,
        n_components: int = 1,
        startprob_prior: Any = 1.0,
        transmat_prior: Any = 1.0,
        *,
        emissionprob_prior: Any = 1.0,
        n_features: int | None = None,
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
        tags.input_tags.categorical = True
        tags.input_tags.two_d_array = False  # one column of symbols
        return tags

    def _width(self) -> int:
        return 1

    def _symbols(self) -> int:
        return int(np.shape(self.emissionprob_)[-1])

    def _read_rows(self, X: Any, *, reset: bool, learning: bool = False) -> ObservedRows:
        table = check_X(self, X, reset=reset, dtype=np.float64, order="C", allow_nan=True)
        if table.shape[1] != 1:
            raise ValueError(f"X must have one column of symbols, got {table.shape[1]} columns.")
        column = np.ascontiguousarray(table[:, 0])
        missing = np.isnan(column)
        known = np.where(missing, 0.0, column) if missing.any() else column
        most = self._known_symbols(learning)
        bad = known != np.floor(known)
        if bad.any() or known.min() < 0.0 or known.max() >= most:
            bad |= (known < 0.0) | (known >= most)
            row = int(np.flatnonzero(bad)[0])
            raise ValueError(
                f"X must hold symbols from 0 to {most - 1} as whole numbers, got {known[row]:g} in row {row}.\n"
                "Hint: NaN stands for a missing symbol; n_features sets the number of symbols."
            )
        symbols = known.astype(np.int64)
        if known is column:
            return ObservedRows(symbols, None)
        symbols[missing] = -1
        return ObservedRows(symbols, missing)

    def _known_symbols(self, learning: bool) -> int:
        if not learning:
            return self._symbols()
        kept = "e" not in self.init_params and self._is_set("emissionprob_")
        return self._symbols() if kept else (self.n_features or MOST_SYMBOLS)

    def _before_start(self, batches: SequenceInput) -> None:
        self._found_symbols = self.n_features or 1 + max(int(batch.rows.values.max(initial=0)) for batch in batches)

    def _start_emissions(self, batch: SequenceBatch, letters: str, rng: np.random.Generator) -> None:
        self.emissionprob_ = random_distributions(rng, (self.n_components, self._found_symbols))

    def _check_emissions(self) -> None:
        shape = (self.n_components, self.n_features or self._symbols())
        self.emissionprob_ = distributions_in(self.emissionprob_, "emissionprob_", shape)

    def _log_emissions(self, rows: ObservedRows) -> Floats:
        with np.errstate(divide="ignore"):
            table = np.log(np.asarray(self.emissionprob_).T)
        with_missing = np.vstack([table, np.zeros(self.n_components)])  # the last row, which -1 finds
        return with_missing.take(rows.values, axis=0)

    def _emission_statistics(self, rows: ObservedRows, posterior: Floats) -> Statistics:
        return {"symbols": _native_calls.symbol_counts(rows.values, posterior, self._symbols())}

    def _update_emissions(self, statistics: Statistics, letters: str) -> None:
        if "e" in letters:
            self.emissionprob_ = normalized_counts(statistics["symbols"], self.emissionprob_prior, self.emissionprob_)

    def _emission_log_prior(self) -> float:
        return dirichlet_log_prior(self.emissionprob_, self.emissionprob_prior)

    def _dirichlet_priors(self) -> list[Any]:
        return [*super()._dirichlet_priors(), self.emissionprob_prior]

    def _draw(self, state: int, rng: np.random.RandomState) -> Any:
        return rng.choice(self._symbols(), p=np.asarray(self.emissionprob_)[state])

    def _emission_parameters(self) -> int:
        return self.n_components * (self._symbols() - 1)

    def _emission_scores(self, rows: ObservedRows, posterior: Floats) -> list[Floats]:
        counts = _native_calls.symbol_counts(rows.values, posterior, self._symbols())
        return [normalized_scores(counts, np.asarray(self.emissionprob_))]

    def _plain_emissions(self) -> dict[str, Any]:
        return {"emission": "symbols", "emissionprob": np.asarray(self.emissionprob_).tolist()}
