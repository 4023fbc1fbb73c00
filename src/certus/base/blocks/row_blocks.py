"""The passes of a running fit over its rows: blocks are checked like a table, and statistics of all of them come back.

The first pass also finds out what a table would have said at once (how many rows and columns, their names and type),
sees that all blocks agree about it, and keeps the sketch by which rows of training are recognized later. Every pass
finds what its rows come to: a model of one table with the guarantee of another would be false.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, clone

from certus.base.blocks.block_table import BlockTable, JointPart, joint_parts
from certus.base.blocks.class_statistics import ClassStatistics, MergeClasses, block_labels, sums
from certus.base.blocks.runners import BlockError, current_runner
from certus.base.inputs import check_target, check_weights, check_X, check_Xy
from certus.base.settings import config
from certus.base.threads import blas_on_one_thread
from certus.base.training_rows import RowSketch, saw_sketch, sketch_of

Array = NDArray[Any]
SAME = 1e-6  # relative difference of sums over the same rows in another order


@dataclass(frozen=True)
class Block:
    """Checked rows. Never empty, and never all of weight 0."""

    X: Any
    y: Any
    weights: Any
    number: int
    name: str

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return int((self.y if self.X is None else self.X).shape[0])


@dataclass(frozen=True)
class _Header:
    """What all blocks must agree about, and the sketch of the rows."""

    name: str
    rows: int
    largest: int
    width: int
    names: tuple[str, ...] | None
    dtype: np.dtype[Any]
    target: tuple[str, tuple[int, ...]] | None
    sketch: RowSketch | None

    def joined(self, other: _Header) -> _Header:
        for what, one, two in (
            ("columns", self.width, other.width),
            ("column names", self.names, other.names),
            ("type of the numbers", str(self.dtype), str(other.dtype)),
            ("type and shape of the target", self.target, other.target),
        ):
            if one != two:
                raise BlockError(
                    f"All blocks must have the same {what}, got {_short(one)} in {self.name} and {_short(two)} in "
                    f"{other.name}.\nHint: convert the blocks to one type, and give every file the same columns."
                )
        sketch = None if self.sketch is None or other.sketch is None else self.sketch.joined(other.sketch)
        largest = max(self.largest, other.largest)
        return replace(self, rows=self.rows + other.rows, largest=largest, sketch=sketch)


@dataclass(frozen=True)
class _Content:
    """What the rows of a pass come to: squares of X and of the target, weights; nan if they are not read."""

    rows: int
    sums: NDArray[np.float64]

    @classmethod
    def of(cls, block: Block) -> _Content:
        """Of a block."""
        X = block.X.data if sparse.issparse(block.X) else block.X
        weight = np.nan if block.weights is None else float(np.sum(block.weights))
        return cls(block.rows, np.array([_squares(X), _squares(block.y), weight]))

    def joined(self, other: _Content) -> _Content:
        return _Content(self.rows + other.rows, self.sums + other.sums)

    def known(self, other: _Content) -> _Content:
        """What another pass over the same rows has read as well; an error if they are not the same rows."""
        both = ~(np.isnan(self.sums) | np.isnan(other.sums))
        if self.rows != other.rows or not np.allclose(self.sums[both], other.sums[both], rtol=SAME, atol=0.0):
            raise BlockError(
                f"Every pass must read the same rows, got others than in the passes before ({self.rows} rows before, "
                f"{other.rows} now).\nHint: a function that makes blocks must return the same ones every time (fix its "
                "seed), and files must not change during a fit."
            )
        return replace(self, sums=np.where(np.isnan(self.sums), other.sums, self.sums))


def _squares(values: Any) -> float:
    if values is None or values.dtype.kind not in "biufU":
        return np.nan
    flat = values.ravel(order="K")
    flat = flat.view(np.uint32) if flat.dtype.kind == "U" else flat  # letters
    flat = flat if flat.dtype.kind == "f" else flat.astype(np.float64)
    with np.errstate(over="ignore"):
        return float(np.vdot(flat, flat))


@dataclass(frozen=True)
class _Found:
    """What a pass finds in a run of blocks; a header in the first pass."""

    content: _Content
    header: _Header | None
    statistics: Any


def _short(value: Any) -> str:
    text = repr(list(value) if isinstance(value, tuple) else value)
    return text if len(text) <= 200 else text[:200] + "…"


@dataclass(frozen=True)
class _Pass:
    """Reads a block, checks it and summarizes it; travels to the workers."""

    learner: BaseEstimator  # unfitted: says in messages who refuses, and knows its tags
    options: Mapping[str, Any]
    summarize: Callable[[Block, Any], Any]
    state: Any
    has: tuple[bool, bool, bool]  # whether X, y and weights are read
    first: bool
    sketched: bool

    def __call__(self, number: int, part: JointPart) -> Any:
        with blas_on_one_thread():
            # Reading leaves names and widths in the learner, and threads share a pass.
            return replace(self, learner=clone(self.learner))._summary(number, part)

    def _summary(self, number: int, part: JointPart) -> Any:
        try:
            pieces = iter(part.load())
        except (KeyboardInterrupt, MemoryError):
            raise
        except Exception as error:
            raise BlockError(
                f"{part.name} cannot be read: {type(error).__name__}: {error}\n"
                "Hint: repair or leave out this part of the table; nothing was fitted."
            ) from error
        X, y, weights = (next(pieces) if present else None for present in self.has)
        try:
            block = self._checked(X, y, weights, number, part.name)
            if block is None:
                return None
            statistics = self.summarize(block, self.state)
        except (ValueError, TypeError) as error:
            _name_the_block(error, part.name)
        return _Found(_Content.of(block), self._header(block) if self.first else None, statistics)

    def _checked(self, X: Any, y: Any, weights: Any, number: int, name: str) -> Block | None:
        if len(X if X is not None and not hasattr(X, "tocsr") else y if X is None else range(X.shape[0])) == 0:
            return None
        if weights is not None:
            weights = np.asarray(weights)
            weights = weights.ravel() if weights.shape[1:] == (1,) else weights
            if len(weights) and not weights.any():
                return None
        options = dict(self.options)
        multi, numeric = options.pop("multi_output", False), options.pop("y_numeric", False)
        if X is None:
            return Block(
                None, check_target(self.learner, y, multi_output=multi, numeric=numeric), weights, number, name
            )
        if y is None:
            X = check_X(self.learner, X, reset=True, **options)
        else:
            X, y = check_Xy(self.learner, X, y, multi_output=multi, y_numeric=numeric, **options)
        return Block(X, y, check_weights(self.learner, weights, X), number, name)

    def _header(self, block: Block) -> _Header:
        names = getattr(self.learner, "feature_names_in_", None)
        target = None if block.y is None else (kind_of(block.y.dtype), block.y.shape[1:])
        return _Header(
            block.name,
            block.rows,
            block.rows,
            block.X.shape[1],
            None if names is None else tuple(names),
            block.X.dtype,
            target,
            sketch_of(block.X, block.weights) if self.sketched else None,
        )


def kind_of(dtype: np.dtype[Any]) -> str:
    """Numbers are numbers; labels of words and objects are another kind."""
    return "number" if dtype.kind in "biuf" else "text" if dtype.kind in "OUST" else dtype.kind


def _name_the_block(error: ValueError | TypeError, name: str) -> NoReturn:
    if isinstance(error, BlockError):
        raise error
    raise type(error)(f"{error}\nThis is about {name}; rows are counted from its beginning.") from error


@dataclass(frozen=True)
class _Merge:
    """Merges what was found, statistics among it."""

    merge: Callable[[Any, Any], Any]

    def __call__(self, one: _Found, two: _Found) -> _Found:
        header = None if one.header is None or two.header is None else one.header.joined(two.header)
        return _Found(one.content.joined(two.content), header, self.merge(one.statistics, two.statistics))


@dataclass
class RowBlocks:
    """The rows of a fit in blocks.

    Attributes
    ----------
    rows, columns, dtype : int, int, dtype
        Of the whole table; known after the first pass.
    target_shape : tuple of int
        Of the target of one row: empty, or how many targets there are.
    largest : int
        Rows of the largest block; known after the first pass.
    passes : int
        How often the rows have been read.
    """

    learner: Any
    X: BlockTable
    y: BlockTable | None
    weights: BlockTable | None
    options: Mapping[str, Any] = field(default_factory=dict)
    rows: int = 0
    columns: int = 0
    dtype: Any = None
    target_shape: tuple[int, ...] | None = None
    largest: int = 0
    passes: int = 0
    _content: _Content | None = None

    def unfitted(self) -> Any:
        """The learner without what it learned, to be sent to the workers."""
        return clone(self.learner)

    def reduce(
        self, summarize: Callable[[Block, Any], Any], merge: Callable[[Any, Any], Any], state: Any = None
    ) -> Any:
        """Statistics of all rows.

        Parameters
        ----------
        summarize : callable
            A block and the state -> statistics, of a size that does not grow with the rows. Must be picklable.
        merge : callable
            Statistics of two runs of blocks, the earlier one first -> those of both.
        state : object
            What the blocks need to know, such as the coefficients so far.
        """
        first = self.rows == 0
        tables = [table for table in (self.X, self.y, self.weights) if table is not None]
        has = (True, self.y is not None, self.weights is not None)
        task = _Pass(
            clone(self.learner), self.options, summarize, state, has, first, bool(config.training_rows) and first
        )
        return self._run(tables, task, merge)

    def reduce_targets(
        self, summarize: Callable[[Block, Any], Any], merge: Callable[[Any, Any], Any], state: Any = None
    ) -> Any:
        """As `reduce`, but only targets and weights are read; ``X`` of the blocks is None."""
        tables = [table for table in (self.y, self.weights) if table is not None]
        has = (False, True, self.weights is not None)
        task = _Pass(clone(self.learner), self.options, summarize, state, has, False, False)
        return self._run(tables, task, merge)

    def label_counts(self) -> tuple[Array, Array, Array]:
        """The labels in order, the total weight of each, and its rows; one reading of the target."""
        found = self.reduce_targets(count_labels, MergeClasses(sums))
        return found.labels, *found.arrays

    def _run(self, tables: Sequence[BlockTable], task: _Pass, merge: Callable[[Any, Any], Any]) -> Any:
        self.passes += 1
        found: _Found | None = current_runner(tables).reduce(joint_parts(tables), task, _Merge(merge))
        if found is None:
            raise ValueError(
                f"Found array with 0 sample(s): all blocks of the table are empty or have weight 0, while a minimum of "
                f"1 is required by {type(self.learner).__name__}."
            )
        self._content = found.content if self._content is None else self._content.known(found.content)
        if found.header is not None:
            self._store(found.header)
        return found.statistics

    def _store(self, header: _Header) -> None:
        self.rows, self.columns, self.dtype = header.rows, header.width, header.dtype
        self.largest, self.target_shape = header.largest, None if header.target is None else header.target[1]
        self.learner.n_features_in_ = header.width
        vars(self.learner).pop("feature_names_in_", None)
        if header.names is not None:
            self.learner.feature_names_in_ = np.asarray(header.names, dtype=object)
        if header.sketch is not None:
            saw_sketch(self.learner, header.sketch)


def count_labels(block: Block, state: Any) -> ClassStatistics:
    """The labels of a block, the weight of each, and its rows."""
    del state
    labels, codes = block_labels(block.y)
    rows = np.bincount(codes, minlength=len(labels)).astype(np.float64)
    weights = rows if block.weights is None else np.bincount(codes, block.weights, len(labels))
    return ClassStatistics(labels, (weights, rows))
