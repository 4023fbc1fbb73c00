"""Stopping early: the best epoch is remembered, and training ends when nothing better has come for some epochs."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np


@dataclass
class Patience:
    """Counts epochs without improvement; larger scores are better, NaN is worse than anything.

    Parameters
    ----------
    limit : float
        Stop when this many epochs in a row were no better than the best by ``tol``.
    tol : float, default=0.0
        What counts as an improvement.

    Examples
    --------
    >>> patience = Patience(limit=4)
    >>> scores = [0.5, 0.6, 0.7, 0.8, 0.9, 0.88, 0.87, 0.89, 0.85, 0.95]
    >>> epoch = next(epoch for epoch, score in enumerate(scores, 1) if patience.tell(epoch, score).over)
    >>> epoch, patience.best_epoch
    (9, 5)
    """

    limit: float
    tol: float = 0.0
    best: float = -np.inf
    best_epoch: int = 0
    waited: int = 0
    improved: bool = field(default=False, init=False)

    def tell(self, epoch: int, score: float) -> Patience:
        """Count one finished epoch with its score."""
        self.waited = self.waited + 1 if not score >= self.best + self.tol else 0
        self.improved = score > self.best
        if self.improved:
            self.best, self.best_epoch = score, epoch
        return self

    @property
    def over(self) -> bool:
        """Whether to stop."""
        return self.waited >= self.limit
