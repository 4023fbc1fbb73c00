"""Networks of sequences: a recurrent cell or a transformer, read at the end or at every step."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from certus.neural.deep.blocks.transformer_blocks import TransformerEncoder

CELLS = ("lstm", "gru", "rnn", "transformer")


class SequenceNetwork(nn.Module):
    """Scores of sequences, or of each of their steps.

    Parameters
    ----------
    cell : {"lstm", "gru", "rnn", "transformer"}
        What carries information along.
    n_features, hidden, layers, n_outputs : int
        Features of a step, width and number of the layers, scores.
    dropout : float
        Between layers and before the scores.
    heads : int
        Of the transformer.
    bidirectional : bool
        Whether a second recurrent network reads from the end.
    per_step : bool
        Whether every step has scores.
    """

    def __init__(
        self,
        cell: str,
        n_features: int,
        hidden: int,
        layers: int,
        n_outputs: int,
        *,
        dropout: float = 0.0,
        heads: int = 4,
        bidirectional: bool = False,
        per_step: bool = False,
    ) -> None:
        super().__init__()
        self.cell, self.per_step, self.bidirectional = cell, per_step, bidirectional
        if cell == "transformer":
            self.enter = nn.Linear(n_features, hidden)
            self.body: nn.Module = TransformerEncoder(hidden, heads, layers, dropout)
        else:
            kind = {"lstm": nn.LSTM, "gru": nn.GRU, "rnn": nn.RNN}[cell]
            between = dropout if layers > 1 else 0.0
            self.body = kind(n_features, hidden, layers, batch_first=True, dropout=between, bidirectional=bidirectional)
            if cell == "lstm":
                remember_from_the_start(self.body)
        self.dropout = nn.Dropout(dropout)
        self.scores = nn.Linear(hidden * (2 if bidirectional and cell != "transformer" else 1), n_outputs)

    def states(self, x: Tensor, lengths: Tensor) -> Tensor:
        """(batch, time, features) as (batch, time, width); what stands behind the end of a sequence is never seen."""
        if self.cell == "transformer":
            return self.body(self.enter(x), present=_present(x, lengths))
        if not self.bidirectional:
            return self.body(x)[0]  # the padding comes after all that is read
        packed = nn.utils.rnn.pack_padded_sequence(x, lengths.cpu(), batch_first=True, enforce_sorted=False)
        return nn.utils.rnn.pad_packed_sequence(self.body(packed)[0], batch_first=True, total_length=x.shape[1])[0]

    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
        """Scores (batch, n_outputs), or (batch, time, n_outputs)."""
        states = self.states(x, lengths)
        if not self.per_step:
            states = self._summary(states, lengths)
        return self.scores(self.dropout(states))

    def _summary(self, states: Tensor, lengths: Tensor) -> Tensor:
        """The mean over the steps of a transformer; of recurrent networks the last state of each direction."""
        if self.cell == "transformer":
            there = _present(states, lengths)[..., None].to(states.dtype)
            return (states * there).sum(dim=1) / lengths[:, None].to(states.dtype)
        last = states[torch.arange(len(states), device=states.device), lengths - 1]
        if not self.bidirectional:
            return last
        half = states.shape[2] // 2
        return torch.cat([last[:, :half], states[:, 0, half:]], dim=1)


def remember_from_the_start(lstm: nn.Module) -> None:
    """Set the offsets of the forget gates to 1, so that cells keep what they hold before they have learned to."""
    with torch.no_grad():
        for name, offset in lstm.named_parameters():
            if name.startswith("bias_ih"):
                quarter = len(offset) // 4
                offset[quarter : 2 * quarter].fill_(1.0)
            elif name.startswith("bias_hh"):
                quarter = len(offset) // 4
                offset[quarter : 2 * quarter].zero_()


def _present(x: Tensor, lengths: Tensor) -> Tensor:
    return torch.arange(x.shape[1], device=x.device)[None, :] < lengths[:, None]
