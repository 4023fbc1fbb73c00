"""Exact search for the nearest rows, by number or by radius."""

from __future__ import annotations

from typing import Any

from certus.base import Learner, register
from certus.neighbors.search.nearest_rows import NearestRows
from certus.neighbors.search.radius_rows import RadiusRows
from certus.neighbors.search.row_memory import COUNT, RADIUS, SEARCH_CONSTRAINTS, STATE
from certus.neighbors.search.rows_alone import RowsAlone


@register(
    family="neighbors",
    tasks=("search",),
    guarantees=(),
    cost="fit O(n p log n), search O(n p) per row or less, by kd-tree or matrix products",
)
class NearestNeighbors(RowsAlone, NearestRows, RadiusRows, Learner):
    """Search for the nearest training rows of a query.

    The neighbors are exact whatever ``algorithm``, dtype and offset are, and rows equally far away come in the order
    of the training table.

    Parameters
    ----------
    n_neighbors : int, default=5
        How many neighbors `kneighbors` finds.
    radius : float, default=1.0
        How far `radius_neighbors` looks.

    See Also
    --------
    KNeighborsClassifier : Answers with the labels of the neighbors.
    kneighbors_graph : The neighbors of every row as a graph.

    Examples
    --------
    >>> from certus.neighbors import NearestNeighbors
    >>> search = NearestNeighbors(n_neighbors=2).fit([[0.0], [2.0], [5.0]])
    >>> distances, rows = search.kneighbors([[1.8]])
    >>> print(rows, distances.round(3))
    [[1 0]] [[0.2 1.8]]
    """

    _constraints = {**COUNT, **RADIUS, **SEARCH_CONSTRAINTS}
    _state = STATE

    def __init__(
        self,
        *,
        n_neighbors: int | None = 5,
        radius: float | None = 1.0,
        algorithm: str = "auto",
        leaf_size: int = 30,
        metric: Any = "minkowski",
        p: float | None = 2,
        metric_params: dict[str, Any] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self._set_parameters(locals())
