"""Coordinates in which rows that are alike are near: low eigenvectors of the graph Laplacian. Belkin, Niyogi (2003)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from sklearn.base import ClassNamePrefixFeaturesOutMixin
from sklearn.utils import Tags, check_array

from certus.base import Transformer, blas_on_one_thread, fit_method, predict_method, register, warn_user
from certus.base.inputs import RandomStateLike, TableLike, TargetLike, check_X
from certus.base.params import Boolean, Exactly, Function, Interval, OneOf, RandomState, check_parameters
from certus.components.learning.component_learner import LARGEST
from certus.components.solvers.symmetric_spectrum import largest_eigenvectors
from certus.geometry.search import GIVEN, Affinities
from certus.guarantees import Report

Floats = NDArray[np.float64]
SOLVERS = ("arpack", "lobpcg", "amg")
_CONSTRAINTS: Any = {
    "n_components": [Interval(1, None, integer=True)],
    "eigen_solver": [OneOf(*SOLVERS), Exactly(None)],
    "random_state": [RandomState()],
    "eigen_tol": [Interval(0, None), OneOf("auto")],
    "norm_laplacian": [Boolean()],
    "drop_first": [Boolean()],
}


def spectral_embedding(
    adjacency: TableLike,
    *,
    n_components: int = 8,
    eigen_solver: str | None = None,
    random_state: RandomStateLike = None,
    eigen_tol: float | str = "auto",
    norm_laplacian: bool = True,
    drop_first: bool = True,
) -> Floats:
    """Coordinates y of the nodes of a graph that minimize sum_ij A_ij (y_i - y_j)^2 at given length: low eigenvectors.

    Parameters
    ----------
    adjacency : {array-like, sparse matrix} of shape (n_samples, n_samples)
        Affinities, symmetric and not negative; those of a node to itself play no part.
    n_components : int, default=8
        Number of coordinates.
    eigen_solver : {"arpack", "lobpcg", "amg", None}, default=None
        Accepted for compatibility: a dense solve of few rows, Lanczos' method of many.
    random_state : int, RandomState or None, default=None
        Accepted for compatibility: nothing is drawn.
    eigen_tol : float or "auto", default="auto"
        Relative accuracy of Lanczos' method; "auto" is that of the machine.
    norm_laplacian : bool, default=True
        Whether lengths are weighted by the degrees: D - A against D instead of against the identity.
    drop_first : bool, default=True
        Whether the constant first coordinate is left out.

    Returns
    -------
    ndarray of shape (n_samples, n_components)

    Examples
    --------
    >>> import numpy as np
    >>> from certus.components import spectral_embedding
    >>> chain = np.eye(5, k=1) + np.eye(5, k=-1)
    >>> places = spectral_embedding(chain, n_components=1)[:, 0]
    >>> bool((np.diff(places) > 0).all() or (np.diff(places) < 0).all())
    True
    """
    given = dict(locals())
    check_parameters("spectral_embedding", _CONSTRAINTS, {name: given[name] for name in _CONSTRAINTS})
    matrix = check_array(adjacency, accept_sparse="csr", dtype=(np.float64, np.float32))
    with blas_on_one_thread():
        places, _ = _low_vectors(_checked(matrix), n_components + drop_first, norm_laplacian, eigen_tol)
    return np.asarray(places[:, drop_first:], dtype=matrix.dtype)


def _checked(matrix: Any) -> Any:
    """The affinities in double without a diagonal; refuses what is no graph."""
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"affinities must be a square matrix, got the shape {matrix.shape}.")
    found: Any = sparse.csr_array(matrix, dtype=np.float64) if sparse.issparse(matrix) else np.array(matrix, np.float64)
    away = abs(found - found.T).max()
    if away > 1e-10 * abs(found).max():
        found = 0.5 * (found + found.T)
        warn_user("Affinities must be symmetric; the mean of both directions was taken.", UserWarning)
    if sparse.issparse(found):
        found.setdiag(0.0)
        found.eliminate_zeros()
        cells = found.data
    else:
        np.fill_diagonal(found, 0.0)
        cells = found
    if cells.size and cells.min() < 0.0:
        raise ValueError(f"affinities must not be negative, got {cells.min():g}.")
    if connected_components(found, directed=False, return_labels=False) > 1:
        warn_user("Graph is not fully connected, spectral embedding may not work as expected.", UserWarning)
    return found


def _low_vectors(matrix: Any, count: int, normalized: bool, tol: float | str) -> tuple[Floats, Floats]:
    """The lowest eigenvectors of the Laplacian, as columns, and their eigenvalues."""
    rows = matrix.shape[0]
    if count > rows:
        raise ValueError(f"n_components must leave {count} of {rows} coordinates.\nHint: ask for fewer components.")
    degrees = np.asarray(matrix.sum(axis=1)).ravel()
    scale = np.where(degrees > 0.0, np.sqrt(degrees), 1.0) if normalized else np.ones(rows)
    shift = 2.0 if normalized else 2.0 * float(degrees.max(initial=0.0))
    # Largest eigenvalues of shift I - Laplacian, which has no negative ones.
    diagonal = shift - degrees / scale**2
    if sparse.issparse(matrix):
        turned = sparse.diags_array(1.0 / scale) @ matrix @ sparse.diags_array(1.0 / scale)
        turned = sparse.csr_array(turned + sparse.diags_array(diagonal))
    else:
        turned = matrix / scale[:, None] / scale
        turned[np.diag_indices(rows)] += diagonal
    values, vectors = largest_eigenvectors(turned, count, 0.0 if tol == "auto" else float(tol))
    places = vectors / scale[:, None]
    signs = np.sign(places[np.abs(places).argmax(axis=0), np.arange(count)])
    return places * np.where(signs == 0.0, 1.0, signs), shift - values


@register(
    guarantees=(),
    cost="fit as a search for neighbors and products with the affinities; O(n^2) memory where these are dense",
)
class SpectralEmbedding(ClassNamePrefixFeaturesOutMixin, Transformer):
    """Coordinates in which rows that are alike are near: low eigenvectors of the graph Laplacian.

    Parameters
    ----------
    n_components : int, default=2
        Number of coordinates.
    affinity : {"nearest_neighbors", "rbf", "precomputed", "precomputed_nearest_neighbors"} or callable, \
