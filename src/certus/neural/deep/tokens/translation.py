"""What networks from sequences to sequences are trained on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.neural.deep.lazy_torch import torch
from certus.neural.deep.learning.supervised_objective import batches_in_order
from certus.neural.deep.tokens.vocabulary import Codes, padded
from certus.neural.deep.training import Objective

# 0 is padding. 1 stands before a target in what the decoder reads, and after it in what it shall say.
MARK, FIRST_SOURCE, FIRST_TARGET = 1, 1, 2


@dataclass(frozen=True, eq=False)
class Pairs:
    """Sources and targets as numbers, and the weights of the pairs."""

    sources: Sequence[Codes]
    targets: Sequence[Codes]
    weights: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.sources)

    def take(self, rows: NDArray[np.int64]) -> Pairs:
        """Some of the pairs."""
        return Pairs([self.sources[row] for row in rows], [self.targets[row] for row in rows], self.weights[rows])


def shifted_right(targets: Sequence[Codes]) -> tuple[Codes, Codes]:
    """What the decoder reads, [start, y_1, ..., y_T], and what it shall say, [y_1, ..., y_T, end], padded.

    Examples
    --------
    >>> reads, says = shifted_right([np.array([5, 6]), np.array([7])])
    >>> reads.tolist(), says.tolist()
    ([[1, 5, 6], [1, 7, 0]], [[5, 6, 1], [7, 1, 0]])
    """
    return padded([np.r_[MARK, codes] for codes in targets]), padded([np.r_[codes, MARK] for codes in targets])


class TranslationObjective(Objective):
    """Log-likelihood of the targets given the sources, symbol by symbol.

    Parameters
    ----------
    pairs, held_out : Pairs
        To learn from, and to judge epochs by; the latter may be empty.
    tensor : callable
        Makes tensors on the right device.
    batch_size : int
        Pairs judged at once.
    """

    def __init__(self, pairs: Pairs, held_out: Pairs, tensor: Callable[[Any], Any], batch_size: int) -> None:
        self._pairs, self._held_out, self._tensor, self._size = pairs, held_out, tensor, batch_size
        self.count = len(pairs)
        self.lengths = np.array(
            [len(source) + len(target) for source, target in zip(pairs.sources, pairs.targets, strict=True)], np.int64
        )

    def batch(self, rows: NDArray[np.int64]) -> Any:
        """Sources, what is read, what shall be said, and weights."""
        return self._batch(self._pairs.take(rows))

    def _batch(self, pairs: Pairs) -> Any:
        reads, says = shifted_right(pairs.targets)
        return tuple(map(self._tensor, (padded(pairs.sources), reads, says, pairs.weights)))

    def loss(self, module: Any, batch: Any, phase: str) -> tuple[Any, float]:
        """Minus the log-likelihood, and the number of symbols that it is of."""
        del phase
        weights, symbols = batch[3], (batch[2] != 0).sum(dim=1)
        return (weights * _losses(module, batch)).sum(), float((weights * symbols).sum())

    def score(self, module: Any) -> float | None:
        """Mean log-likelihood of the held-out symbols."""
        if not len(self._held_out):
            return None
        weights, symbols = self._held_out.weights, [len(target) + 1 for target in self._held_out.targets]
        return float(weights @ self._log_likelihood(module, self._held_out)) / float(weights @ symbols)

    def log_likelihood(self, module: Any) -> NDArray[np.float64]:
        """Of every target to learn from."""
        return self._log_likelihood(module, self._pairs)

    def _log_likelihood(self, module: Any, pairs: Pairs) -> NDArray[np.float64]:
        found, lengths = np.empty(len(pairs)), np.array([len(source) for source in pairs.sources], np.int64)
        for rows in batches_in_order(len(pairs), lengths, self._size):
            found[rows] = -_losses(module, self._batch(pairs.take(rows))).cpu().numpy()
        return found

    def arrays(self) -> Iterable[Any]:
        """Numbers of the tokens, lengths and weights of all pairs."""
        for pairs in (self._pairs, self._held_out):
            for part in (pairs.sources, pairs.targets):
                yield np.array([len(codes) for codes in part], np.int64)
                yield np.concatenate([*part, np.empty(0, np.int64)])
            yield pairs.weights


def _losses(module: Any, batch: Any) -> Any:
    """Minus the log-likelihood of every target of a batch."""
    source, reads, says, _ = batch
    scores = module(source, reads)
    # Padding can never be said: its score is left out of the probabilities.
    losses = torch.nn.functional.cross_entropy(
        scores[..., 1:].flatten(0, 1), (says - 1).clamp(min=0).flatten(), reduction="none"
    )
    return (losses.view(says.shape) * (says != 0)).sum(dim=1)
