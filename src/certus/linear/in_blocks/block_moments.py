"""Second moments of blocks, merged with what is known about their rounding errors."""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base import resolve_threads
from certus.base.blocks import Block, RowBlocks
from certus.linear.design.moments import UNIT, Moments, compute_moments, gamma, rounded_off, without_constants

Array = NDArray[np.float64]


@dataclass(frozen=True)
class _Request:
    targets: Any
    center: bool


def _of_block(block: Block, request: _Request) -> Moments:
    target, weights = request.targets.of(block)
    found = compute_moments(block.X, target, weights, center=request.center, threads=resolve_threads())
    if found is None:
        raise ValueError(
            f"The squares of the values in X or y overflow; the largest value in X is {np.abs(block.X).max():g}.\n"
            "Hint: rescale the columns, or the target."
        )
    return found


def merged_moments(one: Moments, two: Moments, *, center: bool) -> Moments:
    """Moments of both (Chan, Golub, LeVeque 1983), with sizes that bound the errors of both and of their means.

    A product of differences of means d_i d_j, whose factors are off by e_i and e_j, is off by at most
    ``error (d_i + e_i / error) (d_j + e_j / error)``; such a vector joins the sizes.
    """
    weight = one.weight + two.weight
    share = two.weight / weight
    lever = one.weight * share
    error = max(one.error, two.error) + 8.0 * UNIT
    step_x = (two.mean_x - one.mean_x) + (two.low_x - one.low_x)
    step_y = (two.mean_y - one.mean_y) + (two.low_y - one.low_y)

    def size(mine: Array, other: Array, mean: Array, step: Array) -> Array:
        off = 8.0 * UNIT * (np.abs(step) + UNIT * np.abs(mean))
        off += error * (mine / np.sqrt(one.weight) + other / np.sqrt(two.weight))
        reach = np.sqrt(lever) * (np.abs(step) + off / error)
        return np.sqrt(mine**2 + other**2 + reach**2) * (1.0 + 8.0 * UNIT)

    column_size, target_size = np.hypot(one.column_size, two.column_size), np.hypot(one.target_size, two.target_size)
    if center:
        column_size = size(one.column_size, two.column_size, one.mean_x, step_x)
        target_size = size(one.target_size, two.target_size, one.mean_y, step_y)
    mean_x, mean_y = one.mean_x + share * step_x, one.mean_y + share * step_y
    return Moments(
        rows=one.rows + two.rows,
        weight=weight,
        mean_x=mean_x,
        mean_y=mean_y,
        gram=one.gram + two.gram + lever * np.outer(step_x, step_x),
        cross=one.cross + two.cross + lever * np.outer(step_x, step_y),
        target_squares=one.target_squares + two.target_squares + lever * step_y**2,
        column_size=column_size,
        target_size=target_size,
        error=error,
        low_x=rounded_off(one.mean_x, share * step_x, mean_x) + one.low_x,
        low_y=rounded_off(one.mean_y, share * step_y, mean_y) + one.low_y,
    )


def moments_in_blocks(rows: RowBlocks, targets: Any, *, center: bool) -> Moments:
    """The moments of all rows, in one pass."""
    found: Moments = rows.reduce(_of_block, functools.partial(merged_moments, center=center), _Request(targets, center))
    found = replace(found, error=found.error + gamma(64))  # the tree of additions above the blocks
    return without_constants(found) if center else found
