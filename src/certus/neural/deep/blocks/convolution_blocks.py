"""Networks of images: convolutions that halve the picture, then dense layers."""

from __future__ import annotations

from collections.abc import Sequence

from torch import nn

_GRID = 7  # larger pictures are averaged to this side before the dense layers


class ConvNetwork(nn.Sequential):
    """Per entry of ``channels``: convolution, batch normalization, ReLU, pooling; then two dense layers.

    Parameters
    ----------
    shape : tuple of int
        Height, width, channels of an image.
    channels : sequence of int
        Of the convolutions.
    kernel_size : int
        Side of their filters; odd, so that the picture keeps its size until it is pooled.
    hidden : int
        Units of the dense layer.
    n_outputs : int
        Scores.
    dropout : float
        Before both dense layers.
    """

    def __init__(
        self,
        shape: tuple[int, int, int],
        channels: Sequence[int],
        kernel_size: int,
        hidden: int,
        n_outputs: int,
        dropout: float,
    ) -> None:
        height, width, before = shape
        layers: list[nn.Module] = []
        for after in channels:
            layers += [
                nn.Conv2d(before, after, kernel_size, padding=kernel_size // 2, bias=False),
                nn.BatchNorm2d(after),
                nn.ReLU(),
            ]
            before = after
            if min(height, width) > 1:
                layers.append(nn.MaxPool2d(2))
                height, width = height // 2, width // 2
        if max(height, width) > _GRID:
            height, width = min(height, _GRID), min(width, _GRID)
            layers.append(nn.AdaptiveAvgPool2d((height, width)))
        layers += [
            nn.Flatten(),
            nn.Dropout(dropout),
            nn.Linear(before * height * width, hidden),
            nn.ReLU(),
            nn.Dropout(dropout),
            nn.Linear(hidden, n_outputs),
        ]
        super().__init__(*layers)
