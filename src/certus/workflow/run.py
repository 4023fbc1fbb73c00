"""The study: a table in, a certified model and a report out, in six steps that never look at each other's rows."""

from __future__ import annotations

import hashlib
import time as clock
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from certus import __version__, datasets
from certus.base import resolve_threads
from certus.guarantees import Certificate, Report
from certus.tables import read_query, read_table
from certus.workflow.baseline import baseline_value
from certus.workflow.blend import Blend, Votes, choose_blend
from certus.workflow.clustering import KIND as CLUSTERING
from certus.workflow.clustering import ClusterModel, cluster_task
from certus.workflow.columns import Columns, classify_columns
from certus.workflow.evaluation import evaluate, tolerance
from certus.workflow.executors import Executor, InProcess, Workers
from certus.workflow.findings import find_all
from certus.workflow.findings.gather import Finished
from certus.workflow.findings.leakage import leakage_suspects
from certus.workflow.journal import Journal
from certus.workflow.learning import Learning, divide, train
from certus.workflow.model import StudyModel
from certus.workflow.portfolio import recipes
from certus.workflow.profile import profile_table
from certus.workflow.race import PATIENCE, Race
from certus.workflow.result import Study, Winner
from certus.workflow.sets import folds_can_serve, hold_against_test_rows, sets_from_folds
from certus.workflow.split import Split, split_rows
from certus.workflow.study_error import StudyError
from certus.workflow.task import Task, infer_task, target_values
from certus.workflow.trials import Budget, Trial
from certus.workflow.work import affordable

BUILT_IN = "breast_cancer"
DEFAULT_TRIALS = 24
# Share of a time budget that is kept for training the winner and the report.
RESERVED_SHARE = 0.25
TRAINING_SHARE = 0.7  # of what is left when the race is over
# Cells of the table from which one process with all threads is better than several with one each.
LARGEST_SHARED_TABLE = 4e6
# Evaluations so cheap that starting processes would take longer.
SMALLEST_PARALLEL_TABLE = 2e4
BLENDED_AT_MOST = 8

Progress = Callable[[str, int, int | None], None]


@dataclass(frozen=True)
class Options:
    """What the user asked for besides the table; see `study`."""

    target: str | tuple[str, ...] | None = None
    task: str | None = None
    measure: str | None = None
    positive: str | None = None
    levels: tuple[Any, ...] = ()
    confidence: float = 0.95
    holdout: float = 0.2
    group: str | None = None
    order: str | None = None
    families: tuple[str, ...] = ()
    trials: int | None = None
    time: float | None = None
    loss_range: tuple[float, float] | None = None
    costs: tuple[tuple[tuple[Any, Any], float], ...] = ()
    refit_all: bool = False
    seed: int = 0

    def check(self, frame: pl.DataFrame) -> None:
        """Raise for values that cannot be, and columns that are not there."""
        for label, value in (("confidence", self.confidence), ("holdout", self.holdout)):
            if not 0.0 < value < 1.0:
                raise StudyError(f"--{label} must lie strictly between 0 and 1. Got {value!r} instead.")
        if self.trials is not None and self.trials < 1:
            raise StudyError(f"--trials must be at least 1. Got {self.trials!r} instead.")
        if self.time is not None and not self.time > 0:
            raise StudyError(f"--time must be a positive number of seconds. Got {self.time!r} instead.")
        if self.group is not None and self.order is not None:
            raise StudyError("--group and --order exclude each other.\nHint: choose one way to set test rows aside.")
        for label, column in (("group", self.group), ("order", self.order)):
            if column is not None and column not in frame.columns:
                raise StudyError(f"--{label}: the table has no column {column!r}.\nHint: it has {frame.columns}.")


