"""Worlds of square cells with walls, as a drawing in text."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from certus.reinforce.mdp import MDP
from certus.reinforce.processes.pair_table import csr_of

CLASSIC = "...+\n.#.-\nS..."
MOVES = {"U": (-1, 0), "D": (1, 0), "L": (0, -1), "R": (0, 1)}  # rows from the top, columns
ARROWS = {"U": "↑", "D": "↓", "L": "←", "R": "→"}
SIDEWAYS = {"U": "LR", "D": "LR", "L": "UD", "R": "UD"}


class GridWorld(MDP):
    """A world of cells: a move may slip to either side, and to bump into a wall or the border is to stay.

    Rewards are paid for being in a cell: `living_reward` in free ones, `goal` and `pit` in those, which end everything.

    Parameters
    ----------
    layout : str or list of str, default: 4 columns and 3 rows with a wall
        Lines from the top: ``.`` free, ``#`` wall, ``+`` goal, ``-`` pit, ``S`` start (anywhere free if there is none).
    living_reward : float, default=-0.04
        What is paid in every free cell.
    slip : float, default=0.2
        Probability of a move to the side, half of it to either.
    goal, pit : float, default 1.0 and -1.0
        What they pay.
    discount : float, default=1.0
        What a reward is worth one step later.

    Examples
    --------
    >>> from certus.reinforce import GridWorld, solve
    >>> world = GridWorld()
    >>> print(world.text(solve(world).policy))
    → → → +
    ↑ # ↑ -
    ↑ ← ← ←
    """

    def __init__(
        self,
        layout: str | Sequence[str] = CLASSIC,
        *,
        living_reward: float = -0.04,
        slip: float = 0.2,
        goal: float = 1.0,
        pit: float = -1.0,
        discount: float = 1.0,
    ) -> None:
        self.lines = _lines(layout)
        if not 0.0 <= slip <= 1.0:
            raise ValueError(f"slip must lie in [0, 1], got {slip!r}.")
        cells = np.array([list(line) for line in self.lines])
        self._numbers = np.full(cells.shape, -1, dtype=np.int64)
        # By columns from the left and rows from the bottom within a row: (1, 1) is the first.
        free = [
            (row, column)
            for row in range(cells.shape[0] - 1, -1, -1)
            for column in range(cells.shape[1])
            if cells[row, column] != "#"
        ]
        for number, cell in enumerate(free):
            self._numbers[cell] = number
        self.cells = np.array(free, dtype=np.int64).reshape(-1, 2)
        signs = cells[self.cells[:, 0], self.cells[:, 1]]
        rewards = np.select([signs == "+", signs == "-"], [goal, pit], living_reward).astype(float)
        starts = np.flatnonzero(signs == "S")
        height = len(self.lines)
        super().__init__(
            [self._moves(action, slip) for action in MOVES],
            rewards,
            discount,
            terminal=np.flatnonzero((signs == "+") | (signs == "-")),
            start=np.isin(np.arange(len(free)), starts) / len(starts) if len(starts) else None,
            state_names=[(column + 1, height - row) for row, column in free],
            action_names=list(MOVES),
        )

    def _moves(self, action: str, slip: float) -> sparse.csr_array:
        count = len(self.cells)
        ways = [(action, 1.0 - slip), *((side, slip / 2.0) for side in SIDEWAYS[action])]
        targets = np.concatenate([self._after(way) for way, _ in ways])
        shares = np.repeat([share for _, share in ways], count)
        matrix = sparse.coo_array((shares, (np.tile(np.arange(count), 3), targets)), shape=(count, count))
        return csr_of(matrix, (count, count))

    def _after(self, way: str) -> NDArray[np.int64]:
        """Where each cell's move in a direction ends."""
        cells = self.cells + np.array(MOVES[way])
        row, column = cells[:, 0], cells[:, 1]
        height, width = len(self.lines), len(self.lines[0])
        inside = (row >= 0) & (row < height) & (column >= 0) & (column < width)
        number = np.where(inside, self._numbers[np.clip(row, 0, height - 1), np.clip(column, 0, width - 1)], -1)
        return np.where(number >= 0, number, np.arange(len(self.cells)))

    def state(self, column: int, row: int) -> int:
        """The number of the cell in a column from the left and a row from the bottom, both from 1."""
        height, width = len(self.lines), len(self.lines[0])
        inside = 1 <= column <= width and 1 <= row <= height
        number = int(self._numbers[height - row, column - 1]) if inside else -1
        if number < 0:
            raise ValueError(f"({column}, {row}) is no cell: columns go to {width}, rows to {height}, walls are none.")
        return number

    def text(self, shown: ArrayLike | None = None, *, digits: int = 4) -> str:
        """The grid as text: its cells, or in them a policy's arrows (whole numbers) or values.

        Parameters
        ----------
        shown : array of shape (S,), optional
            Actions or values.
        digits : int, default=4
            Decimals of values.
        """
        if shown is None:
            return "\n".join(" ".join(line) for line in self.lines)
        given = np.asarray(shown)
        if given.shape != (self.n_states,):
            raise ValueError(f"shown must have the shape ({self.n_states},), got {given.shape}.")
        actions = given.dtype.kind in "iu"
        found = []
        for row, line in enumerate(self.lines):
            cells = []
            for column, sign in enumerate(line):
                state = self._numbers[row, column]
                if state < 0 or (actions and self.terminal[state]):
                    cells.append(sign)
                elif actions:
                    cells.append(ARROWS[self.action_names[int(given[state])]])
                else:
                    cells.append(f"{given[state]:.{digits}f}")
            found.append(cells)
        width = max(len(cell) for cells in found for cell in cells)
        return "\n".join(" ".join(cell.rjust(width) for cell in cells) for cells in found)


def _lines(layout: str | Sequence[str]) -> list[str]:
    lines = layout.split() if isinstance(layout, str) else [str(line) for line in layout]
    if not lines or not lines[0] or any(len(line) != len(lines[0]) for line in lines):
        raise ValueError(f"layout must have lines of one length, got lengths {[len(line) for line in lines]}.")
    for number, line in enumerate(lines, start=1):
        for place, sign in enumerate(line, start=1):
            if sign not in ".#+-S":
                raise ValueError(
                    f"layout: line {number}, column {place} is {sign!r}.\n"
                    "Hint: . is free, # a wall, + the goal, - a pit, S the start."
                )
    return lines
