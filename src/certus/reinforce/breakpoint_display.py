"""How the best actions change along a line of rewards."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from certus.evaluation import Display
from certus.reinforce.policy_breakpoints import Breakpoints

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LINE = 0.32  # inches for a state


class BreakpointDisplay(Display):
    """The action of every state that changes, over theta; a line where one changes.

    Parameters
    ----------
    found : Breakpoints
        Of `policy_breakpoints`.
    name : str, default="theta"
        What changes.

    Examples
    --------
    >>> from certus.reinforce import BreakpointDisplay, GridWorld, policy_breakpoints
    >>> world = GridWorld(living_reward=0.0)
    >>> found = policy_breakpoints(world, (~world.terminal).astype(float), -2.0, -0.01)
    >>> display = BreakpointDisplay(found, name="reward for living")
    >>> len(display.states), "reward for living" in display.svg()
    (5, True)
    """

    def __init__(self, found: Breakpoints, name: str = "theta") -> None:
        self.found, self.name = found, name
        self.states = sorted({change.state for change in found.changes})
        self.size = (6.5, max(2.0, 1.0 + LINE * len(self.states)))

    def _draw(self, ax: Axes) -> None:
        found = self.found
        high = found.high if found.unbounded_from is None else min(found.high, found.unbounded_from)
        # Pieces are drawn of equal width: break points may lie close together.
        edges = np.arange(len(found.thetas) + 2)
        names = found.mdp.action_names
        for line, state in enumerate(self.states):
            for piece, policy in enumerate(found.policies):
                before = found.policies[piece - 1][state] if piece else policy[state]
                moved = policy[state] != before
                ax.text(piece + 0.5, line, str(names[policy[state]]), ha="center", va="center",
                        fontweight="bold" if moved else "normal")  # fmt: skip
        for edge in edges[1:-1]:
            ax.axvline(edge, color="#8a949f", linewidth=0.8)
        ends = [found.low, *found.thetas.tolist(), high]
        ax.set_xticks(edges, [f"{round(theta, 12) + 0.0:.4g}" for theta in ends], rotation=45, ha="right")
        ax.set_yticks(range(len(self.states)), [str(found.mdp.state_names[state]) for state in self.states])
        ax.set(xlim=(0, len(found.policies)), ylim=(-0.6, len(self.states) - 0.4), xlabel=self.name, ylabel="state")
