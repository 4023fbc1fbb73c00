"""Step 5, the training: a race of candidates, and the winner trained on all learning rows."""

from __future__ import annotations

import hashlib

import numpy as np
import polars as pl
from numpy.typing import NDArray

from certus import __version__
from certus.guarantees import Certificate
from certus.workflow.models import Blend, StudyModel
from certus.workflow.models.conformal_sets import folds_can_serve, sets_from_folds
from certus.workflow.models.forms import Trained
from certus.workflow.race.blending import choose_blend, mix
from certus.workflow.race.executors import Executor, InProcess, Workers
from certus.workflow.race.journal import Journal
from certus.workflow.race.learning import train
from certus.workflow.race.race import PATIENCE, Race
from certus.workflow.race.trials import Budget, Trial
from certus.workflow.race.weighted_fit import takes_weights
from certus.workflow.race.work import affordable
from certus.workflow.state import State
from certus.workflow.study_error import StudyError
from certus.workflow.winner import Winner

# Fraction of a time budget that is kept for training the winner and the report.
RESERVED_FRACTION = 0.25
TRAINING_FRACTION = 0.7  # of what is left when the race is over
# Cells of the table from which one process with all threads is better than several with one each.
LARGEST_SHARED_TABLE = 4e6
# Evaluations so cheap that starting processes would take longer.
SMALLEST_PARALLEL_TABLE = 2e4
BLENDED_AT_MOST = 8


def train_winner(state: State) -> None:
    """Run the race, train its winner, and give it sets or intervals; test rows have no part in any of it."""
    _run_race(state)
    state.winner = _winner(state)
    if foreign := [trial.candidate.title for trial in state.winner.trials if trial.candidate.foreign]:
        state.note(f"{foreign[0]} is of another library: model.certus is not written, Study.model has the model")
    _tell_weights(state)
    state.progress("training the winner", *state.race.work_done())
    learn = _rows_to_train_on(state)
    state.best = _model(state, learn)
    if made := state.best.made_columns:
        state.note(f"columns made from others, which helped on validation rows: {'; '.join(made)}")
    _give_probabilities(state, state.best)
    state.level = _give_sets(state)
    if state.options.refit_all:
        state.refitted = _model(state, np.arange(state.frame.height))
        _give_probabilities(state, state.refitted)


def _tell_weights(state: State) -> None:
    """Which of the winner's learners were trained with the weights, and where these do not count."""
    if state.weights is None:
        return
    candidates = [trial.candidate for trial in state.winner.trials]
    built = [(one.title, state.task.build(one, seed=0, threads=1, categories=0)) for one in candidates]
    without = sorted({title for title, learner in built if not takes_weights(learner)})
    told = f"; {', '.join(without)} takes none" if without else ""
    state.note(
        f"the weights of column {state.options.weight!r} count in training{told}, also of the baseline, of a blend "
        "and of calibrated probabilities: candidates are judged, and the winner is tested and certified, with every "
        "row counted alike"
    )


def _run_race(state: State) -> None:
    """All trials, and those among them that went through the whole race, best first."""
    journal, executor = Journal(state.journal), None
    try:
        journal.open_for(_fingerprint(state))
        executor = _executor(state)
        state.race = Race(
            state.learning,
            state.task.measure,
            state.recipes,
            journal=journal,
            executor=executor,
            budget=_budget(state),
            progress=state.progress,
        )
        state.trials = state.race.run()
    finally:
        if executor is not None:
            executor.close()
        journal.close()
    parts = len(state.learning.divisions)
    if state.race.depth < parts:
        judged = len(state.learning.validated(state.race.depth))
        state.note(
            f"stopped by the time limit after {state.race.depth} of {parts} parts: the winner was chosen on {judged} "
            "validation rows (time)",
            "time",
        )
    if state.race.ended_early:
        state.note(f"the race ended early: the last {PATIENCE} candidates brought nothing better")
    state.complete = [trial for trial in state.trials if state.race.complete(trial) and np.isfinite(trial.value)]
    if not state.complete:
        reasons = {trial.failure or str(trial.left) for trial in state.trials}
        raise StudyError(f"No learner could be trained: {'; '.join(sorted(reasons))}.\nHint: try other families.")


def table_digest(frame: pl.DataFrame) -> str:
    """SHA-256 of a table's rows and types."""
    hashed = frame.hash_rows(seed=0).to_numpy()
    return hashlib.sha256(hashed.tobytes() + repr(frame.schema).encode()).hexdigest()


def _fingerprint(state: State) -> dict[str, str]:
    """What must be equal for a journal to be continued."""
    facts = {"table": table_digest(state.frame), "version": __version__, "rows": str(state.frame.height)}
    return {**facts, **state.options.fingerprint()}


def _budget(state: State) -> Budget:
    trials, limit = state.options.trials, state.options.time
    if trials is None and limit is None:
        trials = state.task.default_trials
    return Budget(trials, None if limit is None else state.begin + (1.0 - RESERVED_FRACTION) * limit)


