"""A race against a clock that only the evaluations move: who goes on, and who wins when time runs out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import polars as pl
import pytest

from certus.workflow.columns import Columns
from certus.workflow.measures import MEASURES
from certus.workflow.race.candidates import Range, Recipe
from certus.workflow.race.executors import Request
from certus.workflow.race.journal import Journal
from certus.workflow.race.learning import Learning, divide
from certus.workflow.race.outcome import Outcome
from certus.workflow.race.race import Race
from certus.workflow.race.trials import Budget, Reason
from certus.workflow.tasks import RegressionTask

ROWS = 200
Y = np.random.default_rng(0).normal(size=ROWS)
RIDGE, TREE = "certus.linear.Ridge", "certus.trees.DecisionTreeRegressor"


class Clock:
    """The time by which the race plans."""

    now = 0.0

    def monotonic(self) -> float:
        return self.now


class Scripted:
    """Every learner's answers are off by its noise and take its seconds; one evaluation after the other."""

    workers = 1

    def __init__(self, learning: Learning, clock: Clock, noise: dict[str, float], seconds: dict[str, float]) -> None:
        self.learning, self.clock, self.noise, self.seconds = learning, clock, noise, seconds
        self.asked: list[Request] = []

    def run(self, requests: Sequence[Request], deadline: float | None) -> Iterator[tuple[Request, Outcome]]:
        for request in requests:
            candidate, place = request
            if deadline is not None and self.clock.now + self.seconds[candidate.path] > deadline:
                return
            self.asked.append(request)
            self.clock.now += self.seconds[candidate.path]
            truth = self.learning.y[self.learning.divisions[place].validation]
            rng = np.random.default_rng([place, len(candidate.path)])
            off = rng.normal(scale=self.noise[candidate.path], size=len(truth))
            yield request, Outcome(truth + off, None, self.seconds[candidate.path])

    def close(self) -> None:
        pass


def race(
    monkeypatch: pytest.MonkeyPatch,
    noise: dict[str, float],
    seconds: dict[str, float],
    *,
    deadline: float,
    space: dict[str, Any] | None = None,
) -> tuple[Race, Scripted]:
    clock = Clock()
    monkeypatch.setattr("certus.workflow.race.race.time", clock)
    divisions, rungs = divide(RegressionTask.strata(Y), np.arange(ROWS), seed=0)
    learning = Learning(RegressionTask, pl.DataFrame({"x": Y}), Y, 0, Columns(numbers=["x"]), divisions, rungs, seed=0)
    executor = Scripted(learning, clock, noise, seconds)
    recipes = [Recipe(path, space=space or {}) for path in noise]
    journal = Journal(None)
    journal.open_for({})
    budget = Budget(None, deadline)
    return Race(
        learning, MEASURES["rmse"], recipes, journal=journal, executor=executor, budget=budget, progress=lambda *_: None
    ), executor


def test_somebody_cheap_does_not_win_by_coming_further(monkeypatch: pytest.MonkeyPatch) -> None:
    """The better one takes 4 s for each of five parts, and there are 11 s: two parts decide."""
    noise, seconds = {RIDGE: 0.1, TREE: 0.11}, {RIDGE: 4.0, TREE: 0.01}
    run, _ = race(monkeypatch, noise, seconds, deadline=11.0)
    first, second = run.run()
    assert run.depth == 2
    assert (first.candidate.path, second.candidate.path) == (RIDGE, TREE)
    assert first.left is None
    assert len(second.values) == 5
    assert second.value == second.values[1]
    assert len(run.predictions(second)[0]) == len(run.predictions(first)[0])


def test_all_parts_decide_where_there_is_time(monkeypatch: pytest.MonkeyPatch) -> None:
    run, executor = race(monkeypatch, {RIDGE: 0.1, TREE: 0.11}, {RIDGE: 4.0, TREE: 0.01}, deadline=100.0)
    assert [len(trial.values) for trial in run.run()] == [5, 5]
    assert run.depth == 5
    assert len(executor.asked) == 10


def test_who_is_far_behind_leaves_early(monkeypatch: pytest.MonkeyPatch) -> None:
    run, _ = race(monkeypatch, {RIDGE: 0.1, TREE: 3.0}, {RIDGE: 0.1, TREE: 0.1}, deadline=100.0)
    _, last = run.run()
    assert last.left is not None
    assert last.left.reason is Reason.FAR_BEHIND
    assert str(last.left) == "far behind the leader after 1 of 5 parts (a heuristic)"


def test_a_race_that_brings_nothing_better_ends_early(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("certus.workflow.race.race.PATIENCE", 20)
    space = {"alpha": Range(1e-3, 1e3)}
    run, executor = race(monkeypatch, {RIDGE: 0.1}, {RIDGE: 0.1}, deadline=1e6, space=space)
    trials = run.run()
    assert 20 < len(trials) < 40
    assert run.ended_early
    assert executor.clock.now < 100.0


def test_nothing_is_begun_that_would_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    space = {"alpha": Range(1e-3, 1e3)}
    run, executor = race(monkeypatch, {RIDGE: 0.1}, {RIDGE: 1.0}, deadline=20.0, space=space)
    trials = run.run()
    assert executor.clock.now <= 20.0
    assert all(trial.outcomes for trial in trials)
