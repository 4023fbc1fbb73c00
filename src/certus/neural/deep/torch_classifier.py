"""Any torch module as a classifier."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base import fit_method, predict_method, register
from certus.base.inputs import ClassWeightLike, RandomStateLike, check_target, check_weights, require_target
from certus.base.params import Exactly, InstanceOf, Interval, OneOf
from certus.neural.deep.learning.label_outputs import LabelOutputs
from certus.neural.deep.learning.supervised_objective import Examples
from certus.neural.deep.learning.torch_model import MODULE_CONSTRAINTS, MODULE_STATE, TorchModel


@register(
    family="neural.deep",
    guarantees=("none from training alone",),
    cost="fit n times weights per epoch, predict weights per example",
    needs="deep",
    draws_rows=True,
)
class TorchClassifier(LabelOutputs, TorchModel):
    """A torch module as a classifier: cross entropy, held-out examples, checkpoints, certificates.

    Examples
    --------
    >>> import torch
    >>> from sklearn.datasets import load_iris
    >>> from certus.neural.deep import TorchClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = TorchClassifier(torch.nn.Linear(4, 3), max_epochs=20, random_state=0)
    >>> model.fit(X, y).score(X, y) > 0.8
    True
    """

    _constraints = {
        **MODULE_CONSTRAINTS,
        "class_weight": [Exactly(None), OneOf("balanced"), InstanceOf(dict)],
        "label_smoothing": [Interval(0, 1, closed="left")],
    }
    _state = ("classes_", *MODULE_STATE)

    def __init__(
        self,
        module: Any = None,
        *,
        max_epochs: int = 50,
        batch_size: int = 64,
        optimizer: str = "adamw",
        learning_rate: float = 0.001,
        learning_rate_end: float = 0.0,
        schedule: str = "constant",
        weight_decay: float = 0.01,
        momentum: float = 0.9,
        clip_norm: float | None = None,
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
    ) -> TorchClassifier:
        """Train the module.

        Parameters
        ----------
        X_val, y_val : array and labels, default=None
            Your own held-out examples, in place of ``validation_fraction``.
        """
        require_target(self, y)
        inputs = self._read_inputs(X, reset=True)
        codes = self._encode_labels(check_target(self, y))
        weights = self._weights_of_labels(codes, check_weights(self, sample_weight, inputs))
        examples = Examples(self._inputs(inputs), codes.astype(np.int64), weights)
        self._fit_examples(examples, X_val, y_val, codes)
        return self

    def _validation_targets(self, y: Any) -> NDArray[Any]:
        return self._known_codes(check_target(self, y)).astype(np.int64)

    @predict_method
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probabilities of the classes."""
        return self._as_probabilities(self._outputs(X))

    @predict_method
    def predict(self, X: Any) -> NDArray[Any]:
        """The likeliest class."""
        return self.classes_[self._as_probabilities(self._outputs(X)).argmax(axis=1)]
