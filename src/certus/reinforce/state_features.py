"""Features of states: what a function of states is linear in."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from certus.base import StoresParameters, register_part
from certus.guarantees.records import check_count

Floats = NDArray[np.float64]
MOST_FEATURES = 1_000_000


class StateFeatures(StoresParameters, BaseEstimator):
    """A map from states to vectors: use one of its heirs."""

    def transform(self, states: ArrayLike) -> Floats:
        """The features of states, of shape (states, features)."""
        raise NotImplementedError

    def _scaled(self, states: ArrayLike, low: ArrayLike, high: ArrayLike) -> Floats:
        """States moved to [0, 1]^d; what lies outside is moved to the border."""
        ends = np.atleast_1d(np.asarray(low, dtype=np.float64)), np.atleast_1d(np.asarray(high, dtype=np.float64))
        if ends[0].shape != ends[1].shape or ends[0].ndim != 1 or not (ends[0] < ends[1]).all():
            raise ValueError(f"low must be less than high in every place, got {low!r} and {high!r}.")
        given = np.asarray(states, dtype=np.float64)
        if given.ndim != 2 or given.shape[1] != len(ends[0]):
            raise ValueError(f"states must have the shape (n, {len(ends[0])}), as low and high say, got {given.shape}.")
        if np.isnan(given).any():
            raise ValueError(f"states: row {int(np.flatnonzero(np.isnan(given).any(axis=1))[0])} has NaN.")
        return np.clip((given - ends[0]) / (ends[1] - ends[0]), 0.0, 1.0)


@register_part("reinforce")
class OneHot(StateFeatures):
    """One feature for every numbered state: the tables, as a special case.

    Parameters
    ----------
    n_states : int
        Number of states.
    """

    def __init__(self, n_states: int) -> None:
        self._set_parameters(locals())

    def transform(self, states: ArrayLike) -> Floats:
        """The features of states, of shape (states, features)."""
        numbers = np.asarray(states)
        if numbers.ndim != 1 or numbers.dtype.kind not in "iu":
            raise ValueError(f"states must be whole numbers, got {numbers.dtype} of shape {numbers.shape}.")
        count = check_count(self.n_states, "n_states", minimum=1)
        if numbers.size and not (numbers.min() >= 0 and numbers.max() < count):
            span = f"{numbers.min()} .. {numbers.max()}"
            raise ValueError(f"states must lie in 0 .. {count - 1}, as n_states says, got {span}.")
        return np.eye(count)[numbers]


@register_part("reinforce")
class Polynomial(StateFeatures):
    """All products of powers of the coordinates up to a degree.

    Parameters
    ----------
    low, high : array-like of shape (d,)
        The range of the states, which is moved to [0, 1].
    degree : int, default=2
        Largest sum of the powers.
    """

    def __init__(self, low: Any, high: Any, degree: int = 2) -> None:
        self._set_parameters(locals())

    def transform(self, states: ArrayLike) -> Floats:
        """The features of states, of shape (states, features)."""
        places = self._scaled(states, self.low, self.high)
        degree = check_count(self.degree, "degree")
        powers = _exponents(places.shape[1], degree)
        powers = powers[powers.sum(axis=1) <= degree]
        return np.asarray(np.prod(places[:, None, :] ** powers, axis=2))


@register_part("reinforce")
class FourierFeatures(StateFeatures):
    """cos(pi c . x) for all whole vectors c of entries up to an order (Konidaris, Osentoski, Thomas 2011).

    Parameters
    ----------
    low, high : array-like of shape (d,)
        The range of the states, which is moved to [0, 1].
    order : int, default=3
        Largest entry.
    """

    def __init__(self, low: Any, high: Any, order: int = 3) -> None:
        self._set_parameters(locals())

    def transform(self, states: ArrayLike) -> Floats:
        """The features of states, of shape (states, features)."""
        places = self._scaled(states, self.low, self.high)
        return np.cos(np.pi * places @ _exponents(places.shape[1], check_count(self.order, "order")).T)


@register_part("reinforce")
class TileCoding(StateFeatures):
    """Several grids, each moved a little: one cell of each contains the state, and has the feature 1 / grids.

    Parameters
    ----------
    low, high : array-like of shape (d,)
        The range of the states.
    tiles : int, default=8
        Cells of a grid along every coordinate.
    tilings : int, default=8
        Number of grids.
    """

    def __init__(self, low: Any, high: Any, tiles: int = 8, tilings: int = 8) -> None:
        self._set_parameters(locals())

    def transform(self, states: ArrayLike) -> Floats:
        """The features of states, of shape (states, features)."""
        places = self._scaled(states, self.low, self.high)
        tiles = check_count(self.tiles, "tiles", minimum=1)
        tilings = check_count(self.tilings, "tilings", minimum=1)
        columns = (tiles + 1) ** places.shape[1]
        if columns * tilings > MOST_FEATURES:
            raise ValueError(f"tiles, tilings: {columns * tilings} features are more than {MOST_FEATURES}.")
        found = np.zeros((len(places), tilings * columns))
        odd = 2 * np.arange(places.shape[1]) + 1  # moved by odd multiples, so that grids differ in every direction
        for tiling in range(tilings):
            moved = places * tiles + (tiling * odd / tilings) % 1.0
            cells = np.minimum(moved.astype(np.int64), tiles)
            number = np.ravel_multi_index(tuple(cells.T), (tiles + 1,) * places.shape[1])
            found[np.arange(len(places)), tiling * columns + number] = 1.0 / tilings
        return found


def _exponents(dimensions: int, most: int) -> Floats:
    """All vectors of whole numbers up to `most`."""
    if (most + 1) ** dimensions > MOST_FEATURES:
        raise ValueError(f"{(most + 1) ** dimensions} features are more than {MOST_FEATURES}.")
    return np.array(list(itertools.product(range(most + 1), repeat=dimensions)), dtype=np.float64)
