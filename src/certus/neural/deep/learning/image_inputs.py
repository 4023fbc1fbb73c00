"""Images as inputs of a module: one shape for all, channels last as they come, channels first as torch wants them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base import assert_finite, saw_table
from certus.neural.deep.lazy_torch import torch


class ImageInputs:
    """Images (n, height, width, channels), whose channels are shifted and scaled batch by batch.

    Parameters
    ----------
    images : ndarray
        In any type of numbers; bytes stay bytes until a batch needs them.
    mean, scale : ndarray of shape (channels,)
        What channels are shifted by and divided by.
    """

    lengths: NDArray[np.int64] | None = None

    def __init__(self, images: NDArray[Any], mean: NDArray[np.float64], scale: NDArray[np.float64]) -> None:
        self.images, self.mean, self.scale = images, mean, scale

    @property
    def count(self) -> int:
        """Number of images."""
        return len(self.images)

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the array."""
        return self.images.shape

    def part(self, rows: NDArray[np.int64]) -> ImageInputs:
        """Some of them."""
        return ImageInputs(self.images[rows], self.mean, self.scale)

    def tensors(self, rows: NDArray[np.int64], device: Any) -> tuple[Any, ...]:
        """What a module is called with."""
        # Numbers that single precision would round are shifted first: what is small beside an offset stays.
        kind: type[np.floating[Any]] = np.float32 if np.can_cast(self.images.dtype, np.float32) else np.float64
        shifted = (self.images[rows].astype(kind) - self.mean.astype(kind)) / self.scale.astype(kind)
        numbers = shifted.astype(np.float32, copy=False)
        # Channels stay last in memory, where convolutions on processors are the faster for it.
        return (torch.from_numpy(numbers).permute(0, 3, 1, 2).to(device),)

    def arrays(self) -> Iterable[Any]:
        """What identifies the images."""
        return (self.images,)


def read_images(learner: Any, X: Any, shape: tuple[int, ...] | None) -> NDArray[Any]:
    """Images as an array of four axes; refuses images of several shapes, or of another one than ``shape``."""
    images = _stacked(learner, X)
    if images.ndim == 3:
        images = images[..., None]
    if images.ndim != 4 or 0 in images.shape:
        raise ValueError(
            f"X must be images: (n, height, width) or (n, height, width, channels), got the shape {images.shape}.\n"
            "Hint: X.reshape(len(X), height, width) makes images of rows of pixels."
        )
    if images.dtype.kind not in "biuf":
        raise ValueError(f"X must be images of numbers, got cells of the type {images.dtype}.\nHint: X.astype(float)")
    if shape is not None and images.shape[1:] != shape:
        raise ValueError(
            f"{type(learner).__name__} was fitted to images of the shape {shape}, got {images.shape[1:]}.\n"
            "Hint: crop or resize them to one shape first."
        )
    flat = images.reshape(len(images), -1)
    assert_finite(learner, flat)
    saw_table(learner, flat)
    return images


def _stacked(learner: Any, X: Any) -> NDArray[Any]:
    if isinstance(X, np.ndarray) and X.dtype != object:
        return X
    try:
        images = [np.asarray(image) for image in X]
    except TypeError:
        raise ValueError(
            f"X must be an array or a list of images, got {type(X).__name__}.\nHint: (n, height, width[, channels])"
        ) from None
    if not images:
        raise ValueError(f"Found array with 0 sample(s): {type(learner).__name__} needs images.\nHint: X is empty.")
    for place, image in enumerate(images):
        if image.shape != images[0].shape:
            raise ValueError(
                f"X must hold images of one shape, got {images[0].shape} at place 0 and {image.shape} at place "
                f"{place}.\nHint: crop or resize them to one shape first."
            )
    return np.stack(images)