def study(
    table: Any = None,
    *,
    target: str | Sequence[str] | None = None,
    task: str | None = None,
    measure: str | None = None,
    positive: str | None = None,
    levels: Sequence[Any] = (),
    confidence: float = 0.95,
    holdout: float = 0.2,
    group: str | None = None,
    order: str | None = None,
    families: tuple[str, ...] | list[str] = (),
    trials: int | None = None,
    time: float | None = None,
    loss_range: tuple[float, float] | None = None,
    costs: Mapping[tuple[Any, Any], float] | None = None,
    refit_all: bool = False,
    sql: str | None = None,
    database: str | None = None,
    seed: int = 0,
    threads: int | None = None,
    journal: str | Path | None = None,
    progress: Progress | None = None,
) -> Study:
    """Take a table through the six steps of a machine-learning project and certify the winner.

    Parameters
    ----------
    table : path or data frame, default=None
        CSV, Parquet, Arrow, JSON lines or Excel ("-": standard input), or a pandas, polars or pyarrow table; a
        built-in table if None.
    target : str or list of str, default=None
        The column to predict, or several with two values each; without one, groups of rows are looked for.
    task : {"classification", "ordinal", "multi-label", "regression", "clustering"}, default=None
        Inferred from the target if None.
    measure : str, default=None
        error, balanced_error, log_loss, auc, f1, macro_f1; hamming (several targets); rmse, mae; silhouette_loss
        (clusters). All as losses:
        lower is better. Or an SQL expression of ``truth`` and ``prediction`` with its ``loss_range``:
        ``"least(abs(truth - prediction), 10)"``.
    positive : str, default=None
        Which of two labels is the positive one; the last in alphabetical order if None.
    levels : sequence, default=()
        The labels from the least to the greatest, if they have an order; inferred where words or types tell.
    confidence : float, default=0.95
        Probability with which the winner's certificate holds.
    holdout : float, default=0.2
        Share of the rows that nobody touches before the winner is fixed (at most 10 000 rows).
    group : str, default=None
        Column whose rows with one value stay together; the certificate is then about groups.
    order : str, default=None
        Column of time: the last rows are the test rows.
    families : sequence of str, default=()
        Families of learners to try; all if empty.
    trials : int, default=None
        How many candidates are tried (24 if neither this nor ``time`` is given). The result depends on the seed
        only, not on the number of threads, nor on interruptions.
    time : float, default=None
        Seconds that the study may take.
    loss_range : (float, float), default=None
        Declared range of the squared (rmse) or absolute (mae) error, or of a declared loss; the certificate then
        bounds its mean.
    costs : dict of (true label, answer) to float, default=None
        What mistakes cost; those that are not named cost 1. Answers are chosen by it, and the certificate bounds the
        mean cost.
    refit_all : bool, default=False
        Train the winner once more, on all rows, as ``refitted``. Nothing is guaranteed about it: no row is left to
        test it on, so that the promises of the certified model are estimates for this one.
    sql, database : str, default=None
        A query and the SQLite file or address of the database, instead of a table.
    seed : int, default=0
        Decides which rows are set aside, and every other random choice.
    threads : int, default=None
        How many cores to use; all if None.
    journal : path, default=None
        File that keeps every finished evaluation; a study with the same options continues from it.
    progress : callable, optional
        Called with (message, evaluations done or no longer needed, how many there are or None).

    Returns
    -------
    Study

    Examples
    --------
    >>> import certus
    >>> result = certus.study(trials=3)
    >>> result.certificate.check()
    True
    """
    begin, cores = _now(), resolve_threads(threads)
    # A race against time has workers, which start while the table is read.
    workers = Workers(cores) if time is not None and cores > 1 else None
    try:
        frame, target, name = _table(table, target, task, sql, database)
        options = Options(
            target if target is None or isinstance(target, str) else tuple(target),
            task,
            measure,
            positive,
            tuple(levels),
            confidence,
            holdout,
            group,
            order,
            tuple(families),
            trials,
            time,
            loss_range,
            tuple((costs or {}).items()),
            refit_all,
            seed,
        )
        options.check(frame)
        return _Run(frame, name, options, cores, begin, progress or (lambda *_: None), workers).finish(journal)
    finally:
        if workers is not None:
            workers.close()


def _now() -> float:
    return clock.monotonic()


def _table(
    table: Any, target: str | Sequence[str] | None, task: str | None, sql: str | None, database: str | None
) -> tuple[pl.DataFrame, str | Sequence[str] | None, str]:
    if sql is not None:
        if table is not None:
            raise StudyError("--sql and a table exclude each other.\nHint: give one of them.")
        return read_query(sql, database), target, "a query"
    if database is not None:
        raise StudyError("--database needs a query.\nHint: --sql 'select …'")
    if table is None:
        built_in = datasets.load(BUILT_IN)
        if task == CLUSTERING and target is None:
            return built_in.frame.drop(built_in.target), None, f"the built-in table {BUILT_IN}"
        return built_in.frame, target or built_in.target, f"the built-in table {BUILT_IN}"
    named = isinstance(table, str | Path)
    return read_table(table), target, Path(table).name if named else "a data frame"


