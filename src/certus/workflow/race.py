"""Step 5, the training: a race of candidates on the learning rows.

Every candidate starts on the first division. After each division those that are surely worse than the leader, or
behind the places that are kept, drop out. When the portfolio is through, new settings are drawn near the best ones
and race against them. All decisions are functions of the outcomes and the seed alone, so that neither the number of
threads nor an interruption changes them; only a time limit, where one is set, can end the race earlier.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.guarantees import mean_bound
from certus.workflow.candidates import Candidate, Recipe
from certus.workflow.executors import Executor
from certus.workflow.journal import Journal
from certus.workflow.learning import Learning
from certus.workflow.measures import Measure
from certus.workflow.outcome import Outcome
from certus.workflow.trials import Budget, Trial
from certus.workflow.work import LARGEST_WORK, Measured, WorkModel, affordable

# How many candidates go on after the first, second, … division; later ones like the last.
KEPT = (12, 8, 6, 5)
# Probability with which any candidate of a race is dropped wrongly as "surely worse".
DROP_LEVEL = 0.05
DRAWN_AT_ONCE = 4  # fixed, so that the draws do not depend on the number of processes
WILD_SHARE = 0.25  # of the draws are made anywhere, the others near the best
PATIENCE = 150  # candidates without a new best one after which a race against time ends early
# With a time limit: share of the time in which all candidates are looked at once, before the best go on.
FIRST_LOOK_SHARE = 0.4
# Losses without a known range cannot be bounded; so many standard errors behind the leader is far behind.
FAR_BEHIND = 4.0
FEWEST_TO_COMPARE = 30


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
        self.depth = len(learning.divisions)
        self.ended_early = False

    def run(self) -> list[Trial]:
        """All trials: those that went through the whole race first, best first."""
        entered = self._portfolio()
        self._race(entered)
        while not self.ended_early and (entered := self._draw()) and not self._over():
            self._race(entered)
            unseen = [trial for trial in entered if trial.late and not trial.outcomes]
            self.trials = [trial for trial in self.trials if trial not in unseen]
            if len(unseen) == len(entered):  # there is no time for any of them
                break
            self.ended_early = self._stale()
        if not any(trial.values for trial in self.trials):
            self._race_without_limit()
        self.depth = self._depth()
        for trial in filter(self.complete, self.trials):
            trial.stay()  # who came as far as the leader is in the race to the end
            trial.value = trial.values[self.depth - 1]
        return sorted(self.trials, key=lambda trial: (not self.complete(trial), trial.value))

    def _depth(self) -> int:
        """How many divisions decide: all of them, unless the leader had no time for the rest.

        Somebody cheap who came further than the leader does not win by that. Rungs share their validation rows, so that
        any two values can be compared; folds are compared one after the other.
        """
        running = [trial for trial in self.trials if trial.values and trial.running]
        if self._learning.rungs:
            return len(min(running, key=lambda trial: trial.values[-1]).values) if running else 1
        depth = 1
        while True:
            running = [trial for trial in running if len(trial.values) >= depth]
            leader = min(running, key=lambda trial: trial.values[depth - 1], default=None)
            if leader is None or len(leader.values) == depth:
                return depth
            depth += 1

    def complete(self, trial: Trial) -> bool:
        """Whether a trial went through all divisions that decide, without a failure."""
        return trial.running and len(trial.values) >= self.depth

    def _race_without_limit(self) -> None:
        """Nobody finished a single part in time: the cheapest candidate takes the time it needs."""
        first = next((trial for trial in self.trials if trial.failure is None), None)
        if first is not None:
            first.stay()
            limited, self._budget = self._budget, Budget(1)
            self._evaluate([first], 0)
            self._budget = limited

    def answers(self, trial: Trial) -> tuple[NDArray[Any], NDArray[Any] | None]:
        """Answers and probabilities of a trial for the validated rows so far."""
        outcomes = trial.outcomes[: self.depth]
        outcomes = outcomes[-1:] if self._learning.rungs else outcomes
        answers = np.concatenate([outcome.answers for outcome in outcomes if outcome.answers is not None])
        shares = [outcome.shares for outcome in outcomes if outcome.shares is not None]
        said = np.concatenate(shares) if len(shares) == len(outcomes) else None
        return self._measure.answers(answers, said), said

    def _over(self) -> bool:
        late = self._budget.deadline is not None and time.monotonic() >= self._budget.deadline
        return late or (self._budget.trials is not None and len(self.trials) >= self._budget.trials)

    def _stale(self) -> bool:
        """Whether a race against time has long brought nothing better: more would only fit the validation rows."""
        finished = [place for place, trial in enumerate(self.trials) if self.complete(trial)]
        if self._budget.deadline is None or not finished:
            return False
        best = min(finished, key=lambda place: self.trials[place].value)
        return len(self.trials) - best > PATIENCE

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
        seconds = [0.0 if self._known(trial, place) else self.seconds(trial, rows) for trial in left]
        remaining = self._budget.deadline - time.monotonic()
        for trial, fits, length in zip(left, self._who_goes_on(seconds, place, remaining), seconds, strict=True):
            if not fits:
                trial.run_out_of_time(f"no time left for about {length:.2g} s on {rows} rows")

    def _who_goes_on(self, seconds: list[float], place: int, remaining: float) -> list[bool]:
        """Which of the trials, best first, go on: the next rung, or the first fold, or all folds that are left."""
        parts = len(self._learning.divisions)
        if place == parts - 1:
            return affordable(seconds, self._executor.workers, remaining)
        if self._learning.rungs:  # half of the time is for what is to come
            return affordable(seconds, self._executor.workers, 0.5 * remaining)
        if place == 0:
            return affordable(seconds, self._executor.workers, FIRST_LOOK_SHARE * remaining)
        whole = [(parts - place) * length for length in seconds]
        if seconds and 0.0 < seconds[0] <= remaining < whole[0]:
            whole[0] = remaining // seconds[0] * seconds[0]  # the leader goes on as far as it can
        return affordable(whole, self._executor.workers, remaining)

    def _known(self, trial: Trial, place: int) -> bool:
        return self._journal.get(_key(trial.candidate, place)) is not None

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
                trial.run_out_of_time("no time left")
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
        before, total = self.work_done()
        self._progress(f"{name} ({place + 1}/{len(self._learning.divisions)})", before + done, total)

    def work_done(self) -> tuple[int, int | None]:
        """Evaluations that are done or will not be needed, and how many there are in all, if that is known."""
        parts = len(self._learning.divisions)
        done = sum(parts if trial.dropped is not None else len(trial.outcomes) for trial in self.trials)
        return done, None if self._budget.trials is None else self._budget.trials * parts

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
        ranked = sorted(judged, key=lambda trial: self._value_at(trial, place))
        kept = KEPT[min(place, len(KEPT) - 1)]
        for rank, trial in enumerate(ranked):
            if trial.dropped is not None or trial not in running:
                continue
            if rank >= kept:
                trial.dropped = f"behind place {kept} after {place + 1} of {len(self._learning.divisions)} parts"
            elif rank > 0 and self._surely_worse(trial, ranked[0], place, len(judged)):
                trial.dropped = f"surely worse than the leader after {place + 1} parts"
            elif rank > 0 and self._far_behind(trial, ranked[0], place):
                trial.dropped = f"far behind the leader after {place + 1} parts"

    def _value_at(self, trial: Trial, place: int) -> float:
        return self._value(Trial(trial.candidate, trial.recipe, trial.outcomes[: place + 1]))

    def _surely_worse(self, trial: Trial, leader: Trial, place: int, rivals: int) -> bool:
        """Whether the mean difference of losses is above zero with the confidence left after all looks."""
        if self._measure.rows is None or self._measure.range is None:
            return False  # only losses of a known range can be bounded
        difference = self._differences(trial, leader, place)
        if difference.mean() <= 0.0:
            return False
        level = DROP_LEVEL / (rivals * len(self._learning.divisions))
        reach = self._measure.range[1] - self._measure.range[0]
        bound = mean_bound(difference, low=-reach, high=reach, side="lower", confidence=1.0 - level)
        return isinstance(bound.value, float) and bound.value > 0.0

    def _far_behind(self, trial: Trial, leader: Trial, place: int) -> bool:
        """The same for losses without a known range, by the normal approximation: a plan, not a promise."""
        if self._measure.rows is None or self._measure.range is not None:
            return False
        difference = self._differences(trial, leader, place)
        error = float(np.std(difference)) / np.sqrt(len(difference))
        return len(difference) >= FEWEST_TO_COMPARE and float(np.mean(difference)) > FAR_BEHIND * error

    def _differences(self, trial: Trial, leader: Trial, place: int) -> NDArray[Any]:
        """By how much a trial's loss exceeds the leader's on each validated row."""
        assert self._measure.rows is not None
        truth = self._learning.y[self._learning.validated(place + 1)]
        first, second = (
            self._measure.rows(truth, *self.answers(Trial(one.candidate, one.recipe, one.outcomes[: place + 1])))
            for one in (trial, leader)
        )
        return np.asarray(first - second)


def _key(candidate: Candidate, place: int) -> str:
    return f"{place} {candidate.key}"
