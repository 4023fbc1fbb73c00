"""What users pass in: types of tables, targets and weights, and how they are read."""

from certus.base.inputs.cells import are_numbers, missing_cells
from certus.base.inputs.input_types import (
    ClassWeightLike,
    ColumnsLike,
    FoldsLike,
    RandomStateLike,
    SparseTable,
    Table,
    TableLike,
    TargetLike,
    WeightsLike,
)
from certus.base.inputs.reading import (
    FLOATS,
    LARGEST,
    assert_finite,
    check_target,
    check_weights,
    check_X,
    check_Xy,
    refuse_large,
    require_target,
)

__all__ = [
    "ClassWeightLike",
    "ColumnsLike",
    "FLOATS",
    "FoldsLike",
    "LARGEST",
    "RandomStateLike",
    "SparseTable",
    "Table",
    "TableLike",
    "TargetLike",
    "WeightsLike",
    "are_numbers",
    "assert_finite",
    "check_X",
    "check_Xy",
    "check_target",
    "check_weights",
    "missing_cells",
    "refuse_large",
    "require_target",
]
