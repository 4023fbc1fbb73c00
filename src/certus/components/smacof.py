"""Multidimensional scaling of a table of distances, as a function."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array, check_random_state
from sklearn.utils.validation import check_symmetric

from certus.base import blas_on_one_thread, warn_user
from certus.base.inputs import RandomStateLike, TableLike
from certus.base.params import ArrayLike, Boolean, Exactly, Interval, OneOf, RandomState, Verbosity, check_parameters
from certus.components.solvers.stress_majorization import Places, majorize

Floats = NDArray[np.float64]
_CONSTRAINTS: Any = {
    "metric": [Boolean()],
    "n_components": [Interval(1, None, integer=True)],
    "init": [ArrayLike(), Exactly(None)],
    "n_init": [Interval(1, None, integer=True)],
    "n_jobs": [Interval(None, None, integer=True), Exactly(None)],
    "max_iter": [Interval(1, None, integer=True)],
    "verbose": [Verbosity()],
    "eps": [Interval(0, None)],
    "random_state": [RandomState()],
    "return_n_iter": [Boolean()],
    "normalized_stress": [Boolean(), OneOf("auto")],
}


def smacof(
    dissimilarities: TableLike,
    *,
    metric: bool = True,
    n_components: int = 2,
    init: TableLike | None = None,
    n_init: int = 1,
    n_jobs: int | None = None,
    max_iter: int = 300,
    verbose: int = 0,
    eps: float = 1e-6,
    random_state: RandomStateLike = None,
    return_n_iter: bool = False,
    normalized_stress: bool | str = "auto",
) -> Any:
    """Places whose distances are near given ones, by majorization of the stress: no step raises it.

    Parameters
    ----------
    dissimilarities : array-like of shape (n_samples, n_samples)
        The distances, symmetric.
    metric : bool, default=True
        Whether distances count, or only their order (those of 0 are then missing).
    n_components : int, default=2
        Number of coordinates, unless ``init`` says it.
    init : array-like of shape (n_samples, n_components), default=None
        First places; random ones by default.
    n_init : int, default=1
        Number of random starts; the best end is kept.
    n_jobs, verbose
        Accepted for compatibility.
    max_iter : int, default=300
        Most steps from a start.
    eps : float, default=1e-6
        Steps end when the stress falls by less than this share of the sum of squared distances.
    random_state : int, RandomState or None, default=None
        Seed of the starts.
    return_n_iter : bool, default=False
        Whether the number of steps is returned too.
    normalized_stress : bool or "auto", default="auto"
        Whether stress-1 is returned, sqrt(stress / sum of squared distances). "auto" is True without ``metric``.

    Returns
    -------
    X : ndarray of shape (n_samples, n_components)
        The places.
    stress : float
        Their stress.
    n_iter : int
        Steps, if asked for.

    Examples
    --------
    >>> from certus.components import smacof
    >>> sides = [[0.0, 3.0, 4.0], [3.0, 0.0, 5.0], [4.0, 5.0, 0.0]]
    >>> places, stress = smacof(sides, random_state=0, eps=1e-12)
    >>> stress < 1e-6
    True
    """
    given = dict(locals())
    check_parameters("smacof", _CONSTRAINTS, {name: given[name] for name in _CONSTRAINTS})
    wanted = check_symmetric(check_array(dissimilarities, dtype=np.float64), raise_exception=True)
    with blas_on_one_thread():
        found = scaled_places(
            wanted,
            starts_of(wanted, n_components, init, n_init, random_state),
            metric=metric,
            max_iter=max_iter,
            eps=eps,
        )
    raw = normalized_stress is False or (normalized_stress == "auto" and metric)
    stress = found.stress[-1] if raw else found.normalized
    return (found.rows, stress, len(found.stress)) if return_n_iter else (found.rows, stress)


def starts_of(wanted: Floats, count: int, init: Any, runs: int, random_state: Any) -> list[Floats]:
    """First places: those given, or random ones."""
    if init is not None:
        start = check_array(init, dtype=np.float64, copy=True)
        if len(start) != len(wanted):
            raise ValueError(f"init matrix should be of shape ({len(wanted)}, {count}), got {start.shape}.")
        if runs > 1:
            warn_user(
                f"Explicit initial positions passed: performing only one init of the MDS instead of {runs}", UserWarning
            )
        return [start]
    rng: Any = check_random_state(random_state)
    return [rng.uniform(size=(len(wanted), count)) for _ in range(runs)]


def scaled_places(
    wanted: Floats, starts: list[Floats], *, metric: bool, max_iter: int, eps: float, tell: Any = lambda _: False
) -> Places:
    """The best of what the starts lead to."""
    runs = [majorize(wanted, start, metric=metric, max_iter=max_iter, eps=eps, tell=tell) for start in starts]
    return min(runs, key=lambda run: run.stress[-1] if metric else run.normalized)
