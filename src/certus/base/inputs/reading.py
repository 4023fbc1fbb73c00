"""Reading what users pass in: tables, targets, weights; and saying precisely what is wrong with them.

scikit-learn's `validate_data` does the conversion (numpy, scipy sparse, pandas, polars, pyarrow) and keeps the
column names. What it cannot say, we add: which row and which column holds the value that is not allowed.
"""

from __future__ import annotations

from typing import Any, Literal, TypeGuard

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import DTypeLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils import check_array, check_consistent_length, column_or_1d
from sklearn.utils.validation import validate_data

from certus import _native
from certus.base.inputs.input_types import Table, TableLike, TargetLike, WeightsLike
from certus.base.threads import resolve_threads
from certus.base.training_rows import saw_table

FLOATS = (np.float64, np.float32)
_LIMITS = {np.dtype(kind): float(np.finfo(kind).max) for kind in FLOATS}
SERIAL = 200_000  # values that one thread reads sooner than a second one is awake
LARGEST = 1e50  # products of a weight, a value and a target up to this stay far from overflow, their squares too


def check_X(
    learner: BaseEstimator,
    X: TableLike,
    *,
    reset: bool = False,
    accept_sparse: bool | str | list[str] = False,
    dtype: DTypeLike | tuple[DTypeLike, ...] = FLOATS,
    order: Literal["C", "F"] | None = None,
    allow_nan: bool = False,
    check_finite: bool = True,
    min_rows: int = 1,
    copy: bool = False,
    accept_large_sparse: bool = True,
    largest: float | None = None,
) -> Any:
    """A table as a float array (or sparse matrix), its width and column names checked against ``fit``.

    ``largest`` refuses values of greater magnitude, for learners whose sums of squares would overflow.
    ``check_finite=False`` is for kernels that notice a non-finite value themselves and then call
    `assert_finite` to name the place: one pass over the data less.
    """
    types = dtype if isinstance(dtype, tuple | list) else (dtype,)
    if not copy and types[0] in FLOATS and _is_plain(X, min_rows) and _names_agree(learner, X, reset):
        if X.dtype in types or types[0] != np.float32:
            table, finite = np.asarray(X, dtype=X.dtype if X.dtype in types else types[0], order=order), False
        else:
            table, finite = _narrowed(X, order)
        if check_finite and not (finite and largest is None):
            _check_values(learner, table, allow_nan, largest)
        saw_table(learner, table)
        return table
    try:
        with np.errstate(over="ignore"):  # values too large for the type become infinite and are refused by place
            table = validate_data(
                learner,
                X,
                reset=reset,
                accept_sparse=accept_sparse,
                accept_large_sparse=accept_large_sparse,
                dtype=dtype,
                order=order,
                ensure_all_finite=False,
                ensure_min_samples=min_rows,
                copy=copy,
            )
    except (ValueError, TypeError) as error:
        raise _with_column(error, X) from error
    if check_finite:
        _check_values(learner, table, allow_nan, largest)
    saw_table(learner, table)
    return table


def _check_values(learner: BaseEstimator, table: Table, allow_nan: bool, largest: float | None) -> None:
    """One pass over a table that is as it should be; another one to name the place if it is not."""
    if largest is not None and _all_finite(_values(table), largest):
        return
    assert_finite(learner, table, allow_nan=allow_nan)
    if largest is not None:
        refuse_large(learner, table, largest)


def _is_plain(X: TableLike, min_rows: int) -> TypeGuard[NDArray[Any]]:
    """Whether a table is a plain array of floats of the right size; the type and order are easily changed.

    For small tables the general conversion takes longer than the fit.
    """
    if type(X) is not np.ndarray or X.ndim != 2 or X.dtype not in FLOATS:
        return False
    return len(X) >= max(min_rows, 1) and X.shape[1] >= 1 and X.flags.aligned


def _narrowed(X: NDArray[Any], order: Literal["C", "F"] | None) -> tuple[NDArray[np.float32], bool]:
    """Doubles as floats, and whether all of them are finite, in one pass and without a warning."""
    table = np.empty_like(X, dtype=np.float32, order=order or "K")
    return table, _native.narrow(X, table, resolve_threads() if X.size > SERIAL else 1)


def _names_agree(learner: BaseEstimator, X: NDArray[Any], reset: bool) -> bool:
    """Set the learner's width (and forget column names), or see that it is the one it was fitted with."""
    known = vars(learner)
    if reset:
        known.pop("feature_names_in_", None)
        learner.n_features_in_ = X.shape[1]
        return True
    return "feature_names_in_" not in known and known.get("n_features_in_") == X.shape[1]


