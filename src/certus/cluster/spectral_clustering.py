"""Spectral clustering: parts of a graph with a small normalized cut. Shi, Malik (2000); Yu, Shi (2003)."""

from __future__ import annotations

import sys
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.metrics.pairwise import KERNEL_PARAMS
from sklearn.utils import Tags

from certus.base import Clusterer, fit_method, predict_method, register, resolve_seed, resolve_threads, warn_user
from certus.base.inputs import RandomStateLike, TableLike, TargetLike, check_X
from certus.base.params import Exactly, Function, InstanceOf, Interval, OneOf, RandomState, Verbosity
from certus.base.persistence import check_shapes
from certus.cluster.evidence.cut_bound import Floor, exact_floor, probable_floor
from certus.cluster.evidence.cut_certificate import cut_certificate, symmetric
from certus.cluster.solvers.cut_graph import CutGraph
from certus.cluster.solvers.graph_parts import Division, Wish, divide, label_new
from certus.geometry.search import GIVEN, Affinities
from certus.guarantees import Report

Floats = NDArray[np.float64]
AFFINITIES = sorted({*KERNEL_PARAMS, "nearest_neighbors", *GIVEN})
CELLS = 2**22  # affinities of new rows that are held at a time
PROVED_DENSE, PROVED_SPARSE = 6_000, 2_000  # rows up to which bound="auto" proves its bound
ACCURACY = 1e-8  # of eigenvectors, for eigen_tol="auto"


