"""What Boolean functions cost learners of half-spaces, and a stream on which rotation-invariant ones err often.

References: Novikoff 1962; Kivinen, Warmuth, Auer, The Perceptron Algorithm versus Winnow (1997); Littlestone 1988.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import hadamard

from certus.guarantees.records import check_count
from certus.online.experts.regret_bounds import majority_constants

Floats = NDArray[np.float64]


def disjunction_comparator(variables: Iterable[int], width: int) -> Floats:
    """U with y u.(x, 1) >= 1 on all 0/1 rows of a monotone disjunction: 2 on its variables, -1 on the bias.

    Parameters
    ----------
    variables : iterable of int
        The columns of the disjunction.
    width : int
        Number of columns.

    Returns
    -------
    ndarray of shape (width + 1,)

    Examples
    --------
    >>> disjunction_comparator([0, 2], 3)
    array([ 2.,  0.,  2., -1.])
    """
    u = np.zeros(width + 1)
    u[list(variables)], u[-1] = 2.0, -1.0
    return u


def disjunction_perceptron_bound(width: int, literals: int) -> int:
    """(4k+1)(n+1) mistakes of the perceptron on rows (x, 1) of a disjunction of k of n columns.

    Examples
    --------
    >>> [disjunction_perceptron_bound(n, 3) for n in (10, 100, 1000)]
    [143, 1313, 13013]
    """
    return (4 * literals + 1) * (width + 1)


def dnf_perceptron_bound(width: int, terms: int) -> int:
    """(4k+1) 2^n mistakes of the kernel perceptron on all products of n columns, for a monotone DNF of k terms.

    Examples
    --------
    >>> dnf_perceptron_bound(6, 2)
    576
    """
    return int((4 * terms + 1) * 2**width)


def disjunction_majority_bound(beta: float, width: int, literals: int, fewest: int = 0) -> float:
    """Mistakes of weighted majority over all C(n, k) disjunctions: a m + b k ln(n e/k), since C(n, k) <= (n e/k)^k.

    Examples
    --------
    >>> round(disjunction_majority_bound(math.exp(-1), 10, 3), 2)
    17.41
    """
    a, b = majority_constants(beta)
    return a * fewest + b * literals * math.log(width * math.e / literals)


def rotation_bench(power: int, variable: int = 1) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """2^power orthogonal rows of -1 and 1 whose labels are one of their columns.

    Who predicts from inner products with earlier rows alone knows nothing of the next one: the perceptron and support
    vector machines err in every trial that is not guessed, n of n, where a rule that looks at columns errs about lg
    n times.

    Parameters
    ----------
    power : int
        The number of rows and of columns is 2^power.
    variable : int, default=1
        The column that is the label.

    Returns
    -------
    X : ndarray of shape (2^power, 2^power)
    y : ndarray of shape (2^power,)

    Examples
    --------
    >>> X, y = rotation_bench(3)
    >>> bool((X @ X.T == 8 * np.eye(8)).all()), bool((y == X[:, 1]).all())
    (True, True)
    """
    check_count(power, "power", minimum=1)
    rows = hadamard(2**power).astype(np.int64)
    return rows, rows[:, variable].copy()
