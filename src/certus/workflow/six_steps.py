"""The study: a table in, a certified model and a report out, in six steps that never look at each other's rows."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from certus import datasets
from certus.base import TableLike, resolve_threads
from certus.guarantees import Report
from certus.tables import read_query, read_table
from certus.workflow.columns import as_named
from certus.workflow.held_out_rows import check_audit_file
from certus.workflow.models import Blend
from certus.workflow.notes import Note
from certus.workflow.option_parameters import takes_options
from certus.workflow.options import Options
from certus.workflow.race.executors import Workers
from certus.workflow.result import Study
from certus.workflow.state import Progress, State
from certus.workflow.steps.data import prepare_data
from certus.workflow.steps.evaluation import evaluate_winner
from certus.workflow.steps.features import prepare_features
from certus.workflow.steps.learners import choose_learners
from certus.workflow.steps.task import decide_task
from certus.workflow.steps.training import table_digest, train_winner
from certus.workflow.study_error import StudyError

BUILT_IN = "breast_cancer"


@takes_options
def study(
    table: str | Path | TableLike | None = None,
    *,
    journal: str | Path | None = None,
    progress: Progress | None = None,
    **given: Any,
) -> Study:
    """Take a table through the six steps of a machine-learning project and certify the winner.

    Parameters
    ----------
    table : path or data frame, default=None
        CSV, Parquet, Arrow, JSON lines or Excel ("-": standard input), or a pandas, polars or pyarrow table; a
        built-in table if None.
    <options>
    journal : path, default=None
        File that keeps every finished evaluation; a study with the same options continues from it.
    progress : callable, default=None
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
    with _opened(table, Options(**given), journal, progress) as state:
        decide_task(state)
        prepare_data(state)
        prepare_features(state)
        choose_learners(state)
        train_winner(state)
        evaluate_winner(state)
        return _result(state)


@contextmanager
def _opened(
    table: str | Path | TableLike | None, options: Options, journal: str | Path | None, progress: Progress | None
) -> Iterator[State]:
    """The table is read, while the processes of a race against time start."""
    begin, cores = time.monotonic(), resolve_threads(options.threads)
    workers = Workers(cores) if options.time is not None and cores > 1 else None
    try:
        told: list[str] = []
        frame, options, name = _read(table, options, told)
        options.check_columns(frame)
        _check_sealed(options, built_in=table is None and options.sql is None)
        check_audit_file(options.audit_rows, [table, options.test])
        kept = Path(journal) if journal is not None else None
        state = State(options, name, frame, cores, begin, progress or (lambda *_: None), workers, kept)
        _add_test_rows(state, told)
        state.notes += [Note(guess, ["encoding"]) for guess in told]
        yield state
    finally:
        if workers is not None:
            workers.close()


def _check_sealed(options: Options, *, built_in: bool) -> None:
    """Refuse a sealed study whose looks nobody counts."""
    if options.sealed and options.looks is None:
        why = ": nobody counts who has seen the built-in table" if built_in else ""
        raise StudyError(
            f"sealed must come with looks, got none{why}.\nHint: name a SQLite file that counts them.",
            options=["sealed", "looks"],
        )


def _add_test_rows(state: State, told: list[str]) -> None:
    """The user's own test rows, below the others; and columns in the types that the user names."""
    options = state.options
    if options.test is not None:
        tested = read_table(options.test, told=told, encoding=options.encoding, spare=_left_alone(options))
        missing = [name for name in state.frame.columns if name not in tested.columns]
        if missing:
            raise StudyError(
                f"test: the table lacks the columns {', '.join(map(repr, missing))}.\n"
                "Hint: both tables need the same columns.",
                options=["test"],
            )
        learned = state.frame.height
        try:
            parts = [state.frame, tested.select(state.frame.columns)]
            state.frame = pl.concat(parts, how="vertical_relaxed")
        except pl.exceptions.PolarsError as error:
            raise StudyError(
                f"test: its columns have other types than those of the table: {str(error).splitlines()[0]}\n"
                "Hint: types declares what a column is.",
                options=["test", "types"],
            ) from error
        state.own_test = np.arange(state.frame.height) >= learned
    state.as_read = _as_read(state.frame, options)
    state.frame = as_named(state.frame, options.types or {})


def _as_read(frame: pl.DataFrame, options: Options) -> pl.DataFrame:
    """The columns that options read in another way, as every study reads them: rows are known by these."""
    apart = [name for name in (options.group, options.order) if name is not None]
    found = frame.select(dict.fromkeys([*(options.types or ()), *apart]).keys())
    return found.with_columns(read_table(frame.select(apart))) if apart else found


def _left_alone(options: Options) -> list[str]:
    """Columns of a data frame that are labels rather than something to learn from."""
    target = [options.target] if isinstance(options.target, str) else list(options.target or ())
    return [*target, *(name for name in (options.group, options.order) if name is not None)]


def _read(table: str | Path | TableLike | None, options: Options, told: list[str]) -> tuple[pl.DataFrame, Options, str]:
    """The rows, the options with the target of a built-in table, and what the table is called."""
    if options.sql is not None:
        if table is not None:
            raise StudyError("sql and a table exclude each other.\nHint: give one of them.", options=["sql"])
        answered = read_query(options.sql, options.database)
        return read_table(answered, told=told, spare=options.types or ()), options, "a query"
    if options.database is not None:
        raise StudyError("database needs a query.\nHint: sql='select …'.", options=["database", "sql"])
    if table is None:
        return _read_built_in(options)
    if not isinstance(table, str | Path):
        return read_table(table, told=told, spare=_left_alone(options)), options, "a data frame"
    frame = read_table(table, told=told, encoding=options.encoding)
    return frame, options, "standard input" if str(table) == "-" else Path(table).name


def _read_built_in(options: Options) -> tuple[pl.DataFrame, Options, str]:
    built_in, name = datasets.load(BUILT_IN), f"the built-in table {BUILT_IN}"
    options = replace(options, looks=None)  # everybody has seen its rows
    if options.task == "clustering" and not options.target:
        return built_in.frame.drop(built_in.target), options, name
    return built_in.frame, replace(options, target=options.target or built_in.target), name


def _about(state: State) -> list[str]:
    """Where the model comes from, for whoever finds its file."""
    facts = {
        "table": state.name,
        "table digest": table_digest(state.frame),
        "rows": f"{state.frame.height}, {len(state.split.learn)} to learn from, {len(state.split.test)} to test",
        "task": str(state.task.guess).split(" (")[0],
        "winner": state.winner.name,
        "made columns": "; ".join(state.best.made_columns) or "none",
        "seed": str(state.options.seed),
        "options": state.options.told(),
        "verdict": state.verdict.headline,
    }
    return [f"{name}: {value}" for name, value in facts.items()]


def _result(state: State) -> Study:
    """What all steps together found."""
    state.best.about_ = _about(state)
    model = state.best.model_
    own = model.report_ if isinstance(model, Blend) else getattr(model[-1], "report_", None)
    training = own if isinstance(own, Report) else Report()  # other libraries promise nothing
    return Study(
        name=state.name,
        task=state.task,
        profile=state.profile,
        columns=state.columns,
        split=state.split,
        trials=state.trials,
        baseline=state.baseline,
        winner=state.winner,
        judgment=state.verdict,
        best=state.best,
        refitted=state.refitted,
        evaluation=state.evaluation,
        findings=state.findings,
        certificates=Report([state.evaluation.certificate, *state.level]).with_(training),
        seconds=state.elapsed(),
        notes=state.notes,
        sets=state.sets,
        look=state.look,
    )
