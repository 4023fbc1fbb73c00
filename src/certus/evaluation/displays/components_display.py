"""What components explain, where they put rows, and what they are made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from certus.evaluation.displays.display import ACCENT, INK, SOFT, Display

if TYPE_CHECKING:
    from matplotlib.axes import Axes

KINDS = ("scree", "scores", "loadings")
SHARES = ("explained variance ratio", "explained share of the squares")  # what reports call the interval
MOST_POINTS = 2000
MOST_NAMES = 30


class ComponentsDisplay(Display):
    """A fitted learner of components: its scree, the rows along two components, or the weights of the columns.

    Parameters
    ----------
    shares : array of shape (k,)
        The share of the variance that every component explains.
    interval : tuple of float or None
        Between what bounds the best k directions explain, if that is proved.
    scores : array of shape (n, 2) or None
        Rows along the first two components.
    loadings : array of shape (k, p) or None
        Weights of the columns in the components.
    names : sequence of str or None
        Names of the columns.
    kind : {"scree", "scores", "loadings"}
        What is drawn.
    """

    def __init__(
        self,
        shares: ArrayLike,
        interval: tuple[float, float] | None = None,
        scores: ArrayLike | None = None,
        loadings: ArrayLike | None = None,
        names: Any = None,
        kind: str = "scree",
    ) -> None:
        self.shares: NDArray[np.float64] = np.asarray(shares, dtype=float)
        self.interval = interval
        self.scores = None if scores is None else np.asarray(scores, dtype=float)
        self.loadings = None if loadings is None else np.asarray(loadings, dtype=float)
        self.names, self.kind = names, kind
        if kind not in KINDS:
            raise ValueError(f"kind must be one of {', '.join(KINDS)}, got {kind!r}.")
        if kind == "scores" and (self.scores is None or self.scores.ndim != 2 or self.scores.shape[1] < 2):
            raise ValueError("kind='scores' needs rows along two components.\nHint: pass X, and fit two components.")
        if kind == "loadings" and self.loadings is None:
            raise ValueError("kind='loadings' needs components.")

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any = None, *, kind: str = "scree") -> ComponentsDisplay:
        """From a fitted `PCA`, `TruncatedSVD` or the like, and rows for ``kind="scores"``.

        Examples
        --------
        >>> import numpy as np
        >>> from certus.components import PCA
        >>> from certus.evaluation import ComponentsDisplay
        >>> X = np.random.default_rng(0).normal(size=(50, 3)) * [3, 2, 1]
        >>> display = ComponentsDisplay.from_estimator(PCA(2).fit(X))
        >>> len(display.shares), round(display.interval[1] - display.interval[0], 6)
        (2, 0.0)
        """
        report = getattr(estimator, "report_", None) or []
        ends = [one.value for one in report if one.quantity in SHARES]
        names = getattr(estimator, "feature_names_in_", None)
        scores = None if X is None else np.asarray(estimator.transform(X))
        shares = estimator.explained_variance_ratio_
        return cls(shares, tuple(ends[0]) if ends else None, scores, estimator.components_, names, kind)

    def _draw(self, ax: Axes) -> None:
        {"scree": self._draw_scree, "scores": self._draw_scores, "loadings": self._draw_loadings}[self.kind](ax)

    def _draw_scree(self, ax: Axes) -> None:
        places = np.arange(1, len(self.shares) + 1)
        ax.bar(places, self.shares, color=ACCENT, width=0.7, linewidth=0)
        ax.plot(places, np.cumsum(self.shares), color=INK, linewidth=1.2, marker="o", markersize=3)
        if self.interval is not None:
            ax.vlines(places[-1], *self.interval, color=SOFT, linewidth=5, alpha=0.7)
            low, high = self.interval
            ax.set_title(f"the best {len(places)} explain {low:.1%} to {high:.1%}", fontsize=8)
        ax.set(xlabel="component", ylabel="share of the variance", ylim=(0.0, 1.05))

    def _draw_scores(self, ax: Axes) -> None:
        assert self.scores is not None
        step = max(1, -(-len(self.scores) // MOST_POINTS))
        ax.plot(*self.scores[::step, :2].T, ".", color=ACCENT, markersize=3, alpha=0.7)
        ax.axhline(0.0, color=SOFT, linewidth=0.6)
        ax.axvline(0.0, color=SOFT, linewidth=0.6)
        first, second = (f"component {k + 1} ({self.shares[k]:.1%})" for k in range(2))
        ax.set(xlabel=first, ylabel=second)

    def _draw_loadings(self, ax: Axes) -> None:
        assert self.loadings is not None
        first = self.loadings[0]
        order = np.argsort(-np.abs(first), kind="stable")[:MOST_NAMES][::-1]
        ax.barh(np.arange(len(order)), first[order], color=ACCENT, height=0.7, linewidth=0)
        names = [f"column {place}" for place in order] if self.names is None else [str(self.names[p]) for p in order]
        ax.set_yticks(np.arange(len(order)), names, fontsize=7)
        ax.axvline(0.0, color=INK, linewidth=0.8)
        ax.set(xlabel="weight in component 1")
