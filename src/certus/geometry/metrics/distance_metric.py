"""Distances: which names are known, which of them the compiled kernels compute, and all others in blocks.

The kernels order points by a *reduced* distance that needs no root; `NativeMetric.finish` turns it into the
distance that users see.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.metrics import DistanceMetric, pairwise_distances

from certus.base import Table

# What ``metric`` may be for each ``algorithm``, as in scikit-learn.
KD_TREE_METRICS = (
    "euclidean", "l2", "minkowski", "p", "manhattan", "cityblock", "l1", "chebyshev", "infinity",
)  # fmt: skip
BALL_TREE_METRICS = (
    *KD_TREE_METRICS, "seuclidean", "mahalanobis", "hamming", "canberra", "braycurtis", "jaccard", "dice",
    "rogerstanimoto", "russellrao", "sokalmichener", "sokalsneath", "haversine", "pyfunc",
)  # fmt: skip
BRUTE_METRICS = (
    "braycurtis", "canberra", "chebyshev", "cityblock", "correlation", "cosine", "dice", "euclidean", "hamming",
    "haversine", "jaccard", "l1", "l2", "mahalanobis", "manhattan", "minkowski", "nan_euclidean", "precomputed",
    "rogerstanimoto", "russellrao", "seuclidean", "sokalsneath", "sqeuclidean", "yule",
)  # fmt: skip
SPARSE_METRICS = ("cityblock", "cosine", "euclidean", "l1", "l2", "manhattan", "precomputed")
ALL_METRICS = tuple(sorted({*BALL_TREE_METRICS, *BRUTE_METRICS}))

# Kinds of the compiled kernels.
SQUARED_EUCLIDEAN, MANHATTAN, CHEBYSHEV, MINKOWSKI, WEIGHTED_EUCLIDEAN, HAMMING, CANBERRA = range(7)
# What they do to a reduced distance to make it a distance.
NO_ROOT, SQUARE_ROOT, POWER_ROOT, HALF, SHARE = range(5)
# Decimal exponents between which p-th powers of entries neither vanish nor overflow, whatever the number of columns.
_LEAST_POWER, _LARGEST_POWER = -200.0, 280.0

_KINDS = {
    "euclidean": SQUARED_EUCLIDEAN,
    "l2": SQUARED_EUCLIDEAN,
    "sqeuclidean": SQUARED_EUCLIDEAN,
    "cosine": SQUARED_EUCLIDEAN,
    "manhattan": MANHATTAN,
    "cityblock": MANHATTAN,
    "l1": MANHATTAN,
    "chebyshev": CHEBYSHEV,
    "infinity": CHEBYSHEV,
    "minkowski": MINKOWSKI,
    "p": MINKOWSKI,
    "seuclidean": WEIGHTED_EUCLIDEAN,
    "hamming": HAMMING,
    "canberra": CANBERRA,
}


@dataclass(frozen=True)
class NativeMetric:
    """A distance that the compiled kernels compute.

    Parameters
    ----------
    name : str
        One of the names above.
    kind : int
        The kernels' number for it.
    power : float
        The p of ``sum_j w_j |x_j - y_j|^p``.
    weights : ndarray of shape (n_features,) or None
        The w of that sum.
    columns : int
        Number of columns.
    unit : float
        A power of two that rows are multiplied with before they are compared, and distances divided by.
    """

    name: str
    kind: int
    power: float = 2.0
    weights: NDArray[np.float64] | None = None
    columns: int = 1
    unit: float = 1.0

    def suited_to(self, *tables: Any) -> NativeMetric:
        """The same distance in a unit in which powers of the tables' entries neither vanish nor overflow."""
        if self.root not in (SQUARE_ROOT, POWER_ROOT):
            return self
        largest = max(_magnitude(table) for table in tables)
        if largest == 0.0 or _LEAST_POWER < self.power * math.log10(largest) < _LARGEST_POWER:
            return self
        exponent = math.frexp(largest)[1]
        return replace(self, unit=math.ldexp(1.0, min(max(-exponent, -1020), 1020)))

    @property
    def root(self) -> int:
        """Which of the ways from a reduced distance to a distance is meant."""
        if self.name == "cosine":
            return HALF
        if self.name == "sqeuclidean":
            return NO_ROOT
        roots = {MINKOWSKI: POWER_ROOT, HAMMING: SHARE, SQUARED_EUCLIDEAN: SQUARE_ROOT, WEIGHTED_EUCLIDEAN: SQUARE_ROOT}
        return roots.get(self.kind, NO_ROOT)

    def prepare(self, table: Any, *, queries: bool) -> Any:
        """The table whose reduced distances are wanted: directions for the cosine, else itself, in our unit."""
        if self.name == "cosine":
            return _directions(table, queries=queries)
        if self.unit == 1.0:
            return table
        with np.errstate(over="ignore", under="ignore"):  # a query may be far beyond all rows
            return table.astype(np.float64) * self.unit

    def finish(self, reduced: NDArray[np.float64]) -> NDArray[np.float64]:
        """Distances from reduced distances, in place where possible."""
        if self.root == HALF:  # 1 - u.v = |u - v|^2 / 2 for unit vectors, without cancellation
            reduced *= 0.5
        elif self.root == SQUARE_ROOT:
            np.sqrt(reduced, out=reduced)
        elif self.root == POWER_ROOT:
            np.power(reduced, 1.0 / self.power, out=reduced)
        elif self.root == SHARE:
            reduced /= self.columns
        if self.unit != 1.0:
            reduced /= self.unit
        return reduced

    def limits(self, radius: NDArray[np.float64]) -> NDArray[np.float64]:
        """The largest reduced distances that are within these radii once they are distances."""
        if self.root == NO_ROOT:
            return radius
        with np.errstate(over="ignore"):
            rough = self._unfinished(np.maximum(radius, 0.0))
        known = np.isfinite(rough)
        start = np.where(known, rough, 0.0)
        # finish() never falls, so halving between two neighbors of the inverse finds the last number within.
        low, high = start * (1 - 1e-12), np.minimum(start, 1e307) * (1 + 1e-12) + 1e-300
        for _ in range(60):
            middle = low + (high - low) / 2
            inside = self.finish(middle.copy()) <= radius
            low, high = np.where(inside, middle, low), np.where(inside, high, middle)
        return np.where(radius < 0, -1.0, np.where(known, low, np.inf))

    def _unfinished(self, distances: NDArray[np.float64]) -> NDArray[np.float64]:
        """Reduced distances from distances, up to rounding."""
        if self.root == HALF:
            return 2.0 * distances
        if self.root == SHARE:
            return self.columns * distances
        return np.power(distances * self.unit, 2.0 if self.root == SQUARE_ROOT else self.power)


