"""Scores of a node with its parents, in natural logarithms; a network scores the sum over its nodes."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from certus.base import resolve_threads
from certus.graphical.learning import _native_calls
from certus.graphical.learning.structures.state_columns import StateColumns

Floats = NDArray[np.float64]
SCORES = ("bic", "aic", "bdeu", "k2", "loglik")
UNIT = float(np.finfo(np.float64).eps)


class FamilyScores:
    """The scores of families of some columns.

    Parameters
    ----------
    columns : StateColumns
        Complete rows.
    score : {"bic", "aic", "bdeu", "k2", "loglik"}
        Maximal log-likelihood, less ln(rows)/2 ("bic") or 1 ("aic") per free parameter; or the log marginal
        likelihood under Dirichlet priors: ``equivalent_sample_size`` imaginary rows in equal shares ("bdeu", Heckerman,
        Geiger and Chickering 1995) or one per entry ("k2", Cooper and Herskovits 1992).
    equivalent_sample_size : float
        Imaginary rows of "bdeu".
    weights : ndarray of shape (rows,), optional
        Weights of the rows.
    n_jobs : int, optional
        Threads that count.
    """

    def __init__(
        self,
        columns: StateColumns,
        score: str,
        equivalent_sample_size: float = 1.0,
        weights: Floats | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.threads = resolve_threads(n_jobs)
        self.columns, self.score, self.sample_size = columns, score, float(equivalent_sample_size)
        self.total = float(columns.rows if weights is None else weights.sum())
        kind = {"bdeu": _native_calls.BDEU, "k2": _native_calls.K2}.get(score, _native_calls.LIKELIHOOD)
        self.penalty = {"bic": 0.5 * math.log(self.total), "aic": 1.0}.get(score, 0.0)
        if columns.rows * max(columns.arities) > 2**31 - 1:
            raise ValueError(f"The table must have fewer rows or states, got {columns.rows} rows.")
        given = np.empty(0) if weights is None else np.ascontiguousarray(weights, dtype=np.float64)
        self.sums = _native_calls.set_sums(columns.codes, columns.arities, given, kind, self.sample_size, self.penalty)

    @property
    def nodes(self) -> int:
        return len(self.columns.names)

    def families(self, children: Sequence[int], parents: Sequence[Sequence[int]]) -> Floats:
        """The score of every child with its parents."""
        return _native_calls.family_scores(self.sums, children, parents, self.threads)

    def network(self, parents: Sequence[Sequence[int]]) -> float:
        """The score of a network by the parents of its nodes."""
        return math.fsum(self.families(range(len(parents)), parents))

    def entropies(self, sets: Sequence[Sequence[int]]) -> Floats:
        """``sum N ln N`` over the cells of every set of columns."""
        return _native_calls.entropies(self.sums, sets, self.threads)

    def rounding(self) -> float:
        """What the computed scores of two networks may be off by together.

        A family is the difference of two sums, compensated, of terms that are right to a few last digits. Their sizes
        add up to at most N (|ln N| + |ln prior|) with N rows, and a penalty.
        """
        states = math.prod(float(arity) for arity in sorted(self.columns.arities)[-20:])
        prior = abs(math.log(self.sample_size)) + math.log(states) if self.score == "bdeu" else 3.0
        return 32.0 * UNIT * self.nodes * (self.total + 1.0) * (abs(math.log(self.total + 1.0)) + prior + 3.0)
