"""The one place of this family that calls compiled code."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus import _native
from certus.base import resolve_threads

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]
KERNELS = ("gaussian", "tophat", "epanechnikov", "exponential", "linear", "cosine")  # numbered as in compiled code


def vote_winners(neighbors: Rows, weights: Floats | None, codes: Rows, classes: int, threads: int) -> Rows:
    """The class with the greatest total weight among each query's neighbors, the first of equals."""
    winner = np.empty(len(neighbors), dtype=np.intp)
    _native.vote_winners(neighbors, weights, codes, classes, threads, winner)
    return winner


def vote_shares(neighbors: Rows, weights: Floats | None, codes: Rows, classes: int, threads: int) -> Floats:
    """Each class's share of the total weight of each query's neighbors."""
    shares = np.empty((len(neighbors), classes))
    _native.vote_shares(neighbors, weights, codes, threads, shares)
    return shares


def build_density_rows(rows: Floats, weights: Floats) -> Any:
    """Rows with positive weights, cut into groups around which kernels are summed."""
    return _native.build_density_rows(np.ascontiguousarray(rows), np.ascontiguousarray(weights))


def log_sums(
    density_rows: Any,
    queries: Floats,
    kernel: str,
    bandwidths: Floats,
    *,
    absolute: float = 0.0,
    relative: float = 0.0,
    leave_out: bool = False,
) -> Floats:
    """Ln sum_i w_i K(|(x_i - q) / bandwidths|), wrong by at most absolute + relative times the sum.

    With ``leave_out`` the queries are the rows themselves, each of which is left out of its own sum.
    """
    out = np.empty(len(queries))
    given = np.ascontiguousarray(queries), KERNELS.index(kernel), 1.0 / bandwidths
    density_rows.log_sums(*given, absolute, relative, leave_out, resolve_threads(), out)
    return out


def log_sums_at(distances: Floats, weights: Floats, kernel: str, bandwidth: float) -> Floats:
    """The same at given distances, one line per query; they are overwritten."""
    out = np.empty(len(distances))
    given = distances, weights, KERNELS.index(kernel), 1.0 / bandwidth
    _native.density_log_sums_at(*given, resolve_threads(), out)
    return out
