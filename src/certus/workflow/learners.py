"""Step 4, the learners: which candidates a study tries, by task and size of the table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from certus.base import catalogue
from certus.workflow.task import Task

# Neighbours are looked up row against row; beyond this many pairs a first study leaves them out.
LARGEST_NEIGHBOR_WORK = 2e9


@dataclass(frozen=True)
class Candidate:
    """One learner with one setting."""

    path: str
    parameters: dict[str, Any] = field(default_factory=dict)
    scale: bool = True

    @property
    def name(self) -> str:
        """How the leaderboard calls it."""
        setting = ", ".join(f"{key}={value!r}" for key, value in self.parameters.items())
        return f"{self.path.rsplit('.', 1)[1]}({setting})"

    def build(self, seed: int) -> Any:
        """A fresh, unfitted learner."""
        kind = catalogue.find(self.path)
        assert kind is not None, self.path
        learner = kind(**self.parameters)
        return learner.set_params(random_state=seed) if "random_state" in learner.get_params() else learner


def portfolio(task: Task, rows: int, columns: int) -> list[Candidate]:
    """The candidates for this task, simplest first."""
    found = list(_classifiers() if task.classification else _regressors())
    if float(rows) ** 2 * columns > LARGEST_NEIGHBOR_WORK:
        found = [candidate for candidate in found if "neighbors" not in candidate.path]
    return found


def _classifiers() -> Iterator[Candidate]:
    yield Candidate("certus.bayes.GaussianNB")
    for C in (0.01, 0.1, 1.0, 10.0):
        yield Candidate("certus.linear.LogisticRegression", {"C": C})
    for alpha in (1.0, 30.0):
        yield Candidate("certus.linear.RidgeClassifier", {"alpha": alpha})
    for k in (5, 15, 45):
        yield Candidate("certus.neighbors.KNeighborsClassifier", {"n_neighbors": k, "weights": "distance"})
    yield from _trees("certus.trees.DecisionTreeClassifier")


def _regressors() -> Iterator[Candidate]:
    yield Candidate("certus.linear.LinearRegression")
    for alpha in (1.0, 30.0, 1000.0):
        yield Candidate("certus.linear.Ridge", {"alpha": alpha})
    for k in (5, 15, 45):
        yield Candidate("certus.neighbors.KNeighborsRegressor", {"n_neighbors": k, "weights": "distance"})
    yield from _trees("certus.trees.DecisionTreeRegressor")


def _trees(path: str) -> Iterator[Candidate]:
    for leaf in (5, 20, 80):
        yield Candidate(path, {"min_samples_leaf": leaf}, scale=False)
