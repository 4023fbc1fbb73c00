"""Projection onto directions with few entries."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from certus.base import predict_method, register
from certus.base.inputs import RandomStateLike, TableLike
from certus.base.params import Boolean, Interval, OneOf
from certus.components.learning.random_projection import RandomProjection
from certus.guarantees import Report, projection_dimensions, projection_distortion


@register(
    guarantees=("bound on the change of every distance between the rows, at density 1/3",),
    cost="fit and transform of n rows: as many steps as n times the entries of the directions that are not 0",
)
class SparseRandomProjection(RandomProjection):
    """Projection onto random directions with entries +-sqrt(1 / (density n_components)), the others 0.

    Parameters
    ----------
    density : float or "auto", default="auto"
        Share of entries that are not 0. "auto" is 1 / sqrt(n_features) (Li, Hastie and Church 2006).
    dense_output : bool, default=False
        Whether projections of sparse rows are dense.

    Attributes
    ----------
    density_ : float
        The density.
    report_ : Report
        At density 1/3: by how much any squared distance between two of the rows changes at most, with 95 % confidence
        over the draw of the directions (Achlioptas 2003). Otherwise empty: nothing as general is proved for fewer
        entries, since a row with few cells may meet none of them.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.components import SparseRandomProjection
    >>> X = np.random.default_rng(0).normal(size=(50, 2000))
    >>> model = SparseRandomProjection(800, density=1 / 3, random_state=0).fit(X)
    >>> print(model.transform(X).shape, round(model.report_["distance distortion"].value, 3))
    (50, 800) 0.255
    """

    _constraints: ClassVar[Any] = {
        **RandomProjection._constraints,
        "density": [Interval(0, 1, closed="right"), OneOf("auto")],
        "dense_output": [Boolean()],
    }
    _state: ClassVar[tuple[str, ...]] = (*RandomProjection._state, "density_")

    density: float | str
    dense_output: bool
    density_: float

    def __init__(
        self,
        n_components: int | str = "auto",
        *,
        density: float | str = "auto",
        eps: float = 0.1,
        dense_output: bool = False,
        compute_inverse_components: bool = False,
        random_state: RandomStateLike = None,
    ) -> None:
        self._set_parameters(locals())

    def _drawn(self, count: int, width: int, rng: np.random.RandomState) -> Any:
        self.density_ = 1.0 / math.sqrt(width) if self.density == "auto" else float(self.density)
        scale = math.sqrt(1.0 / (self.density_ * count))
        if self.density_ == 1.0:
            return scale * (2.0 * rng.randint(0, 2, (count, width)) - 1.0)
        places = _chosen_places(count * width, self.density_, rng)
        values = scale * (2.0 * rng.randint(0, 2, len(places)) - 1.0)
        starts = np.searchsorted(places, width * np.arange(count + 1))
        return sparse.csr_matrix((values, places % width, starts), shape=(count, width))

    def _promised(self, rows: int, count: int) -> Report:
        enough = projection_dimensions(rows, 0.999, entries="achlioptas")  # with fewer the tails say nothing
        if abs(3.0 * self.density_ - 1.0) > 1e-12 or count < enough:
            return Report([])
        return Report([projection_distortion(rows, count, entries="achlioptas")])

    @predict_method
    def transform(self, X: TableLike) -> Any:
        """The rows along the directions.

        Returns
        -------
        ndarray or sparse matrix of shape (n_samples, n_components_)
        """
        found = super().transform(X)
        return found.toarray() if self.dense_output and sparse.issparse(found) else found


def _chosen_places(cells: int, density: float, rng: np.random.RandomState) -> Any:
    """Places among so many cells, each with this chance: gaps between them are geometric."""
    parts, last = [], -1
    while last < cells:
        gaps = rng.geometric(density, size=int(density * (cells - last)) + 100)
        found = last + np.cumsum(gaps)
        parts.append(found)
        last = int(found[-1])
    places = np.concatenate(parts)
    return places[places < cells]
