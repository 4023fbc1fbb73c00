"""Which terms become columns: not too rare, not too common, and at most so many."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

Columns = NDArray[np.int64]


def chosen_columns(
    ranks: Columns, rows: Columns, sums: Columns, n_rows: int, max_df: Any, min_df: Any, max_features: int | None
) -> Columns:
    """The column of every term in the order of the terms, or -1 if it is left out.

    Parameters
    ----------
    ranks : ndarray of shape (n_terms,)
        The place of each term in the order of all.
    rows, sums : ndarray of shape (n_terms,)
        Texts that have the term, and how often it occurs.
    n_rows : int
        Number of texts.
    max_df, min_df : int or float
        Most and least texts that a term may be in; as a share of all if they are floats.
    max_features : int or None
        Most columns; the most frequent terms are kept.
    """
    most, least = (df * (1 if isinstance(df, Integral) else n_rows) for df in (max_df, min_df))
    if most < least:
        raise ValueError(
            "max_df corresponds to < documents than min_df\n"
            f"Hint: max_df allows at most {most:g} texts and min_df asks for at least {least:g}, of {n_rows}."
        )
    order = np.empty_like(ranks)
    order[ranks] = np.arange(len(ranks))
    kept = (rows[order] <= most) & (rows[order] >= least)
    if max_features is not None and kept.sum() > max_features:
        inside = np.flatnonzero(kept)
        kept[:] = False
        kept[inside[(-sums[order][inside]).argsort()[:max_features]]] = True
    if not kept.any():
        raise ValueError("After pruning, no terms remain. Try a lower min_df or a higher max_df.")
    places = np.where(kept, np.cumsum(kept) - 1, -1)
    return places[ranks].astype(np.int64, copy=False)