def _executor(state: State) -> Executor:
    """Here for little work, else in one process per core, or in one with all cores for a large table."""
    cells = state.learning.frame.height * state.learning.frame.width
    if state.threads == 1 or (cells < SMALLEST_PARALLEL_TABLE and state.options.time is None):
        return InProcess(state.learning, state.threads)
    workers = state.workers or Workers(state.threads)
    return workers.teach(state.learning, together=state.threads if cells > LARGEST_SHARED_TABLE else 1)


def _winner(state: State) -> Winner:
    """The best trial, or a blend of the best ones if it beats it on rows that did not choose it."""
    task, race = state.task, state.race
    candidates = _trainable(state)
    asked = state.options.blend
    leaders = candidates[:BLENDED_AT_MOST] if task.blends and asked is not False else candidates[:1]
    votes = [task.votes(*race.predictions(trial)) for trial in leaders]
    truth = state.learning.y[state.learning.validated(race.depth)]
    weights = choose_blend(
        votes,
        truth,
        task.measure,
        state.options.seed,
        always=asked is True,
        row_weights=_validated_weights(state),
    )
    if weights is None:
        best = candidates[0]
        return Winner([best], np.ones(1), best.value, *race.predictions(best))
    kept = np.flatnonzero(weights)
    predictions, probabilities = task.decide(mix([votes[index] for index in kept], weights[kept]))
    value = task.measure.value(truth, predictions, probabilities)
    return Winner([leaders[index] for index in kept], weights[kept], value, predictions, probabilities)


def _validated_weights(state: State) -> NDArray[np.float64] | None:
    """The weights of the rows that candidates were judged on, in the order of the outcomes."""
    learning = state.learning
    return None if learning.weights is None else learning.weights[learning.validated(state.race.depth)]


def _trainable(state: State) -> list[Trial]:
    """The best, and others that can be trained with it, on all learning rows, in the time that is left."""
    best, *others = state.complete
    if state.options.time is None:
        return state.complete
    seconds = [state.race.seconds(trial, len(state.split.learn)) for trial in state.complete]
    fits = affordable(seconds, 1, time_to_train(state))
    return [best, *(trial for trial, fit in zip(others, fits[1:], strict=True) if fit and fits[0])]


def time_to_train(state: State) -> float:
    """Seconds that are left for training, where there is a limit."""
    assert state.options.time is not None
    return TRAINING_FRACTION * max(0.0, state.options.time - state.elapsed())


def _rows_to_train_on(state: State) -> NDArray[np.intp]:
    """All learning rows, or as many as there is time for, but no fewer than the winner was chosen with."""
    learn, winner, race = state.split.learn, state.winner, state.race
    if state.options.time is None:
        return learn
    remaining, chosen_with = time_to_train(state), len(state.learning.divisions[race.depth - 1].fit)
    needed = sum(race.seconds(trial, len(learn)) for trial in winner.trials)
    power = max(trial.recipe.work[0] for trial in winner.trials)
    rows = len(learn) if needed <= remaining else int(len(learn) * (remaining / needed) ** (1.0 / power))
    rows = max(rows, chosen_with)
    if rows >= len(learn):
        return learn
    state.note(f"trained on {rows} of {len(learn)} rows: there was no time for more (time)", "time")
    return np.sort(np.random.default_rng(state.options.seed).permutation(learn)[:rows])


def _model(state: State, rows: NDArray[np.intp]) -> StudyModel:
    return state.task.model(_train(state, state.used, rows))


def _train(state: State, frame: pl.DataFrame, rows: NDArray[np.intp]) -> Trained:
    """The winner fitted on some rows."""
    task, options = state.task, state.options
    targets = task.to_learn(state.values[rows])
    models = [
        train(
            type(task),
            trial.candidate,
            frame[rows],
            targets,
            state.columns,
            seed=options.seed,
            threads=state.threads,
            weights=None if state.weights is None else state.weights[rows],
        )
        for trial in state.winner.trials
    ]
    return models[0] if len(models) == 1 else Blend(models, state.winner.weights, task.blended_classes)


def _give_probabilities(state: State, model: StudyModel) -> None:
    """Calibrate the responses of a winner of labels that gives no probabilities, by its out-of-fold responses."""
    responses = state.winner.responses
    if state.task.blended_classes is None or responses is None:
        return
    truth = state.learning.y[state.learning.validated(state.race.depth)]
    state.task.calibrate(model, responses, truth, _validated_weights(state))


def _give_sets(state: State) -> list[Certificate]:
    """Calibrate sets or intervals without the test rows; what is known about their level."""
    learning, race, confidence = state.learning, state.race, state.options.confidence
    spared, frame = state.split.calibration, state.used
    if len(spared):
        return list(state.best.calibrate(frame[spared], state.values[spared], confidence).certificates)
    if race.depth < len(learning.divisions) or not folds_can_serve(state.task, learning, confidence):
        return []
    fits = [state.split.learn[division.fit] for division in learning.divisions]
    seconds = sum(race.seconds(trial, len(rows)) for trial in state.winner.trials for rows in fits)
    if state.options.time is not None and seconds > time_to_train(state):
        state.note("no sets: there was no time to train the winner once more without each fold (time)", "time")
        return []
    members = [_train(state, frame, rows) for rows in fits]
    values = state.values[state.split.learn]
    return [sets_from_folds(state.best, state.task, members, learning, values, confidence)]
