"""Majorization of the stress (de Leeuw 1977): places whose distances are near given ones, better in every step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression

from certus.geometry import pairwise_distances

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Places:
    """Where the steps ended: coordinates, raw stress per step, and the sum of the squared distances."""

    rows: Floats
    stress: list[float]
    squares: float

    @property
    def normalized(self) -> float:
        """Kruskal's stress-1."""
        return float(np.sqrt(self.stress[-1] / self.squares)) if self.squares > 0.0 else 0.0


def majorize(
    wanted: Floats, start: Floats, *, metric: bool, max_iter: int, eps: float, tell: Callable[[float], bool]
) -> Places:
    """Guttman's transform again and again, until the stress falls by less than eps over the squared distances.

    The stress is sum_{i<j} (d_ij - |x_i - x_j|)^2. Without ``metric`` d are any numbers in the order of the wanted
    distances, of fixed length; before every transform the best of them.
    """
    count = len(wanted)
    order = None if metric else _Order(wanted)
    aims = wanted if order is None else order.scaled(wanted)
    places, distances = start, pairwise_distances(start)
    history: list[float] = []
    for step in range(max_iter):
        if order is not None and step:
            aims = order.nearest(distances)
        ratio = np.divide(aims, distances, out=np.zeros_like(aims), where=distances > 0.0)
        places = (ratio.sum(axis=1)[:, None] * places - ratio @ places) / count
        distances = pairwise_distances(places)
        history.append(0.5 * float(((distances - aims) ** 2).sum()))
        squares = 0.5 * float((distances**2).sum())
        ended = len(history) > 1 and history[-2] - history[-1] < eps * squares
        if tell(history[-1]) or ended:
            break
    return Places(places, history, squares)


class _Order:
    """Distances above 0 by their order; equal ones stay equal, and those of 0 count as missing."""

    def __init__(self, wanted: Floats) -> None:
        self.pairs = np.triu_indices(len(wanted), 1)
        flat = wanted[self.pairs]
        self.there = flat > 0.0
        _, self.group = np.unique(flat[self.there], return_inverse=True)
        self.sizes = np.bincount(self.group).astype(np.float64)
        self.count = len(wanted)

    def nearest(self, distances: Floats) -> Floats:
        """The numbers in this order that are nearest to the distances, in the fixed length."""
        means = np.bincount(self.group, weights=distances[self.pairs][self.there]) / self.sizes
        fitted = isotonic_regression(means, weights=self.sizes).x
        return self._table(np.maximum(fitted, 0.0)[self.group])

    def scaled(self, wanted: Floats) -> Floats:
        """The wanted distances in the fixed length."""
        return self._table(wanted[self.pairs][self.there])

    def _table(self, values: Floats) -> Floats:
        length = np.sqrt(0.5 * self.count * (self.count - 1))
        flat = np.zeros(len(self.there))
        flat[self.there] = values * (length / (np.linalg.norm(values) or 1.0))
        found = np.zeros((self.count, self.count))
        found[self.pairs] = flat
        return found + found.T


def placed(distances: Floats, places: Floats, steps: int = 300) -> Floats:
    """Places of single new rows with such distances (one line each) to fixed ones: the same transform for each.

    A row that is at distance 0 of a fixed one gets its place.
    """
    middle = places.mean(axis=0)
    centered = places - middle
    lengths = (centered**2).sum(axis=1)
    squares = distances**2
    aims = 0.5 * (lengths - lengths.mean() - squares + squares.mean(axis=1, keepdims=True))
    found = np.linalg.lstsq(centered, aims.T, rcond=None)[0].T  # by squared distances, as a start
    for _ in range(steps):
        away = pairwise_distances(found, centered)
        ratio = np.divide(distances, away, out=np.zeros_like(away), where=away > 0.0)
        moved = (ratio.sum(axis=1)[:, None] * found - ratio @ centered) / len(centered)
        if not np.abs(moved - found).max() > 1e-12 * np.abs(moved).max():
            break
        found = moved
    known = distances.min(axis=1) == 0.0
    found = found + middle
    found[known] = places[distances[known].argmin(axis=1)]
    return np.asarray(found)
