"""What learners with a ``kernel`` parameter share: reading rows or objects, kernel matrices, checks of loaded state."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import Tags

from certus.base import Learner, TargetLike, check_target, check_X, check_Xy
from certus.kernels._native_calls import Array
from certus.kernels.functions.kernel import Kernel, Objects, count, listed
from certus.kernels.learning.kernel_parameter import KernelLike, choose_kernel

PREDICTED_AT_ONCE = 2048  # rows whose kernel values are in memory at one time


class KernelLearner(Learner):
    """Shared part of the learners that take a kernel; not a learner by itself.

    Parameters
    ----------
    kernel : str, Kernel or callable
        "linear", "rbf", "poly", "polynomial", "sigmoid", "laplacian", "cosine", "chi2" or "additive_chi2"; an object of
        `certus.kernels`, also on lists of any objects; a function of two rows; or "precomputed": X then holds kernel
        values, of the training rows with themselves in ``fit``, with the training rows in ``predict``.
    gamma : float or None
        Of the kernels "rbf", "laplacian", "poly", "sigmoid" (None: 1 / n_features) and "chi2" (None: 1).
    degree : float
        Of the polynomial kernel.
    coef0 : float
        Of the kernels "poly" and "sigmoid".
    kernel_params : dict or None
        Further arguments of a callable kernel.
    """

    _takes_sparse = True
    _keeps_training_rows: ClassVar[bool] = True

    kernel: KernelLike
    gamma: float | None
    degree: float
    coef0: float
    kernel_params: dict[str, Any] | None

    X_fit_: Any

    def _read_training(
        self, X: Objects, y: TargetLike, *, multi_output: bool = False, numeric: bool = False
    ) -> tuple[Objects, NDArray[Any]]:
        """Check the rows (or objects) and the target."""
        if self._takes_objects():
            X = self._read_new(X)
            target = check_target(self, y, multi_output=multi_output, numeric=numeric)
            if len(target) != count(X):
                raise ValueError(
                    f"X and y must be equally long, got {count(X)} objects in X and {len(target)} targets in y.\n"
                    "Hint: pass one target per object."
                )
            return X, target
        table, target = check_Xy(self, X, y, accept_sparse=("csr", "csc"), multi_output=multi_output, y_numeric=numeric)
        self._refuse_oblong(table)
        return table, target

    def _refuse_oblong(self, table: Any) -> None:
        if self._precomputed() and table.shape[0] != table.shape[1]:
            raise ValueError(
                f"Precomputed matrix must be a square matrix. Input is a {table.shape[0]}x{table.shape[1]} matrix.\n"
                "Hint: fit takes the kernel values of the training rows with themselves."
            )

    def _read_new(self, X: Objects) -> Objects:
        """Check rows (or objects) to predict for."""
        if not self._takes_objects():
            return check_X(self, X, accept_sparse="csr")
        return X if hasattr(X, "shape") else listed(X)

    def _precomputed(self) -> bool:
        return isinstance(self.kernel, str) and self.kernel == "precomputed"

    def _takes_objects(self) -> bool:
        return isinstance(self.kernel, Kernel) and not self.kernel._takes_rows()

    def _kernel(self, X: Objects) -> Kernel:
        """The kernel object; not for "precomputed"."""
        return choose_kernel(self.kernel, columns(X), self.gamma, self.degree, self.coef0, self.kernel_params)

    def _is_proved(self, X: Objects) -> bool:
        """Whether a rule proves that the kernel is valid."""
        return not self._precomputed() and self._kernel(X)._proof() is not None

    def _matrix(self, X: Objects, Y: Objects | None = None) -> Array:
        """Kernel values of X with Y, or with itself."""
        if self._precomputed():
            return np.ascontiguousarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)
        return self._kernel(X).gram(X, Y)

    def _expansion(self, X: Objects, coef: Array) -> Array:
        """The values of sum_j coef_j k(x_j, .) over the training rows."""
        parts = [self._matrix(block, self.X_fit_) @ coef for block in blocks(X, PREDICTED_AT_ONCE)]
        return np.concatenate([np.empty((0, *coef.shape[1:])), *parts])

    def _check_expansion(self, coef: Array) -> None:
        """Refuse loaded state whose rows and coefficients do not fit together."""
        if not isinstance(coef, np.ndarray) or coef.ndim not in (1, 2) or count(self.X_fit_) != len(coef):
            raise ValueError("X_fit_ and dual_coef_ do not fit together.")
        width = getattr(self, "n_features_in_", None)
        if width is not None and self.X_fit_.shape != (len(coef), width):
            raise ValueError("X_fit_ and n_features_in_ do not fit together.")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._precomputed()
        return tags


def columns(X: Objects) -> int:
    """How many columns a table has; 1 for objects."""
    return int(X.shape[1]) if hasattr(X, "shape") and len(X.shape) == 2 else 1


def take(X: Objects, rows: NDArray[np.int64]) -> Objects:
    """Some of the rows or objects."""
    if hasattr(X, "shape"):
        return sparse.csr_array(X)[rows] if sparse.issparse(X) else cast(Array, X)[rows]
    objects = listed(X)
    return [objects[i] for i in rows]


def blocks(X: Objects, size: int) -> Iterator[Any]:
    """The rows or objects in pieces of at most this many."""
    return (cast(Any, X)[first : first + size] for first in range(0, count(X), size))
