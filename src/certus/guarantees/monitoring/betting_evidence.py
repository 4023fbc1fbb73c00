"""Evidence of a stream of losses in [0, 1] against the thresholds of a ladder: fixed bets, mixed, with restarts.

A gambler who always bets the fraction f/t that the loss is above t multiplies the capital by 1 + (f/t)(x - t). Its
mean is at most one while the conditional mean of the loss stays at or below t. For 0/1 losses this is the
likelihood ratio of the rate t + f (1 - t); for losses that vary little, large fractions win much faster.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy import special

from certus.guarantees.monitoring import restarts
from certus.guarantees.monitoring.alarm_ladder import Rung

BETS = 16
FRACTIONS = ((np.arange(BETS) + 0.5) / BETS) ** 2  # of the largest bet; equal stakes
SLIP = 1e-9
_CHUNK = 2048


class BettingEvidence:
    """Log capitals of every bet since every start.

    Parameters
    ----------
    rungs : sequence of Rung
        Thresholds and the evidence they ask for.
    window : int
        Rows between restarts.
    """

    kind = "betting"

    def __init__(self, rungs: Sequence[Rung], window: int) -> None:
        self.rungs, self.window = tuple(rungs), window
        self.rows = 0
        self._thresholds = np.array([rung.threshold for rung in rungs])
        self._capital = np.zeros((len(self.rungs), BETS))
        self.starts: list[tuple[int, np.ndarray]] = [(0, self._capital)]  # rows and log capitals before each start

    def advance(self, unit: np.ndarray) -> int | None:
        """Bet on losses in [0, 1] up to the first that completes the evidence; its position, or None."""
        position = 0
        while position < len(unit):
            room = min(_CHUNK, self.window - self.rows % self.window)
            paths = self._capital + np.cumsum(self._log_gains(unit[position : position + room]), axis=0)
            hit = self._first(paths)
            used = len(paths) if hit is None else hit + 1
            self._capital, self.rows = paths[used - 1], self.rows + used
            if hit is not None:
                return position + hit
            position += used
            if self.rows % self.window == 0:
                self._start()
        return None

    def _log_gains(self, part: np.ndarray) -> np.ndarray:
        t = self._thresholds[:, None]
        return np.log1p(FRACTIONS / t * (part[:, None, None] - t))

    def _start(self) -> None:
        self.starts.append((self.rows, self._capital))
        indices = [rows // self.window for rows, _ in self.starts]
        if (position := restarts.one_too_many(indices, indices[-1])) is not None:
            del self.starts[position]

    def _log_mixture(self, rung: int, paths: np.ndarray) -> np.ndarray:
        parts = [
            special.logsumexp(paths - before[rung], axis=-1) + restarts.log_weight(rows // self.window)
            for rows, before in self.starts
        ]
        return np.asarray(special.logsumexp(np.array(parts), axis=0) - math.log(BETS))

    def _first(self, paths: np.ndarray) -> int | None:
        candidates = np.arange(len(paths))
        for index, rung in enumerate(self.rungs):
            if rung.threshold >= 1.0:
                return None
            logs = self._log_mixture(index, paths[candidates, index])
            candidates = candidates[logs >= SLIP - math.log(rung.level)]
            if not candidates.size:
                return None
        return int(candidates[0])

    def log_evidence(self) -> list[float]:
        """Log evidence against every threshold now."""
        return [float(self._log_mixture(index, self._capital[index])) for index in range(len(self.rungs))]

    def witness(self) -> dict[str, Any]:
        """What the certificate of an alarm needs."""
        return {
            "kind": self.kind,
            "starts": [rows for rows, _ in self.starts],
            "thresholds": [rung.threshold for rung in self.rungs],
            "log_evidence": self.log_evidence(),
        }

    def state(self) -> dict[str, Any]:
        """Capitals as plain values."""
        starts = [[rows, capital.tolist()] for rows, capital in self.starts]
        return {"rows": self.rows, "capital": self._capital.tolist(), "starts": starts}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Inverse of `state`."""
        self.rows, self._capital = int(state["rows"]), np.array(state["capital"], dtype=float)
        self.starts = [(int(rows), np.array(capital, dtype=float)) for rows, capital in state["starts"]]
        shape = (len(self.rungs), BETS)
        shapes = [self._capital.shape, *(capital.shape for _, capital in self.starts)]
        finite = all(np.isfinite(capital).all() for capital in (self._capital, *(c for _, c in self.starts)))
        if not self.starts or any(found != shape for found in shapes) or not finite:
            raise ValueError("the capitals of the evidence do not belong to its thresholds.")
