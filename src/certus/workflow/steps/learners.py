"""Step 4, the learners: which of the catalogue are tried, and with which settings."""

from __future__ import annotations

from certus.workflow.race.foreign_learners import foreign_recipe
from certus.workflow.race.portfolio import recipes
from certus.workflow.state import State


def choose_learners(state: State) -> None:
    """The recipes that suit the task, of the families that the options name."""
    offered = recipes(state.task.learners, state.options.families, texts=bool(state.columns.texts))
    named = [foreign_recipe(candidate, offered) for candidate in state.options.candidates]
    only = bool(named) and not state.options.families and state.options.trials == len(named)
    state.recipes = named if only else [*offered, *named]
