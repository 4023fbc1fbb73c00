"""`sample`: rows drawn from a table in blocks, with the price of having drawn them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from certus.base.blocks import BlockTable, JointPart, as_block_tables, current_runner, joint_parts
from certus.guarantees import Report
from certus.guarantees.holdout import sampled_mean_bound


@dataclass(frozen=True)
class RowSample:
    """Rows that were drawn.

    Attributes
    ----------
    rows : data frame, array, or tuple of them
        The rows in the order of the table, of the kind that its blocks have.
    population : int
        How many rows there are in the table.
    report : Report
        The price of sampling: how far the mean of a loss over these rows can be from its mean over all.
    """

    rows: Any
    population: int
    report: Report

    def xy(self, target: Any = None) -> tuple[Any, Any]:
        """The other columns and the target: ``model.fit(*sample.xy("y"))``."""
        (block,) = (BlockTable(_OneBlock(self.rows)),)
        X, y = block.xy(target)
        return next(iter(X)), next(iter(y))


@dataclass(frozen=True)
class _OneBlock:
    rows: Any
    columns: tuple[Any, ...] | None = None

    def parts(self) -> Sequence[_OneBlock]:
        """The block itself."""
        return [self]

    name = "the sample"

    def load(self, selections: Sequence[Any]) -> list[Any]:
        """The columns of every selection."""
        return [selection.pick(self.rows) for selection in selections]


def sample(table: Any, rows: int, *, seed: int = 0, confidence: float = 0.95) -> RowSample:
    """Rows of a table in blocks, every set of so many rows equally likely; one pass.

    The draw depends on the seed and the blocks alone, not on who reads them.

    Parameters
    ----------
    table : BlockTable, or Dask array or data frame
        What to draw from.
    rows : int
        How many rows; all of them if there are fewer.
    seed : int, default=0
        Another one draws other rows.
    confidence : float, default=0.95
        Of the certificate.

    Returns
    -------
    RowSample

    Examples
    --------
    >>> import numpy as np, certus
    >>> table = certus.scale.blocks([np.arange(10.0).reshape(5, 2), np.arange(10.0, 20.0).reshape(5, 2)])
    >>> drawn = certus.scale.sample(table, 4)
    >>> drawn.rows.shape, drawn.population, round(drawn.report["price of sampling"].value, 2)
    ((4, 2), 10, 0.57)
    """
    if not isinstance(rows, int | np.integer) or isinstance(rows, bool) or rows < 1:
        raise ValueError(f"rows must be an integer that is at least 1, got {rows!r}.")
    (blocks,) = as_block_tables([table])
    assert blocks is not None
    found = current_runner([blocks]).reduce(joint_parts([blocks]), _Draw(int(rows), int(seed)), _Smallest(int(rows)))
    if found is None or found.population == 0:
        raise ValueError("table must have rows to draw from, got none.")
    order = np.lexsort((found.places[:, 1], found.places[:, 0]))
    certificate = sampled_mean_bound(len(order), found.population, confidence=confidence)
    return RowSample(_taken(found.rows, order), found.population, Report([certificate]))


@dataclass(frozen=True)
class _Drawn:
    """The rows with the smallest keys among those that have been read."""

    population: int
    keys: NDArray[np.uint64]
    places: NDArray[np.int64]  # block and row
    rows: Any


@dataclass(frozen=True)
class _Draw:
    """The rows of a block with the smallest random keys."""

    rows: int
    seed: int

    def __call__(self, number: int, part: JointPart) -> _Drawn | None:
        (block,) = part.load()
        count = _length(block)
        if count == 0:
            return None
        keys = np.random.Generator(np.random.Philox([self.seed, number])).integers(2**64, size=count, dtype=np.uint64)
        chosen = _smallest(keys, self.rows)
        places = np.column_stack([np.full(len(chosen), number), chosen])
        return _Drawn(count, keys[chosen], places, _taken(block, chosen))


@dataclass(frozen=True)
class _Smallest:
    """Keeps the rows with the smallest keys of both."""

    rows: int

    def __call__(self, one: _Drawn, two: _Drawn) -> _Drawn:
        keys = np.concatenate([one.keys, two.keys])
        chosen = _smallest(keys, self.rows)
        places = np.concatenate([one.places, two.places])[chosen]
        return _Drawn(
            one.population + two.population, keys[chosen], places, _taken(_stacked(one.rows, two.rows), chosen)
        )


def _smallest(keys: NDArray[np.uint64], rows: int) -> NDArray[np.intp]:
    """Places of the smallest keys, in the order of the rows."""
    return np.sort(np.argsort(keys, kind="stable")[:rows])


def _length(block: Any) -> int:
    return _length(block[0]) if isinstance(block, tuple) else int(block.shape[0])


def _taken(block: Any, places: NDArray[np.intp]) -> Any:
    if isinstance(block, tuple):
        return tuple(_taken(part, places) for part in block)
    if nw.dependencies.is_into_dataframe(block):
        return nw.from_native(block, eager_only=True)[places].to_native()
    return block.tocsr()[places] if sparse.issparse(block) else np.asarray(block)[places]


def _stacked(one: Any, two: Any) -> Any:
    if isinstance(one, tuple):
        return tuple(_stacked(a, b) for a, b in zip(one, two, strict=True))
    if nw.dependencies.is_into_dataframe(one):
        return nw.concat([nw.from_native(one, eager_only=True), nw.from_native(two, eager_only=True)]).to_native()
    return sparse.vstack([one, two]).tocsr() if sparse.issparse(one) else np.concatenate([one, two])
