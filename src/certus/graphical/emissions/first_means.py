"""Means to begin with: of rows whose state is known, and of clusters of the others."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from certus.cluster import KMeans
from certus.graphical.sequences.sequence_input import SequenceBatch

Floats = NDArray[np.float64]
MOST_ROWS = 20_000


def filled_rows(batch: SequenceBatch) -> Floats:
    """The rows with the mean of their column where a cell is missing."""
    values, missing = batch.rows.values, batch.rows.missing
    if missing is None:
        return np.asarray(values)
    there = np.maximum((~missing).sum(axis=0), 1)
    return np.where(missing, values.sum(axis=0) / there, values)


def first_means(batch: SequenceBatch, states: int, rng: np.random.Generator) -> Floats:
    """A mean per state."""
    rows = filled_rows(batch)
    means = np.full((states, rows.shape[1]), np.nan)
    if batch.allowed is not None:
        single = batch.allowed.sum(axis=1) == 1
        known = np.where(single, batch.allowed.argmax(axis=1), -1)
        for state in range(states):
            if (known == state).any():
                means[state] = rows[known == state].mean(axis=0)
        rows = rows[~single] if (~single).any() else rows
    left = np.flatnonzero(np.isnan(means[:, 0]))
    if len(left):
        means[left] = cluster_means(rows, len(left), rng)
    return means


def cluster_means(rows: Floats, count: int, rng: np.random.Generator) -> Floats:
    """Means of clusters of some of the rows; rows that are too few get company nearby."""
    if len(rows) > MOST_ROWS:
        rows = rows[np.sort(rng.choice(len(rows), MOST_ROWS, replace=False))]
    distinct = np.unique(rows, axis=0)
    if len(distinct) < count:
        spread = rows.std(axis=0) + 1e-3 * (1.0 + np.abs(rows).max())
        more = distinct[rng.integers(len(distinct), size=count - len(distinct))]
        return np.vstack([distinct, more + spread * rng.normal(size=more.shape)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # a start need not be exact
        model = KMeans(count, n_init=1, max_iter=50, random_state=int(rng.integers(2**31))).fit(rows)
    return np.asarray(model.cluster_centers_, dtype=np.float64)


def column_floors(batch: SequenceBatch, least: float) -> Floats:
    """Variances below which a component has collapsed: a billionth of those of the columns."""
    variances = filled_rows(batch).var(axis=0)
    return 1e-9 * np.where(variances > 0.0, variances, max(least, 1e-300))
