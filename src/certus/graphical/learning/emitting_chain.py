"""A hidden Markov chain whose states emit something: what all answers and all learning need of it."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Tags

from certus.base import Learner, check_X
from certus.base.inputs import LARGEST
from certus.graphical.learning.baum_welch import Statistics
from certus.graphical.learning.chain_updates import distributions_in
from certus.graphical.sequences.observed_rows import ObservedRows
from certus.graphical.sequences.sequence_input import SequenceBatch, SequenceInput

Floats = NDArray[np.float64]


class EmittingChain(Learner):
    """Probabilities of the states, whether learned or set by hand, and what emissions have to say."""

    _emitted: ClassVar[dict[str, str]] = {}  # letter -> attribute of the emissions
    _wide: ClassVar[bool] = True  # whether rows have several columns

    n_components: int
    random_state: Any
    startprob_: Floats
    transmat_: Floats

    # What an emission has to say.

    @abstractmethod
    def _width(self) -> int:
        """Columns of a row, by the parameters of the emissions."""

    @abstractmethod
    def _check_emissions(self) -> None:
        """Refuse parameters of the emissions that cannot be, by name."""

    @abstractmethod
    def _start_emissions(self, batch: SequenceBatch, letters: str, rng: np.random.Generator) -> None:
        """Set first values of the named parameters."""

    @abstractmethod
    def _log_emissions(self, rows: ObservedRows) -> Floats:
        """Log p(row | state), of shape (n_rows, n_components)."""

    @abstractmethod
    def _emission_statistics(self, rows: ObservedRows, posterior: Floats) -> Statistics:
        """Expected statistics, which are added over batches."""

    @abstractmethod
    def _update_emissions(self, statistics: Statistics, letters: str) -> None:
        """Set the named parameters to the most probable ones given expected statistics."""

    @abstractmethod
    def _emission_log_prior(self) -> float:
        """Logarithm of the prior, up to a constant."""

    @abstractmethod
    def _draw(self, state: int, rng: np.random.RandomState) -> Any:
        """A row that the state emits."""

    @abstractmethod
    def _emission_parameters(self) -> int:
        """Free numbers of the emissions."""

    @abstractmethod
    def _emission_scores(self, rows: ObservedRows, posterior: Floats) -> list[Floats]:
        """Derivatives of the log-likelihood by the parameters of the emissions, in the order of ``_emitted``."""

    @abstractmethod
    def _plain_emissions(self) -> dict[str, Any]:
        """The emissions as plain values, for certificates."""

    def _read_rows(self, X: Any, *, reset: bool, learning: bool = False) -> ObservedRows:
        """Check a table: ``reset`` takes its width as that of all, ``learning`` asks for no parameters."""
        table = check_X(
            self, X, reset=reset, dtype=np.float64, order="C", allow_nan=True, largest=LARGEST if learning else None
        )
        return ObservedRows.of(table)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.target_tags.required = False
        return tags

    # Using a model, fitted or with attributes set by hand.

    def _is_set(self, name: str) -> bool:
        return name in vars(self)

    def _chain(self) -> tuple[Floats, Floats]:
        """Checked probabilities of first states and transitions."""
        states = self.n_components
        for name in ("startprob_", "transmat_", *self._emitted.values()):
            if not self._is_set(name):
                raise ValueError(f"{name} must be set, or learned by fit, got nothing.")
        return (
            distributions_in(self.startprob_, "startprob_", (states,)),
            distributions_in(self.transmat_, "transmat_", (states, states)),
        )

    def _log_densities(self, batch: SequenceBatch) -> Floats:
        densities = self._log_emissions(batch.rows)
        if batch.allowed is not None:
            densities[~batch.allowed] = -np.inf
        return densities

    def _asked(self, X: Any, lengths: Any, y: Any = None) -> SequenceInput:
        by_hand = "history_" not in vars(self)
        if by_hand:  # what is set by hand may have got another width
            self.__dict__.pop("n_features_in_", None)
        self._chain()
        self._check_emissions()
        if by_hand:
            self.n_features_in_ = self._width()
        return SequenceInput(
            lambda rows: self._read_rows(rows, reset=False), self.n_components, X, y=y, lengths=lengths, wide=self._wide
        )
