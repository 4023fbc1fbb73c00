"""Candidates in a race, and how much work the race may do."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from certus.workflow.candidates import Candidate, Recipe
from certus.workflow.outcome import Outcome


@dataclass(eq=False)
class Trial:
    """A candidate in the race; two of them are never equal."""

    candidate: Candidate
    recipe: Recipe
    outcomes: list[Outcome] = field(default_factory=list)
    dropped: str | None = None  # why it is out of the race
    late: bool = False  # whether that is for want of time alone
    value: float = np.inf
    values: list[float] = field(default_factory=list)  # after each division

    @property
    def name(self) -> str:
        """How the leaderboard calls it."""
        return self.candidate.name

    @property
    def seconds(self) -> float:
        """Time of all its evaluations."""
        return sum(outcome.seconds for outcome in self.outcomes)

    def run_out_of_time(self, reason: str) -> None:
        """Leave the race for want of time alone."""
        self.dropped, self.late = reason, True

    def stay(self) -> None:
        """Be in the race again."""
        self.dropped, self.late = None, False

    @property
    def running(self) -> bool:
        """Whether it is in the race, or would be if there were time."""
        return self.failure is None and (self.dropped is None or self.late)

    @property
    def failure(self) -> str | None:
        """What went wrong in an evaluation."""
        return next((outcome.failure for outcome in self.outcomes if outcome.failure is not None), None)


@dataclass(frozen=True)
class Budget:
    """How much work a race may do: a number of candidates, or time until a moment of `time.monotonic`."""

    trials: int | None
    deadline: float | None = None
