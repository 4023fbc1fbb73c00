"""Draw the pictures of docs/reinforce.md: python -m docs.pages.reinforce_pictures."""

from collections.abc import Callable
from pathlib import Path

from certus.evaluation import Display
from certus.reinforce import BreakpointDisplay, GridDisplay, GridWorld, policy_breakpoints, solve

FOLDER = Path(__file__).parents[1]


def grid() -> Display:
    """Values and moves of the small world."""
    return GridDisplay.from_solution(solve(GridWorld()))


def breakpoints() -> Display:
    """How the best moves change with the reward for living."""
    world = GridWorld(living_reward=0.0)
    found = policy_breakpoints(world, (~world.terminal).astype(float), -2.0, 0.5)
    return BreakpointDisplay(found, name="reward for living")


PICTURES: dict[str, Callable[[], Display]] = {"reinforce-grid": grid, "reinforce-breakpoints": breakpoints}


if __name__ == "__main__":
    for name, draw in PICTURES.items():
        (FOLDER / f"{name}.svg").write_text(draw().svg() + "\n", encoding="utf-8")
