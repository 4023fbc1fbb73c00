"""What all neighbor learners share: taking in the rows, adding and forgetting some, choosing the search."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn import get_config
from sklearn.metrics import DistanceMetric
from sklearn.utils import Tags

from certus.base.inputs import FLOATS, Table, TableLike, TargetLike, assert_finite, check_X, check_Xy
from certus.base.params import Constraints, Exactly, Function, InstanceOf, Interval, OneOf
from certus.base.persistence import check_shapes
from certus.geometry.search import (
    ALL_METRICS,
    Index,
    build_index,
    check_distances,
    check_format,
    check_method,
    choose_method,
    coded_columns,
    dense,
    effective_metric,
    has_kernel,
    start_categories,
)

SEARCH_CONSTRAINTS: Constraints = {
    "algorithm": [OneOf("auto", "ball_tree", "kd_tree", "brute")],
    "leaf_size": [Interval(1, None, "left", integer=True)],
    "p": [Interval(0, None, "right"), Exactly(None)],
    "metric": [OneOf(*ALL_METRICS, "gower"), Function(), InstanceOf(DistanceMetric)],
    "metric_params": [InstanceOf(dict), Exactly(None)],
    "n_jobs": [Interval(None, None, integer=True), Exactly(None)],
}

COUNT: Constraints = {"n_neighbors": [Interval(1, None, "left", integer=True), Exactly(None)]}
RADIUS: Constraints = {"radius": [Interval(0, None, "left"), Exactly(None)]}
WEIGHTS: Constraints = {"weights": [OneOf("uniform", "distance"), Function(), Exactly(None)]}

STATE = ("_fit_X", "_categories", "_fit_method", "n_samples_fit_", "effective_metric_", "effective_metric_params_")


class RowMemory:
    """Mixin with the parameters of a neighbor search and the rows that are searched.

    Parameters
    ----------
    algorithm : {'auto', 'ball_tree', 'kd_tree', 'brute'}
        ``'kd_tree'``: a kd-tree. ``'brute'``: comparison with all rows (by matrix products, where they are
        faster). ``'auto'`` and ``'ball_tree'``: whichever of the two a cost model says is faster. All give the
        same neighbors. Sparse rows are always compared by brute force.
    leaf_size : int
        Most rows in a leaf of the tree, rounded up to a multiple of eight.
    p : float
        Power of the Minkowski metric: 1 Manhattan, 2 Euclidean.
    metric : str, callable or DistanceMetric
        The distance. The Minkowski family, ``'cosine'``, ``'seuclidean'`` (with its V), ``'hamming'``,
        ``'canberra'`` and their synonyms are compiled, ``'haversine'`` by way of unit vectors; the other names
        of scikit-learn and SciPy, and functions of two rows, are computed in blocks. ``'precomputed'``: X holds
        distances; in a sparse X only the stored entries are neighbors. ``'gower'``: X holds numbers and
        categories, also as a data frame, and cells may be missing (see `certus.geometry.gower_distances`);
        ranges are those of the training rows.
    metric_params : dict
        Further arguments of the metric, such as ``{'w': weights}`` for ``'minkowski'`` or ``categorical``, ``weights``
        and ``ranges`` for ``'gower'``.
    n_jobs : int
        Number of threads; None means all cores, unless joblib's configuration says otherwise.

    Attributes
    ----------
    effective_metric_ : str or callable
        The metric that is used, for example ``'euclidean'`` for ``metric='minkowski', p=2``.
    effective_metric_params_ : dict
        Its arguments.
    n_samples_fit_ : int
        Number of training rows.
    """

    _arguments: ClassVar = {
        "fit": """
X : {array-like, sparse matrix} of shape (n_samples, n_features)
    Training rows; their distances to each other if ``metric='precomputed'``.