def _asked(frame: pl.DataFrame, options: Options) -> Task:
    """The task that the options name, or that the target's column suggests; without a target, clustering."""
    given: dict[str, Any] = {
        "positive": options.positive,
        "levels": options.levels,
        "costs": dict(options.costs),
        "loss_range": options.loss_range,
    }
    if options.task == CLUSTERING or (options.task is None and not options.target):
        words = {"--positive": "positive", "--levels": "levels", "--cost": "costs", "--range": "loss_range"}
        unfit = {"--target": options.target, **{option: given[name] for option, name in words.items()}}
        return cluster_task(measure=options.measure, unfit=unfit)
    return infer_task(frame, options.target, kind=options.task, measure=options.measure, **given)


class _Run:
    """One study from the table to the result."""

    def __init__(
        self,
        frame: pl.DataFrame,
        name: str,
        options: Options,
        threads: int,
        begin: float,
        progress: Progress,
        workers: Workers | None,
    ) -> None:
        self.name, self.options, self.threads, self.begin, self.progress = name, options, threads, begin, progress
        self.workers = workers
        self.task: Task = _asked(frame, options)
        self.notes = [self.task.guess]
        self.frame = frame.drop_nulls(list(self.task.targets)) if self.task.targets else frame
        if self.frame.height < frame.height:
            self.notes.append(
                f"{frame.height - self.frame.height} rows without a value of {self.task.target!r} left out"
            )
        aside = dict.fromkeys(self.task.targets, "target") | ({options.group: "group"} if options.group else {})
        self.columns: Columns = classify_columns(self.frame, aside)
        self.notes += [f"column {column!r} is not used: {why}" for column, why in self.columns.left_out.items()]
        self.profile = profile_table(
            self.frame, self.columns, self.task.targets, classification=self.task.classification
        )
        self.notes += list(self.profile.remarks())
        self.split: Split = split_rows(
            self.frame,
            self.columns.used,
            self.task.targets,
            holdout=options.holdout,
            seed=options.seed,
            group=options.group,
            order=options.order,
            spare=not self.task.clustering,
        )
        if self.split.copies:
            self.notes.append("the table holds copies of rows: no split divides them, and each counts once in the test")
        self.values = target_values(self.frame, self.task)
        self.learning = self._learning()
        self.suspects = {} if self.task.clustering else leakage_suspects(self.learning)
        self.notes += [
            f"column {name!r} alone nearly gives the target away: leave it out if it is not known beforehand"
            for name in self.suspects
        ]

    def _learning(self) -> Learning:
        rows = self.split.learn
        y = self.task.positions(self.values[rows])
        if not self.task.clustering and any(len(np.unique(column)) < 2 for column in y.reshape(len(y), -1).T):
            raise StudyError("All rows that are left to learn from have the same target.\nHint: bring more rows.")
        classes = 2 if self.task.several else len(self.task.labels)
        divisions, rungs = divide(
            y, self.split.groups, classes=classes, seed=self.options.seed, in_order=self.split.unit == "time"
        )
        used = self.frame.select(self.columns.used)[rows]
        return Learning(used, y, classes, self.columns, divisions, rungs, self.options.seed, self.task.clustering)

    def fingerprint(self) -> dict[str, Any]:
        """What must be equal for a journal to be continued."""
        hashed = self.frame.hash_rows(seed=0).to_numpy()
        digest = hashlib.sha256(hashed.tobytes() + repr(self.frame.schema).encode()).hexdigest()
        asked = {
            name: str(value)
            for name, value in vars(self.options).items()
            if name not in ("trials", "time", "refit_all")
        }
        return {"table": digest, "version": __version__, "rows": str(self.frame.height), **asked}

    def finish(self, journal_path: str | Path | None) -> Study:
        journal = Journal(Path(journal_path) if journal_path is not None else None)
        executor: Executor | None = None
        try:
            journal.open_for(self.fingerprint())
            executor = self._executor()
            race = Race(
                self.learning,
                self.task.measure,
                recipes(self.task, list(self.options.families)),
                journal=journal,
                executor=executor,
                budget=self._budget(),
                progress=self.progress,
            )
            trials = race.run()
            if race.ended_early:
                self.notes.append(f"the race ended early: the last {PATIENCE} candidates brought nothing better")
        finally:
            if executor is not None:
                executor.close()
            journal.close()
        return self._result(race, trials)

    def _budget(self) -> Budget:
        trials, limit = self.options.trials, self.options.time
        if trials is None and limit is None:
            trials = DEFAULT_TRIALS
        return Budget(trials, None if limit is None else self.begin + (1.0 - RESERVED_SHARE) * limit)

    def _executor(self) -> Executor:
        cells = self.learning.frame.height * self.learning.frame.width
        alone = self.threads == 1 or (cells < SMALLEST_PARALLEL_TABLE and self.options.time is None)
        if alone:
            return InProcess(self.learning, self.threads)
        workers = self.workers or Workers(self.threads)
        return workers.teach(self.learning, together=self.threads if cells > LARGEST_SHARED_TABLE else 1)

    def _result(self, race: Race, trials: list[Trial]) -> Study:
        complete = [trial for trial in trials if race.complete(trial) and np.isfinite(trial.value)]
        if not complete:
            reasons = {trial.failure or trial.dropped for trial in trials}
            raise StudyError(f"No learner could be trained: {'; '.join(sorted(map(str, reasons)))}.")
        winner = self._winner(race, complete)
        self.progress("training the winner", *race.work_done())
        test = self.split.test
        X = self.frame.select(self.columns.used)
        learn = self._rows_to_train_on(race, winner)
        best = self._model(winner, X[learn], self.values[learn])
        level = self._give_sets(best, race, winner, X)
        threshold = None
        if self.task.kind == "regression":
            threshold = tolerance(self.learning.y[self.learning.validated(race.depth)], winner.said)
        evaluation = evaluate(
            best,
            X[test],
            self.values[test],
            task=self.task,
            split=self.split,
            confidence=self.options.confidence,
            threshold=threshold,
            loss_range=self.options.loss_range,
        )
        promises = [evaluation.certificate, *level]
        sets = None
        if best.gives_sets:
            sets, outside = hold_against_test_rows(
                best, X[test], self.values[test], self.task, self.split, self.options.confidence
            )
            promises.append(outside)
        baseline = baseline_value(self.learning, self.task.measure)
        finished = Finished(
            task=self.task,
            split=self.split,
            learning=self.learning,
            race=race,
            complete=complete,
            winner_value=winner.value,
            winner_name=winner.name,
            said=winner.said,
            baseline=baseline,
            model=best,
            frame=X,
            values=self.values,
            evaluation=evaluation,
            confidence=self.options.confidence,
            threads=self.threads,
        )
        refitted = self._model(winner, X, self.values) if self.options.refit_all else None
        limit = None if self.options.time is None else self.begin + self.options.time
        self.progress("looking at the winner", *race.work_done())
        findings = find_all(finished, lambda seconds=0.0: limit is None or _now() + seconds < limit)
        return Study(
            name=self.name,
            task=self.task,
            profile=self.profile,
            columns=self.columns,
            split=self.split,
            trials=trials,
            baseline=baseline,
            winner=winner,
            best=best,
            refitted=refitted,
            evaluation=evaluation,
            findings=findings,
            certificates=Report(promises).with_(self._training_report(best.model_)),
            seconds=_now() - self.begin,
            notes=self.notes,
            sets=sets,
        )

    def _give_sets(self, best: StudyModel, race: Race, winner: Winner, X: pl.DataFrame) -> list[Certificate]:
        """Calibrate sets or intervals without the test rows; what is known about their level."""
        spared, confidence = self.split.calibration, self.options.confidence
        if len(spared):
            return list(best.calibrate(X[spared], self.values[spared], confidence).certificates)
        if race.depth < len(self.learning.divisions) or not folds_can_serve(self.task, self.learning, confidence):
            return []
        fits = [self.split.learn[division.fit] for division in self.learning.divisions]
        seconds = sum(race.seconds(trial, len(rows)) for trial in winner.trials for rows in fits)
        if self.options.time is not None and seconds > self._time_to_train():
            self.notes.append("no sets: there was no time to train the winner once more without each fold (--time)")
            return []
        members = [self._train(winner, X[rows], self.values[rows]) for rows in fits]
        values = self.values[self.split.learn]
        return [sets_from_folds(best, self.task, members, self.learning, values, confidence)]

    def _model(self, winner: Winner, X: pl.DataFrame, values: NDArray[Any]) -> StudyModel:
        kind = ClusterModel if self.task.clustering else StudyModel
        return kind(self._train(winner, X, values), self.task)

    def _training_report(self, model: Any) -> Report:
        """What training alone supports; a blend has no gap of its own."""
        return model.report_ if isinstance(model, Blend) else model[-1].report_

    def _winner(self, race: Race, complete: list[Trial]) -> Winner:
        """The best trial, or a blend of the best ones if it beats it on rows that did not choose it."""
        complete = self._trainable(race, complete)
        if self.task.clustering:  # clusters of different trials have nothing in common that could be mixed
            return Winner([complete[0]], np.ones(1), complete[0].value, race.answers(complete[0])[0])
        leaders = complete[:BLENDED_AT_MOST]
        said = [self._said(race, trial) for trial in leaders]
        truth = self.learning.y[self.learning.validated(race.depth)]
        weights = choose_blend([Votes(one) for one in said], truth, self.task.measure, self.options.seed)
        if weights is None:
            return Winner([complete[0]], np.ones(1), complete[0].value, race.answers(complete[0])[0])
        kept = np.flatnonzero(weights)
        mixed = np.einsum("m,m...->...", weights[kept], np.array([said[place] for place in kept], dtype=np.float64))
        answers = self.task.measure.decide(mixed) if self.task.classification else mixed
        value = self.task.measure.value(truth, answers, mixed if self.task.classification else None)
        return Winner([leaders[place] for place in kept], weights[kept], value, answers)

    def _trainable(self, race: Race, complete: list[Trial]) -> list[Trial]:
        """The best, and others that can be trained with it, on all learning rows, in the time that is left."""
        if self.options.time is None:
            return complete
        seconds = [race.seconds(trial, len(self.split.learn)) for trial in complete]
        fits = affordable(seconds, 1, self._time_to_train())
        return [complete[0], *(trial for trial, fit in zip(complete[1:], fits[1:], strict=True) if fit and fits[0])]

    def _time_to_train(self) -> float:
        assert self.options.time is not None
        return TRAINING_SHARE * max(0.0, self.begin + self.options.time - _now())

    def _rows_to_train_on(self, race: Race, winner: Winner) -> NDArray[np.intp]:
        """All learning rows, or as many as there is time for, but no fewer than the winner was chosen with."""
        learn = self.split.learn
        if self.options.time is None:
            return learn
        remaining, chosen_with = self._time_to_train(), len(self.learning.divisions[race.depth - 1].fit)
        needed = sum(race.seconds(trial, len(learn)) for trial in winner.trials)
        power = max(trial.recipe.work[0] for trial in winner.trials)
        rows = len(learn) if needed <= remaining else int(len(learn) * (remaining / needed) ** (1.0 / power))
        rows = max(rows, chosen_with)
        if rows >= len(learn):
            return learn
        self.notes.append(f"trained on {rows} of {len(learn)} rows: there was no time for more (--time)")
        return np.sort(np.random.default_rng(self.options.seed).permutation(learn)[:rows])

    def _said(self, race: Race, trial: Trial) -> NDArray[Any]:
        answers, shares = race.answers(trial)
        if not self.task.classification:
            return answers
        if shares is not None:
            return shares
        return answers if self.task.several else np.eye(len(self.task.labels))[answers]

    def _train(self, winner: Winner, X: pl.DataFrame, labels: NDArray[Any]) -> Any:
        labels = self.task.to_learn(labels)
        models = [
            train(trial.candidate, X, labels, self.columns, seed=self.options.seed, threads=self.threads)
            for trial in winner.trials
        ]
        if len(models) == 1:
            return models[0]
        if self.task.several:
            return Blend(models, winner.weights, self.learning.labels)
        classes = np.sort(self.task.labels) if self.task.classification else None
        return Blend(models, winner.weights, classes)
