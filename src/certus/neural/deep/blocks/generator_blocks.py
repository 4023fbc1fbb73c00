"""Networks that make rows from noise."""

from __future__ import annotations

import itertools
import math

import torch
from torch import Tensor, nn


def layers(n_in: int, sizes: tuple[int, ...], n_out: int) -> nn.Sequential:
    """Affine layers with leaky rectified units between them."""
    parts: list[nn.Module] = []
    for before, after in itertools.pairwise((n_in, *sizes)):
        parts += [nn.Linear(before, after), nn.LeakyReLU(0.1)]
    return nn.Sequential(*parts, nn.Linear((n_in, *sizes)[-1], n_out))


class VariationalNetwork(nn.Module):
    """q(z | x) = N(mean(x), diag(deviation(x)^2)), and p(x | z) = N(decoder(z), diag(noise^2)), p(z) = N(0, I)."""

    def __init__(self, columns: int, sizes: tuple[int, ...], codes: int) -> None:
        super().__init__()
        self.encoder = layers(columns, sizes, 2 * codes)
        self.decoder = layers(codes, sizes[::-1], columns)
        self.log_noise = nn.Parameter(torch.zeros(columns))

    def encode(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """Means of the codes and logs of their deviations."""
        mean, log_deviation = self.encoder(rows).chunk(2, dim=1)
        return mean, log_deviation.clamp(-10.0, 10.0)

    def log_scale(self) -> Tensor:
        """Logs of the noise's deviations; bounded below, as the density of repeated values is not bounded above."""
        return self.log_noise.clamp(min=-5.0)

    def bound(self, rows: Tensor, noise: Tensor) -> Tensor:
        """Of every row log p(x | z) at z = mean + deviation * noise, less the divergence of q(z | x) from p(z)."""
        mean, log_deviation = self.encode(rows)
        decoded = self.decoder(mean + log_deviation.exp() * noise)
        scale = self.log_scale()
        errors = ((rows - decoded) * (-scale).exp()).square()
        fit = -0.5 * (errors + 2.0 * scale + math.log(2.0 * math.pi)).sum(dim=1)
        divergence = 0.5 * (mean.square() + (2.0 * log_deviation).exp() - 1.0 - 2.0 * log_deviation).sum(dim=1)
        return fit - divergence


class AdversarialNetwork(nn.Module):
    """A generator of rows from noise, and a discriminator that tells them from real ones."""

    def __init__(self, columns: int, sizes: tuple[int, ...], codes: int) -> None:
        super().__init__()
        self.codes = codes
        self.generator = layers(codes, sizes, columns)
        self.discriminator = layers(columns, sizes, 1)

    def generate(self, count: int) -> Tensor:
        """So many new rows."""
        where = next(self.parameters()).device
        return self.generator(torch.randn(count, self.codes, device=where))

    def odds(self, rows: Tensor) -> Tensor:
        """Log-odds that rows are real."""
        return self.discriminator(rows)[:, 0]
