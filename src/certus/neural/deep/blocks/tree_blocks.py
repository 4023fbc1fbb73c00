"""Networks that follow a tree from its leaves to its root."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn


class TreeReader(nn.Module):
    """p = tanh(W2 relu(W1 [left, right] + b1) + b2) at every inner node, and scores of the root."""

    def __init__(self, tokens: int, width: int, n_out: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.leaf = nn.Embedding(tokens, width)
        self.join = nn.Sequential(nn.Linear(2 * width, 2 * width), nn.ReLU(), nn.Linear(2 * width, width), nn.Tanh())
        self.dropout = nn.Dropout(dropout)
        self.scores = nn.Linear(width, n_out)

    def forward(self, codes: Tensor, levels: Sequence[Tensor], roots: Tensor) -> Tensor:
        """Scores of every tree; a level has the numbers of its nodes' left and right children."""
        states = torch.tanh(self.leaf(codes))
        for left, right in levels:
            states = torch.cat([states, self.join(torch.cat([states[left], states[right]], dim=1))])
        return self.scores(self.dropout(states[roots]))
