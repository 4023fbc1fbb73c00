"""Encoder and decoder of a transformer: attention and small networks, each added to what it changes."""

from __future__ import annotations

from torch import Tensor, nn

from certus.neural.deep.blocks.attention_blocks import FeedForward, MultiHeadAttention, position_codes


class EncoderBlock(nn.Module):
    """x + attention(norm(x)), then x + network(norm(x)): normalized first, which learns without a warm-up."""

    def __init__(self, width: int, heads: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.norm_own, self.norm_network = nn.LayerNorm(width), nn.LayerNorm(width)
        self.own = MultiHeadAttention(width, heads)
        self.network = FeedForward(width, 4 * width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, present: Tensor | None = None) -> Tensor:
        x = x + self.dropout(self.own(self.norm_own(x), present=present))
        return x + self.dropout(self.network(self.norm_network(x)))


class DecoderBlock(nn.Module):
    """As the encoder's, with a mask of the future, and attention to the encoder's outputs between the two."""

    def __init__(self, width: int, heads: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.norm_own, self.norm_memory, self.norm_network = (nn.LayerNorm(width) for _ in range(3))
        self.own = MultiHeadAttention(width, heads, causal=True)
        self.memory = MultiHeadAttention(width, heads)
        self.network = FeedForward(width, 4 * width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, memory: Tensor, present: Tensor | None = None) -> Tensor:
        x = x + self.dropout(self.own(self.norm_own(x)))
        x = x + self.dropout(self.memory(self.norm_memory(x), memory, present))
        return x + self.dropout(self.network(self.norm_network(x)))


class TransformerEncoder(nn.Module):
    """Positions added, then blocks; `positions=False` leaves out the order."""

    def __init__(self, width: int, heads: int, layers: int, dropout: float = 0.0, *, positions: bool = True) -> None:
        super().__init__()
        self.positions = positions
        self.blocks = nn.ModuleList(EncoderBlock(width, heads, dropout) for _ in range(layers))
        self.norm = nn.LayerNorm(width)

    def forward(self, x: Tensor, present: Tensor | None = None) -> Tensor:
        """(batch, time, width) to the same shape; `present` (batch, time) says what is no padding."""
        if self.positions:
            x = x + position_codes(x.shape[1], x.shape[2], x)
        for block in self.blocks:
            x = block(x, present)
        return self.norm(x)


class TransformerDecoder(nn.Module):
    """Positions added, then blocks that see their own past and the whole memory."""

    def __init__(self, width: int, heads: int, layers: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(DecoderBlock(width, heads, dropout) for _ in range(layers))
        self.norm = nn.LayerNorm(width)

    def forward(self, x: Tensor, memory: Tensor, present: Tensor | None = None) -> Tensor:
        """(batch, time, width); `present` (batch, keys) says what of the memory is no padding."""
        x = x + position_codes(x.shape[1], x.shape[2], x)
        for block in self.blocks:
            x = block(x, memory, present)
        return self.norm(x)
