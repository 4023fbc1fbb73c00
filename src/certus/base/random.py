"""Randomness: ``random_state`` is resolved once, into one 64-bit seed that the kernels split into streams."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state


def resolve_seed(random_state: Any) -> int:
    """A 64-bit seed from what the user gave: None, a seed, a RandomState or a Generator.

    A generator is advanced, so that a second fit with the same object differs, as in scikit-learn.
    """
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(0, 2**63))
    high, low = check_random_state(random_state).randint(0, 2**31, size=2)
    return (int(high) << 31) | int(low)