def has_kernel(metric: Any) -> bool:
    """Whether the compiled kernels know a metric of this name."""
    return isinstance(metric, str) and metric in _KINDS


def native_metric(metric: Any, params: dict[str, Any], columns: int) -> NativeMetric | None:
    """The compiled distance of this name and these parameters, or None if there is none."""
    kind = _KINDS.get(metric) if isinstance(metric, str) else None
    if kind is None:
        return None
    if kind == WEIGHTED_EUCLIDEAN:
        return _standardized(params, columns)
    if kind != MINKOWSKI:
        return NativeMetric(metric, kind, columns=columns) if not params else None
    power, weights = params.get("p", 2), params.get("w")
    if set(params) - {"p", "w"}:
        return None
    if weights is None:
        simple = {1: MANHATTAN, 2: SQUARED_EUCLIDEAN, np.inf: CHEBYSHEV}.get(power)
        return NativeMetric(metric, MINKOWSKI if simple is None else simple, float(power), columns=columns)
    return NativeMetric(metric, kind, _finite_power(power), _checked_weights(weights, columns), columns)


def _standardized(params: dict[str, Any], columns: int) -> NativeMetric | None:
    """Euclidean after division by the variances V; without V they depend on the queries too."""
    if set(params) != {"V"}:
        return None
    variances = np.asarray(params["V"], dtype=np.float64)
    if variances.shape != (columns,) or not (variances > 0).all() or not np.isfinite(variances).all():
        raise ValueError(
            f"The variances 'V' in metric_params must be {columns} positive finite numbers, one per column; "
            f"got {params['V']!r}.\nHint: leave out columns that do not vary."
        )
    return NativeMetric("seuclidean", WEIGHTED_EUCLIDEAN, 2.0, 1.0 / variances, columns)


