"""Types of what users pass in: tables, targets and weights, before they are read."""

from collections.abc import Mapping
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike


class SparseTable(Protocol):
    """A sparse matrix or array of SciPy."""

    shape: tuple[int, ...]

    def tocsr(self) -> Any: ...


# Arrays, nested sequences, data frames of any library (they convert to arrays), and sparse matrices.
TableLike: TypeAlias = ArrayLike | SparseTable
# One value per row, or one row of values per row where there are several targets.
TargetLike: TypeAlias = ArrayLike
# One nonnegative number per row; None stands for equal weights.
WeightsLike: TypeAlias = ArrayLike | None
# Factors by label, "balanced", or None for equal ones.
ClassWeightLike: TypeAlias = Mapping[Any, float] | str | None
# A seed, a generator, or None for a seed that differs from call to call.
SeedLike: TypeAlias = int | np.random.RandomState | np.random.Generator | None
