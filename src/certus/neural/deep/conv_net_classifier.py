"""Convolutional networks for images. LeCun, Bottou, Bengio, Haffner (1998); Ioffe, Szegedy (2015)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base import fit_method, register
from certus.base.inputs import ClassWeightLike, RandomStateLike
from certus.base.params import ArrayLike, Interval
from certus.neural.deep.learning.deep_learner import CONSTRAINTS, STATE
from certus.neural.deep.learning.image_inputs import ImageInputs, read_images
from certus.neural.deep.learning.label_outputs import LABEL_CONSTRAINTS, LabelOutputs


@register(
    family="neural.deep",
    guarantees=(),
    cost="fit n times pixels times filters per epoch, predict pixels times filters per image",
    needs="deep",
    takes="images",
    draws_rows=True,
)
class ConvNetClassifier(LabelOutputs):
    """Convolutional network for labels of images: arrays (n, height, width) or (n, height, width, channels).

    Every entry of ``channels`` is a convolution with batch normalization, ReLU and pooling of squares of two by two;
    two dense layers with dropout follow. Channels are shifted and scaled by what the training images have on average.
    All images have one shape.

    Parameters
    ----------
    channels : sequence of int
        Filters of every convolution.
    kernel_size : int
        Side of the filters, odd.
    hidden_units : int
        Units of the dense layer before the scores.
    dropout : float
        Share of numbers that is dropped before the dense layers, while learning.

    Attributes
    ----------
    image_shape_ : tuple of int
        Height, width and channels.
    channel_mean_, channel_scale_ : ndarray of shape (channels,)
        What the channels are shifted by and divided by.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from certus.neural.deep import ConvNetClassifier
    >>> images, y = load_digits().images, load_digits().target
    >>> model = ConvNetClassifier(max_epochs=3, random_state=0).fit(images[:1000], y[:1000])
    >>> model.score(images[1000:], y[1000:]) > 0.9
    True
    """

    _arguments = {
        "": """X : array of shape (n, height, width) or (n, height, width, channels), or list of images
    Images of one shape.
y : array-like of shape (n,)
    Their labels."""
    }
    _constraints = {
        **CONSTRAINTS,
        **LABEL_CONSTRAINTS,
        "channels": [ArrayLike()],
        "kernel_size": [Interval(1, None, integer=True)],
        "hidden_units": [Interval(1, None, integer=True)],
        "dropout": [Interval(0, 1, closed="left")],
    }
    _state = ("classes_", "image_shape_", "channel_mean_", "channel_scale_", *STATE)

    image_shape_: tuple[int, int, int]
    channel_mean_: NDArray[np.float64]
    channel_scale_: NDArray[np.float64]

    def __init__(
        self,
        channels: Sequence[int] = (32, 64),
        *,
        kernel_size: int = 3,
        hidden_units: int = 128,
        dropout: float = 0.25,
        max_epochs: int = 20,
        batch_size: int = 64,
        optimizer: str = "adamw",
        learning_rate: float = 0.001,
        learning_rate_end: float = 0.0,
        schedule: str = "cosine",
        weight_decay: float = 0.01,
        momentum: float = 0.9,
        clip_norm: float | None = None,
        class_weight: ClassWeightLike = None,
        label_smoothing: float = 0.0,
        validation_fraction: float = 0.1,
        patience: int | None = None,
        random_state: RandomStateLike = None,
        checkpoint: Any = None,
        resume: bool = False,
        device: str = "auto",
        n_jobs: int | None = 1,
        verbose: bool | int = False,
    ) -> None:
        self._set_parameters(locals())

    @fit_method
    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, X_val: Any = None, y_val: Any = None
    ) -> ConvNetClassifier:
        """Train the network.

        Parameters
        ----------
        X_val, y_val : images and labels, default=None
            Your own held-out images, in place of ``validation_fraction``.
        """
        if self.kernel_size % 2 == 0:
            raise ValueError(
                f"kernel_size must be odd, got {self.kernel_size}.\nHint: 3 and 5 are usual; pictures keep their size."
            )
        if any(not isinstance(width, int | np.integer) or width < 1 for width in self.channels):
            raise ValueError(
                f"channels must be positive whole numbers, got {self.channels!r}.\nHint: (32, 64) for two convolutions."
            )
        self._fit_labels(X, y, sample_weight, X_val, y_val)
        return self

    def _read_inputs(self, X: Any, *, reset: bool) -> ImageInputs:
        images = read_images(self, X, None if reset else self.image_shape_)
        if reset:
            self.image_shape_ = images.shape[1:]
            return self._scaled_by_themselves(images)
        return ImageInputs(images, self.channel_mean_, self.channel_scale_)

    def _scaled_by_themselves(self, images: NDArray[Any]) -> ImageInputs:
        self.channel_mean_ = images.mean(axis=(0, 1, 2), dtype=np.float64)
        spread = images.std(axis=(0, 1, 2), dtype=np.float64)
        self.channel_scale_ = np.where(spread > 0.0, spread, 1.0)
        return ImageInputs(images, self.channel_mean_, self.channel_scale_)

    def _rescaled(self, inputs: ImageInputs) -> ImageInputs:
        return self._scaled_by_themselves(inputs.images)

    def _build(self) -> Any:
        from certus.neural.deep.blocks.convolution_blocks import ConvNetwork

        channels = [int(width) for width in self.channels]
        return ConvNetwork(
            self.image_shape_, channels, self.kernel_size, self.hidden_units, self._n_outputs(), self.dropout
        )
