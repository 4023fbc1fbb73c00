"""What learners with a ``kernel`` parameter share: reading rows or objects, kernel matrices, checks of loaded state."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.utils import Tags

from certus.base import Learner, check_target, check_X, check_Xy
from certus.kernels.functions.kernel import Array, Kernel
from certus.kernels.learning.kernel_parameter import choose_kernel

PREDICTED_AT_ONCE = 2048  # rows whose kernel values are in memory at one time


class KernelLearner(Learner):
    """Shared part of the learners that take a kernel; not a learner by itself."""

    _keeps_training_rows: ClassVar[bool] = True

    kernel: Any
    gamma: float | None
    degree: float
    coef0: float
    kernel_params: dict[str, Any] | None

    X_fit_: Any

    def _read_training(self, X: Any, y: Any, **options: Any) -> tuple[Any, Any]:
        """Check the rows (or objects) and the target; options as for `check_Xy`."""
        if self._takes_objects():
            X = X if hasattr(X, "shape") else list(X)
            y = check_target(
                self, y, multi_output=options.get("multi_output", False), numeric=options.get("y_numeric", False)
            )
            if len(y) != count(X):
                raise ValueError(f"Found {count(X)} objects in X and {len(y)} targets in y; they must be equally many.")
            return X, y
        X, y = check_Xy(self, X, y, accept_sparse=("csr", "csc"), **options)
        if self._precomputed() and X.shape[0] != X.shape[1]:
            raise ValueError(
                f"Precomputed matrix must be a square matrix. Input is a {X.shape[0]}x{X.shape[1]} matrix.\n"
                "Hint: fit takes the kernel values of the training rows with themselves."
            )
        return X, y

    def _read_new(self, X: Any) -> Any:
        """Check rows (or objects) to predict for."""
        if not self._takes_objects():
            return check_X(self, X, accept_sparse="csr")
        return X if hasattr(X, "shape") else list(X)

    def _precomputed(self) -> bool:
        return isinstance(self.kernel, str) and self.kernel == "precomputed"

    def _takes_objects(self) -> bool:
        return isinstance(self.kernel, Kernel) and not self.kernel._takes_rows()

    def _kernel(self, X: Any) -> Kernel:
        """The kernel object; not for "precomputed"."""
        return choose_kernel(self, columns(X))

    def _matrix(self, X: Any, Y: Any = None) -> Array:
        """Kernel values of X with Y, or with itself."""
        if self._precomputed():
            return np.ascontiguousarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)
        return self._kernel(X).gram(X, Y)

    def _expansion(self, X: Any, coef: Array) -> Array:
        """The values of sum_j coef_j k(x_j, .) over the training rows."""
        out = np.empty((count(X), *coef.shape[1:]))
        for first in range(0, count(X), PREDICTED_AT_ONCE):
            block = slice(first, first + PREDICTED_AT_ONCE)
            out[block] = self._matrix(X[block], self.X_fit_) @ coef
        return out

    def _check_expansion(self, coef: Any) -> None:
        """Refuse loaded state whose rows and coefficients do not fit together."""
        if not isinstance(coef, np.ndarray) or coef.ndim not in (1, 2) or count(self.X_fit_) != len(coef):
            raise ValueError("X_fit_ and dual_coef_ do not fit together")
        width = getattr(self, "n_features_in_", None)
        if width is not None and self.X_fit_.shape != (len(coef), width):
            raise ValueError("X_fit_ and n_features_in_ do not fit together")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self._precomputed()
        return tags


def count(X: Any) -> int:
    """How many rows or objects there are."""
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def columns(X: Any) -> int:
    """How many columns a table has; 1 for objects."""
    return int(X.shape[1]) if hasattr(X, "shape") and len(X.shape) == 2 else 1


def take(X: Any, rows: Any) -> Any:
    """Some of the rows or objects."""
    if hasattr(X, "shape"):
        return sparse.csr_array(X)[rows] if sparse.issparse(X) else X[rows]
    return [X[i] for i in rows]
