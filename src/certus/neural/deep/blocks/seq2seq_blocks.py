"""Networks from one sequence of symbols to another: recurrent ones, with attention or without, and transformers.

Symbols of sources are 1, 2, ... and 0 is padding. Symbols of targets are 2, 3, ...; 0 is padding, and 1 is the start
before the first symbol in what the decoder reads (`START`) and the end after the last in what it shall say (`END`).
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from certus.neural.deep.blocks.attention_blocks import attention_weights
from certus.neural.deep.blocks.transformer_blocks import TransformerDecoder, TransformerEncoder

PADDING, START, END = 0, 1, 1


class RecurrentSeq2Seq(nn.Module):
    """One LSTM reads the source, another writes the target from the first one's last state.

    With attention, every state of the decoder is a query over all states of the encoder, and their average is joined
    to it before the scores.
    """

    def __init__(
        self, sources: int, targets: int, width: int, layers: int, *, attention: bool, dropout: float = 0.0
    ) -> None:
        super().__init__()
        self.attention = attention
        between = dropout if layers > 1 else 0.0
        self.source, self.target = nn.Embedding(sources, width), nn.Embedding(targets, width)
        self.encoder = nn.LSTM(width, width, layers, batch_first=True, dropout=between)
        self.decoder = nn.LSTM(width, width, layers, batch_first=True, dropout=between)
        self.dropout = nn.Dropout(dropout)
        self.query = nn.Linear(width, width) if attention else None
        self.scores = nn.Linear(2 * width if attention else width, targets)

    def encode(self, source: Tensor) -> Any:
        """What the decoder needs of the source, (batch, time)."""
        present = source != PADDING
        packed = nn.utils.rnn.pack_padded_sequence(
            self.dropout(self.source(source)), present.sum(dim=1).cpu(), batch_first=True, enforce_sorted=False
        )
        states, last = self.encoder(packed)
        padded, _ = nn.utils.rnn.pad_packed_sequence(states, batch_first=True, total_length=source.shape[1])
        return last, padded, present

    def weights(self, states: Tensor, memory: Tensor, present: Tensor) -> Tensor:
        """How much every state of the decoder looks at every state of the encoder."""
        assert self.query is not None
        return attention_weights(self.query(states), memory, present=present[:, None, :])

    def _said(self, states: Tensor, memory: Tensor, present: Tensor) -> Tensor:
        if self.attention:
            states = torch.cat([states, self.weights(states, memory, present) @ memory], dim=-1)
        return self.scores(self.dropout(states))

    def forward(self, source: Tensor, shifted: Tensor) -> Tensor:
        """Scores of the next symbols, (batch, time, targets), given the right ones before."""
        last, memory, present = self.encode(source)
        states, _ = self.decoder(self.dropout(self.target(shifted)), last)
        return self._said(states, memory, present)

    def write(self, source: Tensor, most: int) -> Tensor:
        """The likeliest next symbol again and again, until all sequences have ended or have `most` symbols."""
        state, memory, present = self.encode(source)
        said = torch.full((len(source), 1), START, dtype=torch.long, device=source.device)
        found, ended = [said[:, :0]], torch.zeros(len(source), dtype=torch.bool, device=source.device)
        for _ in range(most):
            states, state = self.decoder(self.target(said), state)
            said = likeliest(self._said(states, memory, present))
            ended = ended | (said[:, 0] == END)
            if ended.all():
                break
            found.append(said.masked_fill(ended[:, None], PADDING))
        return torch.cat(found, dim=1)


class TransformerSeq2Seq(nn.Module):
    """A transformer's encoder reads the source, its decoder writes the target."""

    def __init__(
        self, sources: int, targets: int, width: int, heads: int, layers: int, *, dropout: float = 0.0
    ) -> None:
        super().__init__()
        self.source, self.target = nn.Embedding(sources, width), nn.Embedding(targets, width)
        self.encoder = TransformerEncoder(width, heads, layers, dropout)
        self.decoder = TransformerDecoder(width, heads, layers, dropout)
        self.dropout = nn.Dropout(dropout)
        self.scores = nn.Linear(width, targets)

    def encode(self, source: Tensor) -> tuple[Tensor, Tensor]:
        """The memory of the source and what of it is no padding."""
        present = source != PADDING
        return self.encoder(self.dropout(self.source(source)), present), present

    def decode(self, shifted: Tensor, memory: Tensor, present: Tensor) -> Tensor:
        """Scores of the next symbols; each depends on the symbols before it alone."""
        return self.scores(self.decoder(self.dropout(self.target(shifted)), memory, present))

    def forward(self, source: Tensor, shifted: Tensor) -> Tensor:
        """Scores of the next symbols, (batch, time, targets), given the right ones before."""
        return self.decode(shifted, *self.encode(source))

    def write(self, source: Tensor, most: int) -> Tensor:
        """The likeliest next symbol again and again, until all sequences have ended or have `most` symbols."""
        memory, present = self.encode(source)
        said = torch.full((len(source), 1), START, dtype=torch.long, device=source.device)
        ended = torch.zeros(len(source), dtype=torch.bool, device=source.device)
        for _ in range(most):
            following = likeliest(self.decode(said, memory, present)[:, -1:])
            ended = ended | (following[:, 0] == END)
            if ended.all():
                break
            said = torch.cat([said, following.masked_fill(ended[:, None], PADDING)], dim=1)
        return said[:, 1:]


def likeliest(scores: Tensor) -> Tensor:
    """The symbol of the highest score, which is never padding."""
    return scores[..., END:].argmax(dim=-1) + END
