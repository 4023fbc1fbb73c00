"""How expectation and maximization climbed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from certus.evaluation.displays.display import ACCENT, INK, SOFT, Display

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class EMDisplay(Display):
    """The objective after every step and, where steps were traced, Q before and after each.

    Parameters
    ----------
    history : array of shape (steps + 1,)
        Objective per row: before every step, and at the end.
    q : array of shape (steps, 2) or None
        Q of the old and of the new parameters, for every step.
    """

    def __init__(self, history: ArrayLike, q: ArrayLike | None = None) -> None:
        self.history: NDArray[np.float64] = np.asarray(history, dtype=float)
        self.q = None if q is None else np.asarray(q, dtype=float)
        if self.history.ndim != 1 or not len(self.history):
            raise ValueError(f"history must be a vector of objectives, got the shape {self.history.shape}.")

    @classmethod
    def from_estimator(cls, estimator: Any) -> EMDisplay:
        """From a fitted mixture.

        Examples
        --------
        >>> from certus.evaluation import EMDisplay
        >>> from certus.mixture import KnownVarianceMixture
        >>> model = KnownVarianceMixture(2).fit([[-2.0], [-1.0], [1.0], [2.0]])
        >>> display = EMDisplay.from_estimator(model)
        >>> bool((display.q[:, 1] >= display.q[:, 0]).all())
        True
        """
        trace = getattr(estimator, "trace_", None)
        q = [(step["q_before"], step["q_after"]) for step in trace] if trace else None
        return cls(estimator.history_, q)

    def _draw(self, ax: Axes) -> None:
        steps = np.arange(len(self.history))
        ax.plot(steps, self.history, color=ACCENT, marker="o", markersize=3, linewidth=1.4)
        ax.set(xlabel="step", ylabel="objective per row")
        ax.set_title(f"{len(steps) - 1} steps, {self.history[-1]:.4g} at the end", fontsize=8, color=INK)
        if self.q is None or not len(self.q):
            return
        other = ax.twinx()
        for step, (before, after) in enumerate(self.q):
            other.plot([step, step + 1], [before, after], color=SOFT, linewidth=1.0)
        other.set_ylabel("Q before and after the step", color=SOFT)
