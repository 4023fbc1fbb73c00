"""Threshold networks with constructed weights that compute a given Boolean function exactly."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import ArrayLike, NDArray

from certus.neural.modules.layered_network import LayeredNetwork
from certus.neural.modules.module import Array, floats

LARGEST = 16  # inputs: 2^16 values


class BooleanNetwork:
    """A network of sign units with one hidden layer; made by `boolean_network`.

    Attributes
    ----------
    network : LayeredNetwork
        Its weights.
    n_hidden : int
        Units of the hidden layer.
    """

    def __init__(self, network: LayeredNetwork) -> None:
        self.network = network
        self.n_hidden = network.widths[1]

    def predict(self, X: ArrayLike) -> NDArray[np.int8]:
        """-1 or 1 for every row of -1 and 1."""
        rows = floats(X)
        if not np.isin(rows, (-1.0, 1.0)).all():
            raise ValueError("X must have -1 and 1 only.\nHint: 2 * X - 1 for rows of 0 and 1.")
        return self.network.forward(rows)[:, 0].astype(np.int8)


def boolean_network(table: ArrayLike) -> BooleanNetwork:
    """A network of sign units with one hidden layer that computes the function of that truth table.

    A function of d inputs takes one hidden unit sign(u'x - d + 1) for every corner u where it is 1, and the output
    sign(sum of units + k - 1) for k units; where it is 1 more often than -1, the network of its complement with the
    other sign. That is at most 2^(d-1) units. A function of the number of inputs that are 1 alone takes one unit for
    every change along that number instead, where that is less: n units for the parity of n inputs.

    Parameters
    ----------
    table : array-like of shape (2^d,)
        -1 or 1 for every row of ``itertools.product((-1, 1), repeat=d)``, in this order; d from 1 to 16.

    Examples
    --------
    >>> xor = boolean_network([-1, 1, 1, -1])
    >>> xor.predict([[-1, -1], [-1, 1], [1, -1], [1, 1]]).tolist(), xor.n_hidden
    ([-1, 1, 1, -1], 2)
    """
    values = floats(table)
    d = int(values.size).bit_length() - 1
    if values.ndim != 1 or values.size != 1 << max(d, 0) or not 1 <= d <= LARGEST or not np.isin(values, (-1, 1)).all():
        raise ValueError(
            f"table must be a vector of 2^d values -1 or 1, for d from 1 to {LARGEST}, got the shape {values.shape}.\n"
            "Hint: one value per row of itertools.product((-1, 1), repeat=d)."
        )
    corners = np.array(list(itertools.product((-1.0, 1.0), repeat=d)))
    sign = 1.0 if np.count_nonzero(values > 0) <= values.size // 2 else -1.0
    chosen = corners[values * sign > 0]
    steps = _changes(corners, values)
    if steps is not None and 1 <= np.count_nonzero(np.diff(steps)) < len(chosen):
        return _of_counts(steps)
    if not len(chosen):
        chosen = corners[:1]  # a constant: its unit is not listened to
        return _network(chosen.T, np.full(1, 1.0 - d), np.zeros(1), -sign)
    k = len(chosen)
    return _network(chosen.T, np.full(k, 1.0 - d), np.full(k, 2.0 * sign), sign * (2.0 * k - 1.0))


def _changes(corners: Array, values: Array) -> Array | None:
    """The function's value for 0, 1, ..., d inputs that are 1, if nothing else matters."""
    ones = (corners > 0).sum(axis=1)
    steps = floats([values[ones == count][0] for count in range(corners.shape[1] + 1)])
    return steps if np.array_equal(steps[ones], values) else None


def _of_counts(steps: Array) -> BooleanNetwork:
    """One unit sign(sum of x - s) between two counts where the function changes; they telescope to the function."""
    d, places = len(steps) - 1, np.flatnonzero(np.diff(steps))
    changes = np.diff(steps)[places] / 2.0
    middles = floats(2.0 * places + 1.0 - d)  # the sum of the inputs is 2 ones - d
    return _network(np.ones((d, len(places))), -middles, changes, float(steps[0] + changes.sum()))


def _network(weights: Array, offsets: Array, output: Array, output_offset: float) -> BooleanNetwork:
    first = np.vstack([offsets, weights])
    last = np.concatenate([[output_offset], output])[:, None]
    return BooleanNetwork(LayeredNetwork((len(weights), weights.shape[1], 1), "sign", weights=[first, last]))
