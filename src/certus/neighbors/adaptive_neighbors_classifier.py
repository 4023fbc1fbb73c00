"""As many neighbors as it takes to be sure. Balsubramani, Dasgupta, Freund, Moran (2019)."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from certus.base import Classifier, TableLike, TargetLike, distinct_labels, fit_method, predict_method, register
from certus.base.params import Exactly, Interval
from certus.guarantees import Report
from certus.neighbors.search.nearest_rows import NearestRows
from certus.neighbors.search.row_memory import SEARCH_CONSTRAINTS, STATE

_FIRST_COUNT = 64


class Decision(NamedTuple):
    """What is decided about queries: labels, whether each is sure, and how many neighbors it took."""

    labels: NDArray[Any]
    sure: NDArray[np.bool_]
    neighbors: NDArray[np.intp]


@register(
    family="neighbors",
    tasks=("classification",),
    guarantees=("held-out error bound",),
    cost="fit O(n p log n), predict the search for as many neighbors as a decision takes, at most all",
)
class AdaptiveNeighborsClassifier(NearestRows, Classifier):
    """Classifier that asks more neighbors until their majority is significant, and otherwise says that it is not.

    For k = 1, 2, ... the labels of the k nearest of m rows are counted as +1 for a class and -1 against it. The first k
    for which the mean of some class exceeds

        Delta(k) = sqrt(2 ln(C m / delta) / k),      C classes, delta = 1 - confidence

    decides. By Hoeffding's inequality and a union over the classes and all k, with the given confidence no class is
    called sure that does not have more than half of the probability, on average over those k rows.

    Parameters
    ----------
    confidence : float, default=0.95
        Confidence of each decision.
    scale : float, default=None
        If given, Delta(k) = scale / sqrt(k): bolder or more careful, without the promise.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.neighbors import AdaptiveNeighborsClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.random((2000, 1))
    >>> model = AdaptiveNeighborsClassifier().fit(X, rng.random(2000) < X[:, 0])
    >>> labels, sure, neighbors = model.decide([[0.95], [0.5]])
    >>> print(labels[0], sure)
    True [ True False]
    """

    _constraints = {
        "confidence": [Interval(0, 1, "neither")],
        "scale": [Interval(0, None, "neither"), Exactly(None)],
        **SEARCH_CONSTRAINTS,
    }
    _state = (*STATE, "_y", "classes_")

    def __init__(
        self,
        confidence: float = 0.95,
        *,
        scale: float | None = None,
        algorithm: str = "auto",
        leaf_size: int = 30,
        p: float | None = 2,
        metric: Any = "minkowski",
        metric_params: dict[str, Any] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self._set_parameters(locals())

    n_neighbors = None  # the number is found for every query

    @fit_method
    def fit(self, X: TableLike, y: TargetLike) -> AdaptiveNeighborsClassifier:
        """Keep the rows and prepare the search."""
        rows, y = self._check_training(X, y, one_output=True)
        labels, codes = distinct_labels(y)
        self._take_rows(rows)
        self.classes_, self._y = labels, codes.astype(np.intp)
        self.report_ = Report()
        return self

    def _usual_count(self) -> int:
        return _FIRST_COUNT

    def _restored(self) -> None:
        super()._restored()
        if hasattr(self, "_y") and (
            self._y.shape != (self.n_samples_fit_,) or not 0 <= self._y.min() <= self._y.max() < len(self.classes_)
        ):
            raise ValueError("_y does not have one class number per training row")

    @predict_method
    def decide(self, X: TableLike) -> Decision:
        """Decide about queries, or say that no number of neighbors is enough.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_queries, n_features)
            The queries.

        Returns
        -------
        labels : ndarray of shape (n_queries,)
            The label that was decided for or, if none was, the one that came closest.
        sure : ndarray of shape (n_queries,) of bool
            Whether it was decided.
        neighbors : ndarray of shape (n_queries,)
            How many neighbors it took; all rows where nothing was decided.
        """
        queries = self._check_queries(X)
        count = queries.shape[0]
        codes, sure = np.zeros(count, dtype=np.intp), np.zeros(count, dtype=bool)
        taken = np.full(count, self.n_samples_fit_, dtype=np.intp)
        asked, open_ = _FIRST_COUNT, np.arange(count)
        while len(open_):
            asked = min(asked, self.n_samples_fit_)
            rows = self._search_index().query(queries[open_], asked, self.n_jobs)[1]
            codes[open_], sure[open_], needed = self._first_significant(rows)
            taken[open_[sure[open_]]] = needed[sure[open_]]
            if asked == self.n_samples_fit_:
                break
            open_, asked = open_[~sure[open_]], 4 * asked
        return Decision(self.classes_[codes], sure, taken)

    def _first_significant(self, rows: NDArray[np.intp]) -> tuple[Any, Any, Any]:
        """Per query the class, whether it is significant for some k, and the first such k."""
        counts = np.arange(1, rows.shape[1] + 1)
        if self.scale is None:
            level = math.log(max(2, len(self.classes_)) * self.n_samples_fit_ / (1.0 - self.confidence))
            least = np.sqrt(2.0 * level / counts)
        else:
            least = self.scale / np.sqrt(counts)
        best = np.full(len(rows), -np.inf)
        found, first = np.zeros(len(rows), dtype=np.intp), np.full(len(rows), len(counts) + 1)
        for code in range(len(self.classes_)):
            means = np.cumsum(np.where(self._y[rows] == code, 1.0, -1.0), axis=1) / counts
            margin = means / least
            when = np.where((margin > 1).any(axis=1), np.argmax(margin > 1, axis=1) + 1, len(counts) + 1)
            most = np.where(when <= len(counts), np.inf, margin.max(axis=1))
            better = (when < first) | ((when == first) & (most > best))
            found[better], first[better], best[better] = code, when[better], most[better]
        return found, first <= len(counts), first

    @predict_method
    def predict(self, X: TableLike) -> NDArray[Any]:
        """The labels of `decide`, sure or not."""
        return self.decide(X).labels