default="nearest_neighbors"
        How alike rows are; a function gets the table and returns all affinities.
    gamma : float, default=None
        Of "rbf"; None is 1 / n_features.
    random_state : int, RandomState or None, default=None
        Accepted for compatibility: nothing is drawn.
    eigen_solver : {"arpack", "lobpcg", "amg", None}, default=None
        Accepted for compatibility.
    eigen_tol : float or "auto", default="auto"
        Relative accuracy of the eigenvectors of many rows.
    n_neighbors : int, default=None
        Neighbors of a row in the graph; None is a tenth of the rows.
    n_jobs : int, default=None
        Threads of the search for neighbors.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Coordinates of the training rows.
    eigenvalues_ : ndarray of shape (n_components,)
        Eigenvalues of the normalized Laplacian.
    affinity_matrix_ : ndarray or sparse matrix of shape (n_samples, n_samples)
        The affinities.
    n_neighbors_ : int
        Neighbors that were used.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.components import SpectralEmbedding
    >>> turn = np.linspace(0.0, 6.0, 80)[:, None]
    >>> spiral = np.hstack([turn * np.cos(2 * turn), turn * np.sin(2 * turn)])
    >>> along = SpectralEmbedding(1, n_neighbors=4).fit_transform(spiral)[:, 0]
    >>> bool((np.diff(along) > 0).all() or (np.diff(along) < 0).all())
    True
    """

    _constraints: ClassVar[Any] = {
        "n_components": [Interval(1, None, integer=True)],
        "affinity": [OneOf("nearest_neighbors", "rbf", *GIVEN), Function()],
        "gamma": [Interval(0, None), Exactly(None)],
        "random_state": [RandomState()],
        "eigen_solver": [OneOf(*SOLVERS), Exactly(None)],
        "eigen_tol": [Interval(0, None), OneOf("auto")],
        "n_neighbors": [Interval(1, None, integer=True), Exactly(None)],
        "n_jobs": [Interval(None, None, integer=True), Exactly(None)],
    }
    _state: ClassVar[tuple[str, ...]] = (
        "embedding_",
        "eigenvalues_",
        "affinity_matrix_",
        "n_neighbors_",
        "gamma_",
        "_rows",
    )
    _keeps_training_rows: ClassVar[bool] = True
    _takes_sparse: ClassVar[bool] = True

    n_components: int
    affinity: Any
    gamma: float | None
    eigen_tol: float | str
    n_neighbors: int | None
    n_jobs: int | None
    embedding_: Floats
    eigenvalues_: Floats
    affinity_matrix_: Any
    n_neighbors_: int
    gamma_: float
    n_features_in_: int
    _rows: Any

    def __init__(
        self,
        n_components: int = 2,
        *,
        affinity: Any = "nearest_neighbors",
        gamma: float | None = None,
        random_state: RandomStateLike = None,
        eigen_solver: str | None = None,
        eigen_tol: float | str = "auto",
        n_neighbors: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self._set_parameters(locals())

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = not callable(self.affinity) and self.affinity in GIVEN
        return tags

    def _ways(self) -> Affinities:
        return Affinities(self.affinity, self.n_neighbors_, {"gamma": self.gamma_}, self.n_jobs)

    @fit_method
    def fit(self, X: TableLike, y: TargetLike | None = None) -> SpectralEmbedding:
        """Find the coordinates of the rows.

        Parameters
        ----------
        y : ignored
            There for compatibility.
        """
        given = check_X(self, X, reset=True, accept_sparse="csr", order="C", min_rows=2, largest=LARGEST)
        table = given.astype(np.float64)
        rows, width = table.shape
        self.n_neighbors_ = min(rows, self.n_neighbors or max(rows // 10, 1))
        self.gamma_ = 1.0 / width if self.gamma is None else float(self.gamma)
        affinities = self.affinity(table) if callable(self.affinity) else self._ways().among(table)
        affinities = check_array(affinities, accept_sparse="csr", dtype=np.float64)
        self.affinity_matrix_ = affinities.astype(given.dtype)
        places, values = _low_vectors(_checked(affinities), self.n_components + 1, True, self.eigen_tol)
        self.embedding_, self.eigenvalues_ = np.ascontiguousarray(places[:, 1:], dtype=given.dtype), values[1:]
        self._rows = None if callable(self.affinity) or self.affinity in GIVEN else table
        self.report_ = Report([])
        return self

    def fit_transform(self, X: TableLike, y: TargetLike | None = None) -> Floats:
        """Find the coordinates of the rows.

        Parameters
        ----------
        y : ignored
            There for compatibility.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        return self.fit(X).embedding_

    @predict_method
    def transform(self, X: TableLike) -> Floats:
        """Coordinates of new rows: means of those of the training rows by affinity, over 1 - eigenvalue (Nystrom).

        A dense row that equals a training row gets its coordinates.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        table = check_X(self, X, accept_sparse="csr", order="C", dtype=np.float64, largest=LARGEST)
        if callable(self.affinity):
            raise ValueError("transform needs an affinity by name: a function gave those of all training rows at once.")
        spread = 1.0 - self.eigenvalues_
        directions = self.embedding_ / np.where(np.abs(spread) > 1e-12, spread, np.inf)
        step = max(1, 2**22 // len(self.embedding_))
        found = []
        for first in range(0, table.shape[0], step):
            part = table[first : first + step]
            near = self._ways().to(part if self._rows is None else self._rows, part)
            total = np.asarray(near.sum(axis=1)).reshape(-1, 1)
            found.append(np.asarray(near @ directions) / np.where(total > 0.0, total, 1.0))
        return self._with_known(np.concatenate(found).astype(self.embedding_.dtype), table)

    def _with_known(self, places: Floats, table: Any) -> Floats:
        """Places in which rows of training have theirs."""
        if self._rows is None or sparse.issparse(table) or sparse.issparse(self._rows):
            return places
        numbers = {row.tobytes(): number for number, row in reversed(list(enumerate(self._rows)))}
        for place, row in enumerate(np.ascontiguousarray(table)):
            number = numbers.get(row.tobytes())
            if number is not None:
                places[place] = self.embedding_[number]
        return places

    @property
    def _n_features_out(self) -> int:
        return self.embedding_.shape[1]

    def _restored(self) -> None:
        if "embedding_" not in vars(self):
            return
        count = len(self.embedding_)
        if self.embedding_.shape[1:] != self.eigenvalues_.shape or self.affinity_matrix_.shape != (count, count):
            raise ValueError("embedding_, eigenvalues_ and affinity_matrix_ do not belong together.")
        if self._rows is not None and self._rows.shape != (count, self.n_features_in_):
            raise ValueError("the training rows do not belong to embedding_.")
