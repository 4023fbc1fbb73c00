"""The triangular factor of a centered table in blocks: a small table with the same least-squares problem.

Where the second moments are too ill-conditioned, R of QR keeps twice their digits. Factors of blocks, stacked and
factored again, give that of all rows (Demmel, Grigori, Hoemmen, Langou 2012, section 5);
its size does not grow with the rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base.blocks import Block, RowBlocks

Array = NDArray[np.float64]


@dataclass(frozen=True)
class _Around:
    targets: Any
    mean_x: Array
    mean_y: Array


def _factor(block: Block, around: _Around) -> Array:
    target, weights = around.targets.of(block)
    table = np.hstack([block.X - around.mean_x, target - around.mean_y])
    if weights is not None:
        table *= np.sqrt(weights)[:, None]
    return np.asarray(np.linalg.qr(table, mode="r"))


def _stacked(one: Array, two: Array) -> Array:
    return np.asarray(np.linalg.qr(np.vstack([one, two]), mode="r"))


def triangle(rows: RowBlocks, targets: Any, mean_x: Array, mean_y: Array) -> tuple[Array, Array]:
    """R of the centered, weighted columns, and what it makes of the targets."""
    found = rows.reduce(_factor, _stacked, _Around(targets, mean_x, mean_y))
    return np.ascontiguousarray(found[:, : rows.columns]), np.ascontiguousarray(found[:, rows.columns :])
