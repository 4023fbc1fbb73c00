"""Layers of images (batch, channel, height, width)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import ArrayLike

from certus.neural.modules.first_weights import initial_weights
from certus.neural.modules.module import Array, Module, floats


def _check_images(module: Module, images: Array, channels: int | None, size: int) -> None:
    wrong_channels = channels is not None and images.ndim == 4 and images.shape[1] != channels
    if images.ndim != 4 or wrong_channels or min(images.shape[2:]) < size:
        wanted = "channels" if channels is None else f"{channels} channels"
        raise ValueError(
            f"{type(module).__name__}: the inputs must be (batch, {wanted}, height, width) with sides of at least "
            f"{size}, "
            f"got the shape {images.shape}.\nHint: images[:, None] adds the axis of a single channel."
        )


class Conv2d(Module):
    """Every output channel is the sum over input channels of a filter that slides over the image, plus an offset.

    Parameters
    ----------
    n_in, n_out : int
        Channels.
    size : int, default=3
        Height and width of the filters.
    stride : int, default=1
        Steps between windows.
    padding : int, default=0
        Zeros around the image.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the filters.
    """

    def __init__(
        self, n_in: int, n_out: int, size: int = 3, *, stride: int = 1, padding: int = 0, random_state: Any = None
    ) -> None:
        super().__init__()
        self.size, self.stride, self.padding = size, stride, padding
        filters = initial_weights(n_in * size * size, n_out, init="he", random_state=random_state)
        self._own_parameters = {
            "weights": np.ascontiguousarray(filters.T).reshape(n_out, n_in, size, size),
            "bias": np.zeros(n_out),
        }

    def forward(self, x: ArrayLike) -> Array:
        """Windows times filters."""
        images, weights = floats(x), self._own_parameters["weights"]
        _check_images(self, images, weights.shape[1], max(1, self.size - 2 * self.padding))
        p = self.padding
        padded = np.pad(images, ((0, 0), (0, 0), (p, p), (p, p)))
        windows = sliding_window_view(padded, (self.size, self.size), axis=(2, 3))[:, :, :: self.stride, :: self.stride]
        self._kept = windows, padded.shape
        return (
            np.einsum("bchwij,ocij->bohw", windows, weights, optimize=True)
            + self._own_parameters["bias"][:, None, None]
        )

    def backward(self, gradient: ArrayLike) -> Array:
        """Every window's gradient is added where the window was."""
        (windows, shape), g, weights = self._recall(), floats(gradient), self._own_parameters["weights"]
        self._own_gradients = {
            "weights": np.einsum("bchwij,bohw->ocij", windows, g, optimize=True),
            "bias": g.sum(axis=(0, 2, 3)),
        }
        inner, (height, width), s = np.zeros(shape), g.shape[2:], self.stride
        for i in range(self.size):
            for j in range(self.size):
                passed = np.einsum("bohw,oc->bchw", g, weights[:, :, i, j], optimize=True)
                inner[:, :, i : i + s * height : s, j : j + s * width : s] += passed
        p = self.padding
        return inner[:, :, p : shape[2] - p, p : shape[3] - p]


class MaxPool2d(Module):
    """The largest number of every square of that size; what is left over at the end is dropped.

    Parameters
    ----------
    size : int, default=2
        Side of the squares, which do not overlap.
    """

    def __init__(self, size: int = 2) -> None:
        super().__init__()
        self.size = size

    def forward(self, x: ArrayLike) -> Array:
        """The largest of every square."""
        images, s = floats(x), self.size
        _check_images(self, images, None, s)
        batch, channels, height, width = images.shape
        cut = images[:, :, : height // s * s, : width // s * s]
        squares = cut.reshape(batch, channels, height // s, s, width // s, s).swapaxes(3, 4)
        flat = squares.reshape(*squares.shape[:4], s * s)
        places = flat.argmax(axis=-1)[..., None]
        self._kept = places, images.shape
        return np.take_along_axis(flat, places, axis=-1)[..., 0]

    def backward(self, gradient: ArrayLike) -> Array:
        """The gradient goes to the first of the largest numbers."""
        (places, shape), g, s = self._recall(), floats(gradient), self.size
        flat = np.zeros((*g.shape, s * s))
        np.put_along_axis(flat, places, g[..., None], axis=-1)
        batch, channels, rows, columns = g.shape
        inner = np.zeros(shape)
        squares = flat.reshape(batch, channels, rows, columns, s, s).swapaxes(3, 4)
        inner[:, :, : rows * s, : columns * s] = squares.reshape(batch, channels, rows * s, columns * s)
        return inner


class Flatten(Module):
    """(batch, ...) as (batch, features)."""

    def forward(self, x: ArrayLike) -> Array:
        """One row per example."""
        given = floats(x)
        self._kept = given.shape
        return given.reshape(len(given), -1)

    def backward(self, gradient: ArrayLike) -> Array:
        """Back in the old shape."""
        return floats(gradient).reshape(self._recall())
