"""Networks that predict a number for a sequence, or for each of its steps."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import r2_score

from certus.base import fit_method, predict_method, register
from certus.base.inputs import RandomStateLike, require_target
from certus.neural.deep.learning.number_outputs import NUMBER_CONSTRAINTS, NUMBER_STATE, NumberOutputs
from certus.neural.deep.learning.sequence_model import SEQUENCE_CONSTRAINTS, SEQUENCE_STATE, SequenceModel
from certus.neural.deep.learning.series_inputs import SeriesInputs
from certus.neural.deep.learning.supervised_objective import Examples


@register(
    family="neural.deep",
    guarantees=(),
    cost="fit n times steps times weights per epoch, predict steps times weights per sequence",
    needs="deep",
    takes="series",
    draws_rows=True,
)
class SequenceRegressor(NumberOutputs, SequenceModel):
    """Recurrent network or transformer for numbers, one per sequence of any length, or one per step of it.

    Features are shifted and scaled by what the training sequences have on average. Sequences of like length share a
    batch, so that little of it is padding; padding changes no answer.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.neural.deep import SequenceRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = [rng.normal(size=rng.integers(3, 9)) for _ in range(200)]
    >>> y = [each.mean() for each in X]
    >>> model = SequenceRegressor("gru", hidden_units=16, learning_rate=0.01, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.9
    True
    """

    _constraints = {**SEQUENCE_CONSTRAINTS, **NUMBER_CONSTRAINTS}
    _state = (*NUMBER_STATE, *SEQUENCE_STATE)

    def __init__(
        self,
        cell: str = "lstm",
        *,
        hidden_units: int = 64,
        layers: int = 1,
        heads: int = 4,
        bidirectional: bool = False,
        dropout: float = 0.0,
        per_step: bool = False,
        max_epochs: int = 30,
        batch_size: int = 32,
        optimizer: str = "adamw",
        learning_rate: float = 0.003,
        learning_rate_end: float = 0.0,
        schedule: str = "cosine",
        weight_decay: float = 0.01,
        momentum: float = 0.9,
        clip_norm: float | None = 1.0,
        loss: str = "squared_error",
        validation_fraction: float = 0.1,
        patience: int | None = None,
        random_state: RandomStateLike = None,
        checkpoint: Any = None,
        resume: bool = False,
        device: str = "auto",
        n_jobs: int | None = 1,
        verbose: bool | int = False,
    ) -> None:
        self._set_parameters(locals())

    @fit_method
    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, X_val: Any = None, y_val: Any = None
    ) -> SequenceRegressor:
        """Train the network.

        Parameters
        ----------
        X_val, y_val : sequences and targets, default=None
            Your own held-out sequences, in place of ``validation_fraction``.
        """
        self._check_options()
        if self.per_step:
            self._fit_steps(X, y, sample_weight, X_val, y_val)
        else:
            self._fit_numbers(X, y, sample_weight, X_val, y_val)
        return self

    # ---- numbers per step ------------------------------------------------------------------------------------------
    def _fit_steps(self, X: Any, y: Any, sample_weight: Any, X_val: Any, y_val: Any) -> None:
        require_target(self, y)
        inputs = self._read_inputs(X, reset=True)
        parts = self._steps_of_targets(y, inputs)
        self.single_output_ = parts[0].ndim == 1
        values = self._joined(parts)
        weights = self._weights(sample_weight, inputs)
        self._learn_scale(values, None if weights is None else np.repeat(weights, inputs.lengths))
        self._fit_examples(Examples(inputs, self._padded(values, inputs), weights, inputs.lengths), X_val, y_val)

    def _joined(self, parts: list[NDArray[Any]]) -> NDArray[np.float64]:
        """Numbers of all steps, one row each."""
        return np.concatenate([self._values(part).reshape(len(part), -1) for part in parts])

    def _padded(self, values: NDArray[np.float64], inputs: SeriesInputs) -> NDArray[np.float32]:
        """Scaled numbers of all steps, one after the other, as (sequence, step, output)."""
        found = np.full((inputs.count, int(inputs.lengths.max()), self._n_outputs()), np.nan, dtype=np.float32)
        found[np.arange(found.shape[1]) < inputs.lengths[:, None]] = self._standardized(values)
        return found

    def _known_targets(self, y: Any, inputs: Any) -> tuple[NDArray[Any], NDArray[np.int64] | None]:
        if not self.per_step:
            return super()._known_targets(y, inputs)
        return self._padded(self._joined(self._steps_of_targets(y, inputs)), inputs), inputs.lengths

    # ---- predictions -----------------------------------------------------------------------------------------------
    @predict_method
    def predict(self, X: Any) -> Any:
        """A number for every sequence; with ``per_step`` a list of arrays of them."""
        if self.per_step:
            return [self._unscaled(numbers) for numbers in self._outputs_of_steps(X)]
        return super().predict(X)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """R^2 over sequences, or over steps."""
        if not self.per_step:
            return float(super().score(X, y, sample_weight))
        found = self.predict(X)
        weights = None if sample_weight is None else np.repeat(sample_weight, [len(each) for each in found])
        return float(r2_score(np.concatenate([*y]), np.concatenate(found), sample_weight=weights))
