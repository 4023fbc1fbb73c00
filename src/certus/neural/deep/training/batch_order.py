"""Which examples make up the batches of an epoch: a function of the seed and the epoch's number alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_CHUNK = 50  # batches whose examples are sorted by length together


def batches_of_epoch(
    count: int, batch_size: int, *, seed: int, epoch: int, lengths: NDArray[np.int64] | None = None
) -> list[NDArray[np.int64]]:
    """Batches in a random order; with lengths, each holds examples of similar length.

    The examples are shuffled, cut into chunks of fifty batches, and sorted by length within each chunk. So batches need
    little padding, and still differ from epoch to epoch.
    """
    random = np.random.default_rng([seed, epoch])
    order = random.permutation(count)
    if lengths is not None:
        chunk = _CHUNK * batch_size
        parts = [order[begin : begin + chunk] for begin in range(0, count, chunk)]
        order = np.concatenate([part[np.argsort(lengths[part], kind="stable")] for part in parts])
    batches = [order[begin : begin + batch_size] for begin in range(0, count, batch_size)]
    if len(batches) > 1 and len(batches[-1]) == 1:  # batch normalization needs two
        batches[-2:] = [np.concatenate(batches[-2:])]
    if lengths is not None:
        batches = [batches[place] for place in random.permutation(len(batches))]
    return batches
