"""The graph of the rows within a radius, as a step of a pipeline."""

from __future__ import annotations

from typing import Any

from certus.base import register
from certus.base.inputs import TableLike
from certus.base.params import OneOf
from certus.neighbors.search.neighbor_graph import NeighborGraph
from certus.neighbors.search.radius_rows import RadiusRows
from certus.neighbors.search.row_memory import RADIUS, SEARCH_CONSTRAINTS, STATE
from certus.neighbors.search.rows_alone import RowsAlone


@register(
    family="neighbors",
    guarantees=(),
    cost="fit O(n p log n), transform O(n p) per row or less, by kd-tree or matrix products",
)
class RadiusNeighborsTransformer(RowsAlone, RadiusRows, NeighborGraph):
    """Transformer that turns rows into a sparse graph of the training rows within a radius.

    Learners that take ``metric='precomputed'`` can work on the graph, so that neighbors are searched once.

    Parameters
    ----------
    mode : {'distance', 'connectivity'}, default='distance'
        Whether entries are distances or ones.
    radius : float, default=1.0
        How far neighbors may be.

    See Also
    --------
    KNeighborsTransformer : Equally many neighbors for every row.

    Examples
    --------
    >>> from certus.neighbors import RadiusNeighborsTransformer
    >>> graph = RadiusNeighborsTransformer(radius=2.5).fit_transform([[0.0], [2.0], [5.0]])
    >>> print(graph.toarray())
    [[0. 2. 0.]
     [2. 0. 0.]
     [0. 0. 0.]]
    """

    _constraints = {**RADIUS, **SEARCH_CONSTRAINTS, "mode": [OneOf("distance", "connectivity")]}
    _state = STATE

    def __init__(
        self,
        *,
        mode: str = "distance",
        radius: float = 1.0,
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
        return self.radius_neighbors_graph(X, mode=self.mode, sort_results=True)
