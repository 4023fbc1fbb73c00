"""How far a stream has been learned, and everything that going on with it needs."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from certus.base import register_part
from certus.guarantees import Certificate, ConfidenceSequence
from certus.online.table_stream import Cells, TableStream

REMEMBERED = 100  # bad rows that are named


@register_part("online")
class StreamProgress:
    """A learner of a stream of rows, what it has paid, and which rows it has read.

    Parameters
    ----------
    target : str
        Column with what is to be predicted.
    learner : str
        As for `TableStream`.

    Attributes
    ----------
    table : TableStream
        The learner.
    rows : int
        Rows that were read, bad ones included.
    checksum : int
        Of exactly these rows.
    loss : float
        Mistakes, or the sum of squared errors.
    bad_rows : int
        Rows that were passed over.
    bad : list
        Number and reason of the first hundred of them.
    predicted : int
        Bytes of predictions that were written.
    sequence : dict
        The anytime interval of the error rate.
    """

    _state = ("target", "table", "rows", "checksum", "loss", "bad_rows", "bad", "predicted", "sequence")

    target: str
    table: TableStream
    sequence: dict[str, Any]

    def __init__(self, target: str, learner: str) -> None:
        self.target, self.table = target, TableStream(learner)
        self.rows = self.checksum = self.bad_rows = self.predicted = 0
        self.loss = 0.0
        self.bad: list[list[Any]] = []
        self.sequence = ConfidenceSequence("gamma-exponential", quantity="error rate along the stream").to_dict()

    def learn(self, cells: Cells, target: pl.Series) -> NDArray[Any]:
        """Learn rows, count what they cost; returns what was predicted before each."""
        played = self.table.learn(cells, target)
        if not len(played):
            return played
        if self.table.classifies:
            losses = (played != target.to_numpy()).astype(np.float64)
            self.sequence = ConfidenceSequence.from_dict(self.sequence).update(losses).to_dict()
        else:
            losses = (played - target.cast(pl.Float64).to_numpy()) ** 2
        self.loss = float(np.cumsum(np.append(self.loss, losses))[-1])  # in order: pieces change no bit
        return played

    def read(self, raw: bytes, rows: int) -> None:
        """Count rows as read."""
        self.checksum = zlib.crc32(raw, self.checksum)
        self.rows += rows

    def passed_over(self, row: int, reason: str) -> None:
        """Count a row that could not be learned."""
        self.bad_rows += 1
        if len(self.bad) < REMEMBERED:
            self.bad.append([row, reason])

    def interval(self) -> tuple[float, float] | None:
        """The anytime interval of the mean loss, where there is one."""
        if not self.table.classifies or not self.table.rows:
            return None
        return ConfidenceSequence.from_dict(self.sequence).interval()

    def certificates(self) -> list[Certificate]:
        """Everything that is promised."""
        found = list(self.table.report())
        if self.interval() is not None:
            found.append(ConfidenceSequence.from_dict(self.sequence).certificate())
        return found

    def summary(self) -> dict[str, Any]:
        """Plain numbers."""
        learned, ledger, interval = self.table.rows, self.table.ledger, self.interval()
        return {
            "rows": self.rows,
            "learned": learned,
            "bad_rows": self.bad_rows,
            "bad": [{"row": row, "reason": reason} for row, reason in self.bad],
            "learner": self.table.learner,
            "loss": self.loss,
            "mean_loss": self.loss / learned if learned else None,
            "interval": None if interval is None else list(interval),
            "mistakes": None if ledger is None else ledger.mistakes,
            "regret": None if ledger is None else ledger.regret,
            "bound": None if ledger is None else ledger.bound,
        }

    def _restored(self) -> None:
        counts = (self.rows, self.checksum, self.bad_rows, self.predicted)
        if not all(type(count) is int and count >= 0 for count in counts) or not isinstance(self.table, TableStream):
            raise ValueError("counts or the learner are not what a stream leaves behind.")
        ConfidenceSequence.from_dict(self.sequence)