def check_Xy(
    learner: BaseEstimator,
    X: TableLike,
    y: TargetLike | None,
    *,
    multi_output: bool = False,
    y_numeric: bool = False,
    min_rows: int = 1,
    **options: Any,
) -> tuple[Any, NDArray[Any]]:
    """A table and its target, equally long. Options as for `check_X`; always ``reset=True`` unless given."""
    options.setdefault("reset", True)
    require_target(learner, y)
    table = check_X(learner, X, min_rows=min_rows, **options)
    target = check_target(learner, y, multi_output=multi_output, numeric=y_numeric)
    if table.shape[0] != target.shape[0]:
        check_consistent_length(table, target)  # says so
    if y_numeric and options.get("largest") is not None:
        refuse_large(learner, target, options["largest"], name="y")
    return table, target


def require_target(learner: BaseEstimator, y: TargetLike | None) -> None:
    """Refuse to fit without a target."""
    if y is None:
        raise ValueError(
            f"{type(learner).__name__} requires y to be passed, but the target y is None.\n"
            "Hint: call fit(X, y) with one target value per row."
        )


def check_target(
    learner: BaseEstimator, y: TargetLike | None, *, multi_output: bool = False, numeric: bool = False
) -> NDArray[Any]:
    """The target as a vector (or matrix, where several outputs are allowed), without missing values."""
    if _is_ready_target(y, multi_output):
        return y
    if multi_output:
        target = check_array(y, accept_sparse="csr", ensure_2d=False, dtype=None, input_name="y", estimator=learner)
    else:
        target = column_or_1d(y, warn=True)
        if target.dtype.kind == "c":
            raise ValueError("Complex data not supported: y must hold real numbers or labels.")
        if target.dtype.kind == "O" and not numeric:
            _refuse_missing_labels(target)
        assert_finite(learner, target, name="y")
    if numeric and target.dtype.kind == "O":
        target = target.astype(np.float64)
        assert_finite(learner, target, name="y")
    return target


def _is_ready_target(y: TargetLike | None, multi_output: bool) -> TypeGuard[NDArray[Any]]:
    """Whether a target can be used as it is: a plain array of finite numbers."""
    if type(y) is not np.ndarray or y.ndim not in ((1, 2) if multi_output else (1,)) or y.dtype.kind not in "fiu":
        return False
    return y.size > 0 and y.flags.forc and (y.dtype.kind != "f" or _all_finite(y))


def _refuse_missing_labels(labels: NDArray[Any]) -> None:
    for row, label in enumerate(labels):
        if label is None or label != label:
            raise ValueError(
                f"Input y contains NaN: the label of row {row} is missing ({label!r}).\n"
                "Hint: drop the rows without a label."
            )


def check_weights(
    learner: BaseEstimator,
    sample_weight: WeightsLike,
    X: Table,
    *,
    dtype: Any = np.float64,
    copy: bool = False,
) -> NDArray[Any] | None:
    """Weights as a vector, or None when there are none: non-negative, finite, not all zero."""
    if sample_weight is None:
        return None
    name = type(learner).__name__
    rows = X.shape[0]
    if np.isscalar(sample_weight):
        weights = np.full(rows, float(sample_weight), dtype=dtype)  # type: ignore[arg-type]
    else:
        weights = check_array(
            sample_weight, ensure_2d=False, dtype=dtype, order="C", copy=copy, input_name="sample_weight"
        )
    if weights.ndim != 1:
        raise ValueError(
            f"Sample weights must be 1D array or scalar, got {weights.ndim}D array. "
            f"Expected either a scalar value or a 1D array of length {rows}."
        )
    if weights.shape != (rows,):
        raise ValueError(
            f"sample_weight.shape == {weights.shape}, expected {(rows,)}!\nHint: {name} needs one weight per row of X."
        )
    if (weights < 0).any():
        row = int(np.flatnonzero(weights < 0)[0])
        raise ValueError(
            f"Negative values in data passed to `sample_weight`: row {row} has {weights[row]:g}; "
            f"{name} allows weights >= 0.\nHint: a weight of 0 removes the row."
        )
    if weights.max(initial=0.0) > LARGEST:
        row = int(np.argmax(weights))
        raise ValueError(
            f"sample_weight: row {row} has {weights[row]:g}; {name} allows weights up to {LARGEST:g}, because sums of "
            "larger ones overflow.\nHint: divide all weights by their mean."
        )
    if not weights.any():
        raise ValueError(
            "Sample weights must contain at least one non-zero number: all "
            f"{rows} values of `sample_weight` are 0, so {name} has no rows to learn from."
        )
    return weights


