"""Networks that label sequences, or each of their steps.

Hochreiter, Schmidhuber (1997) for the LSTM; Cho et al. (2014) for the GRU; Vaswani et al. (2017) for the transformer.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import accuracy_score

from certus.base import fit_method, predict_method, register
from certus.base.inputs import ClassWeightLike, RandomStateLike, check_target, require_target
from certus.neural.deep.learning.label_outputs import LABEL_CONSTRAINTS, NO_STEP, LabelOutputs
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
class SequenceClassifier(LabelOutputs, SequenceModel):
    """Recurrent network or transformer for labels of sequences of any lengths, or of each of their steps.

    Features are shifted and scaled by what the training sequences have on average. Sequences of like length share a
    batch, so that little of it is padding; padding changes no answer.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.neural.deep import SequenceClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = [rng.normal(size=rng.integers(3, 9)) for _ in range(200)]
    >>> y = [int(each.sum() > 0) for each in X]
    >>> model = SequenceClassifier("gru", hidden_units=16, learning_rate=0.01, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.9
    True
    """

    _constraints = {**SEQUENCE_CONSTRAINTS, **LABEL_CONSTRAINTS}
    _state = ("classes_", *SEQUENCE_STATE)

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
        class_weight: ClassWeightLike = None,
        label_smoothing: float = 0.0,
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
    ) -> SequenceClassifier:
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
            self._fit_labels(X, y, sample_weight, X_val, y_val)
        return self

    # ---- a label per step ------------------------------------------------------------------------------------------
    def _fit_steps(self, X: Any, y: Any, sample_weight: Any, X_val: Any, y_val: Any) -> None:
        require_target(self, y)
        if self.class_weight is not None:
            raise ValueError("class_weight needs one label per sequence.\nHint: use sample_weight, or per_step=False.")
        inputs = self._read_inputs(X, reset=True)
        labels = check_target(self, np.concatenate(self._steps_of_targets(y, inputs)))
        codes = self._padded(self._encode_labels(labels), inputs)
        weights = self._weights(sample_weight, inputs)
        self._fit_examples(Examples(inputs, codes, weights, inputs.lengths), X_val, y_val)

    def _padded(self, codes: NDArray[Any], inputs: SeriesInputs) -> NDArray[np.int64]:
        """Codes of all steps, one after the other, as one row per sequence."""
        found = np.full((inputs.count, int(inputs.lengths.max())), NO_STEP, dtype=np.int64)
        found[np.arange(found.shape[1]) < inputs.lengths[:, None]] = codes
        return found

    def _known_targets(self, y: Any, inputs: Any) -> tuple[NDArray[Any], NDArray[np.int64] | None]:
        if not self.per_step:
            return super()._known_targets(y, inputs)
        labels = check_target(self, np.concatenate(self._steps_of_targets(y, inputs)))
        return self._padded(self._known_codes(labels), inputs), inputs.lengths

    # ---- predictions -----------------------------------------------------------------------------------------------
    @predict_method
    def predict_proba(self, X: Any) -> Any:
        """Probabilities of the classes, (n, n_classes); with ``per_step`` a list of arrays (time, n_classes)."""
        if self.per_step:
            return [self._as_probabilities(scores) for scores in self._outputs_of_steps(X)]
        return super().predict_proba(X)

    @predict_method
    def predict(self, X: Any) -> Any:
        """The likeliest class of every sequence; with ``per_step`` a list of arrays of them."""
        if self.per_step:
            return [self.classes_[found.argmax(axis=1)] for found in self.predict_proba(X)]
        return super().predict(X)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Share of sequences, or of steps, that are labelled right."""
        if not self.per_step:
            return float(super().score(X, y, sample_weight))
        found = self.predict(X)
        weights = None if sample_weight is None else np.repeat(sample_weight, [len(each) for each in found])
        return float(accuracy_score(np.concatenate([*y]), np.concatenate(found), sample_weight=weights))
