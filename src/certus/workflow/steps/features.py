"""Step 3, the features: the columns as learners will see them, on rows that are divided once for all candidates.

The encoder of each candidate (`certus.tables.TableEncoder`) is fitted on the rows that the candidate is trained on, and
on no others.
"""

from __future__ import annotations

from certus.workflow.race.learning import Learning, divide
from certus.workflow.state import State


def prepare_features(state: State) -> None:
    """The used columns of the learning rows, and the rows on which candidates are fitted and judged."""
    task, split, seed = state.task, state.split, state.options.seed
    y = task.positions(state.values[split.learn])
    divisions, rungs = divide(task.strata(y), split.groups, seed=seed, in_order=split.unit == "time")
    rows, weights = state.used[split.learn], None if state.weights is None else state.weights[split.learn]
    state.learning = Learning(type(task), rows, y, task.classes, state.columns, divisions, rungs, seed, weights)
