"""How learners came on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from certus.evaluation import Display
from certus.guarantees.records import check_count

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLORS = ("#0b6e63", "#b4552d", "#1c2430", "#5b7fb5")


class ReturnDisplay(Display):
    """The sum of rewards per episode, averaged over the episodes before.

    Parameters
    ----------
    returns : dict of str to array
        By name, the sum of the rewards of every episode.
    window : int, default=50
        Over how many episodes to average.

    Examples
    --------
    >>> from certus.reinforce import SARSA, GridWorld, QLearning, ReturnDisplay
    >>> world = GridWorld()
    >>> learners = {kind.__name__: kind(random_state=0).fit(world, episodes=300) for kind in (SARSA, QLearning)}
    >>> display = ReturnDisplay.from_learners(learners)
    >>> "SARSA" in display.svg()
    True
    """

    def __init__(self, returns: Mapping[str, ArrayLike], window: int = 50) -> None:
        self.window = check_count(window, "window", minimum=1)
        self.returns = {name: np.asarray(values, dtype=np.float64) for name, values in returns.items()}

    @classmethod
    def from_learners(cls, learners: Mapping[str, Any], window: int = 50) -> ReturnDisplay:
        """The picture of fitted learners, by name.

        Parameters
        ----------
        learners : dict of str to learner
            Fitted ones.
        window : int, default=50
            Over how many episodes to average.
        """
        return cls({name: learner.history_ for name, learner in learners.items()}, window)

    def _draw(self, ax: Axes) -> None:
        for place, (name, values) in enumerate(self.returns.items()):
            width = min(self.window, len(values))
            means = np.convolve(values, np.ones(width) / width, mode="valid")
            ax.plot(
                np.arange(width, len(values) + 1), means, label=name, color=COLORS[place % len(COLORS)], linewidth=1.2
            )
        ax.set(xlabel="episode", ylabel=f"sum of rewards, mean of {self.window}")
        ax.legend(frameon=False)
