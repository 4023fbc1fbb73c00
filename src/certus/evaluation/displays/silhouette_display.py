"""How well rows lie in their clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from certus.evaluation.displays.display import ACCENT, INK, SOFT, Display
from certus.evaluation.silhouettes import silhouette_samples

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_BARS = 400  # rows that are drawn one by one; more are thinned out evenly
MOST_NAMES = 30


class SilhouetteDisplay(Display):
    """The silhouettes of the rows, cluster by cluster, the highest first, and their mean.

    Parameters
    ----------
    silhouettes : array of shape (n_samples,)
        The silhouette of every row, between -1 and 1.
    labels : array of shape (n_samples,)
        The cluster of every row.
    """

    def __init__(self, silhouettes: ArrayLike, labels: ArrayLike) -> None:
        self.silhouettes: NDArray[np.float64] = np.asarray(silhouettes, dtype=float)
        self.labels: NDArray[Any] = np.asarray(labels)
        if self.silhouettes.ndim != 1 or self.silhouettes.shape != self.labels.shape or not len(self.labels):
            raise ValueError(
                f"silhouettes and labels must be two vectors of one length, got shapes {self.silhouettes.shape} and "
                f"{self.labels.shape}."
            )

    @classmethod
    def from_predictions(cls, X: Any, labels: ArrayLike, *, metric: Any = "euclidean") -> SilhouetteDisplay:
        """From rows, or their distances, and the cluster of each.

        Examples
        --------
        >>> from certus.evaluation import SilhouetteDisplay
        >>> display = SilhouetteDisplay.from_predictions([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1])
        >>> print(display.silhouettes.round(3), round(display.mean, 3))
        [0.905 0.895 0.895 0.905] 0.9
        """
        return cls(silhouette_samples(X, labels, metric=metric), labels)

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, *, metric: Any = "euclidean") -> SilhouetteDisplay:
        """From a fitted clusterer and rows: its training rows, or others if it can predict.

        Rows that it calls noise (-1) belong to no cluster and are left out.
        """
        own = getattr(estimator, "labels_", None)
        labels = own if own is not None and len(own) == np.shape(X)[0] else estimator.predict(X)
        labels = np.asarray(labels)
        kept = labels >= 0 if labels.dtype.kind in "iu" else np.ones(len(labels), dtype=bool)
        table = X if kept.all() else np.asarray(X)[kept]
        return cls.from_predictions(table, labels[kept], metric=metric)

    @property
    def mean(self) -> float:
        """The mean silhouette."""
        return float(self.silhouettes.mean())

    def _draw(self, ax: Axes) -> None:
        step = max(1, -(-len(self.labels) // MOST_BARS))
        gap, first, ticks = max(2.0, 0.03 * len(self.labels) / step), 0.0, []
        names = np.unique(self.labels)
        for name in names:
            values = np.sort(self.silhouettes[self.labels == name])[::-1][::step]
            ax.barh(first + np.arange(len(values)), values, height=1.0, color=ACCENT, linewidth=0)
            ticks.append(first + 0.5 * (len(values) - 1))
            first += len(values) + gap
        ax.axvline(self.mean, color=INK, linewidth=1.0, linestyle="--")
        ax.axvline(0.0, color=SOFT, linewidth=0.8)
        ax.invert_yaxis()
        if len(names) <= MOST_NAMES:
            ax.set_yticks(ticks, [str(name) for name in names])
        ax.set(xlabel="silhouette", ylabel="cluster")
        ax.set_title(f"mean silhouette {self.mean:.3f}", fontsize=8)
