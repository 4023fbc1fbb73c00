"""Labels from the values of kernel functions, one per class or one for two classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base import Classifier, predict_method
from certus.kernels._native_calls import Array
from certus.kernels.functions.kernel import Objects
from certus.kernels.learning.kernel_learner import KernelLearner


class KernelLabels(KernelLearner, Classifier):
    """Decisions of learners that compute ``_values``; not a learner by itself."""

    def _values(self, X: Objects) -> Array:
        """The values f(x), a column per class; of the second class alone if there are two."""
        raise NotImplementedError

    @predict_method
    def decision_function(self, X: Objects) -> Array:
        """The values f(x): of the second class for two classes, else one column per class.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            The scores; the largest (for two classes, the sign) decides. Of a voting learner: the surplus of votes as a
            share of all.
        """
        values = self._values(X)
        return values[:, 0] if values.shape[1] == 1 else values

    @predict_method
    def predict(self, X: Objects) -> NDArray[Any]:
        """Predict a label for each row."""
        values = self._values(X)
        codes = (values[:, 0] > 0.0).astype(np.intp) if values.shape[1] == 1 else values.argmax(axis=1)
        return np.asarray(self.classes_[codes])
