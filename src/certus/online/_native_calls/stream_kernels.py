"""The only caller of the kernels of online linear learners: what the rules keep, and one row or many."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from certus import _native
from certus.losses import native_loss_named

Array = NDArray[np.float64]
WHOLE = np.empty(0)  # no shares: every row counts once
UNLIMITED = 1e300  # of the limit of a column that was always 0

# What is kept of a problem besides vectors, in the order of ``cpp/online/linear_stream.hpp``.
NUMBERS = (
    *("trials", "mistakes", "updates", "loss", "linear", "squares", "moves", "largest", "jumps", "falls", "rate"),
    *("weight", "promoted", "demoted", "targets", "target", "cut", "unit", "since", "before"),
)
NUMBER = {name: place for place, name in enumerate(NUMBERS)}


@dataclass(frozen=True)
class StreamRule:
    """One way of learning.

    Parameters
    ----------
    number : int
        Its number in ``cpp/online/linear_stream.hpp``.
    start : tuple of float
        What its vectors begin with.
    odd : tuple of int
        Vectors whose sign changes when the two labels change places.
    matrix : bool
        Whether it keeps the factor of a matrix.
    """

    number: int
    start: tuple[float, ...]
    odd: tuple[int, ...] = ()
    matrix: bool = False


RULES = {
    "perceptron": StreamRule(0, (0.0, 0.0), (0, 1)),
    "passive": StreamRule(1, (0.0,), (0,)),
    "gradient": StreamRule(2, (0.0, 0.0), (0, 1)),
    "adaptive": StreamRule(3, (0.0, UNLIMITED, 0.0, 0.0), (0, 3)),
    "entropic": StreamRule(4, (0.0, 0.0), (0, 1)),
    "winnow": StreamRule(5, (1.0,)),
    "balanced": StreamRule(6, (0.0, 0.0), (0, 1)),
    "newton": StreamRule(7, (0.0, 0.0, 0.0), (0, 2), matrix=True),
    "forward": StreamRule(8, (0.0, 0.0, 0.0), (0, 2), matrix=True),
    "alma": StreamRule(9, (0.0,), (0,)),
    "romma": StreamRule(10, (0.0,), (0,)),
    "mirror": StreamRule(11, (0.0, 0.0), (0, 1)),
}


def options(
    rule: StreamRule,
    *,
    classifies: bool,
    loss: tuple[str, float] = ("squared", 0.0),
    eta: float = 0.0,
    radius: float = 1.0,
    factor: float = 2.0,
    threshold: float = 0.0,
    squared: bool = False,
    conservative: bool = False,
) -> Any:
    """The settings of a rule as the kernel takes them."""
    return _native.OnlineOptions(
        rule.number, native_loss_named(*loss), eta, radius, factor, threshold, squared, conservative, classifies
    )


def bound_to(settings: Any, constant: float, vectors: Array, numbers: Array, matrix: Array) -> Any:
    """The kernel's view of the arrays of a learner, which it changes in place."""
    return _native.OnlineLinear(settings, constant, vectors, numbers, matrix)


def learn(kernel: Any, table: Any, targets: Array, problems: int, shares: Array = WHOLE) -> Array:
    """Learn the rows one after the other; returns the scores that each had before.

    ``shares`` say how much of each row's loss counts; empty for all of it.
    """
    scores = np.empty((table.shape[0], problems))
    if sparse.issparse(table):
        kernel.learn_sparse(table.indptr, table.indices, table.data, targets, shares, scores)
    else:
        kernel.learn_dense(table, targets, shares, scores)
    return scores


def score(kernel: Any, table: Any, problems: int) -> Array:
    """The scores of rows, none of which is learned."""
    scores = np.empty((table.shape[0], problems))
    if sparse.issparse(table):
        kernel.score_sparse(table.indptr, table.indices, table.data, scores)
    else:
        kernel.score_dense(table, scores)
    return scores


def hashed_column(name: str, bits: int) -> int:
    """The column of a name among 2^bits."""
    return int(_native.online_hashed_column(name, bits))


def products(table: Any, coefficients: Array, constant: bool) -> Array:
    """The scores of rows under coefficients, the last of which belongs to the constant."""
    last = coefficients[:, -1] * float(constant)
    return np.asarray(table @ coefficients[:, : table.shape[1]].T) + last
