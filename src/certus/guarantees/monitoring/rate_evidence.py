"""Evidence of a stream of 0/1 losses against the thresholds of a ladder: beta-binomial mixtures with restarts."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy import special

from certus.guarantees.monitoring import restarts
from certus.guarantees.monitoring.alarm_ladder import Rung
from certus.guarantees.monitoring.beta_mixture import SLIP, log_evidence_above
from certus.guarantees.monitoring.stirling import Numbers, deviance

EXPONENT = 8.0  # of the prior 8 (1-q)^7 / (1-t)^8 on [t, 1]: drifts of a few to some dozens of points


class RateEvidence:
    """Counts since every start, from which the evidence follows.

    Parameters
    ----------
    rungs : sequence of Rung
        Thresholds and the evidence they ask for.
    window : int
        Rows between restarts.
    """

    kind = "beta-binomial"

    def __init__(self, rungs: Sequence[Rung], window: int) -> None:
        self.rungs, self.window = tuple(rungs), window
        self.rows, self.total = 0, 0.0
        self.starts: list[tuple[int, float]] = [(0, 0.0)]  # rows and sum of losses before each start

    def advance(self, unit: np.ndarray) -> int | None:
        """Count losses in [0, 1] up to the first that completes the evidence; its position, or None."""
        position = 0
        while position < len(unit):
            part = unit[position : position + self.window - self.rows % self.window]
            hit = self._first(part)
            part = part if hit is None else part[: hit + 1]
            self.rows, self.total = self.rows + len(part), self.total + float(part.sum())
            if hit is not None:
                return position + hit
            position += len(part)
            if self.rows % self.window == 0:
                self._start()
        return None

    def _start(self) -> None:
        self.starts.append((self.rows, self.total))
        indices = [rows // self.window for rows, _ in self.starts]
        if (position := restarts.one_too_many(indices, indices[-1])) is not None:
            del self.starts[position]

    def _first(self, part: np.ndarray) -> int | None:
        rows, totals = self.rows + 1.0 + np.arange(len(part)), self.total + np.cumsum(part)
        candidates = np.arange(len(part))
        # The first rung is the hardest in most rows, so that few are left for the others.
        for mixture, rung in ((_log_ceiling, self.rungs[0]), *((_log_mixture, rung) for rung in self.rungs)):
            logs = mixture(self.starts, self.window, rung.threshold, rows[candidates], totals[candidates])
            candidates = candidates[logs >= SLIP - math.log(rung.level)]
            if not candidates.size:
                return None
        return int(candidates[0])

    def log_evidence(self) -> list[float]:
        """Log evidence against every threshold now."""
        starts = [start for start in self.starts if start[0] < self.rows]
        if not starts:
            return [restarts.log_weight(0)] * len(self.rungs)
        return [
            float(_log_mixture(starts, self.window, rung.threshold, self.rows, self.total)[0]) for rung in self.rungs
        ]

    def witness(self) -> dict[str, Any]:
        """What the certificate of an alarm needs."""
        return {"kind": self.kind, "total": self.total, "starts": self.starts}

    def state(self) -> dict[str, Any]:
        """Counts as plain values."""
        return {"rows": self.rows, "total": self.total, "starts": [list(start) for start in self.starts]}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Inverse of `state`."""
        self.rows, self.total = int(state["rows"]), float(state["total"])
        self.starts = [(int(rows), float(total)) for rows, total in state["starts"]]
        ordered = all(a[0] < b[0] and a[1] <= b[1] for a, b in zip(self.starts, self.starts[1:], strict=False))
        if not (self.starts and ordered and self.starts[-1][0] <= self.rows and 0 <= self.total <= self.rows):
            raise ValueError("the counts of the evidence do not belong together.")


Starts = list[tuple[int, float]]


def _since(starts: Starts, window: int, rows: Numbers, totals: Numbers) -> tuple[Any, Any, Any]:
    """Log stakes, sums and rows since every start, one line per start."""
    weights = np.array([restarts.log_weight(before // window) for before, _ in starts])
    before, counted = np.array(starts, dtype=float).T
    stakes, rows, totals = weights[:, None], np.atleast_1d(rows), np.atleast_1d(totals)
    return stakes, totals - counted[:, None], rows - before[:, None]


def _log_mixture(starts: Starts, window: int, threshold: float, rows: Numbers, totals: Numbers) -> Any:
    """Log of the sum over starts of stake times evidence since then."""
    if threshold >= 1.0:
        return np.full(np.shape(np.atleast_1d(rows)), -np.inf)
    stakes, sums, counts = _since(starts, window, rows, totals)
    return special.logsumexp(stakes + log_evidence_above(sums, counts, threshold, EXPONENT), axis=0)


def _log_ceiling(starts: Starts, window: int, threshold: float, rows: Numbers, totals: Numbers) -> Any:
    """The same with the best rate above the threshold in place of the mixture: cheap, and never less."""
    if threshold >= 1.0:
        return np.full(np.shape(rows), -np.inf)
    stakes, sums, counts = _since(starts, window, rows, totals)
    best = deviance(sums, counts * threshold) + deviance(counts - sums, counts * (1.0 - threshold))
    return special.logsumexp(stakes + np.where(sums > counts * threshold, best, 0.0), axis=0)
