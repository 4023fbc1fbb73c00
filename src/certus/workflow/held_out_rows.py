"""The test rows as others can know them: which look at them this is, their fingerprint, and a file of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from certus.base.persistence import atomic_file, is_one_of
from certus.guarantees import Certificate
from certus.guarantees.holdout import count_ladder
from certus.guarantees.rows import Look, fingerprint, look_at, table_hashes
from certus.workflow.state import State
from certus.workflow.study_error import StudyError

_WRITERS: dict[str, Any] = {
    ".csv": pl.DataFrame.write_csv,
    ".parquet": pl.DataFrame.write_parquet,
    ".arrow": pl.DataFrame.write_ipc,
    ".jsonl": pl.DataFrame.write_ndjson,
}


def look_at_test_rows(state: State, predictions: Any) -> Look | None:
    """Note in the store, before anything is told, that these predictions meet the test rows; None without a store."""
    options, test = state.options, state.split.test
    rows, truth = _known_by(state, test)
    sealed = options.sealed
    return look_at(
        options.looks,
        rows,
        truth,
        predictions,
        by="study",
        sealed=sealed,
        not_adapted=options.not_adapted,
        outcomes=len(count_ladder(len(test), options.sealed_steps)) if sealed else None,
        opened=lambda: _other_rows(state),
    )


def _other_rows(state: State) -> NDArray[np.uint64]:
    """Hashes of the rows that the study learned from, validated and calibrated on: it shows what it finds there."""
    others = np.concatenate([state.split.learn, state.split.calibration])
    return table_hashes(*_known_by(state, others))


def _known_by(state: State, places: NDArray[np.intp]) -> tuple[pl.DataFrame, NDArray[Any] | None]:
    """Rows with their targets as every study reads them: other types of columns do not make them other rows."""
    targets, as_read = list(state.task.targets), state.as_read
    frame = state.frame.with_columns(as_read) if as_read.width else state.frame
    if not targets:
        return frame[places], None
    values = as_read[targets[0]].to_numpy() if len(targets) == 1 and targets[0] in as_read.columns else state.values
    return frame[places].drop(targets), values[places]


def named_rows(certificate: Certificate, state: State) -> Certificate:
    """The certificate with the fingerprint of the test rows, by which whoever has them can recount it."""
    test = state.split.test
    if not state.task.targets:
        return certificate
    hashes = table_hashes(state.used[test], state.values[test], state.best.feature_names_in_)
    return replace(certificate, fingerprint=fingerprint(hashes))


def check_audit_file(path: str | PathLike[str] | None, tables: Sequence[object] = ()) -> None:
    """Refuse, before the study begins, a file of an unknown kind, or one of the tables that the study reads."""
    if path is not None and is_one_of(path, tables):
        raise StudyError(
            f"audit_rows must not be a table that the study reads, got {str(path)!r}.\nHint: name another file.",
            options=["audit_rows"],
        )
    if path is not None and Path(path).suffix.lower() not in _WRITERS:
        raise StudyError(
            f"audit_rows must end in {', '.join(_WRITERS)}, got {str(path)!r}.\n"
            "Hint: Parquet keeps the types of columns.",
            options=["audit_rows"],
        )


def write_audit_rows(state: State) -> None:
    """Write the test rows, if asked for, so that somebody else can recount the certificate."""
    if state.options.audit_rows is not None:
        path = Path(state.options.audit_rows)
        with atomic_file(path) as stream:
            _WRITERS[path.suffix.lower()](state.frame[state.split.test], stream)
