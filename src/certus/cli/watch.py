"""A monitor with its place in a stream, kept in a file that is complete or absent at every moment."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from certus.base.persistence import atomic_file
from certus.cli.streams import START, Row, extended, same_label

if TYPE_CHECKING:
    from certus.guarantees import Monitor

_FORMAT = "certus monitor 1"


@dataclass
class Watch:
    """A monitor, the columns it reads, and how much of the stream it has counted.

    Parameters
    ----------
    monitor : Monitor
        The monitor.
    columns : tuple of str
        Label and prediction, or the loss alone.
    rows : int
        Rows of the stream that are counted.
    digest : str
        Of exactly these rows.
    """

    monitor: Monitor
    columns: tuple[str, ...]
    rows: int = 0
    digest: str = START

    def count(self, rows: list[Row]) -> None:
        """Count rows; a row that cannot be read is an error, and then none of them is counted."""
        loss = self.monitor.setting.loss
        if len(self.columns) == 1:
            self.monitor.update(losses=[row.numbers(self.columns)[0] for row in rows])
        elif loss == "error":
            pairs = [row.texts(self.columns) for row in rows]
            self.monitor.update(losses=[float(not same_label(*pair)) for pair in pairs])
        else:
            truth, predicted = zip(*(row.numbers(self.columns) for row in rows), strict=True)
            self.monitor.update(truth, predicted)
        for row in rows:
            self.digest = extended(self.digest, row)
        self.rows += len(rows)

    def save(self, path: Path) -> None:
        """Write the state in one step: a kill at any moment leaves the old state or the new one."""
        record = {
            "format": _FORMAT,
            "columns": list(self.columns),
            "rows": self.rows,
            "digest": self.digest,
            "monitor": self.monitor.to_dict(),
        }
        with atomic_file(path) as stream:
            stream.write(json.dumps(record, allow_nan=False).encode())


def load(path: Path) -> Watch:
    """Read a state; anything damaged is one clear error."""
    from certus.guarantees import Monitor

    try:
        record: Any = json.loads(path.read_bytes())
        found, columns, rows, digest, monitor = _fields(record, "format", "columns", "rows", "digest", "monitor")
        if found != _FORMAT:
            raise ValueError(f"the format is {found!r}, not {_FORMAT!r}")
        watch = Watch(Monitor.from_dict(monitor), tuple(columns), int(rows), str(digest))
        if watch.rows != watch.monitor.rows:
            raise ValueError("the number of rows is not that of the monitor")
    except (ValueError, TypeError, RecursionError) as error:
        raise ValueError(
            f"{path}: not the state of a monitor: {error}\nHint: name another file with --state."
        ) from error
    return watch


def _fields(record: Any, *names: str) -> list[Any]:
    """Fields of a JSON object from outside."""
    if not isinstance(record, dict) or any(name not in record for name in names):
        raise ValueError(f"a JSON object with the fields {', '.join(names)} is needed")
    return [record[name] for name in names]
