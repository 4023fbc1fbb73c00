"""Tables of users and models of files: reading, matching columns, writing."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from certus.base.persistence import atomic_file, is_one_of
from certus.cli.output import say
from certus.tables import (
    TableEncoder,
    as_floats,
    moments_of,
    read_chunks,
    read_table,
    readable_twice,
    type_in_words,
)

__all__ = [
    "WRITERS",
    "beside",
    "column",
    "input_of",
    "known_by",
    "label_like",
    "labels_like",
    "read_for_model",
    "read_table",
    "safe_for_spreadsheets",
    "scores_of",
    "values_of",
    "with_truth",
    "write_pieces",
    "write_table",
]

_LEAVE_OUT = "--skip-missing leaves such rows out"
_TEXTUAL = ("category", "text")
_RISKY = r"^[=+\-@\t\r\n]"
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
WRITERS: dict[str, Callable[[pl.DataFrame, Any], Any]] = {  # how a table is written, by the extension of its file
    ".csv": lambda frame, stream: safe_for_spreadsheets(frame).write_csv(stream),
    ".tsv": lambda frame, stream: safe_for_spreadsheets(frame).write_csv(stream, separator="\t"),
    ".parquet": lambda frame, stream: frame.write_parquet(stream),
    ".arrow": lambda frame, stream: frame.write_ipc(stream),
    ".jsonl": lambda frame, stream: frame.write_ndjson(stream),
}


def read_for_model(model: Any, path: Path, target: str | None = None) -> pl.DataFrame:
    """A table in the types that the model learned, whatever its own rows look like.

    Columns of texts keep theirs (007 stays 007), also the target where the model's labels are texts; numbers and dates
    that are written as texts are read. All else is as `read_table` gives it, so that rows hash as in a study.
    """
    with readable_twice(path) as file:
        frame = read_table(file)
        kinds = {name: kind for name, kind in _learned_kinds(model, target).items() if name in frame.columns}
        typed = [name for name, kind in kinds.items() if kind in _TEXTUAL and frame[name].dtype != pl.String]
        written = pl.concat(piece.select(typed) for piece in read_chunks(file, {})) if typed else pl.DataFrame()
    read = [written[name] for name in typed if _changed(written[name], frame[name])]
    for name, kind in kinds.items():
        if frame[name].dtype == pl.String and kind == "number":
            read.append(pl.Series(name, as_floats(frame[name])).fill_nan(None))
        elif frame[name].dtype == pl.String and kind == "date":
            read.append(moments_of(frame[name]))
    return frame.with_columns(read)


def _changed(written: pl.Series, typed: pl.Series) -> bool:
    """Whether the texts of a column cannot be had back from what they were read as."""
    return written.dtype == pl.String and not written.equals(typed.cast(pl.String), null_equal=True)


def _learned_kinds(model: Any, target: str | None) -> dict[str, str]:
    """How the model learned each column that it knows more of than its name."""
    kinds = dict.fromkeys(text_columns(model), "category")
    for step in [model, *(step for _, step in getattr(model, "steps", ())[:1])]:
        kinds |= getattr(step, "column_kinds", {})
    labels = getattr(model, "classes_", None)
    if target is not None and labels is not None and all(isinstance(label, str) for label in labels):
        kinds[target] = "category"
    return kinds


def column(frame: pl.DataFrame, name: str, option: str) -> pl.Series:
    """A column by name; `option` is what the user named it with."""
    if name not in frame.columns:
        raise ValueError(
            f"{option}: the table has no column {name!r}.\nHint: it has {', '.join(map(repr, frame.columns))}."
        )
    return frame[name]


def with_truth(frame: pl.DataFrame, targets: Sequence[str], skip: bool) -> pl.DataFrame:
    """The rows whose targets are known, if the others may be left out; how many these are is told."""
    known = [name for name in targets if name in frame.columns]
    if not skip or not known:
        return frame
    kept = frame.drop_nulls(known)
    if not kept.height:
        raise ValueError("--skip-missing: no row has a true value.\nHint: check the column that --target names.")
    if kept.height < frame.height:
        left = frame.height - kept.height
        say(
            f"{left} of {frame.height} rows left out: they have no true value. What follows is about rows whose true "
            "value is known."
        )
    return kept


def known_by(frame: pl.DataFrame, target: str, others: Sequence[str]) -> pl.DataFrame:
    """What rows are known by when looks at them are counted: all columns but the named ones.

    Where no column is left, a row is known by its place in the column of true values, which is then taken as a whole:
    labels alone would make rows of any two tables the same.
    """
    rest = frame.drop(others)
    if rest.width:
        return rest
    whole = hashlib.sha256("\0".join(map(str, frame[target].to_list())).encode("utf-8", "surrogatepass")).hexdigest()
    return pl.DataFrame({"place": [f"{whole} {place}" for place in range(frame.height)]})


def values_of(frame: pl.DataFrame, name: str, option: str) -> NDArray[Any]:
    """A column without empty entries as an array: numbers as they are, everything else as text."""
    found = column(frame, name, option)
    if found.null_count():
        row = int(found.is_null().arg_max() or 0)
        raise ValueError(
            f"{option}: column {name!r} is empty in row {row + 1} of the table.\n"
            f"Hint: {_LEAVE_OUT if option == '--target' else 'leave such rows out'}."
        )
    if found.dtype.is_numeric() or found.dtype == pl.Boolean:
        return found.to_numpy()
    return np.asarray(found.cast(pl.String).to_list())


def scores_of(frame: pl.DataFrame, name: str, option: str) -> NDArray[Any]:
    """A column of numbers without empty entries."""
    found = values_of(frame, name, option)
    if found.dtype.kind not in "biuf":
        raise ValueError(f"{option}: column {name!r} must hold numbers, got texts such as {str(found[0])!r}.")
    return found


def label_like(text: str | None, labels: NDArray[Any], option: str) -> Any:
    """A label that the user typed, in the type of the labels of the table."""
    if text is None:
        return None
    by_text = {str(label): label for label in np.unique(labels).tolist()}
    if text not in by_text:
        known = ", ".join(map(repr, list(by_text)[:10]))
        raise ValueError(f"{option}: {text!r} is not among the labels.\nHint: they are {known}.")
    return by_text[text]


def input_of(model: Any, frame: pl.DataFrame) -> Any:
    """The columns that the model was trained on, in its order and in the types that it expects."""
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        width = getattr(model, "n_features_in_", frame.width)
        if frame.width != width:
            raise ValueError(
                f"the model was trained on {width} columns without names, the table has {frame.width}.\n"
                "Hint: leave out the columns that it does not know."
            )
        return _numbers(frame).to_numpy()
    own = set(frame.columns)
    missing = [name for name in names if name not in own]
    if missing:
        raise ValueError(
            f"the table lacks the columns {', '.join(map(repr, missing))}, which the model needs.\n"
            "Hint: add them; missing values are allowed."
        )
    if _knows_columns(model):
        return frame.select(names)
    texts = text_columns(model)
    chosen = frame.select(names)
    return chosen.with_columns(
        *(pl.col(name).cast(pl.String) for name in chosen.columns if name in texts),
        *_numbers(chosen.select(name for name in chosen.columns if name not in texts)).get_columns(),
    )


def _knows_columns(model: Any) -> bool:
    """Whether the model encodes the columns of a table itself."""
    if isinstance(model, TableEncoder) or any(getattr(model, name, False) for name in ("reads_tables", "reads_cells")):
        return True
    return any(_knows_columns(step) for _, step in getattr(model, "steps", ())[:1])


def text_columns(model: Any) -> set[str]:
    """Columns that an encoder of the model learned as texts, however they look in this table."""
    steps = [step for _, step in getattr(model, "steps", ())]
    found: set[str] = set()
    for transformer in [model, *steps]:
        for _, part, columns in getattr(transformer, "transformers_", ()):
            inner = [part, *(step for _, step in getattr(part, "steps", ()))]
            learned = [step.categories_ for step in inner if hasattr(step, "categories_")]
            if learned and isinstance(columns, list):
                pairs = zip(columns, learned[0], strict=True)
                found |= {name for name, values in pairs if any(isinstance(value, str) for value in values)}
    return found


def _numbers(frame: pl.DataFrame) -> pl.DataFrame:
    for name in frame.columns:
        number = frame[name].dtype.is_numeric() or frame[name].dtype == pl.Boolean
        empty = frame[name].null_count() == frame.height  # a column without entries is read as text
        if not (number or empty):
            raise ValueError(
                f"column {name!r} holds {type_in_words(frame[name].dtype)}, the model needs numbers there.\n"
                "Hint: look for cells that are not numbers."
            )
    return frame.cast(pl.Float64)


def labels_like(model: Any, values: pl.Series) -> NDArray[Any]:
    """Targets in the type of the model's labels, so that equal ones compare equal."""
    labels = getattr(model, "classes_", None)
    if values.null_count():
        raise ValueError(
            f"column {values.name!r} has {values.null_count()} empty cells; every row needs a target.\n"
            f"Hint: {_LEAVE_OUT}."
        )
    if labels is None:
        return _numbers(values.to_frame()).to_series().to_numpy()
    if np.asarray(labels).dtype.kind in "UOT" and values.dtype != pl.Boolean:
        return np.asarray(values.cast(pl.String).to_list())
    return values.to_numpy()


