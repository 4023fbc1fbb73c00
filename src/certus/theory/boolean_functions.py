"""Which labelings a half-space can produce: linear separability, decided by linear programs."""

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize

from certus.guarantees.records import check_count


def linearly_separable(points: ArrayLike, labels: ArrayLike, *, offset: bool = True) -> bool:
    """Whether some w and b have y_i (w.x_i + b) >= 1 for all rows: a linear program without objective.

    Parameters
    ----------
    points : array-like of shape (rows, features)
        The points.
    labels : array-like of shape (rows,)
        Two different values at most.
    offset : bool, default=True
        Whether b may differ from 0.

    Examples
    --------
    >>> corners = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> linearly_separable(corners, [0, 0, 0, 1]), linearly_separable(corners, [0, 1, 1, 0])
    (True, False)
    """
    x = np.asarray(points, dtype=np.float64)
    given = np.asarray(labels)
    values = np.unique(given)
    if x.ndim != 2 or given.shape != (len(x),) or not np.isfinite(x).all():
        raise ValueError(f"points must be a finite table with one label per row, got {x.shape} and {given.shape}.")
    if len(values) > 2:
        raise ValueError(f"labels must have at most two values, got {len(values)}.")
    signs = np.where(given == values[-1], 1.0, -1.0)
    rows = np.c_[x, np.ones(len(x))] if offset else x
    free = (None, None)
    found = optimize.linprog(
        np.zeros(rows.shape[1]), -signs[:, None] * rows, -np.ones(len(rows)), bounds=[free] * rows.shape[1]
    )
    return bool(found.status == 0)


def half_space_labelings(points: ArrayLike, *, offset: bool = True) -> np.ndarray:
    """All labelings of the points that half-spaces produce, one per row, as 0 and 1.

    Examples
    --------
    >>> len(half_space_labelings([[0.0, 0.1], [1.0, 0.0], [0.0, 1.0], [1.3, 1.1]]))
    14
    """
    x = np.asarray(points, dtype=np.float64)
    if len(x) > 12:
        raise ValueError(f"points must be at most 12, got {len(x)}: every labeling is one linear program.")
    kept = []
    for labels in itertools.product((0, 1), repeat=len(x)):
        if labels[0] == 0 and linearly_separable(x, labels, offset=offset):
            kept += [labels, tuple(1 - label for label in labels)]  # the other side of the same half-space
    return np.unique(np.array(kept), axis=0)


@dataclass(frozen=True)
class BooleanFunctions:
    """How many Boolean functions of some inputs a single threshold unit computes.

    Parameters
    ----------
    inputs : int
        Number of inputs.
    separable : int
        Number of linearly separable functions.
    functions : int
        Number of all functions, 2^(2^inputs).
    tables : ndarray of shape (separable, 2^inputs)
        Their truth tables.
    """

    inputs: int
    separable: int
    functions: int
    tables: np.ndarray

    def __str__(self) -> str:
        return f"{self.separable} of {self.functions} Boolean functions of {self.inputs} inputs are linearly separable"


def separable_boolean_functions(inputs: int) -> BooleanFunctions:
    """Count the linearly separable Boolean functions by one linear program per pair of a function and its negation.

    Examples
    --------
    >>> print(separable_boolean_functions(2))
    14 of 16 Boolean functions of 2 inputs are linearly separable
    """
    n = check_count(inputs, "inputs", minimum=1)
    if n > 3:
        raise ValueError(f"inputs must be at most 3, got {n}: there are 2^{2**n} functions to try.")
    corners = np.array(list(itertools.product((0.0, 1.0), repeat=n)))
    tables = half_space_labelings(corners)
    return BooleanFunctions(n, len(tables), 1 << (1 << n), tables)