def other_distances(queries: Any, rows: Any, metric: Any, params: dict[str, Any]) -> NDArray[np.float64]:
    """All distances between queries and rows, for the metrics that the kernels do not know."""
    if isinstance(metric, str) and metric in BALL_TREE_METRICS and not sparse.issparse(rows):
        _require_spread(metric, params)
        metric, rows = DistanceMetric.get_metric(metric, **params), rows.astype(np.float64, copy=False)
    if isinstance(metric, DistanceMetric):
        rows = rows if rows.dtype.kind == "f" else rows.astype(np.float64)
        found = metric.pairwise(queries.astype(rows.dtype, copy=False), rows)
    else:
        found = pairwise_distances(queries, rows, metric=metric, **params)
        if callable(metric) and np.isnan(found).any():
            raise ValueError(f"metric must give a number for every two rows, got nan from {metric!r}.")
    # An undefined distance (nothing in common) is farther than all others.
    return np.nan_to_num(np.ascontiguousarray(found, dtype=np.float64), copy=False, nan=np.inf, posinf=np.inf)


def _require_spread(metric: str, params: dict[str, Any]) -> None:
    """Refuse the two metrics that divide by a spread which is not given."""
    if metric == "seuclidean" and "V" not in params:
        raise ValueError(
            "metric='seuclidean' needs the variances of the columns.\nHint: metric_params={'V': X.var(axis=0, ddof=1)}."
        )
    if metric == "mahalanobis" and not {"V", "VI"} & set(params):
        raise ValueError(
            "Must provide either V or VI for Mahalanobis distance: the covariance of the columns, or its inverse.\n"
            "Hint: metric_params={'V': np.cov(X, rowvar=False)}."
        )


def _magnitude(table: Any) -> float:
    """The largest magnitude of the entries."""
    entries = table.data if sparse.issparse(table) else table
    return max(-float(entries.min(initial=0.0)), float(entries.max(initial=0.0)))


def _finite_power(power: Any) -> float:
    if not np.isfinite(power):
        raise ValueError(
            f"metric='minkowski' with weights 'w' needs a finite p, got p={power!r}.\n"
            "Hint: for a weighted maximum, multiply the columns by the weights and use metric='chebyshev'."
        )
    return float(power)


def _checked_weights(weights: NDArray[Any] | None, columns: int) -> NDArray[np.float64]:
    checked = np.array(weights, dtype=np.float64, order="C")
    if checked.shape != (columns,) or not np.isfinite(checked).all() or (checked < 0).any():
        raise ValueError(
            f"The weights 'w' in metric_params must be {columns} finite numbers >= 0, one per column; got {weights!r}."
        )
    return checked


def _directions(table: Any, *, queries: bool) -> Any:
    """Rows scaled to length one. The zero row has no direction: it gets one of its own, in an extra column,
    so that its cosine with every other row is 0 (rows and queries use different extra columns).
    """
    unit = table.astype(np.float64)
    for order in (np.inf, 2):  # first to largest entry one, so that no square overflows
        unit = _divide_rows(unit, _row_norms(unit, order))
    own = np.zeros((unit.shape[0], 2))
    own[:, int(queries)] = _row_norms(unit, np.inf) == 0
    if sparse.issparse(unit):
        return sparse.csr_array(sparse.hstack([unit, sparse.csr_array(own)], format="csr"))
    return np.hstack([unit, own])


def _row_norms(table: Any, order: float) -> NDArray[np.float64]:
    if not sparse.issparse(table):
        return np.linalg.norm(table, ord=order, axis=1)
    if order == 2:
        return np.sqrt(table.multiply(table).sum(axis=1))
    return abs(table).max(axis=1).toarray().ravel()


def _divide_rows(table: Table, by: NDArray[np.float64]) -> Any:
    divisor = np.where(by > 0, by, 1.0)
    return sparse.diags_array(1.0 / divisor) @ table if sparse.issparse(table) else table / divisor[:, None]
