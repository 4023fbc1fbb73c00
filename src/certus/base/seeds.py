"""Randomness: ``random_state`` is resolved once, into one 64-bit seed that the kernels split into streams."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state


def resolve_seed(random_state: Any) -> int:
    """A 64-bit seed from what the user gave: None, a seed, a RandomState or a Generator.

    A generator is advanced, so that a second fit with the same object differs, as in scikit-learn.
    """
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(0, 2**63))
    return _drawn(check_random_state(random_state))


def resolve_seeds(seeds: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """What `resolve_seed` makes of each of many whole numbers, with one generator for all of them."""
    random = np.random.RandomState()
    found = np.empty(len(seeds), dtype=np.uint64)
    for place, seed in enumerate(seeds.tolist()):
        random.seed(seed)
        found[place] = _drawn(random)
    return found


def _drawn(random: np.random.RandomState) -> int:
    high, low = random.randint(0, 2**31, size=2)
    return (int(high) << 31) | int(low)
