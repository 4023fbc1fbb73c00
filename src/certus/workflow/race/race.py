"""A race of candidates on the learning rows.

Every candidate starts on the first division. After each division those that are surely worse than the leader, or
behind the ranks that are kept, leave. When the portfolio is through, new settings are drawn near the best ones and race
against them. All decisions are functions of the outcomes and the seed alone, so that neither the number of threads nor
an interruption changes them; only a time limit, where one is set, can end the race earlier.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base import blas_on_one_thread
from certus.workflow.measures import Measure
from certus.workflow.models import MadeColumns
from certus.workflow.race import elimination, work
from certus.workflow.race.candidates import Candidate, Recipe
from certus.workflow.race.executors import Executor
from certus.workflow.race.journal import Journal
from certus.workflow.race.learning import Learning, encoded_widths
from certus.workflow.race.outcome import Outcome
from certus.workflow.race.trials import Budget, Reason, Trial, comparable, opening

DRAWN_AT_ONCE = 4  # fixed, so that the draws do not depend on the number of processes
WILD_FRACTION = 0.25  # of the draws are made anywhere, the others near the best
TWINS = 2  # candidates that are tried with columns made from others
PATIENCE = 150  # candidates without a new best one after which a race against time ends early


class Race:
    """A race of candidates; ``run`` gives the trials, best first.

    Attributes
    ----------
    trials : list of Trial
        All who entered.
    depth : int
        How many divisions decide: all of them, unless the leader had no time for the rest.
    ended_early : bool
        Whether a race against time ended because nothing better came.
    """

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
        self._work = work.WorkModel(encoded_widths(learning, {recipe.style for recipe in self._recipes}))
        self._parts = len(learning.divisions)
        self.trials: list[Trial] = []
        self.depth = self._parts
        self.ended_early = False

    def run(self) -> list[Trial]:
        """All trials: those that went through the whole race first, best first."""
        entered = self._portfolio()
        self._race(entered)
        self._try_made_columns()
        while not self.ended_early and (entered := self._draw()) and not self._over():
            self._race(entered)
            unseen = [trial for trial in entered if trial.late and not trial.outcomes]
            self.trials = [trial for trial in self.trials if trial not in unseen]
            if len(unseen) == len(entered):  # there is no time for any of them
                break
            self.ended_early = self._stale()
        if not any(trial.values for trial in self.trials):
            self._race_without_limit()
        self.depth = self._deciding_parts()
        for trial in filter(self.complete, self.trials):
            trial.left = None  # who came as far as the leader is in the race to the end
            trial.value = trial.values[self.depth - 1]
            trial.judged = len(self._learning.validated(self.depth))
        return sorted(self.trials, key=lambda trial: (not self.complete(trial), comparable(trial.value)))

    def _deciding_parts(self) -> int:
        """How many divisions decide: all of them, unless the leader had no time for the rest.

        A cheap candidate that came further than the leader does not win by that. Rungs share their validation rows, so
        that any two values can be compared; folds are compared one after the other.
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
            first.left = None
            limited, self._budget = self._budget, Budget(1)
            self._evaluate([first], 0)
            self._budget = limited

    def predictions(self, trial: Trial) -> tuple[NDArray[Any], NDArray[Any] | None]:
        """Out-of-fold predictions and probabilities of a trial for the validated rows so far."""
        outcomes = trial.outcomes[: self.depth]
        outcomes = outcomes[-1:] if self._learning.rungs else outcomes
        predictions = np.concatenate([outcome.predictions for outcome in outcomes if outcome.predictions is not None])
        given = [outcome.probabilities for outcome in outcomes if outcome.probabilities is not None]
        probabilities = np.concatenate(given) if len(given) == len(outcomes) else None
        return self._measure.predictions(predictions, probabilities), probabilities

    def _over(self) -> bool:
        late = self._budget.deadline is not None and time.monotonic() >= self._budget.deadline
        return late or (self._budget.trials is not None and len(self.trials) >= self._budget.trials)

    def _stale(self) -> bool:
        """Whether a race against time has long brought nothing better: more would only fit the validation rows."""
        finished = [index for index, trial in enumerate(self.trials) if self.complete(trial)]
        if self._budget.deadline is None or not finished:
            return False
        best = min(finished, key=lambda index: self.trials[index].value)
        return len(self.trials) - best > PATIENCE

    def _portfolio(self) -> list[Trial]:
        fits = len(self._learning.divisions[0].fit)
        return opening(self._recipes, lambda recipe: self._work.guess(recipe, fits))[: self._budget.trials]

    def _try_made_columns(self) -> None:
        """Race the best of two recipes again with columns made from others; who does not gain by them leaves."""
        finished = [trial for trial in self.trials if self.complete(trial) and trial.candidate.style != "words"]
        if not finished or self._over() or not self._something_to_make():
            return
        best_of: dict[str, Trial] = {}
        for trial in sorted(finished, key=lambda trial: comparable(trial.value)):
            if not trial.candidate.foreign:
                best_of.setdefault(trial.recipe.path, trial)
        room = TWINS if self._budget.trials is None else min(TWINS, self._budget.trials - len(self.trials))
        pairs = [
            (Trial(replace(trial.candidate, made=True), trial.recipe), trial) for trial in list(best_of.values())[:room]
        ]
        self._race([twin for twin, _ in pairs])
        for twin, trial in pairs:
            if self.complete(twin) and not self._helped(twin, trial):
                twin.leave(Reason.NO_GAIN)

    def _something_to_make(self) -> bool:
        """Whether anything would be made of the rows of the first part."""
        learning, fit = self._learning, self._learning.divisions[0].fit
        if learning.kind.learners == "clustering":
            return False
        columns = learning.columns
        with blas_on_one_thread():
            made = MadeColumns(columns.numbers, columns.categories).fit(learning.frame[fit], learning.y[fit])
        return bool(made.rules)

    def _helped(self, twin: Trial, trial: Trial) -> bool:
        """Whether made columns lower a candidate's losses on the validation rows beyond chance."""
        if self._measure.rows is not None:
            return elimination.clearly_better(self._differences(twin, trial, self._parts - 1))
        if self._learning.rungs:
            return False
        by_part = elimination.differences_of_parts(
            twin, trial, self._learning.divisions, self._learning.y, self._measure
        )
        return elimination.clearly_better_on_parts(by_part, self._parts)

    def _draw(self) -> list[Trial]:
        """New settings: near the best of the recipes that lead, sometimes anywhere."""
        finished = [trial for trial in self.trials if self.complete(trial) and trial.recipe.space]
        if not finished or self._over():
            return []
        best_of: dict[str, Trial] = {}
        for trial in sorted(finished, key=lambda trial: comparable(trial.value)):
            best_of.setdefault(trial.recipe.path, trial)
        leaders = list(best_of.values())[:3]
        weights = self._turns(leaders)
        known = {trial.candidate.key for trial in self.trials}
        room = DRAWN_AT_ONCE if self._budget.trials is None else self._budget.trials - len(self.trials)
        drawn: list[Trial] = []
        for _ in range(10 * DRAWN_AT_ONCE):
            leader = leaders[int(self._rng.choice(len(leaders), p=weights))]
            near = None if self._rng.random() < WILD_FRACTION else leader.candidate
            candidate = leader.recipe.draw(self._rng, near)
            if candidate.key not in known and len(drawn) < min(DRAWN_AT_ONCE, room):
                known.add(candidate.key)
                drawn.append(Trial(candidate, leader.recipe))
        return drawn

    def _turns(self, leaders: list[Trial]) -> NDArray[np.float64]:
        """How often each of the leading recipes is drawn from: half as often per rank, slow ones less often.

        One that takes longer than is usual among them gets about as much time as the others, not as many turns.
        """
        rows = len(self._learning.divisions[0].fit)
        costs = np.array([self._work.guess(trial.recipe, rows) for trial in leaders])
        weights = 0.5 ** np.arange(len(leaders)) / np.maximum(1.0, costs / max(float(np.median(costs)), 1e-12))
        return np.asarray(weights / weights.sum())

    def _race(self, entered: list[Trial]) -> None:
        """Take candidates through the divisions; the leaders of before stay in the comparison."""
        self.trials += entered
        running = entered
        for index in range(self._parts):
            self._spare(running, index)
            running = self._evaluate([trial for trial in running if trial.left is None], index)
            self._eliminate(running, index)
            running = [trial for trial in running if trial.left is None]

    def _spare(self, running: list[Trial], index: int) -> None:
        """Send out whose next evaluation would take too long: by far, or for the time that is left."""
        running.sort(key=lambda trial: comparable(trial.value))  # equal ones, as at the start, keep their order
        rows = len(self._learning.divisions[index].fit)
        free = work.MEMORY_SHARE * work.free_memory() / self._executor.workers
        for trial in running:
            needed = self._work.memory(trial.recipe, rows)
            if self._work.guess(trial.recipe, rows) > work.LARGEST_WORK:
                trial.leave(Reason.TOO_MUCH_WORK, rows=rows)
            elif needed > free:
                trial.leave(Reason.TOO_MUCH_MEMORY, rows=rows, needed=f"{needed / 1e9:.2g}", free=f"{free / 1e9:.2g}")
        staying = [trial for trial in running if trial.left is None]
        if self._budget.deadline is None:
            return
        seconds = [0.0 if self._known(trial, index) else self.seconds(trial, rows) for trial in staying]
        remaining = self._budget.deadline - time.monotonic()
        shape = work.CourseShape(self._parts, bool(self._learning.rungs), self._executor.workers)
        for trial, fits, length in zip(
            staying, work.who_goes_on(seconds, index, remaining, shape), seconds, strict=True
        ):
            if not fits:
                trial.leave(Reason.NO_TIME, work=f" for about {length:.2g} s on {rows} rows")

    def _known(self, trial: Trial, index: int) -> bool:
        return self._journal.get(_key(trial.candidate, index)) is not None

    def seconds(self, trial: Trial, rows: int) -> float:
        """How long training this trial on so many rows will take."""
        before = None
        if trial.outcomes:
            last = self._learning.divisions[len(trial.outcomes) - 1]
            before = work.Measured(trial.recipe, len(last.fit), trial.outcomes[-1].seconds)
        return self._work.predict(trial.recipe, rows, before)

    def _evaluate(self, running: list[Trial], index: int) -> list[Trial]:
        """The outcomes of all running trials on one division; those that there was no time for leave the race."""
        found = self._outcomes(running, index)
        rows = len(self._learning.divisions[index].fit)
        for trial in running:
            outcome = found.get(trial.candidate.key)
            if outcome is None:
                trial.leave(Reason.NO_TIME)
                continue
            trial.outcomes.append(outcome)
            self._work.learn(work.Measured(trial.recipe, rows, outcome.seconds))
            if trial.failure is not None:
                trial.leave(Reason.FAILED)
                trial.value = np.inf
            else:
                trial.value = self._value(trial)
                trial.values.append(trial.value)
                trial.judged = len(self._learning.validated(len(trial.outcomes)))
        return [trial for trial in running if trial.left is None]

    def _outcomes(self, running: list[Trial], index: int) -> dict[str, Outcome]:
        """Outcomes by candidate: from the journal, or from the executor into the journal."""
        known = {trial.candidate.key: self._journal.get(_key(trial.candidate, index)) for trial in running}
        found = {key: outcome for key, outcome in known.items() if outcome is not None}
        missing = [(trial.candidate, index) for trial in running if trial.candidate.key not in found]
        self._tell(index, len(found))
        for (candidate, _), outcome in self._executor.run(missing, self._budget.deadline):
            self._journal.put(_key(candidate, index), outcome)
            found[candidate.key] = outcome
            self._tell(index, len(found), candidate)
        return found

    def _tell(self, index: int, done: int, candidate: Candidate | None = None) -> None:
        name = candidate.title if candidate is not None else "racing"
        before, total = self.work_done()
        self._progress(f"{name} ({index + 1}/{self._parts})", before + done, total)

    def work_done(self) -> tuple[int, int | None]:
        """Evaluations that are done or will not be needed, and how many there are in all, if that is known."""
        done = sum(self._parts if trial.left is not None else len(trial.outcomes) for trial in self.trials)
        return done, None if self._budget.trials is None else self._budget.trials * self._parts

    def _value(self, trial: Trial) -> float:
        truth = self._learning.y[self._learning.validated(len(trial.outcomes))]
        predictions, probabilities = self.predictions(trial)
        if self._measure.needs == "probabilities" and probabilities is None:
            trial.leave(Reason.NO_PROBABILITIES, measure=self._measure.name)
            return np.inf
        return self._measure.value(truth, predictions, probabilities)

    def _eliminate(self, running: list[Trial], index: int) -> None:
        """Send out who is surely worse than the leader, and who is behind the ranks that are kept."""
        judged = [trial for trial in self.trials if len(trial.outcomes) > index and np.isfinite(trial.value)]
        if not judged or index == self._parts - 1:
            return
        ranked = sorted(judged, key=lambda trial: comparable(self._value(trial.after(index + 1))))
        kept, so_far = elimination.kept_after(index), f"{index + 1} of {self._parts} parts"
        for rank, trial in enumerate(ranked):
            if trial.left is not None or trial not in running:
                continue
            if rank >= kept:
                trial.leave(Reason.BEHIND, kept=kept, parts=so_far)
            elif rank > 0 and (reason := self._why_behind(trial, ranked[0], index)) is not None:
                trial.leave(reason, parts=so_far)

    def _why_behind(self, trial: Trial, leader: Trial, index: int) -> Reason | None:
        """Whether a trial is surely worse than the leader, or seems to be."""
        if self._measure.rows is None:
            if self._learning.rungs:  # they judge the same rows again
                return None
            by_part = elimination.differences_of_parts(
                trial, leader, self._learning.divisions[: index + 1], self._learning.y, self._measure
            )
            return Reason.FAR_BEHIND if elimination.far_behind_on_parts(by_part, self._parts) else None
        differences = self._differences(trial, leader, index)
        place = 1 + max(self.trials.index(trial), self.trials.index(leader))
        # Rungs judge the same rows again with other models, which no sequence of rows covers.
        level = elimination.pair_level(place, looks=self._parts if self._learning.rungs else 1)
        if elimination.surely_worse(differences, self._measure, level):
            return Reason.SURELY_WORSE
        return Reason.FAR_BEHIND if elimination.far_behind(differences, self._measure) else None

    def _differences(self, trial: Trial, leader: Trial, index: int) -> NDArray[Any]:
        """By how much a trial's loss exceeds the leader's on each validated row."""
        assert self._measure.rows is not None
        truth = self._learning.y[self._learning.validated(index + 1)]
        pair = (self.predictions(one.after(index + 1)) for one in (trial, leader))
        own, best = (self._measure.rows(truth, *given) for given in pair)
        return np.asarray(own - best)


def _key(candidate: Candidate, index: int) -> str:
    return f"{index} {candidate.key}"
