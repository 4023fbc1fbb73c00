"""The only caller of the native module in this package."""

import numpy as np

from certus import _native

BETTING_CAP = 0.75  # largest share of the capital that betting puts at risk; WSR recommend 1/2 to 3/4
STAR_CAP = 0.95
_STAR_GRID_STEP = 0.02  # in units of the largest standard error that losses in [0, 1] can have


def betting_upper(samples: np.ndarray, log_level: float, threads: int = 1) -> np.ndarray:
    """Upper bounds on means in [0, 1] by betting, one per row of `samples`."""
    out = np.empty(len(samples))
    _native.betting_upper(np.ascontiguousarray(samples), log_level, BETTING_CAP, out, threads)
    return out


def star_upper(samples: np.ndarray, log_level: float, threads: int = 1) -> np.ndarray:
    """Upper bounds on means in [0, 1] by STaR bets, one per row of `samples`."""
    out = np.empty(len(samples))
    grid = star_grid(samples.shape[1])
    _native.star_upper(np.ascontiguousarray(samples), log_level, STAR_CAP, grid, out, threads)
    return out


def star_grid(rows: int) -> np.ndarray:
    """Descending candidate means from 1 to 0, fixed by the number of rows alone.

    The spacing is 1/50 of sqrt(m(1-m)/rows), the largest standard error that a mean m can have.
    """
    steps = int(np.ceil(np.pi * np.sqrt(rows) / _STAR_GRID_STEP))
    return np.sin(np.linspace(np.pi / 2, 0.0, steps + 1)) ** 2


def seeded_order(seed: int, rows: int) -> np.ndarray:
    """The permutation of `rows` rows that belongs to a seed, the same on every platform."""
    out = np.empty(rows, dtype=np.int64)
    _native.seeded_order(seed, out)
    return out


def hash_rows(table: np.ndarray, keys: np.ndarray, threads: int = 1) -> np.ndarray:
    """A 64-bit hash of every row of a table of floats."""
    out = np.empty(len(table), np.uint64)
    _native.hash_rows(table, keys, out, threads)
    return out


def hash_sparse_rows(
    values: np.ndarray, columns: np.ndarray, starts: np.ndarray, keys: np.ndarray, threads: int = 1
) -> np.ndarray:
    """A 64-bit hash of every row of a compressed sparse matrix."""
    out = np.empty(len(starts) - 1, np.uint64)
    _native.hash_sparse_rows(values, columns, starts, keys, out, threads)
    return out
