"""Folders of tables: a file at a time, each result complete or absent, so that what was interrupted goes on."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from certus.base.blocks import answered
from certus.base.persistence import atomic_file
from certus.cli.model_tables import (
    WRITERS,
    column,
    input_of,
    known_by,
    labels_like,
    read_for_model,
    with_truth,
    write_pieces,
)
from certus.cli.output import say
from certus.guarantees.rows import HashedRows, table_hashes
from certus.scale import blocks
from certus.tables import READABLE

RECORD = ".certus-predictions.json"


def tables_in(folder: Path) -> list[Path]:
    """The files of a folder that can be read as tables, in order of their names; hidden ones do not count."""
    found = [
        path
        for path in sorted(folder.rglob("*"))
        if path.is_file()
        and not any(part.startswith((".", "_")) for part in path.relative_to(folder).parts)
        and (path.suffix.lower() in READABLE or Path(path.stem).suffix.lower() in READABLE)
    ]
    if not found:
        raise ValueError(
            f"the folder {str(folder)!r} holds no table.\nHint: files end in {', '.join(sorted(READABLE))}."
        )
    return found


def held_out_rows(model: Any, folder: Path, target: str, skip_missing: bool) -> dict[str, Any]:
    """What `certify` needs of a folder of held-out rows: the model with its predictions, the rows that they belong to,
    their targets, and by what the rows are known when looks at them are counted.
    """
    if model is None:
        raise ValueError("--prediction needs one table, got a folder.\nHint: --model judges a folder, file after file.")
    known: list[NDArray[np.uint64]] = []

    def pieces() -> Iterator[tuple[Any, Any]]:
        for table in tables_in(folder):
            try:
                frame = read_for_model(model, table, target)
                column(frame, target, "--target")
                frame = with_truth(frame, [target], skip_missing)
                truth = labels_like(model, frame[target])
                known.append(table_hashes(known_by(frame, target, [target]), truth))
                yield input_of(model, frame.drop(target)), truth
            except ValueError as error:
                raise ValueError(f"{table.relative_to(folder).as_posix()}: {error}") from error

    judged, X, y = answered(model, *blocks(pieces()).xy())
    return {"model": judged, "X": X, "y": y, "rows": HashedRows(np.concatenate(known))}


class FolderOfPredictions:
    """An output folder, with a record of which files of predictions are complete.

    Parameters
    ----------
    folder : Path
        Where predictions go: a file for every table, under its name.
    source : Path
        The folder of tables.
    model : Path
        The model's file; predictions of another model are not mixed in.
    keys : sequence of str
        Columns that are carried along.
    """

    def __init__(self, folder: Path, source: Path, model: Path, keys: Sequence[str]) -> None:
        self._folder, self._source = folder, source
        if folder.is_file() or folder.resolve().is_relative_to(source.resolve()):
            raise ValueError(
                f"--output must be a folder outside the tables' own, got {str(folder)!r}.\nHint: name a new folder."
            )
        asked = {"model": hashlib.sha256(model.read_bytes()).hexdigest(), "keys": list(keys)}
        self._record: dict[str, Any] = {**asked, "files": {}}
        if (folder / RECORD).is_file():
            self._record = _read_record(folder / RECORD)
            if {name: self._record.get(name) for name in asked} != asked:
                raise ValueError(
                    f"the folder {str(folder)!r} holds predictions of another model, or with other columns of --key.\n"
                    "Hint: name a new folder."
                )

    def fill(self, predict: Callable[[Path], Iterator[pl.DataFrame]]) -> tuple[int, int]:
        """Predict every table that has no complete predictions yet; returns the numbers of files and of rows."""
        tables = tables_in(self._source)
        start, fresh = time.monotonic(), 0
        for number, table in enumerate(tables, start=1):
            name = table.relative_to(self._source).as_posix()
            state = {"bytes": table.stat().st_size, "modified": table.stat().st_mtime_ns}
            known = self._record["files"].get(name, {})
            output = self._folder / _output_name(name)
            if output.is_file() and {part: known.get(part) for part in state} == state:
                continue
            output.parent.mkdir(parents=True, exist_ok=True)
            try:
                rows = write_pieces(predict(table), output)
            except ValueError as error:
                raise ValueError(f"{name}: {error}") from error
            self._note(name, {**state, "rows": rows})
            fresh += rows
            speed = fresh / max(time.monotonic() - start, 1e-9)
            say(f"{number} of {len(tables)} files, {fresh:,} rows, {speed:,.0f} rows/s")
        return len(tables), sum(entry["rows"] for entry in self._record["files"].values())

    def _note(self, name: str, entry: dict[str, int]) -> None:
        self._record["files"][name] = entry
        with atomic_file(self._folder / RECORD) as stream:
            stream.write(json.dumps(self._record, indent=1).encode())


def _output_name(name: str) -> str:
    """Under the table's own name where predictions can have its form, else as CSV."""
    return name if Path(name).suffix.lower() in WRITERS else f"{name}.csv"


def _read_record(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        files = found["files"].values()
        if all(isinstance(entry["rows"], int) for entry in files):
            return dict(found)
    except (ValueError, KeyError, TypeError, AttributeError):
        pass
    raise ValueError(f"the record {str(path)!r} is damaged.\nHint: delete it, and all files are predicted again.")
