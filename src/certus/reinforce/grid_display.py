"""A world of cells with values and the best moves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from certus.evaluation import Display
from certus.reinforce.grid_world import ARROWS, GridWorld
from certus.reinforce.solve import Solution

if TYPE_CHECKING:
    from matplotlib.axes import Axes

EQUAL = 1e-7  # differences of actions that are not shown, as a share of the largest value
INK, WALL = "#1c2430", "#8a949f"


class GridDisplay(Display):
    """Cells with their values, walls, and arrows for all moves that are equally good.

    Parameters
    ----------
    world : GridWorld
        The world.
    values : array of shape (S,)
        Values of the cells; a deeper color is a higher one.
    moves : list of list of str
        The names of the best actions of every cell.
    """

    def __init__(self, world: GridWorld, values: ArrayLike, moves: list[list[str]]) -> None:
        self.world, self.values, self.moves = world, np.asarray(values, dtype=np.float64), moves
        height, width = len(world.lines), len(world.lines[0])
        self.size = (max(3.0, 0.85 * width), max(2.0, 0.85 * height))

    @classmethod
    def from_solution(cls, plan: Solution) -> GridDisplay:
        """The picture of a plan of a `GridWorld`.

        Parameters
        ----------
        plan : Solution
            Of `solve`.

        Examples
        --------
        >>> from certus.reinforce import GridDisplay, GridWorld, solve
        >>> world = GridWorld()
        >>> display = GridDisplay.from_solution(solve(world))
        >>> display.moves[world.state(1, 1)], "0.71" in display.svg()
        (['U'], True)
        """
        if not isinstance(plan.mdp, GridWorld):
            raise ValueError(f"plan must be of a GridWorld, got one of a {type(plan.mdp).__name__}.")
        return cls(plan.mdp, plan.values, best_moves(plan))

    def _draw(self, ax: Axes) -> None:
        from matplotlib.patches import Rectangle

        height, width = len(self.world.lines), len(self.world.lines[0])
        cells = {tuple(cell): state for state, cell in enumerate(self.world.cells.tolist())}
        finite = self.values[np.isfinite(self.values)]
        low, high = (finite.min(), finite.max()) if finite.size else (0.0, 1.0)
        for row in range(height):
            for column in range(width):
                state = cells.get((row, column))
                box: dict[str, Any] = {"facecolor": WALL} if state is None else {"facecolor": "none"}
                corner = (column, height - 1 - row)
                ax.add_patch(Rectangle(corner, 1, 1, edgecolor=WALL, linewidth=0.8, **box))
                if state is None:
                    continue
                value = self.values[state]
                depth = (np.clip(value, low, high) - low) / (high - low) if high > low else 0.0
                ax.add_patch(Rectangle(corner, 1, 1, facecolor="#0b6e63", alpha=0.45 * float(depth), linewidth=0))
                middle = (column + 0.5, height - 0.5 - row)
                ax.text(middle[0], middle[1] + 0.2, f"{value:.2f}", ha="center", va="center", fontsize=8, color=INK)
                sign = "".join(ARROWS[name] for name in self.moves[state]) or self.world.lines[row][column]
                ax.text(middle[0], middle[1] - 0.18, sign, ha="center", va="center", fontsize=12, color=INK)
        ax.set(xlim=(0, width), ylim=(0, height), aspect="equal")
        ax.axis("off")


def best_moves(plan: Solution) -> list[list[str]]:
    """The names of all actions that are as good as the best, by state; none where the state is terminal."""
    worth = plan.q()
    finite = np.abs(plan.values[np.isfinite(plan.values)])
    tie = EQUAL * max(1.0, float(np.max(finite, initial=0.0)))
    return [_best(plan, worth[state], tie) for state in range(plan.mdp.n_states)]


def _best(plan: Solution, worth: NDArray[np.float64], tie: float) -> list[str]:
    known = worth[~np.isnan(worth)]
    if not known.size:
        return []
    best = float(known.max())
    return [str(plan.mdp.action_names[a]) for a, q in enumerate(worth) if q == best or q >= best - tie]
