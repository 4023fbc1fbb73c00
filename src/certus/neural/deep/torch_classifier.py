"""Any torch module as a classifier."""

from __future__ import annotations

from typing import Any

from certus.base import fit_method, register
from certus.base.inputs import ClassWeightLike, RandomStateLike
from certus.neural.deep.learning.label_outputs import LABEL_CONSTRAINTS, LabelOutputs
from certus.neural.deep.learning.torch_model import KNOWN_FAILURES, MODULE_CONSTRAINTS, MODULE_STATE, TorchModel


@register(
    family="neural.deep",
    guarantees=(),
    cost="fit n times weights per epoch, predict weights per example",
    needs="deep",
    known_failures=KNOWN_FAILURES,
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
    >>> model = TorchClassifier(torch.nn.Linear(4, 3), max_epochs=30, learning_rate=0.02, random_state=0)
    >>> model.fit(X, y).score(X, y) > 0.8
    True
    """

    _constraints = {**MODULE_CONSTRAINTS, **LABEL_CONSTRAINTS}
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
        self._fit_labels(X, y, sample_weight, X_val, y_val)
        return self
