"""Types of what users pass in: tables, targets and weights, before they are read."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray


class SparseTable(Protocol):
    """A sparse matrix or array of SciPy."""

    shape: tuple[int, ...]
    ndim: int
    dtype: Any
    data: Any
    indices: Any
    indptr: Any
    nnz: int
    format: str

    def tocsr(self) -> Any: ...
    def tocsc(self) -> Any: ...
    def __getitem__(self, key: Any) -> Any: ...


class Splitter(Protocol):
    """A splitter of scikit-learn: it divides rows into folds."""

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterable[Any]: ...


# Arrays, nested sequences, data frames of any library (they convert to arrays), and sparse matrices.
TableLike: TypeAlias = ArrayLike | SparseTable
# A table that has been read: numbers in an array or a sparse matrix.
Table: TypeAlias = NDArray[Any] | SparseTable
# One value per row, or one row of values per row where there are several targets.
TargetLike: TypeAlias = ArrayLike
# One nonnegative number per row; None stands for equal weights.
WeightsLike: TypeAlias = ArrayLike | None
# One value or name per column (a mask, signs), or a word that chooses columns.
ColumnsLike: TypeAlias = ArrayLike | None
# What `random_state` may be.
RandomStateLike: TypeAlias = int | np.random.RandomState | np.random.Generator | None
# What `class_weight` may be: a weight per label (for each of several targets), "balanced", or nothing.
ClassWeightLike: TypeAlias = Mapping[Any, float] | Sequence[Mapping[Any, float]] | str | None
# What `cv` may be: a number of folds, pairs of row numbers, or a splitter of scikit-learn.
FoldsLike: TypeAlias = int | Iterable[Any] | Splitter | None
