"""The journal: every finished evaluation, on disk before the next decision is made.

A study is a function of its evaluations. After a kill the same decisions are made again, each evaluation that the
journal knows is read instead of repeated, and the study goes on where it was.
"""

from __future__ import annotations

import io
import json
import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base.persistence import read_npy
from certus.workflow.race.outcome import Outcome
from certus.workflow.study_error import StudyError

# The names of the columns belong to the file format: predictions are ``answers`` there, probabilities ``shares``.
_SCHEMA = """
create table if not exists facts (name text primary key, value text not null);
create table if not exists outcomes (
    key text primary key, answers blob, shares blob, seconds real not null, failure text
);
"""
_ROOM = "make room on the disk, or write the study to another folder; resume goes on with what was finished"


class Journal:
    """Finished evaluations by key, in a SQLite file, or in memory without a path."""

    def __init__(self, path: Path | None = None) -> None:
        self._connection = sqlite3.connect(path or ":memory:")
        try:
            # Safe against a kill at any moment, and quick: written to the log at once, synchronised now and then.
            self._connection.executescript("pragma journal_mode = wal; pragma synchronous = normal;" + _SCHEMA)
        except sqlite3.OperationalError as error:  # a disk that is full, a file that must not be written
            raise StudyError(f"The journal {str(path)!r} cannot be written: {error}.\nHint: {_ROOM}.") from error
        except sqlite3.DatabaseError as error:
            raise StudyError(
                f"The journal {str(path)!r} cannot be read: {error}.\nHint: start anew with force.", options=["force"]
            ) from error

    def open_for(self, fingerprint: dict[str, Any]) -> None:
        """Say what the study is about; a journal of another study is refused."""
        text = json.dumps(fingerprint, sort_keys=True)
        known = self._one("select value from facts where name = 'study'")
        if known is None:
            try:
                with self._connection:
                    self._connection.execute("insert into facts values ('study', ?)", (text,))
            except sqlite3.OperationalError as error:
                raise StudyError(f"The journal cannot be written: {error}.\nHint: {_ROOM}.") from error
        elif known[0] != text:
            try:
                before = dict(json.loads(known[0]))
            except (ValueError, TypeError) as error:
                raise self._damaged(error) from error
            changed = sorted(name for name in fingerprint if fingerprint[name] != before.get(name))
            raise StudyError(
                f"resume: the folder holds another study; different are {', '.join(changed)}.\n"
                "Hint: repeat the options of that study, or start anew with force.",
                options=["resume", "force"],
            )

    def __len__(self) -> int:
        return int(self._one("select count(*) from outcomes")[0])

    def get(self, key: str) -> Outcome | None:
        """The outcome of an evaluation, if it has finished before."""
        found = self._one("select answers, shares, seconds, failure from outcomes where key = ?", key)
        if found is None:
            return None
        predictions, probabilities, seconds, failure = found
        if not isinstance(seconds, int | float) or not isinstance(failure, str | None):
            raise self._damaged(f"the evaluation {key!r} is malformed")
        try:
            return Outcome(_array(predictions), _array(probabilities), seconds, failure)
        except (ValueError, TypeError) as error:
            raise self._damaged(error) from error

    def put(self, key: str, outcome: Outcome) -> None:
        """Keep an outcome; on disk when this returns."""
        row = (key, _bytes(outcome.predictions), _bytes(outcome.probabilities), outcome.seconds, outcome.failure)
        try:
            with self._connection:
                self._connection.execute("insert or replace into outcomes values (?, ?, ?, ?, ?)", row)
        except sqlite3.OperationalError as error:
            raise StudyError(f"The journal cannot be written: {error}.\nHint: {_ROOM}.") from error

    def seconds(self) -> float:
        """Time that the kept evaluations took."""
        return float(self._one("select coalesce(sum(seconds), 0) from outcomes")[0])

    def _one(self, question: str, *values: str) -> Any:
        """The first row of an answer; a damaged file is refused."""
        try:
            return self._connection.execute(question, values).fetchone()
        except (sqlite3.DatabaseError, OverflowError, UnicodeDecodeError) as error:
            raise self._damaged(error) from error

    @staticmethod
    def _damaged(why: object) -> StudyError:
        return StudyError(f"The journal cannot be read: {why}.\nHint: start anew with force.", options=["force"])

    def close(self) -> None:
        """Close the file."""
        self._connection.close()


def _bytes(array: NDArray[Any] | None) -> bytes | None:
    if array is None:
        return None
    stream = io.BytesIO()
    np.save(stream, array, allow_pickle=False)
    return stream.getvalue()


def _array(content: bytes | None) -> NDArray[Any] | None:
    return None if content is None else read_npy(io.BytesIO(content), len(content), "an evaluation")
