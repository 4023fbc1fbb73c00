"""What users may hand in as ``precompute``: a Gram matrix of their table, checked before it is believed."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base import warn_user
from certus.linear.problems.penalized_problem import PenalizedProblem

Array = NDArray[np.float64]


def given_gram(learner: Any, problem: PenalizedProblem) -> Array | bool | None:
    """The Gram matrix in the problem's scale, True if one is to be computed, None if that is left to us."""
    value = getattr(learner, "precompute", False)
    return checked_gram(value, problem, check=True)


def checked_gram(value: Any, problem: PenalizedProblem, *, check: bool) -> Array | bool | None:
    """The same for a value of ``precompute``: "auto", a bool or a matrix.

    A matrix is X'X of the centered table, with weights that add up to the number of rows.
    """
    if isinstance(value, str):
        return None
    if isinstance(value, bool | np.bool_):
        return True if value else None
    gram = np.asarray(value, dtype=np.float64)
    if gram.shape != (problem.columns, problem.columns):
        raise ValueError(
            f"The 'precompute' matrix must be the Gram matrix of X, of shape {(problem.columns, problem.columns)}. "
            f"Got an array of shape {gram.shape}.\nHint: pass X.T @ X of the centered table, or precompute=True."
        )
    table = problem.table
    spread = np.sqrt(table.squares / problem.weight)
    off_center = problem.center and not np.all(np.abs(table.mean) <= 1e-6 * (spread + 1e-300))
    if off_center and _is_gram(gram, problem, centered=False):
        warn_user("Gram matrix was provided but X was centered to fit intercept: recomputing Gram matrix.", UserWarning)
        return True
    if check and not _is_gram(gram, problem, centered=True):
        raise ValueError(
            "Gram matrix passed in via 'precompute' parameter did not pass validation when one of its columns was "
            "checked against X.\nHint: it must be X.T @ X of the centered (and weighted) table; precompute=True "
            "computes it."
        )
    return np.ascontiguousarray(gram * (problem.weight / problem.rows))


def _is_gram(gram: Array, problem: PenalizedProblem, *, centered: bool) -> bool:
    """Whether the column of the longest column of X agrees, to the accuracy of single precision."""
    table, scale = problem.table, problem.rows / problem.weight
    if problem.columns == 0:
        return True
    longest = int(np.argmax(table.squares))
    unit = np.zeros((problem.columns, 1))
    unit[longest] = 1.0
    column = -table.residual(np.zeros((1, problem.rows)), unit)
    expected = table.products(column)[:, 0]
    if not centered:
        expected = expected + table.weight * table.mean[longest] * table.mean
    size = np.sqrt(table.squares + table.weight * table.mean**2)
    return bool(np.all(np.abs(gram[longest] - scale * expected) <= 1e-3 * scale * size[longest] * size + 1e-300))
