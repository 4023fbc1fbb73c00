"""Coordinates whose inner products are those that distances tell. Torgerson (1952), Gower (1966, 1968)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from certus.base import fit_method, predict_method, register
from certus.base.inputs import TableLike, TargetLike
from certus.base.persistence import check_shapes
from certus.components.learning.distance_table import DistanceTable
from certus.components.solvers.symmetric_spectrum import largest_eigenvectors
from certus.guarantees import Report

Floats = NDArray[np.float64]


@register(
    guarantees=(),
    cost="fit n^2 p, and n^2 per product for the leading eigenvectors; O(n^2) memory; transform n p per row",
)
class ClassicalMDS(DistanceTable):
    """Coordinates from distances: the leading eigenvectors of -1/2 times the doubly centered squares.

    For Euclidean distances these are the principal components. New rows are placed by their distances to the training
    rows (Gower 1968); training rows then keep their places.

    Attributes
    ----------
    eigenvalues_ : ndarray of shape (n_components,)
        The eigenvalues, descending: sums of squares of the coordinates. A negative one, which no Euclidean distances
        have, gets coordinates of 0.

    Examples
    --------
    >>> from certus.components import ClassicalMDS
    >>> sides = [[0.0, 3.0, 4.0], [3.0, 0.0, 5.0], [4.0, 5.0, 0.0]]
    >>> places = ClassicalMDS(2, metric="precomputed").fit_transform(sides)
    >>> float(((places[1] - places[2]) ** 2).sum().round(6))
    25.0
    """

    _state: ClassVar[tuple[str, ...]] = (*DistanceTable._state, "eigenvalues_", "_means")

    eigenvalues_: Floats
    _means: Floats

    def __init__(
        self, n_components: int = 2, *, metric: Any = "euclidean", metric_params: dict[str, Any] | None = None
    ) -> None:
        self._set_parameters(locals())

    @fit_method
    def fit(self, X: TableLike, y: TargetLike | None = None) -> ClassicalMDS:
        """Find the coordinates of the rows.

        Parameters
        ----------
        y : ignored
            There for compatibility.
        """
        distances = self._read_distances(X)
        count = min(self.n_components, len(distances))
        unit = float(distances.max()) or 1.0
        products = (distances / unit) ** 2
        self._means = products.mean(axis=0) * unit**2
        products -= products.mean(axis=0)
        products -= products.mean(axis=1, keepdims=True)
        products *= -0.5
        values, vectors = largest_eigenvectors(products, count)
        self.eigenvalues_ = values * unit**2
        self.embedding_ = vectors * np.sqrt(np.maximum(values, 0.0)) * unit
        self.report_ = Report([])
        return self

    @predict_method
    def transform(self, X: TableLike) -> Floats:
        """Places of new rows, by their distances to the training rows.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        kept = self.eigenvalues_ > 1e-12 * max(float(self.eigenvalues_.max()), 0.0)
        directions = np.where(kept, self.embedding_ / np.where(kept, self.eigenvalues_, 1.0), 0.0)
        return self._in_blocks(X, lambda distances: -0.5 * (distances**2 - self._means) @ directions)

    def _restored(self) -> None:
        super()._restored()
        if "embedding_" in vars(self):
            rows, count = self.embedding_.shape
            check_shapes(self, eigenvalues_=(count,), _means=(rows,))
            if not (count and np.isfinite(self.eigenvalues_).all() and np.isfinite(self._means).all()):
                raise ValueError("eigenvalues_ must be finite numbers, one per coordinate.")
