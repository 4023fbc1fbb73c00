"""Labels as targets of deep learners."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base import Classifier, class_weights, predict_method
from certus.base.inputs import ClassWeightLike, check_target, require_target
from certus.base.params import Exactly, InstanceOf, Interval, OneOf
from certus.neural.deep.lazy_torch import torch
from certus.neural.deep.learning.supervised_learner import SupervisedLearner
from certus.neural.deep.learning.supervised_objective import Examples

NO_STEP = -100  # the code of steps behind the end of a sequence
LABEL_CONSTRAINTS: dict[str, list[Any]] = {
    "class_weight": [Exactly(None), OneOf("balanced"), InstanceOf(dict)],
    "label_smoothing": [Interval(0, 1, closed="left")],
}


class LabelOutputs(SupervisedLearner, Classifier):
    """Deep learners that predict labels.

    Parameters
    ----------
    class_weight : dict, "balanced" or None
        Weights of the classes, multiplied to those of the examples.
    label_smoothing : float
        Share of a label's probability that is spread over all classes (Szegedy et al. 2016).
    """

    class_weight: ClassWeightLike
    label_smoothing: float

    def _n_outputs(self) -> int:
        return len(self.classes_)

    # ---- targets ---------------------------------------------------------------------------------------------------
    def _fit_labels(self, X: Any, y: Any, sample_weight: Any, X_val: Any, y_val: Any) -> None:
        """Train on one label per example."""
        require_target(self, y)
        inputs = self._read_inputs(X, reset=True)
        labels = check_target(self, y)
        self._same_number(inputs, labels)
        codes = self._encode_labels(labels)
        weights = self._weights_of_labels(codes, self._weights(sample_weight, inputs))
        self._fit_examples(Examples(inputs, codes.astype(np.int64), weights), X_val, y_val, codes)

    def _weights_of_labels(
        self, codes: NDArray[np.intp], weights: NDArray[np.float64] | None
    ) -> NDArray[np.float64] | None:
        """Weights of the examples times those of their classes."""
        if self.class_weight is None:
            return weights
        given = np.ones(len(codes)) if weights is None else weights
        with np.errstate(divide="ignore"):
            by_class = class_weights(self.class_weight, self.classes_, self.classes_[codes], given)
        return given * np.where(np.isfinite(by_class), by_class, 0.0)[codes]

    def _known_targets(self, y: Any, inputs: Any) -> tuple[NDArray[Any], NDArray[np.int64] | None]:
        return self._known_codes(check_target(self, y)), None

    def _known_codes(self, labels: NDArray[Any]) -> NDArray[np.int64]:
        """Codes of labels that must be known."""
        unknown = np.setdiff1d(labels, self.classes_)
        if unknown.size:
            raise ValueError(
                f"y_val holds the labels {unknown}, which the training examples do not.\nHint: split by label."
            )
        return np.searchsorted(self.classes_, labels).astype(np.int64)

    # ---- losses ----------------------------------------------------------------------------------------------------
    def _losses(self, outputs: Any, targets: Any) -> Any:
        """Cross entropy of every example; of all its steps together if targets have steps."""
        if tuple(outputs.shape) != (*targets.shape, len(self.classes_)):
            wanted = (*targets.shape, len(self.classes_))
            raise ValueError(
                f"the module must return a score per class, of the shape {wanted}, got {tuple(outputs.shape)}.\n"
                "Hint: end it with a linear layer of n_outputs units, without softmax."
            )
        if targets.ndim == 1:
            return self._entropies(outputs, targets)
        return self._entropies(outputs.transpose(1, 2), targets).sum(dim=1)

    def _total_loss(self, outputs: Any, targets: Any, weights: Any) -> Any:
        if weights is None and targets.ndim == 1 and tuple(outputs.shape) == (len(targets), len(self.classes_)):
            return self._entropies(outputs, targets, "sum")  # one call in place of three
        return super()._total_loss(outputs, targets, weights)

    def _entropies(self, outputs: Any, targets: Any, reduction: str = "none") -> Any:
        return torch.nn.functional.cross_entropy(
            outputs, targets, reduction=reduction, label_smoothing=float(self.label_smoothing), ignore_index=NO_STEP
        )

    # ---- predictions -----------------------------------------------------------------------------------------------
    def _as_probabilities(self, outputs: Any) -> NDArray[np.float64]:
        if not bool(torch.isfinite(outputs).all()):
            raise ValueError(
                f"{type(self).__name__}: scores of classes must be finite, got some that overflow.\n"
                "Hint: inputs of the size of those in training."
            )
        return np.asarray(torch.softmax(outputs.double().cpu(), dim=-1).numpy())

    @predict_method
    def predict_proba(self, X: Any) -> Any:
        """Probabilities of the classes."""
        return self._as_probabilities(self._stacked_outputs(X))

    @predict_method
    def predict(self, X: Any) -> Any:
        """The likeliest class."""
        return self.classes_[self._as_probabilities(self._stacked_outputs(X)).argmax(axis=1)]
