"""Multidimensional scaling: places in few dimensions with distances near the given ones. Kruskal (1964)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.metaestimators import available_if

from certus.base import Iterations, fit_method, predict_method, register
from certus.base.inputs import RandomStateLike, TableLike, TargetLike
from certus.base.params import Boolean, Exactly, Interval, OneOf, RandomState, Verbosity
from certus.components.classical_mds import ClassicalMDS
from certus.components.learning.distance_table import DistanceTable
from certus.components.smacof import scaled_places, starts_of
from certus.components.solvers.stress_majorization import placed
from certus.guarantees import Report

Floats = NDArray[np.float64]


def _places_new_rows(learner: MDS) -> bool:
    if not learner.metric_mds:
        raise AttributeError("transform needs metric_mds=True: an order of distances places no single row.")
    return True


@register(
    guarantees=(),
    cost="fit n^2 k per step; O(n^2) memory; transform n k per row and step",
)
class MDS(DistanceTable):
    """Places in few dimensions whose distances are as near as possible to the given ones.

    Minimizes the stress sum_{i<j} (d_ij - |x_i - x_j|)^2 by majorization: no step raises it. Where it ends is a local
    minimum.

    Parameters
    ----------
    metric_mds : bool, default=True
        Whether distances count, or only their order (those of 0 are then missing).
    n_init : int, default=1
        Number of random starts; the best end is kept.
    init : {"random", "classical_mds"}, default="classical_mds"
        Where to start; scikit-learn goes over to "classical_mds" too.
    max_iter : int, default=300
        Most steps from a start.
    verbose : int, default=0
        Whether steps are printed.
    eps : float, default=1e-6
        Steps end when the stress falls by less than this share of the sum of squared distances.
    n_jobs : int, default=None
        Accepted for compatibility.
    random_state : int, RandomState or None, default=None
        Seed of random starts.
    normalized_stress : bool or "auto", default="auto"
        Whether ``stress_`` is stress-1, sqrt(stress / sum of squared distances). "auto" is True without ``metric_mds``.

    Attributes
    ----------
    stress_ : float
        The stress at the end.
    n_iter_ : int
        Steps of the best start.
    history_ : ndarray
        Its stress after every step.

    Examples
    --------
    >>> from certus.components import MDS
    >>> sides = [[0.0, 3.0, 4.0], [3.0, 0.0, 5.0], [4.0, 5.0, 0.0]]
    >>> MDS(metric="precomputed").fit(sides).stress_ < 1e-9
    True
    """

    _constraints: ClassVar[Any] = {
        **DistanceTable._constraints,
        "metric_mds": [Boolean()],
        "n_init": [Interval(1, None, integer=True)],
        "init": [OneOf("random", "classical_mds")],
        "max_iter": [Interval(1, None, integer=True)],
        "verbose": [Verbosity()],
        "eps": [Interval(0, None)],
        "n_jobs": [Interval(None, None, integer=True), Exactly(None)],
        "random_state": [RandomState()],
        "normalized_stress": [Boolean(), OneOf("auto")],
    }
    _state: ClassVar[tuple[str, ...]] = (*DistanceTable._state, "stress_", "n_iter_", "history_")

    metric_mds: bool
    n_init: int
    init: str
    max_iter: int
    eps: float
    random_state: Any
    normalized_stress: bool | str
    stress_: float
    n_iter_: int
    history_: Floats

    def __init__(
        self,
        n_components: int = 2,
        *,
        metric_mds: bool = True,
        n_init: int = 1,
        init: str = "classical_mds",
        max_iter: int = 300,
        verbose: int = 0,
        eps: float = 1e-6,
        n_jobs: int | None = None,
        random_state: RandomStateLike = None,
        metric: Any = "euclidean",
        metric_params: dict[str, Any] | None = None,
        normalized_stress: bool | str = "auto",
    ) -> None:
        self._set_parameters(locals())

    @fit_method
    def fit(self, X: TableLike, y: TargetLike | None = None, init: TableLike | None = None) -> MDS:
        """Find places of the rows.

        Parameters
        ----------
        y : ignored
            There for compatibility.
        init : array-like of shape (n_samples, n_components), default=None
            First places.
        """
        wanted = self._read_distances(X)
        if init is None and self.init == "classical_mds":
            start = ClassicalMDS(self.n_components, metric="precomputed").fit_transform(wanted)
            starts = [np.hstack([start, np.zeros((len(start), self.n_components - start.shape[1]))])]
        else:
            runs = 1 if init is not None else self.n_init
            starts = starts_of(wanted, self.n_components, init, runs, self.random_state)
        with Iterations(self, self.max_iter * len(starts), X) as iterations:
            found = scaled_places(
                wanted,
                starts,
                metric=self.metric_mds,
                max_iter=self.max_iter,
                eps=self.eps,
                tell=lambda stress: iterations.step(objective=stress),
            )
        raw = self.normalized_stress is False or (self.normalized_stress == "auto" and self.metric_mds)
        self.embedding_, self.stress_ = found.rows, found.stress[-1] if raw else found.normalized
        self.n_iter_, self.history_ = len(found.stress), np.array(found.stress)
        self.report_ = Report([])
        return self

    def fit_transform(self, X: TableLike, y: TargetLike | None = None, init: TableLike | None = None) -> Floats:
        """Find places of the rows.

        Parameters
        ----------
        y : ignored
            There for compatibility.
        init : array-like of shape (n_samples, n_components), default=None
            First places.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        return self.fit(X, init=init).embedding_

    @available_if(_places_new_rows)  # type: ignore[untyped-decorator]
    @predict_method
    def transform(self, X: TableLike) -> Floats:
        """Places of new rows, each with the least stress against the training rows, which stay where they are.

        A row that equals a training row gets its place.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        return self._in_blocks(X, lambda distances: placed(distances, self.embedding_))
