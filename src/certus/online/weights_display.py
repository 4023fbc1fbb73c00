"""The weights of experts along a stream."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from certus.evaluation import Display
from certus.online.pictures.looked_at import looked_at

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class WeightsDisplay(Display):
    """The weights of experts along a stream.

    Parameters
    ----------
    trials : array of shape (looks,)
        After how many trials it was looked.
    weights : array of shape (looks, n_experts)
        The weights played next.
    names : sequence of str, optional
        Of the experts.
    """

    def __init__(self, trials: ArrayLike, weights: ArrayLike, *, names: Any = None) -> None:
        self.trials: NDArray[np.float64] = np.asarray(trials, dtype=np.float64)
        self.weights: NDArray[np.float64] = np.asarray(weights, dtype=np.float64)
        if self.weights.ndim != 2 or self.weights.shape[0] != len(self.trials):
            raise ValueError(f"weights must have one row per look, got the shape {self.weights.shape}.")
        count = self.weights.shape[1]
        self.names = [f"expert {place}" for place in range(count)] if names is None else [str(name) for name in names]
        if len(self.names) != count:
            raise ValueError(f"names must have {count} entries, one per expert, got {len(self.names)}.")

    @classmethod
    def from_stream(
        cls, learner: Any, X: ArrayLike, y: ArrayLike | None = None, *, looks: int = 60, names: Any = None
    ) -> WeightsDisplay:
        """Let a copy of a learner go through a stream, and look at its weights now and then.

        Parameters
        ----------
        learner : learner with run and weights
            Of advice, or of losses (without y).
        X, y : advice or losses, and outcomes
            The stream.
        looks : int, default=60
            How often.
        names : sequence of str, optional
            Of the experts.

        Examples
        --------
        >>> import numpy as np
        >>> from certus.online import FixedShare, WeightsDisplay
        >>> advice = np.repeat([[0.1, 0.9], [0.9, 0.1]], 50, axis=0)
        >>> display = WeightsDisplay.from_stream(FixedShare(0.02), advice, np.zeros(100))
        >>> display.weights[[29, -1]].argmax(axis=1).tolist()
        [0, 1]
        """
        looked = [(count, np.array(runner.weights)) for count, runner in looked_at(learner, X, y, looks)]
        counts, weights = zip(*looked, strict=True)
        return cls(counts, np.stack(weights), names=names)

    def _draw(self, ax: Axes) -> None:
        ax.stackplot(self.trials, self.weights.T, labels=self.names, linewidth=0.0)
        ax.set(xlabel="trials", ylabel="weight", xlim=(self.trials[0], self.trials[-1]), ylim=(0.0, 1.0))
        best = self.names[int(self.weights[-1].argmax())]
        ax.set_title(f"after {self.trials[-1]:.0f} trials {best} has {self.weights[-1].max():.3g}", fontsize=8)
        if len(self.names) <= 12:
            ax.legend(fontsize=7, facecolor="white", labelcolor="black", frameon=True, loc="upper left")