def beside(keys: Sequence[pl.Series], predictions: pl.DataFrame) -> pl.DataFrame:
    """The carried columns in front of the predictions."""
    taken = [one.name for one in keys if one.name in predictions.columns]
    if taken:
        raise ValueError(
            f"--key: {taken[0]!r} is also a column of the predictions.\nHint: rename that column of the table."
        )
    return pl.DataFrame([*keys, *predictions.get_columns()])


def check_output(output: Path | None, *given: Path | None) -> None:
    """Refuse to write over what the command reads."""
    if output is not None and is_one_of(output, given):
        raise ValueError(
            f"--output must not be a file that the command reads, got {str(output)!r}.\nHint: name another file."
        )


def write_table(frame: pl.DataFrame, path: Path) -> None:
    """Write a table as its extension says: .csv, .tsv, .parquet, .arrow or .jsonl; complete or not at all."""
    extension = path.suffix.lower()
    if extension not in WRITERS:
        raise ValueError(f"cannot write {path.name!r}: unknown file extension.\nHint: use one of {', '.join(WRITERS)}.")
    with atomic_file(path) as stream:
        WRITERS[extension](frame, stream)


def write_pieces(pieces: Iterator[pl.DataFrame], path: Path) -> int:
    """Write pieces of a table to one file as its extension says, complete or not at all; returns the number of rows.

    Text files grow piece by piece, so that any size fits into memory.
    """
    separators = {".csv": ",", ".tsv": "\t"}
    extension = path.suffix.lower()
    if extension not in separators:
        frame = pl.concat(list(pieces))
        write_table(frame, path)
        return frame.height
    rows = 0
    with atomic_file(path) as stream:
        for piece in pieces:
            text = safe_for_spreadsheets(piece).write_csv(include_header=rows == 0, separator=separators[extension])
            stream.write(text.encode())
            rows += piece.height
    return rows


def safe_for_spreadsheets(frame: pl.DataFrame) -> pl.DataFrame:
    """Texts that a spreadsheet would run as a formula get an apostrophe in front; numbers stay as they are."""
    texts = [name for name in frame.columns if frame[name].dtype == pl.String]
    disarmed = frame.with_columns(
        pl.when(pl.col(name).str.contains(_RISKY) & ~pl.col(name).str.contains(f"^(?:{_NUMBER.pattern})$"))
        .then(pl.concat_str(pl.lit("'"), pl.col(name)))
        .otherwise(pl.col(name))
        .alias(name)
        for name in texts
    )
    return disarmed.rename({name: _disarm(name) for name in frame.columns})


def _disarm(text: str) -> str:
    risky = re.match(_RISKY, text) is not None and not _NUMBER.fullmatch(text)
    return "'" + text if risky else text
