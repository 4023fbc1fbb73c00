"""A chain of variables: messages from both ends, evidence, and the trellis of best paths."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp

from certus.graphical.networks.inference.evidence_input import ImpossibleEvidence

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Trellis:
    """All survivors of the search for the best path.

    Parameters
    ----------
    scores : list of ndarray
        Per variable and state the log-probability of the best path that ends there.
    pointers : list of ndarray
        Per variable (but the first) and state the state before it on that path.
    path : ndarray
        The best path.
    log_probability : float
        Its log-probability, together with the evidence.
    """

    scores: list[Floats]
    pointers: list[NDArray[np.int64]]
    path: NDArray[np.int64]
    log_probability: float


class Chain:
    """``P(x_0, ..., x_n) = P(x_0) prod_i P(x_i | x_{i-1})``, every variable with its own number of states.

    Messages are logarithms, so that chains of any length do not underflow:

        alpha(x_0) = P(x_0)      alpha(x_i) = sum_{x_{i-1}} alpha(x_{i-1}) P(x_i | x_{i-1})
        beta(x_n) = 1            beta(x_i) = sum_{x_{i+1}} P(x_{i+1} | x_i) beta(x_{i+1})
        P(x_i) = alpha(x_i) beta(x_i)

    with sums over the observed state only, where there is evidence.

    Parameters
    ----------
    initial : array-like of shape (states,)
        P(x_0).
    transitions : sequence of array-like of shape (states of x_{i-1}, states of x_i)
        P(x_i | x_{i-1}), one per further variable.

    Examples
    --------
    >>> from certus.graphical import Chain
    >>> weather = Chain([0.5, 0.5], [[[0.9, 0.1], [0.3, 0.7]]] * 3)
    >>> print(weather.marginals({0: 0, 2: 1})[1].round(4))
    [0.5625 0.4375]
    """

    def __init__(self, initial: ArrayLike, transitions: Sequence[ArrayLike]) -> None:
        self.initial = np.asarray(initial, dtype=np.float64)
        self.transitions = [np.asarray(found, dtype=np.float64) for found in transitions]
        width = self._checked("initial", self.initial, 1)
        for place, table in enumerate(self.transitions):
            name = f"transitions[{place}]"
            self._checked(name, table, 2)
            if table.shape[0] != width:
                raise ValueError(f"{name} must have {width} rows, one per state before it, got {table.shape[0]}.")
            width = table.shape[1]

    @staticmethod
    def _checked(name: str, table: Floats, ndim: int) -> int:
        if table.ndim != ndim or not table.size or not (table >= 0).all() or (abs(table.sum(axis=-1) - 1) > 1e-9).any():
            raise ValueError(f"{name} must hold probabilities in {ndim} dimension(s) whose rows sum to 1.")
        return table.shape[-1]

    def _clamps(self, evidence: Mapping[int, int] | None) -> list[Floats]:
        """Per variable 0 for states that agree with the evidence, -inf for others."""
        cards = [len(self.initial), *(table.shape[1] for table in self.transitions)]
        found = [np.zeros(card) for card in cards]
        for place, state in (evidence or {}).items():
            if not 0 <= place < len(cards) or not 0 <= state < cards[place]:
                raise ValueError(f"The evidence must be states of x_0 to x_{len(cards) - 1}, got {{{place}: {state}}}.")
            found[place] = np.where(np.arange(cards[place]) == state, 0.0, -np.inf)
        return found

    def forward(self, evidence: Mapping[int, int] | None = None) -> list[Floats]:
        """The logarithms of alpha, from the first variable to the last."""
        clamps = self._clamps(evidence)
        with np.errstate(divide="ignore"):
            found = [np.log(self.initial) + clamps[0]]
            for table, clamp in zip(self.transitions, clamps[1:], strict=True):
                found.append(logsumexp(found[-1][:, None] + np.log(table), axis=0) + clamp)
        return found

    def backward(self, evidence: Mapping[int, int] | None = None) -> list[Floats]:
        """The logarithms of beta, from the first variable to the last; zeros without evidence."""
        clamps = self._clamps(evidence)
        found = [np.zeros(len(clamps[-1]))]
        with np.errstate(divide="ignore"):
            for table, clamp in zip(self.transitions[::-1], clamps[:0:-1], strict=True):
                found.append(logsumexp(np.log(table) + (clamp + found[-1])[None, :], axis=1))
        return found[::-1]

    def log_probability(self, evidence: Mapping[int, int] | None = None) -> float:
        """The logarithm of P(evidence)."""
        return float(logsumexp(self.forward(evidence)[-1]))

    def marginals(self, evidence: Mapping[int, int] | None = None) -> list[Floats]:
        """P(x_i | evidence) of every variable: both messages multiplied and normalized."""
        found = []
        for alpha, beta in zip(self.forward(evidence), self.backward(evidence), strict=True):
            joint = alpha + beta
            if joint.max() == -np.inf:
                raise ImpossibleEvidence({str(place): state for place, state in (evidence or {}).items()})
            found.append(np.exp(joint - logsumexp(joint)))
        return found

    def trellis(self, evidence: Mapping[int, int] | None = None) -> Trellis:
        """The best path: one survivor per state, then back along the pointers (Viterbi 1967)."""
        clamps = self._clamps(evidence)
        pointers: list[Any] = []
        with np.errstate(divide="ignore"):
            scores = [np.log(self.initial) + clamps[0]]
            for table, clamp in zip(self.transitions, clamps[1:], strict=True):
                ways = scores[-1][:, None] + np.log(table)
                pointers.append(ways.argmax(axis=0))
                scores.append(ways.max(axis=0) + clamp)
        path = [int(scores[-1].argmax())]
        for pointer in pointers[::-1]:
            path.append(int(pointer[path[-1]]))
        return Trellis(scores, pointers, np.array(path[::-1]), float(scores[-1].max()))
