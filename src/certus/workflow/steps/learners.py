"""Step 4, the learners: which of the catalogue are tried, and with which settings."""

from __future__ import annotations

from certus.workflow.race.portfolio import recipes
from certus.workflow.state import State


def choose_learners(state: State) -> None:
    """The recipes that suit the task, of the families that the options name."""
    state.recipes = recipes(state.task.learners, state.options.families)
