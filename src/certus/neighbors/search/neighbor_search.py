"""What both k-nearest-neighbor learners share: taking in the rows, choosing the search, finding neighbors."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn import get_config
from sklearn.base import MultiOutputMixin
from sklearn.metrics import DistanceMetric
from sklearn.neighbors import NearestNeighbors
from sklearn.utils import Tags

from certus.base import predict_method
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
    dense,
    effective_metric,
    has_kernel,
)

CONSTRAINTS: Constraints = {
    "n_neighbors": [Interval(1, None, "left", integer=True), Exactly(None)],
    "weights": [OneOf("uniform", "distance"), Function(), Exactly(None)],
    "algorithm": [OneOf("auto", "ball_tree", "kd_tree", "brute")],
    "leaf_size": [Interval(1, None, "left", integer=True)],
    "p": [Interval(0, None, "right"), Exactly(None)],
    "metric": [OneOf(*ALL_METRICS), Function(), InstanceOf(DistanceMetric)],
    "metric_params": [InstanceOf(dict), Exactly(None)],
    "n_jobs": [Interval(None, None, integer=True), Exactly(None)],
}

STATE = ("_fit_X", "_y", "_fit_method", "n_samples_fit_", "effective_metric_", "effective_metric_params_")


# scikit-learn's kneighbors_graph asks for the base of its learners that has `kneighbors`; ours replaces its methods.
KNeighborsBase: Any = next(kind for kind in NearestNeighbors.__mro__ if "kneighbors" in vars(kind))


class NeighborSearch(KNeighborsBase, MultiOutputMixin):
    """Mixin with the parameters of a neighbor search, `kneighbors` and `kneighbors_graph`.

    Parameters
    ----------
    algorithm : {'auto', 'ball_tree', 'kd_tree', 'brute'}
        ``'kd_tree'``: a kd-tree. ``'brute'``: comparison with all rows (by matrix products, where they are
        faster). ``'auto'`` and ``'ball_tree'``: whichever of the two a cost model says is faster. All give the
        same neighbors. Sparse rows are always compared by brute force.
    leaf_size : int
        Most rows in a leaf of the tree.
    p : float
        Power of the Minkowski metric: 1 Manhattan, 2 Euclidean.
    metric : str, callable or DistanceMetric
        The distance. The Minkowski family, ``'cosine'`` and their synonyms are compiled; the other names of
        scikit-learn and SciPy, and functions of two rows, are computed in blocks. ``'precomputed'``: X holds
        distances; in a sparse X only the stored entries are neighbors.
    metric_params : dict
        Further arguments of the metric, such as ``{'w': weights}`` for ``'minkowski'``.
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

    _keeps_training_rows = True

    def __init__(
        self,
        n_neighbors: int | None = 5,
        *,
        weights: Any = "uniform",
        algorithm: str = "auto",
        leaf_size: int = 30,
        p: float | None = 2,
        metric: Any = "minkowski",
        metric_params: dict[str, Any] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.metric = metric
        self.metric_params = metric_params
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = tags.input_tags.positive_only = self._precomputed
        tags.input_tags.allow_nan = _is(self.metric, "nan_euclidean")
        return tags

    def __getstate__(self) -> Any:
        """The search structure is rebuilt when it is needed, not pickled."""
        return {name: value for name, value in super().__getstate__().items() if name != "_index"}

    @property
    def _precomputed(self) -> bool:
        return _is(self.metric, "precomputed")

    def _check_training(self, X: TableLike, y: TargetLike) -> tuple[Any, NDArray[Any]]:
        """The training rows and their targets, equally many."""
        rows = _rows_of(X)
        if self._precomputed:
            check_format(rows)
        # A copy, so that what happens to the user's table later changes nothing here.
        table, target = check_Xy(self, rows, y, multi_output=True, copy=True, **_table_options(self.metric))
        return (check_distances(table) if self._precomputed else table), dense(target)

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
        return check_distances(table) if precomputed else table

    def _take_rows(self, X: Table, y: NDArray[Any]) -> None:
        """Set everything that `kneighbors` needs, and the targets; nothing if a parameter is refused."""
        check_method(self.metric, self.algorithm, self.metric_params, self.p)
        if self._precomputed and X.shape[0] != X.shape[1]:
            raise ValueError(
                f"Precomputed matrix must be square. Input is a {X.shape[0]}x{X.shape[1]} matrix.\n"
                "Hint: fit needs the distances among the training rows, predict those to the training rows."
            )
        metric, params = effective_metric(self.metric, self.metric_params, self.p)
        method = choose_method(self.algorithm, metric, params, is_sparse=sparse.issparse(X))
        index = self._build_index(X, metric, params, method)
        self._fit_X, self._y, self._index, self._fit_method = X, y, index, method
        self.effective_metric_, self.effective_metric_params_ = metric, params
        self.n_samples_fit_ = X.shape[0]

    def _build_index(self, rows: Any, metric: Any, params: dict[str, Any], method: str) -> Index:
        return build_index(
            rows,
            metric,
            params,
            algorithm=method,
            leaf_size=self.leaf_size,
            n_neighbors=self.n_neighbors or 1,
            n_jobs=self.n_jobs,
        )

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
            if self._fit_X.format != "csr" or self._fit_X.shape != shape:  # type: ignore[union-attr]
                raise ValueError(f"_fit_X is not a compressed sparse matrix of the shape {shape}")
        else:
            check_shapes(self, _fit_X=shape)
            self._fit_X = np.ascontiguousarray(self._fit_X)
        assert_finite(self, self._fit_X, allow_nan=_is(self.effective_metric_, "nan_euclidean"), name="_fit_X")

    @predict_method
    def kneighbors(self, X: Any = None, n_neighbors: int | None = None, return_distance: bool = True) -> Any:
        """Find the nearest training rows of each query; equally near ones by their position.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_queries, n_features), default=None
            The queries; distances to the training rows if ``metric='precomputed'``. None stands for the
            training rows, none of which is then counted as its own neighbor.
        n_neighbors : int, default=None
            How many neighbors; by default the parameter of the same name.
        return_distance : bool, default=True
            Whether to return the distances too.

        Returns
        -------
        neigh_dist : ndarray of shape (n_queries, n_neighbors)
            Distances in increasing order; only if ``return_distance=True``.
        neigh_ind : ndarray of shape (n_queries, n_neighbors)
            Positions of the rows in the training table.
        """
        k = self._check_count(n_neighbors)
        queries = self._fit_X if X is None else self._check_queries(X)
        self._refuse_sparse_for_trees(queries)
        self._refuse_too_many(k, queries.shape[0], itself=X is None)
        asked = k + (X is None)
        distances, rows = self._search_index().query(queries, asked, self.n_jobs)
        if X is None:
            distances, rows = _without_itself(distances, rows)
        return (distances, rows) if return_distance else rows

    def kneighbors_graph(
        self, X: TableLike | None = None, n_neighbors: int | None = None, mode: str = "connectivity"
    ) -> Any:
        """The neighbors of each query as a sparse matrix.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_queries, n_features), default=None
            The queries, as for `kneighbors`.
        n_neighbors : int, default=None
            How many neighbors; by default the parameter of the same name.
        mode : {'connectivity', 'distance'}, default='connectivity'
            Whether the entries are ones or distances.

        Returns
        -------
        sparse matrix of shape (n_queries, n_samples_fit)
            In CSR format; row i has an entry for each neighbor of query i, the nearest first.
        """
        if mode not in ("connectivity", "distance"):
            raise ValueError(f'Unsupported mode, must be one of "connectivity", or "distance" but got "{mode}" instead')
        distances, rows = self.kneighbors(X, n_neighbors)
        values = distances if mode == "distance" else np.ones(rows.shape)
        starts = np.arange(0, rows.size + 1, rows.shape[1])
        # Which of scipy's two kinds of sparse matrices is scikit-learn's setting.
        kind = sparse.csr_array if get_config()["sparse_interface"] == "sparray" else sparse.csr_matrix
        return kind((values.ravel(), rows.ravel(), starts), shape=(len(rows), self.n_samples_fit_))

    def _check_count(self, n_neighbors: Any) -> int:
        k = self.n_neighbors if n_neighbors is None else n_neighbors
        if not isinstance(k, Integral):
            raise TypeError(f"n_neighbors must be an integer, got {k!r} of {type(k)}.")
        if k <= 0:
            raise ValueError(f"n_neighbors must be at least 1, got {k}.")
        return int(k)

    def _refuse_sparse_for_trees(self, queries: Table) -> None:
        if sparse.issparse(queries) and self._fit_method in ("kd_tree", "ball_tree"):
            raise ValueError(
                f"{self._fit_method} does not work with sparse matrices.\n"
                "Hint: densify the data, or set algorithm='brute'."
            )

    def _refuse_too_many(self, k: int, queries: int, *, itself: bool) -> None:
        rows = self.n_samples_fit_
        if k + itself > rows:
            sign = "<" if itself else "<="
            raise ValueError(
                f"Expected n_neighbors {sign} n_samples_fit, but n_neighbors = {k}, n_samples_fit = {rows}, "
                f"n_samples = {queries}.\nHint: ask for at most {max(rows - itself, 0)} neighbors."
            )


def _is(metric: Any, name: str) -> bool:
    """Whether the metric is given by this name; it may also be a function or an object."""
    return isinstance(metric, str) and metric == name


def _table_options(metric: Any) -> dict[str, Any]:
    """How tables are read: the kernels take floats, functions get the numbers as they came."""
    floats = _is(metric, "precomputed") or has_kernel(metric)
    return {
        "accept_sparse": "csr",
        "order": "C",
        "dtype": FLOATS if floats else "numeric",
        "allow_nan": _is(metric, "nan_euclidean"),
    }


def _rows_of(X: TableLike) -> Any:
    """The rows themselves, also of another fitted neighbor learner or of one of scikit-learn's trees."""
    if hasattr(X, "_fit_X"):
        return X._fit_X
    return np.asarray(X.get_arrays()[0]) if hasattr(X, "get_arrays") else X


def _without_itself(
    distances: NDArray[np.float64], rows: NDArray[np.intp]
) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Remove from each training row's neighbors the row itself; where so many duplicates come first that it is
    not among them, the last.
    """
    keep = rows != np.arange(len(rows))[:, None]
    keep[keep.all(axis=1), -1] = False
    shape = (len(rows), rows.shape[1] - 1)
    return distances[keep].reshape(shape), rows[keep].reshape(shape)
