"""The graph of the k nearest rows, as a step of a pipeline."""

from __future__ import annotations

from typing import Any

from certus.base import register
from certus.base.inputs import TableLike
from certus.base.params import OneOf
from certus.neighbors.search.nearest_rows import NearestRows
from certus.neighbors.search.neighbor_graph import NeighborGraph
from certus.neighbors.search.row_memory import COUNT, SEARCH_CONSTRAINTS, STATE
from certus.neighbors.search.rows_alone import RowsAlone


@register(
    family="neighbors",
    guarantees=(),
    cost="fit O(n p log n), transform O(n p) per row or less, by kd-tree or matrix products",
)
class KNeighborsTransformer(RowsAlone, NearestRows, NeighborGraph):
    """Transformer that turns rows into a sparse graph of their nearest training rows.

    Learners that take ``metric='precomputed'`` can work on the graph, so that neighbors are searched once.

    Parameters
    ----------
    mode : {'distance', 'connectivity'}, default='distance'
        Whether entries are distances or ones. With distances there is one neighbor more, since a training row is its
        own nearest neighbor.
    n_neighbors : int, default=5
        How many neighbors each row gets.

    See Also
    --------
    RadiusNeighborsTransformer : All rows within a radius.

    Examples
    --------
    >>> from certus.neighbors import KNeighborsTransformer
    >>> graph = KNeighborsTransformer(n_neighbors=1).fit_transform([[0.0], [2.0], [5.0]])
    >>> print(graph.toarray())
    [[0. 2. 0.]
     [2. 0. 0.]
     [0. 3. 0.]]
    """

    _constraints = {**COUNT, **SEARCH_CONSTRAINTS, "mode": [OneOf("distance", "connectivity")]}
    _state = STATE

    def __init__(
        self,
        *,
        mode: str = "distance",
        n_neighbors: int = 5,
        algorithm: str = "auto",
        leaf_size: int = 30,
        metric: Any = "minkowski",
        p: float | None = 2,
        metric_params: dict[str, Any] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self._set_parameters(locals())

    def transform(self, X: TableLike) -> Any:
        """The graph of neighbors."""
        count = None if self.n_neighbors is None else self.n_neighbors + (self.mode == "distance")
        return self.kneighbors_graph(X, mode=self.mode, n_neighbors=count)
