"""Answers against true labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from certus.evaluation.displays.display import ACCENT, INK, Display
from certus.guarantees.holdout import RateSetting, rate_bound

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LARGEST_SHOWN = 12


class ConfusionDisplay(Display):
    """Counts of (true label, prediction); the right margin bounds from below how often each label is recognized.

    Parameters
    ----------
    counts : array of shape (labels, labels)
        Rows are true labels, columns predictions.
    labels : sequence of str
        Their names.
    confidence : float, default=0.95
        With which all the bounds hold together.
    """

    size = (5.0, 4.2)

    def __init__(self, counts: ArrayLike, labels: list[str], confidence: float = 0.95) -> None:
        self.counts: NDArray[np.intp] = np.asarray(counts, dtype=np.intp)
        self.labels = labels
        self.confidence = confidence

    @classmethod
    def from_predictions(cls, y_true: ArrayLike, y_pred: ArrayLike, *, confidence: float = 0.95) -> ConfusionDisplay:
        """Count true labels and predictions.

        Examples
        --------
        >>> from certus.evaluation import ConfusionDisplay
        >>> ConfusionDisplay.from_predictions(["a", "a", "b"], ["a", "b", "b"]).counts.tolist()
        [[1, 1], [0, 1]]
        """
        truth, predictions = np.asarray(y_true), np.asarray(y_pred)
        labels, indices = np.unique(np.concatenate([truth, predictions]), return_inverse=True)
        counts = np.zeros((len(labels), len(labels)), dtype=np.intp)
        np.add.at(counts, (indices[: len(truth)], indices[len(truth) :]), 1)
        return cls(counts, [str(label) for label in labels], confidence)

    def recall_bounds(self) -> list[float]:
        """For each label a lower bound on the share of its rows that are recognized; all hold together."""
        each = 1.0 - (1.0 - self.confidence) / len(self.labels)
        setting = RateSetting(confidence=each, side="lower", quantity="recall", noun="hit", conditional=True)
        found = []
        for index, row in enumerate(self.counts):
            bound = rate_bound(int(row[index]), int(row.sum()), setting).value if row.sum() else 0.0
            assert isinstance(bound, float)
            found.append(bound)
        return found

    def _draw(self, ax: Axes) -> None:
        from matplotlib.colors import LinearSegmentedColormap

        fractions = self.counts / np.maximum(self.counts.sum(axis=1, keepdims=True), 1)
        colors = LinearSegmentedColormap.from_list("certus", [(0.04, 0.43, 0.39, 0.0), (0.04, 0.43, 0.39, 0.75)])
        ax.imshow(fractions, cmap=colors, vmin=0, vmax=1, aspect="auto")
        indices = range(len(self.labels))
        if len(self.labels) <= LARGEST_SHOWN:
            for row in indices:
                for column in indices:
                    weight = "bold" if row == column else "normal"
                    ax.text(
                        column, row, str(self.counts[row, column]), ha="center", va="center", color=INK, weight=weight
                    )
        names = [
            f"{name}\n≥ {100 * bound:.1f} %" for name, bound in zip(self.labels, self.recall_bounds(), strict=True)
        ]
        ax.set_yticks(indices, names if len(names) <= LARGEST_SHOWN else self.labels)
        ax.set_xticks(indices, self.labels, rotation=0 if len(self.labels) <= 4 else 90)
        ax.set_xlabel("prediction")
        ax.set_ylabel(f"true label, and recognized at least (confidence {100 * self.confidence:g} %)", color=ACCENT)
