"""Restarts: evidence against a threshold must not be lost in the long quiet time before a drift.

A martingale that has run for long below its threshold is almost bankrupt, and a later drift would be noticed late.
So the stake is divided before the first row: four fifths for a gambler who starts at once, the rest in shares
1/(i (i + 1)) for one who starts after i windows. The sum of their capitals is a test martingale again. To keep the
state small, a few starts are kept whose ages grow about geometrically; dropping a gambler only loses capital.
"""

import math

FIRST_SHARE = 0.8
MOST = 8


def log_weight(index: int) -> float:
    """Log of the stake of the gambler who starts after `index` windows."""
    return math.log(FIRST_SHARE) if index == 0 else math.log((1.0 - FIRST_SHARE) / (index * (index + 1)))


def one_too_many(indices: list[int], now: int) -> int | None:
    """Position of the start to drop so that at most `MOST` remain; never the first nor the newest.

    Dropped is the one whose neighbors have the closest ages, measured in windows up to `now`.
    """
    if len(indices) <= MOST:
        return None
    ages = [now + 1 - index for index in indices]
    return min(range(1, len(ages) - 1), key=lambda i: ages[i - 1] / ages[i + 1])