"""
    }
    _keeps_training_rows = True
    _takes_sparse = True
    algorithm: str
    leaf_size: int
    p: float | None
    metric: Any
    metric_params: dict[str, Any] | None
    n_jobs: int | None
    n_features_in_: int
    _fit_X: Any  # noqa: N815
    _index: Index | None
    _categories: Any  # under Gower's distance: those of every column, None for numbers

    def __sklearn_tags__(self) -> Tags:
        tags: Tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.pairwise = tags.input_tags.positive_only = self._precomputed
        tags.input_tags.allow_nan = _allows_missing(self.metric)
        if self._gower:
            tags.input_tags.sparse, tags.input_tags.string, tags.input_tags.categorical = False, True, True
        return tags

    def __getstate__(self) -> Any:
        """The search structure is rebuilt when it is needed, not pickled."""
        state: Any = super().__getstate__()
        return {name: value for name, value in state.items() if name != "_index"}

    @property
    def _precomputed(self) -> bool:
        return _is(self.metric, "precomputed")

    @property
    def _gower(self) -> bool:
        return _is(self.metric, "gower")

    def _check_training(
        self, X: TableLike, y: TargetLike, *, reset: bool = True, one_output: bool = False
    ) -> tuple[Any, NDArray[Any]]:
        """The training rows and their targets, equally many."""
        rows = _rows_of(X)
        if self._precomputed:
            check_format(rows)
        # A copy, so that what happens to the user's table later changes nothing here.
        table, target = check_Xy(
            self, rows, y, multi_output=not one_output, reset=reset, copy=True, **_table_options(self.metric)
        )
        return self._measurable(X, table, reset=reset), dense(target)

    def _check_rows(self, X: TableLike) -> Any:
        """The training rows of a learner without targets."""
        rows = _rows_of(X)
        if self._precomputed:
            check_format(rows)
        table = check_X(self, rows, reset=True, copy=True, **_table_options(self.metric))
        return self._measurable(X, table, reset=True)

    def _measurable(self, X: TableLike, table: Any, *, reset: bool) -> Any:
        """Training rows in the form that distances are computed from."""
        if not self._gower:
            return check_distances(table) if self._precomputed else table
        if hasattr(X, "_fit_X"):
            raise ValueError("metric='gower' needs the rows themselves, got a learner, which may hold codes of them.")
        names, params = self._column_names(), self.metric_params or {}
        if set(params) - {"categorical", "weights", "ranges"}:
            raise ValueError(
                "metric_params must hold only 'categorical', 'weights' and 'ranges' for metric='gower', "
                f"got {sorted(params)}."
            )
        if reset:
            categories = start_categories(X, table, params.get("categorical"), names)
        else:  # those of a search that goes on
            categories = [None if known is None else list(known) for known in self._categories]
        rows = coded_columns(table, categories, names, grow=True)
        if reset:
            self._read_categories = categories  # taken over if nothing else is refused
        else:
            self._categories = categories
        return rows

    def _column_names(self) -> list[str]:
        return [str(name) for name in getattr(self, "feature_names_in_", range(self.n_features_in_))]

    def _check_queries(self, X: TableLike) -> Any:
        """The queries as the search takes them."""
        precomputed = _is(self.effective_metric_, "precomputed")
        if precomputed:
            check_format(X)
        table = check_X(self, X, **_table_options(self.effective_metric_))
        if table.shape[1] != self._fit_X.shape[1]:  # a refused fit may have changed what check_X compares with
            raise ValueError(
                f"X has {table.shape[1]} features, but the rows of this {type(self).__name__} have "
                f"{self._fit_X.shape[1]}.\nHint: fit it again; the last fit was refused."
            )
        if _is(self.effective_metric_, "gower"):
            return coded_columns(table, self._categories, self._column_names(), grow=False)
        return check_distances(table) if precomputed else table

    def _take_rows(self, X: Table) -> None:
        """Set everything that a search needs; nothing if a parameter is refused."""
        if not (self._gower and self.algorithm in ("auto", "brute")):
            check_method(self.metric, self.algorithm, self.metric_params, self.p)
        if self._precomputed and X.shape[0] != X.shape[1]:
            raise ValueError(
                f"Precomputed matrix must be square. Input is a {X.shape[0]}x{X.shape[1]} matrix.\n"
                "Hint: fit needs the distances among the training rows, predict those to the training rows."
            )
        metric, params = effective_metric(self.metric, self.metric_params, self.p)
        categories = vars(self).pop("_read_categories", None) if self._gower else None
        if categories is not None:
            params["categorical"] = np.array([known is not None for known in categories])
        method = choose_method(self.algorithm, metric, params, is_sparse=sparse.issparse(X))
        index = self._build_index(X, metric, params, method)
        self._fit_X, self._index, self._fit_method = X, index, method
        self._categories = categories
        self.effective_metric_, self.effective_metric_params_ = metric, params
        self.n_samples_fit_ = X.shape[0]

    def _build_index(self, rows: Any, metric: Any, params: dict[str, Any], method: str) -> Index:
        return build_index(
            rows,
            metric,
            params,
            algorithm=method,
            leaf_size=self.leaf_size,
            n_neighbors=self._usual_count(),
            n_jobs=self.n_jobs,
        )

    def _usual_count(self) -> int:
        """How many neighbors will mostly be asked for."""
        return int(getattr(self, "n_neighbors", None) or 1)

    def _search_index(self) -> Index:
        """The search structure; rebuilt after loading or unpickling."""
        index: Index | None = vars(self).get("_index")
        if index is None:
            fitted = self._fit_X, self.effective_metric_, self.effective_metric_params_, self._fit_method
            index = self._index = self._build_index(*fitted)
        return index

    def _restored(self) -> None:
        """Check what came from a file before compiled code sees it."""
        if not hasattr(self, "_fit_X"):
            return
        shape = (self.n_samples_fit_, self.n_features_in_)
        if _is(self.effective_metric_, "precomputed") and shape[0] != shape[1]:
            raise ValueError("_fit_X is not a square matrix of distances")
        if sparse.issparse(self._fit_X):
            if self._fit_X.format != "csr" or self._fit_X.shape != shape:
                raise ValueError(f"_fit_X is not a compressed sparse matrix of the shape {shape}")
        else:
            check_shapes(self, _fit_X=shape)
            self._fit_X = np.ascontiguousarray(self._fit_X)
        self._categories = vars(self).get("_categories")  # not in files of an earlier version
        if _is(self.effective_metric_, "gower") and len(self._categories or ()) != self.n_features_in_:
            raise ValueError("_categories does not have one entry per column")
        assert_finite(self, self._fit_X, allow_nan=_allows_missing(self.effective_metric_), name="_fit_X")

    def _graph(self, starts: NDArray[Any], rows: NDArray[Any], values: NDArray[np.float64]) -> Any:
        """Lists of neighbors as a sparse matrix, of the kind that scikit-learn's setting asks for."""
        kind = sparse.csr_array if get_config()["sparse_interface"] == "sparray" else sparse.csr_matrix
        return kind((values, rows, starts), shape=(len(starts) - 1, self.n_samples_fit_))

    def _refuse_sparse_for_trees(self, queries: Table) -> None:
        if sparse.issparse(queries) and self._fit_method in ("kd_tree", "ball_tree"):
            raise ValueError(
                f"{self._fit_method} does not work with sparse matrices.\n"
                "Hint: densify the data, or set algorithm='brute'."
            )


