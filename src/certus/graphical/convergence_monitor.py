"""How a fit by rounds went, in the form that users of hmmlearn know."""

from __future__ import annotations

import math

from certus.base import register_part


@register_part("graphical")
class ConvergenceMonitor:
    """Keeps the log-likelihood of every round and says when to stop.

    Derive from it and set ``model.monitor_`` before ``fit`` for another rule.

    Parameters
    ----------
    tol : float
        Learning stops when a round gains less than this.
    n_iter : int
        Most rounds.
    verbose : bool
        Kept for derived classes; progress is printed by the model.

    Attributes
    ----------
    history : list of float
        The log-likelihood before the update of every round.
    iter : int
        Rounds so far.
    """

    _state = ("tol", "n_iter", "verbose", "history", "iter")

    def __init__(self, tol: float, n_iter: int, verbose: bool = False) -> None:
        self.tol, self.n_iter, self.verbose = tol, n_iter, verbose
        self.history: list[float] = []
        self.iter = 0

    def report(self, log_prob: float) -> None:
        """Add the log-likelihood of a round.

        Parameters
        ----------
        log_prob : float
            The log-likelihood.
        """
        self.history.append(float(log_prob))
        self.iter += 1

    @property
    def converged(self) -> bool:
        """Whether the last round gained less than ``tol``; rounds that ran out, and NaN, are no convergence."""
        if len(self.history) < 2 or not math.isfinite(self.history[-1]):
            return False
        return self.history[-1] - self.history[-2] < self.tol

    def _reset(self) -> None:
        self.history, self.iter = [], 0

    def _restored(self) -> None:
        numbers = isinstance(self.history, list) and all(isinstance(value, float) for value in self.history)
        if not numbers or type(self.iter) is not int:
            raise ValueError("a monitor holds no list of log-likelihoods.")

    def __repr__(self) -> str:
        last = f", log-likelihood {self.history[-1]:.6g}" if self.history else ""
        return f"<ConvergenceMonitor: {self.iter} rounds{last}, converged: {self.converged}>"
