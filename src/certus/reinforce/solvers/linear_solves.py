"""Values of a policy: the solution of (I - gamma P) V = r on the states that are not terminal."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import LinAlgWarning, lu_factor, lu_solve
from scipy.sparse.linalg import bicgstab, splu

from certus.reinforce.processes.pair_table import PairTable

Floats = NDArray[np.float64]
LARGE = 200_000  # states above which an iterative solver takes the place of a factorization
DENSE = 400  # states below which dense algebra is faster than sparse


class PolicySystem:
    """The equations of a policy, factorized once.

    Parameters
    ----------
    matrix : (sparse) array of shape (S, S)
        Transitions of the policy; rows of terminal states are 0.
    terminal : boolean array of shape (S,)
        Which values are given.
    discount : float
        The discount.
    """

    def __init__(self, matrix: Any, terminal: NDArray[np.bool_], discount: float) -> None:
        self._matrix, self._terminal, self._discount = matrix, terminal, discount
        self._open = np.flatnonzero(~terminal)
        inner = matrix[self._open][:, self._open]
        count = len(self._open)
        if sparse.issparse(inner) and count > DENSE:
            self._system: Any = (sparse.eye_array(count, format="csc") - discount * sparse.csc_array(inner)).tocsc()
            self._system.indices = self._system.indices.astype(np.int32)
            self._system.indptr = self._system.indptr.astype(np.int32)
            self._factor: Any = None if count > LARGE else splu(self._system)
        else:
            dense = inner.toarray() if sparse.issparse(inner) else inner
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", LinAlgWarning)  # a singular system gives bounds that say nothing
                self._factor = lu_factor(np.eye(count) - discount * dense, check_finite=False)
            self._system = None

    def solve(self, rewards: Floats, fixed: Floats, guess: Floats | None = None) -> Floats:
        """Values of all states for these rewards, given those of terminal states."""
        known = np.where(self._terminal, fixed, 0.0)
        right = (rewards + self._discount * (self._matrix @ known))[self._open]
        found = known.copy()
        found[self._open] = self._solved(right, None if guess is None else guess[self._open])
        return found

    def visits(self, start: Floats) -> Floats:
        """Expected discounted visits of states that are not terminal: the solution of (I - gamma P)^T x = start."""
        right = start[self._open]
        if self._system is None:
            inner = lu_solve(self._factor, right, trans=1, check_finite=False)
        elif self._factor is not None:
            inner = self._factor.solve(right, trans="T")
        else:
            inner, _ = bicgstab(self._system.T.tocsr(), right, rtol=1e-13, atol=0.0, maxiter=2000)
        found = np.zeros(len(start))
        found[self._open] = inner
        return found

    def _solved(self, right: Floats, guess: Floats | None) -> Floats:
        if not len(right):
            return right
        if self._system is None:
            return np.asarray(lu_solve(self._factor, right, check_finite=False))
        if self._factor is not None:
            return np.asarray(self._factor.solve(right))
        found, _ = bicgstab(self._system, right, x0=guess, rtol=1e-13, atol=0.0, maxiter=2000)
        return np.asarray(found)


def policy_rewards(table: PairTable, pairs: NDArray[np.int32]) -> Floats:
    """What a policy's pairs pay, 0 in terminal states."""
    found = np.zeros(table.n_states)
    acting = pairs >= 0
    found[acting] = table.rewards[pairs[acting]]
    return found


def policy_values(table: PairTable, pairs: NDArray[np.int32], discount: float, guess: Floats | None = None) -> Floats:
    """Values of a policy that is given by its pairs."""
    system = PolicySystem(table.chosen(pairs), table.terminal, discount)
    return system.solve(policy_rewards(table, pairs), table.fixed, guess)
