"""Labels as targets of deep learners: one per example, or one per step of it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base import Classifier, class_weights
from certus.base.inputs import ClassWeightLike
from certus.neural.deep.lazy_torch import torch
from certus.neural.deep.learning.deep_learner import DeepLearner

NO_STEP = -100  # the code of steps behind the end of a sequence


class LabelOutputs(DeepLearner, Classifier):
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

    def _weights_of_labels(self, codes: NDArray[np.intp], weights: NDArray[np.float64] | None) -> Any:
        """Weights of the examples times those of their classes."""
        if self.class_weight is None:
            return weights
        given = np.ones(len(codes)) if weights is None else weights
        with np.errstate(divide="ignore"):
            by_class = class_weights(self.class_weight, self.classes_, self.classes_[codes], given)
        return given * np.where(np.isfinite(by_class), by_class, 0.0)[codes]

    def _known_codes(self, labels: NDArray[Any]) -> NDArray[np.intp]:
        """Codes of validation labels."""
        unknown = np.setdiff1d(labels, self.classes_)
        if unknown.size:
            raise ValueError(
                f"y_val holds the labels {unknown}, which the training examples do not.\nHint: split by label."
            )
        return np.searchsorted(self.classes_, labels)

    def _losses(self, outputs: Any, targets: Any) -> Any:
        """Cross entropy of every example; of all its steps together if targets have steps."""
        if outputs.ndim != targets.ndim + 1 or outputs.shape[-1] != len(self.classes_):
            wanted = (*targets.shape, len(self.classes_))
            raise ValueError(
                f"the module must return a score per class, of the shape {wanted}, got {tuple(outputs.shape)}.\n"
                "Hint: end it with a linear layer of n_outputs units, without softmax."
            )
        if targets.ndim == 1:
            return self._entropies(outputs, targets)
        return self._entropies(outputs.transpose(1, 2), targets).sum(dim=1)

    def _entropies(self, outputs: Any, targets: Any) -> Any:
        return torch.nn.functional.cross_entropy(
            outputs, targets, reduction="none", label_smoothing=float(self.label_smoothing), ignore_index=NO_STEP
        )

    def _as_probabilities(self, outputs: Any) -> NDArray[np.float64]:
        return np.asarray(torch.softmax(outputs.double().cpu(), dim=-1).numpy())
