"""What kernel machines for labels share: classes and their weights, certificates."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base import class_weights
from certus.base.inputs import ClassWeightLike, TargetLike, WeightsLike, check_weights
from certus.base.params import Constraints, Exactly, InstanceOf, OneOf
from certus.guarantees import Report
from certus.kernels._native_calls import Array
from certus.kernels.evidence.decided_kernel_labels import label_certificate
from certus.kernels.evidence.kernel_gap_rules import machine_certificate
from certus.kernels.functions.kernel import Objects
from certus.kernels.learning.kernel_labels import KernelLabels
from certus.kernels.learning.kernel_machine import KernelMachine, Outcome

CLASS_WEIGHT: Constraints = {"class_weight": [OneOf("balanced"), InstanceOf(dict), Exactly(None)]}


class KernelClassification(KernelMachine, KernelLabels):
    """Shared part of the kernel machines that classify; not a learner by itself.

    Parameters
    ----------
    class_weight : dict, "balanced" or None
        Weights of the classes, multiplied to those of the rows.

    Attributes
    ----------
    dual_coef_ : ndarray of shape (n_samples,) or (n_samples, n_classes)
        c, if it was solved in the dual form.
    coef_ : ndarray of shape (n_features_out,) or (n_features_out, n_classes)
        The coefficients of the features, in the primal form.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        b; 0 without an intercept.
    class_weight_ : ndarray of shape (n_classes,)
        The weights of the classes.
    report_ : Report
        The certificates of the gap and of the labels that the exact optimum shares.
    """

    class_weight: ClassWeightLike
    class_weight_: Array

    def _read_labels(
        self, X: Objects, y: TargetLike, sample_weight: WeightsLike
    ) -> tuple[Objects, NDArray[np.intp], Array]:
        """The rows, the positions of their classes, and their weights with those of the classes."""
        X, labels = self._read_training(X, y)
        codes = self._encode_labels(labels, min_classes=2)
        given = check_weights(self, sample_weight, labels)
        self.class_weight_ = class_weights(self.class_weight, self.classes_, labels, given)
        weights = np.ones(len(labels)) if given is None else given
        return X, codes, weights * self.class_weight_[codes]

    def _certify_labels(self, outcome: Outcome, inputs: dict[str, Any], factor: float = 1.0) -> None:
        """The certificates of the gap and of the labels; ``factor`` multiplies all weights."""
        declared = {
            **inputs,
            "fit_intercept": self.fit_intercept,
            "classes": self.classes_.tolist(),
            "class_weights": (factor * self.class_weight_).tolist(),
        }
        space, coef = outcome.space, outcome.solved.coef
        self.report_ = Report(
            [
                machine_certificate(outcome.evidence, outcome.solved.dual, declared),
                label_certificate(space.scores(coef), space.score_error(coef), space.lengths, outcome.evidence),
            ]
        )

    def _restored(self) -> None:
        if hasattr(self, "classes_"):
            self._check_loaded(1 if len(self.classes_) == 2 else len(self.classes_))
