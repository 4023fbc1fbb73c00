"""Attention in torch, with masks of the future and of padding."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn


def attention_weights(queries: Tensor, keys: Tensor, *, causal: bool = False, present: Tensor | None = None) -> Tensor:
    """softmax(Q K' / sqrt(d)), rows of which add up to 1.

    Parameters
    ----------
    queries, keys : Tensor of shape (..., time, width)
        Of one width.
    causal : bool, default=False
        Position i sees positions 1 to i only.
    present : bool Tensor that fits (..., queries, keys), default=None
        What is no padding: the rest is not seen.
    """
    scores = queries @ keys.transpose(-1, -2) / math.sqrt(queries.shape[-1])
    if causal:
        seen = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device).tril()
        scores = scores.masked_fill(~seen, -torch.inf)
    if present is not None:
        scores = scores.masked_fill(~present, -torch.inf)
    return scores.softmax(dim=-1)


class MultiHeadAttention(nn.Module):
    """Several attentions at once, each on its own learned projections; their outputs are joined and projected."""

    def __init__(self, width: int, heads: int, *, causal: bool = False) -> None:
        super().__init__()
        self.heads, self.causal = heads, causal
        self.query, self.key, self.value, self.output = (nn.Linear(width, width) for _ in range(4))

    def _split(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (self.heads, -1)).transpose(-2, -3)

    def weights(self, x: Tensor, memory: Tensor | None = None, present: Tensor | None = None) -> Tensor:
        """How much every position looks at every other, (batch, heads, queries, keys)."""
        queries, keys = self._split(self.query(x)), self._split(self.key(x if memory is None else memory))
        mask = None if present is None else present[:, None, None, :]
        return attention_weights(queries, keys, causal=self.causal, present=mask)

    def forward(self, x: Tensor, memory: Tensor | None = None, present: Tensor | None = None) -> Tensor:
        """(batch, time, width); `present` (batch, keys) says what is no padding."""
        values = self._split(self.value(x if memory is None else memory))
        mixed = self.weights(x, memory, present) @ values
        return self.output(mixed.transpose(-2, -3).flatten(-2))


class FeedForward(nn.Sequential):
    """The same small network ReLU(x W1 + b1) W2 + b2 at every position."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__(nn.Linear(width, hidden), nn.ReLU(), nn.Linear(hidden, width))


def position_codes(time: int, width: int, like: Tensor) -> Tensor:
    """sin(t / 10000^(2i / width)) in feature 2i, the cosine in feature 2i + 1, of t = 0, 1, ..."""
    feature = torch.arange(width, device=like.device)
    steps = torch.arange(time, device=like.device, dtype=torch.float64)
    angle = steps[:, None] / 10000.0 ** ((feature - feature % 2).double() / width)
    return torch.where(feature % 2 == 0, angle.sin(), angle.cos()).to(like.dtype)
