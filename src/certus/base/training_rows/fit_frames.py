"""Which table a running fit learns from, and which rows a fitted learner is asked about.

Every learner reads its table by `check_X`, which tells it here. The first table that a learner reads during ``fit``
is what it is trained on; learners inside it that are fitted on parts of the same rows keep no sketch of their own.
While a verb watches (`certus.guarantees.rows`), rows that are predicted are compared with the sketch.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar, Token
from typing import Any

import numpy as np
from scipy import sparse

from certus.base.settings import config
from certus.base.threads import resolve_threads
from certus.base.training_rows.row_sketch import Hashes, RowSketch
from certus.guarantees.rows import cell_hashes, column_keys, row_hashes, watching

TRAINING_ROWS = "_training_rows"
_SERIAL = 100_000  # cells below which a second thread costs more than it brings


class fitting:  # noqa: N801  used as `with fitting(...)`
    """Let the learner keep a sketch of the rows that it reads in the body: one running fit.

    A class, since the generator of a context manager would cost more than learning a small batch.

    Parameters
    ----------
    learner : Learner
        What is being fitted.
    weights : array-like or None
        Weights of the rows; those of weight 0 are not trained on.
    goes_on : bool
        Whether earlier rows stay part of the model (``partial_fit``, warm starts).
    """

    def __init__(self, learner: Any, weights: Any, *, goes_on: bool) -> None:
        self.learner, self.weights, self.goes_on = learner, weights, goes_on
        self.outer: fitting | None = None
        self.sketch: RowSketch | None = None
        self.takes_more = False
        self._token: Token[fitting | None] | None = None

    @property
    def known(self) -> bool:
        """Whether the rows of this fit are known, here or further out."""
        return self.sketch is not None or (self.outer is not None and self.outer.known)

    def __enter__(self) -> None:
        if not config.training_rows:
            vars(self.learner).pop(TRAINING_ROWS, None)
            return
        self.outer = _running.get()
        self._token = _running.set(self)

    def __exit__(self, failed: object, *_: object) -> None:
        if self._token is None:
            return
        _running.reset(self._token)
        # What a learner keeps that was interrupted was trained on these rows; if it keeps nothing, it forgets them.
        if failed is not None and failed is not KeyboardInterrupt:
            return
        known, sketch = vars(self.learner), self.sketch
        earlier = known.pop(TRAINING_ROWS, None)
        if self.goes_on and earlier is not None and sketch is not None and not earlier.same_rows(sketch):
            sketch = earlier.joined(sketch)
        if sketch is not None:
            known[TRAINING_ROWS] = sketch


_running: ContextVar[fitting | None] = ContextVar("certus_running_fit", default=None)


@contextlib.contextmanager
def choosing_by_rows() -> Iterator[None]:
    """Rows that a running fit reads in the body choose between its models (validation rows): they belong to training,
    and what is counted on them later would be too good.
    """
    frame = _running.get()
    if frame is None:
        yield
        return
    frame.takes_more = True
    try:
        yield
    finally:
        frame.takes_more = False


@contextlib.contextmanager
def predicting(learner: Any) -> Iterator[None]:
    """While a verb watches: the rows that the learner reads in the body count once, whatever it calls inside."""
    watch = watching()
    if watch is None:
        yield
        return
    with watch.asking(learner):
        yield


def saw_table(learner: Any, table: Any) -> None:
    """`check_X` (or what a learner has in its place) read this table for the learner."""
    frame = _running.get()
    if frame is not None and frame.learner is learner:
        if not frame.known:
            frame.sketch = RowSketch(_without_zeros(_hashes(table), frame.weights))
        elif frame.takes_more and frame.sketch is not None:
            frame.sketch = frame.sketch.joined(RowSketch(_hashes(table)))
        return
    watch, sketch = watching(), vars(learner).get(TRAINING_ROWS)
    if watch is not None and sketch is not None and watch.wants(learner):
        watch.add(learner, sketch, _hashes(table))


def sketch_of(table: Any, weights: Any) -> RowSketch:
    """The sketch of rows in a block; those of weight 0 are left out."""
    return RowSketch(_without_zeros(_hashes(table), weights))


def saw_sketch(learner: Any, sketch: RowSketch) -> None:
    """The rows of the running fit came in blocks, and this is the sketch of all of them."""
    frame = _running.get()
    if frame is not None and frame.learner is learner and not frame.known:
        frame.sketch = sketch


def _hashes(table: Any) -> Hashes:
    if sparse.issparse(table) or (isinstance(table, np.ndarray) and table.ndim == 2 and table.dtype.kind in "biuf"):
        threads = 1 if table.shape[0] * table.shape[1] < _SERIAL else resolve_threads()
        return row_hashes(table, threads=threads)
    cells = np.asarray(table)
    flat = cells.reshape(len(cells), -1)
    return cell_hashes(list(flat.T), column_keys(flat.shape[1]))


def _without_zeros(hashes: Hashes, weights: Any) -> Hashes:
    given = None if weights is None else np.asarray(weights)
    if given is None or given.ndim != 1 or len(given) != len(hashes):
        return hashes
    kept = given != 0
    return hashes if kept.all() else hashes[kept]