def check_mode(mode: str) -> None:
    """Refuse what is not a kind of graph."""
    if mode not in ("connectivity", "distance"):
        raise ValueError(f'Unsupported mode, must be one of "connectivity", or "distance" but got "{mode}" instead')


def _is(metric: Any, name: str) -> bool:
    """Whether the metric is given by this name; it may also be a function or an object."""
    return isinstance(metric, str) and metric == name


def _allows_missing(metric: Any) -> bool:
    return _is(metric, "nan_euclidean") or _is(metric, "gower")


def _table_options(metric: Any) -> dict[str, Any]:
    """How tables are read: the kernels take floats, functions get the numbers as they came."""
    if _is(metric, "gower"):
        return {"dtype": object, "check_finite": False}
    floats = _is(metric, "precomputed") or has_kernel(metric)
    return {
        "accept_sparse": "csr",
        "order": "C",
        "dtype": FLOATS if floats else "numeric",
        "allow_nan": _allows_missing(metric),
    }


def _rows_of(X: TableLike) -> Any:
    """The rows themselves, also of another fitted neighbor learner or of one of scikit-learn's trees."""
    if hasattr(X, "_fit_X"):
        return X._fit_X
    return np.asarray(X.get_arrays()[0]) if hasattr(X, "get_arrays") else X