def assert_finite(learner: BaseEstimator, table: Table, *, allow_nan: bool = False, name: str = "X") -> None:
    """Raise a ValueError that names row and column if the table holds NaN or infinity."""
    values = _values(table)
    if values.dtype.kind != "f" or _all_finite(values):
        return
    bad = np.isinf(values) if allow_nan else ~np.isfinite(values)
    if not bad.any():
        return
    row, column = _first_place(table, bad)
    value = table[row, column] if table.ndim == 2 else table[row]
    nan = bool(np.isnan(value))
    what = "NaN" if nan else f"infinity or a value too large for {values.dtype!r}"
    place = f"row {row}" if table.ndim == 1 else f"row {row}, column {_column_name(learner, column)}"
    message = f"Input {name} contains {what}: first at {place}."
    owner = type(learner).__name__
    if nan:
        message += (
            f"\n{owner} does not accept missing values encoded as NaN natively.\n"
            "Hint: fill them in a pipeline, for example "
            f"make_pipeline(SimpleImputer(), {owner}()), or use a learner that accepts them, "
            "such as certus.trees.DecisionTreeClassifier."
        )
    raise ValueError(message)


def refuse_large(learner: BaseEstimator, table: Table, largest: float, *, name: str = "X") -> None:
    """Raise a ValueError that names row and column if a value's magnitude is above ``largest``."""
    bad = np.abs(_values(table)) > np.float64(largest)  # a number beyond single precision stays what it is
    if not bad.any():
        return
    row, column = _first_place(table, bad)
    value = table[row, column] if table.ndim == 2 else table[row]
    place = f"row {row}" if table.ndim == 1 else f"row {row}, column {_column_name(learner, column)}"
    advice = "rescale the columns, for example with StandardScaler" if name == "X" else "divide the target by its size"
    raise ValueError(
        f"Input {name} contains {float(value):g} at {place}; {type(learner).__name__} allows magnitudes up to "
        f"{largest:g}, because squares of larger values overflow.\nHint: {advice}."
    )


def _values(table: Table) -> NDArray[Any]:
    return np.asarray(table.data if sparse.issparse(table) else table)


def _all_finite(values: NDArray[Any], largest: float | None = None) -> bool:
    flat = values.ravel(order="K") if values.flags.forc else np.ascontiguousarray(values).ravel()
    if flat.dtype not in _LIMITS:
        return bool((np.abs(flat) <= largest).all() if largest is not None else np.isfinite(flat).all())
    threads = resolve_threads() if flat.size > SERIAL else 1
    limit = _LIMITS[flat.dtype]
    return bool(_native.all_finite(flat, threads, 1.0 if largest is None or largest >= limit else limit / largest))


def _first_place(table: Table, bad: NDArray[np.bool_]) -> tuple[int, int]:
    if sparse.issparse(table):
        triplets = sparse.coo_array(table)
        first = int(np.flatnonzero(bad)[0])  # in the order of the stored values, which conversion keeps
        return int(triplets.coords[0][first]), int(triplets.coords[1][first])
    first = int(np.flatnonzero(bad.ravel())[0])
    return (first, 0) if bad.ndim == 1 else divmod(first, bad.shape[1])


def _column_name(learner: BaseEstimator, column: int) -> str:
    names = getattr(learner, "feature_names_in_", None)
    return f"{column} ({str(names[column])!r})" if names is not None else str(column)


def _with_column(error: ValueError | TypeError, X: TableLike) -> ValueError | TypeError:
    """The same error, with the column and row that could not be turned into numbers added to it."""
    if "could not convert" not in str(error) and "must be a string or a" not in str(error):
        return error
    place = _first_text(X)
    if place is None:
        return error
    row, column, value = place
    return type(error)(
        f"{error}\nColumn {column} holds {value!r} at row {row}, which is not a number.\n"
        "Hint: encode text columns first, for example with OneHotEncoder in a ColumnTransformer."
    )


def _first_text(X: TableLike) -> tuple[int, str, Any] | None:
    if nw.dependencies.is_into_dataframe(X):
        frame = nw.from_native(X, eager_only=True)
        columns = [(repr(str(name)), frame[name].to_list()) for name in frame.columns]
    else:
        cells = np.asarray(X, dtype=object)
        if cells.ndim != 2:
            return None
        columns = [(str(number), list(cells[:, number])) for number in range(cells.shape[1])]
    for name, values in columns:
        for row, value in enumerate(values):
            try:
                float(value)
            except (TypeError, ValueError):
                if value is not None:
                    return row, name, value
    return None
