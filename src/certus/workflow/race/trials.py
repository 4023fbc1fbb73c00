"""Candidates in a race, why they leave it, and how much work the race may do."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum

import numpy as np

from certus.workflow.race.candidates import Candidate, Recipe
from certus.workflow.race.outcome import Outcome


class Reason(Enum):
    """Why a candidate left the race; `Left` fills in the details."""

    FAILED = "failed"
    NO_TIME = "no time left{work}"
    TOO_MUCH_WORK = "too much work on {rows} rows"
    TOO_MUCH_MEMORY = "about {needed} GB of memory are needed on {rows} rows, {free} GB are free"
    NO_PROBABILITIES = "gives no probabilities, which {measure} needs"
    BEHIND = "behind rank {kept} after {parts}"
    SURELY_WORSE = "surely worse than the leader after {parts}"
    NO_GAIN = "the columns made from others do not help it beyond chance"
    FAR_BEHIND = "far behind the leader after {parts} (a heuristic)"


@dataclass(frozen=True)
class Left:
    """That a candidate left the race.

    Attributes
    ----------
    reason : Reason
        Why.
    detail : dict of str to str
        What the reason's sentence tells.
    """

    reason: Reason
    detail: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.reason.value.format(**{"work": "", **self.detail})


@dataclass(eq=False)
class Trial:
    """A candidate in the race; two of them are never equal."""

    candidate: Candidate
    recipe: Recipe
    outcomes: list[Outcome] = field(default_factory=list)
    left: Left | None = None  # why it is out of the race
    value: float = np.inf
    values: list[float] = field(default_factory=list)  # after each division
    judged: int = 0  # validation rows behind the value

    @property
    def name(self) -> str:
        """How the leaderboard calls it."""
        return self.candidate.name

    @property
    def seconds(self) -> float:
        """Time of all its evaluations."""
        return sum(outcome.seconds for outcome in self.outcomes)

    @property
    def late(self) -> bool:
        """Whether it left for want of time alone."""
        return self.left is not None and self.left.reason is Reason.NO_TIME

    @property
    def running(self) -> bool:
        """Whether it is in the race, or would be if there were time."""
        return self.failure is None and (self.left is None or self.late)

    @property
    def failure(self) -> str | None:
        """What went wrong in an evaluation."""
        return next((outcome.failure for outcome in self.outcomes if outcome.failure is not None), None)

    def leave(self, reason: Reason, **detail: object) -> None:
        """Be out of the race."""
        self.left = Left(reason, {name: str(value) for name, value in detail.items()})

    def after(self, parts: int) -> Trial:
        """The trial as it was after so many divisions."""
        return Trial(self.candidate, self.recipe, self.outcomes[:parts])


def comparable(value: float) -> float:
    """A value without its last digits, in which rounding alone makes equal candidates differ."""
    return float(f"{value:.12g}")


def opening(recipes: Sequence[Recipe], cost: Callable[[Recipe], float]) -> list[Trial]:
    """The settings that recipes try first: everyone's best bet before anyone's second, cheap ones first, late last."""
    early, late = ([one for one in recipes if one.late is so] for so in (False, True))
    return [*_in_turns(early, cost), *_in_turns(late, cost)]


def _in_turns(recipes: Sequence[Recipe], cost: Callable[[Recipe], float]) -> list[Trial]:
    ordered = sorted(recipes, key=cost)
    turns = itertools.zip_longest(*(recipe.candidates() for recipe in ordered))
    pairs = (zip(turn, ordered, strict=True) for turn in turns)
    return [Trial(candidate, recipe) for turn in pairs for candidate, recipe in turn if candidate is not None]


@dataclass(frozen=True)
class Budget:
    """How much work a race may do: a number of candidates, or time until a moment of `time.monotonic`."""

    trials: int | None
    deadline: float | None = None
