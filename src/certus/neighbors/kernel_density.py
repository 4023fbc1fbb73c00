"""Densities as means of kernels around the training rows. Rosenblatt (1956), Parzen (1962)."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular
from scipy.special import gammainc
from sklearn.metrics import DistanceMetric
from sklearn.utils import check_random_state

from certus.base import DensityLearner, fit_method, predict_method, register
from certus.base.inputs import RandomStateLike, TableLike, TargetLike, WeightsLike, check_weights, check_X
from certus.base.params import ArrayLike, Boolean, Exactly, Function, InstanceOf, Interval, OneOf
from certus.base.persistence import check_shapes
from certus.geometry import distance_blocks
from certus.geometry.search import ALL_METRICS, BALL_TREE_METRICS, KD_TREE_METRICS, effective_metric
from certus.guarantees import Report
from certus.neighbors import _native_calls
from certus.neighbors.learning.density_bandwidths import (
    RULES,
    chosen_bandwidth,
    covariance_factor,
    log_kernel_constant,
    rule_of_thumb,
)

Floats = NDArray[np.float64]
LARGEST = 1e150  # squares of greater numbers overflow
_WITHOUT_DENSITY = ("precomputed", "gower", "nan_euclidean")


@register(
    family="neighbors",
    tasks=("density",),
    guarantees=("error of the sums at most as asked", "held-out bound on the share of improbable rows"),
    cost="fit O(n p log n), score O(n p) per row or less: groups of rows whose kernel is known well enough are skipped",
)
class KernelDensity(DensityLearner):
    """Density that is the mean of a kernel around every training row.

    With weights w, a kernel K that integrates to 1 and a bandwidth h,

        density(x) = sum_i w_i K(|x - x_i| / h) / (h^p sum_i w_i).

    Parameters
    ----------
    bandwidth : float, array-like of shape (n_features,) or str, default=1.0
        A number, a number per column, or a rule. ``"scott"`` and ``"silverman"`` depend on the number of rows alone, as
        in scikit-learn; ``"normal"`` is Scott's rule scaled by the covariance of the rows, as in SciPy.
        ``"likelihood"`` maximizes the likelihood of every row under the others, ``"least-squares"`` (gaussian)
        minimizes the integrated squared error that they estimate; both are exact, and leave out equal rows together.
    algorithm : {"auto", "ball_tree", "kd_tree"}, default="auto"
        Accepted for compatibility: sums are over groups of a kd-tree, or over all distances for other metrics.
    kernel : {"gaussian", "tophat", "epanechnikov", "exponential", "linear", "cosine"}, default="gaussian"
        The kernel.
    metric : str, callable or DistanceMetric, default="euclidean"
        The distance. Only under the Euclidean one is the result a density.
    atol, rtol : float, default=0.0
        A density may be wrong by atol + rtol times itself, which saves time; never by more.
    breadth_first : bool, default=True
        Accepted for compatibility.
    leaf_size : int, default=40
        Accepted for compatibility.
    metric_params : dict, default=None
        Further arguments of the metric.

    Attributes
    ----------
    bandwidth_ : float or ndarray
        The bandwidth: a number, one per column, or for ``"normal"`` of several columns the lower triangular factor L
        of L L', the covariance of the kernel.

    Examples
    --------
    >>> from certus.neighbors import KernelDensity
    >>> model = KernelDensity(bandwidth="normal").fit([[0.0], [1.0], [3.0]])
    >>> round(model.bandwidth_, 4), model.score_samples([[1.0]]).round(4)
    (1.2262, array([-1.5376]))
    """

    _constraints: ClassVar[Any] = {
        "bandwidth": [Interval(0, None, "neither"), OneOf(*RULES), ArrayLike()],
        "algorithm": [OneOf("auto", "ball_tree", "kd_tree")],
        "kernel": [OneOf(*_native_calls.KERNELS)],
        "metric": [
            OneOf(*(name for name in ALL_METRICS if name not in _WITHOUT_DENSITY)),
            Function(),
            InstanceOf(DistanceMetric),
        ],
        "atol": [Interval(0, None)],
        "rtol": [Interval(0, None)],
        "breadth_first": [Boolean()],
        "leaf_size": [Interval(1, None, "left", integer=True)],
        "metric_params": [InstanceOf(dict), Exactly(None)],
    }
    _state: ClassVar[tuple[str, ...]] = ("bandwidth_", "_rows", "_weights")
    _keeps_training_rows: ClassVar[bool] = True

    bandwidth: Any
    algorithm: str
    kernel: str
    metric: Any
    atol: float
    rtol: float
    metric_params: dict[str, Any] | None
    bandwidth_: Any
    n_features_in_: int
    _rows: Floats
    _weights: Floats
    _groups: Any

    def __init__(
        self,
        *,
        bandwidth: Any = 1.0,
        algorithm: str = "auto",
        kernel: str = "gaussian",
        metric: Any = "euclidean",
        atol: float = 0.0,
        rtol: float = 0.0,
        breadth_first: bool = True,
        leaf_size: int = 40,
        metric_params: dict[str, Any] | None = None,
    ) -> None:
        self._set_parameters(locals())

    def __getstate__(self) -> Any:
        """The groups of rows are cut again when they are needed, not pickled."""
        state: Any = super().__getstate__()
        return {name: value for name, value in state.items() if name != "_groups"}

    @fit_method
    def fit(self, X: TableLike, y: TargetLike | None = None, sample_weight: WeightsLike = None) -> KernelDensity:
        """Keep the rows, and find the bandwidth.

        Parameters
        ----------
        y : ignored
            There for compatibility.
        """
        self._check_metric()
        rows = check_X(self, X, reset=True, order="C", dtype=np.float64, largest=LARGEST, copy=True)
        given = check_weights(self, sample_weight, rows)
        weights = np.ones(len(rows)) if given is None else given
        rows, weights = rows[weights > 0.0], weights[weights > 0.0]
        self.bandwidth_ = self._bandwidth(rows, weights)
        self._rows, self._weights = rows, weights
        self._groups = None
        self.report_ = Report([])
        return self

    def _check_metric(self) -> None:
        allowed = {"kd_tree": KD_TREE_METRICS, "ball_tree": BALL_TREE_METRICS}.get(self.algorithm)
        if allowed is not None and isinstance(self.metric, str) and self.metric not in allowed:
            raise ValueError(
                f"invalid metric for algorithm={self.algorithm!r}: {self.metric!r}; allowed are {sorted(allowed)}.\n"
                "Hint: algorithm='auto' takes any metric."
            )

    def _bandwidth(self, rows: Floats, weights: Floats) -> Any:
        width, total = rows.shape[1], float(weights.sum())
        if not isinstance(self.bandwidth, str):
            return self._given_bandwidth(width)
        if self.bandwidth in ("scott", "silverman"):
            return rule_of_thumb(self.bandwidth, total, width)
        if not self._is_euclidean:
            raise ValueError(
                f"bandwidth={self.bandwidth!r} needs metric='euclidean', got metric={self.metric!r}.\n"
                "Hint: give the bandwidth as a number."
            )
        if self.bandwidth == "normal":
            factor = rule_of_thumb("scott", total, width) * covariance_factor(rows, weights)
            return float(factor[0, 0]) if width == 1 else factor
        return chosen_bandwidth(rows, weights, self.kernel, self.bandwidth)

    def _given_bandwidth(self, width: int) -> Any:
        if np.ndim(self.bandwidth) == 0:
            if not math.isfinite(self.bandwidth):
                raise ValueError(f"bandwidth must be finite, got {self.bandwidth!r}.")
            return self.bandwidth
        given = np.array(self.bandwidth, dtype=np.float64)
        if given.shape != (width,) or not (np.isfinite(given) & (given > 0.0)).all():
            raise ValueError(
                f"bandwidth must hold one finite number above 0 per column ({width}), got {self.bandwidth!r}."
            )
        if not self._is_euclidean:
            raise ValueError(f"bandwidth must be a number for metric={self.metric!r}, got one per column.")
        return given

    @property
    def _is_euclidean(self) -> bool:
        metric, _ = effective_metric(self.metric, self.metric_params, 2)
        return isinstance(metric, str) and metric in ("euclidean", "l2")

    @predict_method
    def score_samples(self, X: TableLike) -> Floats:
        """The log-density of every row.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        queries = check_X(self, X, order="C", dtype=np.float64, largest=LARGEST)
        width, total = self.n_features_in_, float(self._weights.sum())
        constant = log_kernel_constant(self.kernel, width) - self._log_volume(width)
        if self._is_euclidean:
            factor = self._factor()
            if factor is None:
                bandwidths = np.broadcast_to(np.asarray(self.bandwidth_, dtype=np.float64), width)
            else:
                queries, bandwidths = self._turned(queries, factor), np.ones(width)
            allowed = math.exp(min(math.log(self.atol) + math.log(total) - constant, 700.0)) if self.atol > 0.0 else 0.0
            found = _native_calls.log_sums(
                self._cut_groups(), queries, self.kernel, bandwidths, absolute=allowed, relative=self.rtol
            )
        else:
            found = self._sums_of_distances(queries)
        return np.asarray(found + (constant - math.log(total)))

    def _sums_of_distances(self, queries: Floats) -> Floats:
        metric, params = effective_metric(self.metric, self.metric_params, 2)
        blocks = distance_blocks(queries, self._rows, metric=metric, metric_params=params)
        bandwidth = float(self.bandwidth_)
        return np.concatenate(
            [_native_calls.log_sums_at(block, self._weights, self.kernel, bandwidth) for _, block in blocks]
        )

    def _factor(self) -> Floats | None:
        """The triangular factor of a kernel that is not along the columns."""
        return self.bandwidth_ if np.ndim(self.bandwidth_) == 2 else None

    def _log_volume(self, width: int) -> float:
        factor = self._factor()
        if factor is not None:
            return float(np.log(np.diag(factor)).sum())
        return float(np.log(np.broadcast_to(self.bandwidth_, width)).sum())

    def _turned(self, rows: Floats, factor: Floats) -> Floats:
        """Rows in coordinates in which the kernel is round, around the middle of the training rows."""
        middle = self._weights @ self._rows / self._weights.sum()
        return np.ascontiguousarray(solve_triangular(factor, (rows - middle).T, lower=True).T)

    def _cut_groups(self) -> Any:
        if vars(self).get("_groups") is None:
            factor = self._factor()
            rows = self._rows if factor is None else self._turned(self._rows, factor)
            self._groups = _native_calls.build_density_rows(rows, self._weights)
        return self._groups

    @predict_method
    def score(self, X: TableLike, y: TargetLike | None = None, sample_weight: WeightsLike = None) -> float:
        """The sum of the log-densities of the rows, as in scikit-learn."""
        found = self.score_samples(X)
        weights = check_weights(self, sample_weight, found[:, None])
        return float(found.sum() if weights is None else weights @ found)

    @predict_method
    def sample(self, n_samples: int = 1, random_state: RandomStateLike = None) -> Floats:
        """Draw rows from a gaussian or tophat density.

        Parameters
        ----------
        n_samples : int, default=1
            How many.
        random_state : int, RandomState or None, default=None
            Seed.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        if self.kernel not in ("gaussian", "tophat"):
            raise NotImplementedError(f"sample needs kernel='gaussian' or 'tophat', got {self.kernel!r}.")
        rng: Any = check_random_state(random_state)
        reached = np.cumsum(self._weights)
        uniform = rng.uniform(0, 1, size=n_samples) * reached[-1]
        around = np.minimum(np.searchsorted(reached, uniform, side="right"), len(reached) - 1)
        width = self.n_features_in_
        moved = rng.normal(size=(n_samples, width))
        if self.kernel == "tophat":  # a radius that makes the ball uniform
            squares = np.einsum("ij,ij->i", moved, moved)
            moved *= (gammainc(0.5 * width, 0.5 * squares) ** (1.0 / width) / np.sqrt(squares))[:, None]
        factor = self._factor()
        moved = moved * self.bandwidth_ if factor is None else moved @ factor.T
        return np.asarray(self._rows[around] + moved)

    def _restored(self) -> None:
        if "_rows" not in vars(self):
            return
        check_shapes(self, _rows=(None, self.n_features_in_), _weights=(len(self._rows),))
        bandwidth, width = np.asarray(self.bandwidth_, dtype=np.float64), self.n_features_in_
        if bandwidth.shape not in ((), (width,), (width, width)) or not np.isfinite(bandwidth).all():
            raise ValueError("bandwidth_ must be a number, one per column, or a triangular matrix.")
        positive = np.diag(bandwidth) if bandwidth.ndim == 2 else bandwidth
        if not ((positive > 0.0).all() and (self._weights > 0.0).all() and len(self._rows)):
            raise ValueError("bandwidth_ and _weights must be positive, and there must be rows.")
        if not (np.abs(self._rows) <= LARGEST).all():
            raise ValueError("_rows must be finite.")