@register(
    guarantees=("lower bound on the normalized cut of any division",),
    cost="fit O(n^2) memory and O(n^2 k) per round, with neighbors O(n k) per round; predict O(n p) per row",
)
class SpectralClustering(Clusterer):
    """Spectral clustering: rows are divided so that little affinity lies between the parts.

    Minimizes, approximately, the normalized cut: the sum over the clusters of the affinity between a cluster and the
    other rows, divided by the affinity of the cluster to all rows. The rows are labeled by their places among the
    leading eigenvectors of D^-1/2 A D^-1/2; the smallest k eigenvalues of I - D^-1/2 A D^-1/2 bound the cut of any
    division from below. A graph of several components is divided component by component.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    eigen_solver : {"arpack", "lobpcg", "amg"} or None, default=None
        Accepted for compatibility: all mean the same eigenvectors, by a dense solve or block Krylov spaces.
    n_components : int, default=None
        Number of eigenvectors; None means ``n_clusters``.
    random_state : int, RandomState, Generator or None, default=None
        Seed of all draws.
    n_init : int, default=10
        Starts of k-means.
    gamma : float, default=1.0
        Of the kernels "rbf", "poly", "sigmoid", "laplacian" and "chi2".
    affinity : str or callable, default="rbf"
        How alike two rows are: a kernel's name, a function of two rows, "nearest_neighbors" for a graph of neighbors,
        "precomputed" if X holds affinities, "precomputed_nearest_neighbors" if X holds distances.
    n_neighbors : int, default=10
        Neighbors of a row in a graph of neighbors, itself included.
    eigen_tol : float or "auto", default="auto"
        Accuracy of the eigenvectors, as the length of what is left; "auto" means 1e-8.
    assign_labels : {"kmeans", "discretize", "cluster_qr"}, default="kmeans"
        How places become labels.
    degree, coef0 : float, default=3, 1
        Of the polynomial and the sigmoid kernel.
    kernel_params : dict, default=None
        Arguments of a function.
    n_jobs : int, default=None
        Number of threads.
    verbose : bool, default=False
        Whether to print what is being done.
    bound : {"auto", "exact", "probable", "none"}, default="auto"
        How the bound on any normalized cut is found: proved by a factorization that no eigenvalue was missed, or with
        a probability by Lanczos' method from a random start. "auto" proves it up to 6000 rows (graphs of neighbors:
        2000) and has it with a probability above.
    bound_confidence : float, default=0.95
        That probability.

    Attributes
    ----------
    affinity_matrix_ : ndarray or sparse matrix of shape (n_samples, n_samples)
        The affinities.
    labels_ : ndarray of shape (n_samples,)
        The cluster of every training row.
    normalized_cut_ : float
        The normalized cut of the clusters.
    embedding_ : ndarray of shape (n_samples, n_vectors)
        The eigenvectors, divided by the roots of the degrees; without columns where components were clusters already.
    eigenvalues_ : ndarray of shape (n_vectors,)
        Their eigenvalues.
    report_ : Report
        How much smaller any normalized cut could be; empty if an affinity is negative.

    Examples
    --------
    >>> from certus.cluster import SpectralClustering
    >>> X = [[1.0, 1], [2, 1], [1, 0], [4, 7], [3, 5], [3, 6]]
    >>> model = SpectralClustering(2, random_state=0).fit(X)
    >>> bool(model.labels_[0] == model.labels_[2] != model.labels_[3] == model.labels_[5])
    True
    >>> model.report_["excess normalized cut"].value < 0.1
    True
    """

    _keeps_training_rows = True
    _takes_sparse = True
    _constraints: ClassVar[Any] = {
        "n_clusters": [Interval(1, None, integer=True)],
        "eigen_solver": [OneOf("arpack", "lobpcg", "amg"), Exactly(None)],
        "n_components": [Interval(1, None, integer=True), Exactly(None)],
        "random_state": [RandomState()],
        "n_init": [Interval(1, None, integer=True)],
        "gamma": [Interval(0, None)],
        "affinity": [OneOf(*AFFINITIES), Function()],
        "n_neighbors": [Interval(1, None, integer=True)],
        "eigen_tol": [Interval(0, None), OneOf("auto")],
        "assign_labels": [OneOf("kmeans", "discretize", "cluster_qr")],
        "degree": [Interval(0, None)],
        "coef0": [Interval(None, None, closed="neither")],
        "kernel_params": [InstanceOf(dict), Exactly(None)],
        "n_jobs": [Exactly(None), Interval(None, None, integer=True)],
        "verbose": [Verbosity()],
        "bound": [OneOf("auto", "exact", "probable", "none")],
        "bound_confidence": [Interval(0, 1, closed="neither")],
    }
    _state: ClassVar[tuple[str, ...]] = (
        "affinity_matrix_",
        "labels_",
        "normalized_cut_",
        "embedding_",
        "eigenvalues_",
        "_fit_X",
        "_components",
        "_label_matrix",
        "_label_offsets",
    )

    affinity_matrix_: Any
    labels_: NDArray[np.int32]
    normalized_cut_: float
    embedding_: Floats
    eigenvalues_: Floats
    n_features_in_: int

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        eigen_solver: str | None = None,
        n_components: int | None = None,
        random_state: RandomStateLike = None,
        n_init: int = 10,
        gamma: float = 1.0,
        affinity: Any = "rbf",
        n_neighbors: int = 10,
        eigen_tol: float | str = "auto",
        assign_labels: str = "kmeans",
        degree: float = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        n_jobs: int | None = None,
        verbose: bool = False,
        bound: str = "auto",
        bound_confidence: float = 0.95,
    ) -> None:
        self._set_parameters(locals())

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._affinities().given
        return tags

    def _restored(self) -> None:
        if hasattr(self, "labels_"):
            rows = len(self.labels_)
            columns, clusters = self._label_matrix.shape
            check_shapes(
                self,
                embedding_=(rows, columns),
                eigenvalues_=(columns,),
                _components=(rows,),
                _label_matrix=(columns, clusters),
                _label_offsets=(clusters,),
            )
            known = ((self.labels_ >= 0) & (self.labels_ < max(clusters, 1))).all() and (self._components >= 0).all()
            if not self._has_rows(rows) or not known or self._components.max(initial=0) >= rows:
                raise ValueError("labels_ and the training rows must belong together.")

    def _has_rows(self, number: int) -> bool:
        if self._fit_X is None:
            return True
        numbers = self._fit_X.data if sparse.issparse(self._fit_X) else self._fit_X
        return self._fit_X.shape == (number, self.n_features_in_) and bool(np.isfinite(numbers).all())

    def _affinities(self) -> Affinities:
        if callable(self.affinity):
            params = dict(self.kernel_params or {})
        else:
            own = {"gamma": self.gamma, "degree": self.degree, "coef0": self.coef0}
            wanted = KERNEL_PARAMS.get(self.affinity, ())
            params = {name: value for name, value in {**(self.kernel_params or {}), **own}.items() if name in wanted}
        return Affinities(self.affinity, self.n_neighbors, params, self.n_jobs)

    @fit_method
    def fit(self, X: TableLike, y: TargetLike | None = None) -> SpectralClustering:
        """Divide the rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows; affinities for ``affinity="precomputed"``, distances for ``"precomputed_nearest_neighbors"``, shape
            (n_samples, n_samples).
        """
        ways = self._affinities()
        table = self._check_table(X, ways, reset=True)
        rng = np.random.default_rng(resolve_seed(self.random_state))
        try:
            self.affinity_matrix_ = ways.among(table)
        except MemoryError as error:
            rows = table.shape[0]
            raise MemoryError(
                f"affinity={self.affinity!r} needs 8 n^2 bytes, here {8e-9 * rows**2:.1f} GB for {rows} rows.\n"
                'Hint: affinity="nearest_neighbors" keeps n_neighbors affinities per row.'
            ) from error
        graph = CutGraph(self._symmetric(self.affinity_matrix_))
        if self.verbose:
            sys.stdout.write(f"Computing label assignment using {self.assign_labels}\n")
        division = divide(graph, self._wish(graph.rows), rng)
        self._remember(division, None if ways.given else table)
        self.normalized_cut_ = graph.cut(self.labels_.astype(np.intp))
        self.report_ = self._certified(graph, division, ways, rng)
        return self

    def _check_table(self, X: TableLike, ways: Affinities, *, reset: bool = False) -> Any:
        table = check_X(
            self,
            X,
            reset=reset,
            accept_sparse="csr",
            order="C",
            dtype=np.float64,
            min_rows=2 if reset else 1,
            largest=1e150,
        )
        square = table.shape[0] == table.shape[1]
        if not reset:
            return table
        if ways.given and not square:
            raise ValueError(f"X must be a square matrix for affinity={self.affinity!r}, got {table.shape}.")
        if table.shape[0] < self.n_clusters:
            raise ValueError(
                f"n_samples={table.shape[0]} should be >= n_clusters={self.n_clusters}.\n"
                "Hint: SpectralClustering needs at least one row per cluster."
            )
        return table

    def _symmetric(self, affinities: Any) -> Any:
        off = abs(affinities - affinities.T)
        largest = off.max() if off.size else 0.0
        if largest == 0.0:
            return affinities
        if largest > 1e-10:
            warn_user("Array is not symmetric, and will be converted to symmetric by average with its transpose.")
        return symmetric(affinities)

    def _wish(self, rows: int) -> Wish:
        return Wish(
            clusters=self.n_clusters,
            vectors=min(rows, self.n_clusters if self.n_components is None else self.n_components),
            method=self.assign_labels,
            starts=self.n_init,
            tolerance=ACCURACY if self.eigen_tol == "auto" else max(float(self.eigen_tol), 1e-13),
            threads=resolve_threads(self.n_jobs),
        )

    def _remember(self, division: Division, table: Any) -> None:
        _, labels = np.unique(division.labels, return_inverse=True)
        kept = np.unique(division.labels)
        self.labels_ = labels.astype(np.int32)
        self.embedding_, self.eigenvalues_ = division.places, division.eigenvalues
        self._fit_X, self._components = table, division.components
        self._label_matrix, self._label_offsets = division.matrix[:, kept], division.offsets[kept]

    def _certified(self, graph: CutGraph, division: Division, ways: Affinities, rng: np.random.Generator) -> Report:
        """The bound on any cut into as many parts as were found, where a cut makes sense."""
        count = int(self.labels_.max()) + 1
        if self.bound == "none" or not graph.nonnegative:
            return Report()
        labels, leading = self.labels_.astype(np.intp), division.leading
        if leading is None or count > len(leading.values):
            floor, values, residual = Floor(0.0, "none"), np.zeros(count), 0.0
        else:
            leading = leading.first(count)
            values, residual = 1.0 - leading.values, float(np.linalg.norm(leading.residuals))
            floor = self._floor(graph, leading, rng)
        found = cut_certificate(self.normalized_cut_, labels, ways, values, residual, floor, self.bound_confidence)
        return Report([found])

    def _floor(self, graph: CutGraph, leading: Any, rng: np.random.Generator) -> Floor:
        matrix: Any = None if leading.complete else graph.normalized()
        limit = PROVED_SPARSE if sparse.issparse(matrix) else PROVED_DENSE
        if self.bound == "exact" or leading.complete or (self.bound == "auto" and graph.rows <= limit):
            whole = matrix.toarray() if sparse.issparse(matrix) and graph.rows <= PROVED_SPARSE else matrix
            proved = exact_floor(whole, leading)
            if proved is not None or self.bound == "exact":
                return proved or Floor(0.0, "none")
        return probable_floor(matrix, leading.vectors, 1.0 - self.bound_confidence, rng, resolve_threads(self.n_jobs))

    @predict_method
    def predict(self, X: TableLike) -> NDArray[np.int32]:
        """The cluster of every new row, by Nystrom's extension of the eigenvectors; -1 without any affinity.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows; with a precomputed affinity their affinities or distances to the training rows, one column each.
        """
        ways = self._affinities()
        table = self._check_table(X, ways)
        rows = len(self.labels_)
        labels = self.labels_.astype(np.intp)
        division = (self.embedding_, self.eigenvalues_, self._label_matrix, self._label_offsets)
        found = []
        step = max(1, CELLS // rows)
        for first in range(0, table.shape[0], step):
            near = ways.to(self._fit_X, table[first : first + step])
            near = np.asarray(near.toarray() if sparse.issparse(near) else near, dtype=np.float64)
            size = self.assign_labels == "cluster_qr"
            found.append(label_new(near, self._components, labels, division, size=size))
        return np.concatenate(found).astype(np.int32)


def spectral_clustering(
    affinity: TableLike,
    *,
    n_clusters: int = 8,
    n_components: int | None = None,
    eigen_solver: str | None = None,
    random_state: RandomStateLike = None,
    n_init: int = 10,
    eigen_tol: float | str = "auto",
    assign_labels: str = "kmeans",
    verbose: bool = False,
) -> NDArray[np.int32]:
    """The labels of `SpectralClustering` for given affinities.

    Parameters
    ----------
    affinity : array-like or sparse matrix of shape (n_samples, n_samples)
        The affinities, symmetric.
    n_clusters, n_components, eigen_solver, random_state, n_init, eigen_tol, assign_labels, verbose
        As the parameters of `SpectralClustering`.

    Returns
    -------
    labels : ndarray of shape (n_samples,)
    """
    model = SpectralClustering(
        n_clusters,
        n_components=n_components,
        eigen_solver=eigen_solver,
        random_state=random_state,
        n_init=n_init,
        affinity="precomputed",
        eigen_tol=eigen_tol,
        assign_labels=assign_labels,
        verbose=verbose,
        bound="none",
    )
    return model.fit(affinity).labels_
