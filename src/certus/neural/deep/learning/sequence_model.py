"""Learners of sequences of any lengths: reading them, the network, and answers per step."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from certus.base.params import Boolean, Interval, OneOf
from certus.guarantees import Report
from certus.neural.deep.learning.deep_learner import CONSTRAINTS, STATE
from certus.neural.deep.learning.series_inputs import Series, SeriesInputs, read_series
from certus.neural.deep.learning.supervised_learner import SupervisedLearner

CELLS = ("lstm", "gru", "rnn", "transformer")
SEQUENCE_CONSTRAINTS: dict[str, list[Any]] = {
    **CONSTRAINTS,
    "cell": [OneOf(*CELLS)],
    "hidden_units": [Interval(1, None, integer=True)],
    "layers": [Interval(1, None, integer=True)],
    "heads": [Interval(1, None, integer=True)],
    "bidirectional": [Boolean()],
    "dropout": [Interval(0, 1, closed="left")],
    "per_step": [Boolean()],
}
SEQUENCE_STATE = ("feature_mean_", "feature_scale_", *STATE)


class SequenceModel(SupervisedLearner):
    """A deep learner of sequences.

    Parameters
    ----------
    cell : {"lstm", "gru", "rnn", "transformer"}
        What carries information along the sequence: a long short-term memory, a gated recurrent unit, a plain
        recurrent network, or a transformer, all of whose steps look at each other.
    hidden_units : int
        Width of the layers.
    layers : int
        Their number.
    heads : int
        Of the transformer; ``hidden_units`` is a multiple of it.
    bidirectional : bool
        Whether recurrent networks also read from the end. Then, and with a transformer, the answer for a step
        depends on later steps, too.
    dropout : float
        Share of numbers that is dropped between layers and before the answer, while learning.
    per_step : bool
        Whether there is a target for every step: y is then a list of arrays as long as the sequences, and so are
        predictions.

    Attributes
    ----------
    feature_mean_, feature_scale_ : ndarray of shape (features,)
        What features are shifted by and divided by.
    """

    _arguments: ClassVar[dict[str, str]] = {
        "": """X : list of arrays of shape (time,) or (time, features)
    Sequences of any lengths; an array (n, time[, features]) is n sequences of one length.
y : array-like of shape (n,)
    Their targets; with ``per_step`` a list of arrays, one entry per step."""
    }
    _state: ClassVar[tuple[str, ...]] = SEQUENCE_STATE

    cell: str
    hidden_units: int
    layers: int
    heads: int
    bidirectional: bool
    dropout: float
    per_step: bool
    feature_mean_: NDArray[np.float64]
    feature_scale_: NDArray[np.float64]

    def _check_options(self) -> None:
        if self.cell == "transformer" and self.hidden_units % self.heads:
            raise ValueError(
                f"hidden_units must be a multiple of heads, got {self.hidden_units} and {self.heads}.\n"
                "Hint: every head has hidden_units / heads features."
            )

    def _read_inputs(self, X: Any, *, reset: bool) -> SeriesInputs:
        series = read_series(self, X, None if reset else len(self.feature_mean_))
        if reset:
            return self._scaled_by_themselves(series)
        return SeriesInputs(series, self.feature_mean_, self.feature_scale_)

    def _scaled_by_themselves(self, series: Series) -> SeriesInputs:
        steps = sum(len(each) for each in series)
        self.feature_mean_ = np.sum([each.sum(axis=0, dtype=np.float64) for each in series], axis=0) / steps
        squares = [((each - self.feature_mean_) ** 2).sum(axis=0) for each in series]
        spread = np.sqrt(np.sum(squares, axis=0) / steps)
        self.feature_scale_ = np.where(spread > 0.0, spread, 1.0)
        return SeriesInputs(series, self.feature_mean_, self.feature_scale_)

    def _rescaled(self, inputs: SeriesInputs) -> SeriesInputs:
        return self._scaled_by_themselves(inputs.series)

    def _build(self) -> Any:
        from certus.neural.deep.blocks.sequence_blocks import SequenceNetwork

        return SequenceNetwork(
            self.cell,
            len(self.feature_mean_),
            self.hidden_units,
            self.layers,
            self._n_outputs(),
            dropout=self.dropout,
            heads=self.heads,
            bidirectional=self.bidirectional,
            per_step=self.per_step,
        )

    def _steps_of_targets(self, y: Any, inputs: SeriesInputs) -> list[NDArray[Any]]:
        """One array of targets per sequence, as long as it."""
        self._same_number(inputs, y)
        found = [np.asarray(each) for each in y]
        for place, (each, length) in enumerate(zip(found, inputs.lengths.tolist(), strict=True)):
            if each.ndim == 0 or len(each) != length:
                raise ValueError(
                    f"y must hold one target per step: sequence {place} has {length} steps, its targets the shape "
                    f"{each.shape}.\nHint: per_step=False takes one target per sequence."
                )
        return found

    def _outputs_of_steps(self, X: Any) -> list[Any]:
        """The module's answers for the steps of every sequence, without padding."""
        inputs = self._read_inputs(X, reset=False)
        outputs = self._outputs_for(inputs)
        return [output[:length] for output, length in zip(outputs, inputs.lengths.tolist(), strict=True)]

    def certify(self, X: Any, y: Any, *, loss: Any = "auto", confidence: float = 0.95, **options: Any) -> Report:
        """Bound what this fitted learner gets wrong, from sequences that it was not trained on."""
        if self.per_step:
            raise ValueError(
                "certify needs one target per sequence: the steps of a sequence are not independent of each other, so "
                "no bound that counts them holds.\nHint: certify a learner with per_step=False, or count sequences "
                "in which any step is wrong and pass the counts to certus.guarantees.error_bound."
            )
        return super().certify(X, y, loss=loss, confidence=confidence, **options)
