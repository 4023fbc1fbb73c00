"""Step 5, the training: a race of candidates on the learning rows.

Every candidate starts on the first division. After each division those that are surely worse than the leader, or
behind the places that are kept, drop out. When the portfolio is through, new settings are drawn near the best ones
and race against them. All decisions are functions of the outcomes and the seed alone, so that neither the number of
threads nor an interruption changes them; only a time limit, where one is set, can end the race earlier.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.guarantees import mean_bound
from certus.workflow.candidates import Candidate, Recipe
from certus.workflow.executors import Executor
from certus.workflow.journal import Journal
from certus.workflow.label_sets import constant_answer
from certus.workflow.learning import Learning
from certus.workflow.measures import Measure
from certus.workflow.outcome import Outcome
from certus.workflow.work import LARGEST_WORK, Measured, WorkModel, affordable

# How many candidates go on after the first, second, … division; later ones like the last.
KEPT = (12, 8, 6, 5)
# Probability with which any candidate of a race is dropped wrongly as "surely worse".
DROP_LEVEL = 0.05
DRAWN_AT_ONCE = 4  # fixed, so that the draws do not depend on the number of processes
WILD_SHARE = 0.25  # of the draws are made anywhere, the others near the best


@dataclass
class Trial:
    """A candidate in the race."""

    candidate: Candidate
    recipe: Recipe
    outcomes: list[Outcome] = field(default_factory=list)
    dropped: str | None = None  # why it is out of the race
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

    @property
    def failure(self) -> str | None:
        """What went wrong in an evaluation."""
        return next((outcome.failure for outcome in self.outcomes if outcome.failure is not None), None)


@dataclass(frozen=True)
class Budget:
    """How much work a race may do: a number of candidates, or time until a moment of `time.monotonic`."""

    trials: int | None
    deadline: float | None = None


class Race:
    """A race of candidates; ``run`` gives the trials, best first."""

    def __init__(
        self,
        learning: Learning,
        measure: Measure,
        recipes: Sequence[Recipe],
        *,
        journal: Journal,
        executor: Executor,
        budget: Budget,
        progress: Callable[[str, int, int | None], None],
    ) -> None:
        self._learning, self._measure, self._recipes = learning, measure, list(recipes)
        self._journal, self._executor, self._budget, self._progress = journal, executor, budget, progress
        self._rng = np.random.default_rng(learning.seed)
        self._work = WorkModel(max(1, len(learning.columns.used)))
        self.trials: list[Trial] = []

    def run(self) -> list[Trial]:
        """All trials: those that went through the whole race first, best first."""
        entered = self._portfolio()
        self._race(entered)
        while (entered := self._draw()) and not self._over():
            self._race(entered)
        if not any(map(self.complete, self.trials)):
            self._race_without_limit()
        for trial in filter(self.complete, self.trials):
            trial.dropped = None  # when time runs out, who came as far as anybody is in the race to the end
        return sorted(self.trials, key=lambda trial: (not self.complete(trial), trial.value))

    @property
    def depth(self) -> int:
        """How many divisions the race went through: all of them, unless time ran out before."""
        return max((len(trial.values) for trial in self.trials if trial.failure is None), default=0)

    def complete(self, trial: Trial) -> bool:
        """Whether a trial went through the whole race without a failure."""
        return trial.failure is None and 0 < len(trial.values) == self.depth

    def _race_without_limit(self) -> None:
        """Nobody finished a single part in time: the cheapest candidate takes the time it needs."""
        first = next((trial for trial in self.trials if trial.failure is None), None)
        if first is not None:
            first.dropped = None
            limited, self._budget = self._budget, Budget(1)
            self._evaluate([first], 0)
            self._budget = limited

    def answers(self, trial: Trial) -> tuple[NDArray[Any], NDArray[Any] | None]:
        """Answers and probabilities of a trial for the validated rows so far."""
        outcomes = trial.outcomes[-1:] if self._learning.rungs else trial.outcomes
        answers = np.concatenate([outcome.answers for outcome in outcomes if outcome.answers is not None])
        shares = [outcome.shares for outcome in outcomes if outcome.shares is not None]
        said = np.concatenate(shares) if len(shares) == len(outcomes) else None
        return self._measure.answers(answers, said), said

    def _over(self) -> bool:
        late = self._budget.deadline is not None and time.monotonic() >= self._budget.deadline
        return late or (self._budget.trials is not None and len(self.trials) >= self._budget.trials)

    def _room(self) -> int:
        return DRAWN_AT_ONCE if self._budget.trials is None else self._budget.trials - len(self.trials)

    def _portfolio(self) -> list[Trial]:
        """The settings that recipes try first: everyone's best bet before anyone's second, cheap ones first."""
        fits = len(self._learning.divisions[0].fit)
        ordered = sorted(self._recipes, key=lambda recipe: self._work.guess(recipe, fits))
        longest = max(len(recipe.starts) for recipe in ordered)
        starts = [
            Trial(recipe.candidates()[turn], recipe)
            for turn in range(longest)
            for recipe in ordered
            if turn < len(recipe.starts)
        ]
        return starts if self._budget.trials is None else starts[: self._budget.trials]

    def _draw(self) -> list[Trial]:
        """New settings: near the best of the recipes that lead, sometimes anywhere."""
        finished = [trial for trial in self.trials if self.complete(trial) and trial.recipe.space]
        if not finished or self._over():
            return []
        best_of: dict[str, Trial] = {}
        for trial in sorted(finished, key=lambda trial: trial.value):
            best_of.setdefault(trial.recipe.path, trial)
        leaders = list(best_of.values())[:3]
        weights = 0.5 ** np.arange(len(leaders))
        known = {trial.candidate.key for trial in self.trials}
        drawn: list[Trial] = []
        for _ in range(10 * DRAWN_AT_ONCE):
            leader = leaders[int(self._rng.choice(len(leaders), p=weights / weights.sum()))]
            near = None if self._rng.random() < WILD_SHARE else leader.candidate
            candidate = leader.recipe.draw(self._rng, near)
            if candidate.key not in known and len(drawn) < min(DRAWN_AT_ONCE, self._room()):
                known.add(candidate.key)
                drawn.append(Trial(candidate, leader.recipe))
        return drawn

    def _race(self, entered: list[Trial]) -> None:
        """Take candidates through the divisions; the leaders of before stay in the comparison."""
        self.trials += entered
        running = entered
        for place in range(len(self._learning.divisions)):
            self._spare(running, place)
            running = self._evaluate([trial for trial in running if trial.dropped is None], place)
            self._drop(running, place)
            running = [trial for trial in running if trial.dropped is None]

    def _spare(self, running: list[Trial], place: int) -> None:
        """Send out whose next evaluation would take too long: by far, or for the time that is left."""
        running.sort(key=lambda trial: trial.value)  # equal ones, as at the start, keep their order
        rows = len(self._learning.divisions[place].fit)
        for trial in running:
            if self._work.guess(trial.recipe, rows) > LARGEST_WORK:
                trial.dropped = f"too much work on {rows} rows"
        left = [trial for trial in running if trial.dropped is None]
        if self._budget.deadline is None:
            return
        known = [self._journal.get(_key(trial.candidate, place)) is not None for trial in left]
        seconds = [0.0 if done else self.seconds(trial, rows) for trial, done in zip(left, known, strict=True)]
        # The last rung is worth all the time; before it half is kept for what is to come.
        last = place == len(self._learning.divisions) - 1 or not self._learning.rungs
        remaining = (self._budget.deadline - time.monotonic()) * (1.0 if last else 0.5)
        for trial, fits, length in zip(
            left, affordable(seconds, self._executor.workers, remaining), seconds, strict=True
        ):
            if not fits:
                trial.dropped = f"no time left for about {length:.0f} s on {rows} rows"

    def seconds(self, trial: Trial, rows: int) -> float:
        """How long training this trial on so many rows will take."""
        before = None
        if trial.outcomes:
            last = self._learning.divisions[len(trial.outcomes) - 1]
            before = Measured(trial.recipe, len(last.fit), trial.outcomes[-1].seconds)
        return self._work.predict(trial.recipe, rows, before)

    def _evaluate(self, running: list[Trial], place: int) -> list[Trial]:
        """The outcomes of all running trials on one division; those that there was no time for leave the race."""
        found: dict[str, Outcome] = {}
        missing = []
        for trial in running:
            known = self._journal.get(_key(trial.candidate, place))
            if known is None:
                missing.append((trial.candidate, place))
            else:
                found[trial.candidate.key] = known
        self._tell(place, len(found))
        for (candidate, _), outcome in self._executor.run(missing, self._budget.deadline):
            self._journal.put(_key(candidate, place), outcome)
            found[candidate.key] = outcome
            self._tell(place, len(found), candidate)
        for trial in running:
            if trial.candidate.key not in found:
                trial.dropped = "no time left"
                continue
            trial.outcomes.append(found[trial.candidate.key])
            rows = len(self._learning.divisions[place].fit)
            self._work.learn(Measured(trial.recipe, rows, trial.outcomes[-1].seconds))
            if trial.failure is not None:
                trial.dropped, trial.value = "failed", np.inf
            else:
                trial.value = self._value(trial)
                trial.values.append(trial.value)
        return [trial for trial in running if trial.dropped is None]

    def _tell(self, place: int, done: int, candidate: Candidate | None = None) -> None:
        name = candidate.path.rsplit(".", 1)[1] if candidate is not None else "racing"
        self._progress(f"{name} ({place + 1}/{len(self._learning.divisions)})", len(self.trials), self._budget.trials)

    def _value(self, trial: Trial) -> float:
        truth = self._learning.y[self._learning.validated(len(trial.outcomes))]
        answers, shares = self.answers(trial)
        if self._measure.needs == "shares" and shares is None:
            trial.dropped = f"gives no probabilities, which {self._measure.name} needs"
            return np.inf
        return self._measure.value(truth, answers, shares)

    def _drop(self, running: list[Trial], place: int) -> None:
        """Send out who is surely worse than the leader, and who is behind the places that are kept."""
        judged = [trial for trial in self.trials if len(trial.outcomes) > place and np.isfinite(trial.value)]
        if not judged or place == len(self._learning.divisions) - 1:
            return
        values = {id(trial): self._value_at(trial, place) for trial in judged}
        ranked = sorted(judged, key=lambda trial: values[id(trial)])
        kept = KEPT[min(place, len(KEPT) - 1)]
        for rank, trial in enumerate(ranked):
            if trial.dropped is not None or trial not in running:
                continue
            if rank >= kept:
                trial.dropped = f"behind place {kept} after {place + 1} of {len(self._learning.divisions)} parts"
            elif rank > 0 and self._surely_worse(trial, ranked[0], place, len(judged)):
                trial.dropped = f"surely worse than the leader after {place + 1} parts"

    def _value_at(self, trial: Trial, place: int) -> float:
        return self._value(Trial(trial.candidate, trial.recipe, trial.outcomes[: place + 1]))

    def _surely_worse(self, trial: Trial, leader: Trial, place: int, rivals: int) -> bool:
        """Whether the mean difference of losses is above zero with the confidence left after all looks."""
        if self._measure.rows is None or self._measure.range is None:
            return False  # only losses of a known range can be bounded
        truth = self._learning.y[self._learning.validated(place + 1)]
        first, second = (
            self._measure.rows(truth, *self.answers(Trial(one.candidate, one.recipe, one.outcomes[: place + 1])))
            for one in (trial, leader)
        )
        difference = first - second
        if difference.mean() <= 0.0:
            return False
        level = DROP_LEVEL / (rivals * len(self._learning.divisions))
        reach = self._measure.range[1] - self._measure.range[0]
        bound = mean_bound(difference, low=-reach, high=reach, side="lower", confidence=1.0 - level)
        return isinstance(bound.value, float) and bound.value > 0.0


def _key(candidate: Candidate, place: int) -> str:
    return f"{place} {candidate.key}"


def baseline_value(learning: Learning, measure: Measure) -> float:
    """The measure of the best answer that looks at no column, over all divisions; of clusters, that of one."""
    if learning.clustering:
        return 1.0  # nothing tells a row's cluster from a second one
    answers, shares = [], []
    for division in learning.divisions[-1:] if learning.rungs else learning.divisions:
        fit, count = learning.y[division.fit], len(division.validation)
        if learning.several:
            answers.append(np.tile(constant_answer(fit, measure), (count, 1)))
            shares.append(np.tile(fit.mean(axis=0), (count, 1)))
        elif learning.classes:
            frequency = np.bincount(fit.astype(np.intp), minlength=learning.classes) / len(fit)
            answers.append(np.full(count, int(measure.decide(frequency[None, :])[0])))
            shares.append(np.tile(frequency, (count, 1)))
        else:
            answers.append(np.full(count, float(np.median(fit) if measure.name == "mae" else np.mean(fit))))
    truth = learning.y[learning.validated(len(learning.divisions))]
    return measure.value(truth, np.concatenate(answers), np.concatenate(shares) if shares else None)
