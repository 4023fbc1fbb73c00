"""Is the winner really better: than the runner-up and the baseline on the test rows, than the others in the race?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.guarantees import holm, mcnemar

LEVEL = 0.05


@dataclass(frozen=True)
class Versus:
    """The winner against one rival on the same rows.

    Attributes
    ----------
    rival : str
        Its name.
    wins, losses : int
        Rows on which the winner alone was right, or nearer; and the reverse.
    p_value : float
        Chance of so clear a difference between equals, adjusted for all comparisons (Holm).
    verdict : str
        "better", "worse" or "cannot tell".
    """

    rival: str
    wins: int
    losses: int
    p_value: float
    verdict: str


def compare_all(losses: NDArray[Any], rivals: Sequence[tuple[str, NDArray[Any]]]) -> list[Versus]:
    """Compare row losses of the winner with those of rivals; exact tests, adjusted together.

    Of the rows on which the losses differ, the winner has the smaller one on about half if both are equally good:
    for 0/1 losses this is McNemar's test, for others the sign test.
    """
    counts = [(int(np.sum(losses < other)), int(np.sum(losses > other))) for _, other in rivals]
    adjusted = holm([mcnemar(lost, wins).pvalue for wins, lost in counts])
    return [
        Versus(name, wins, lost, p, _verdict(wins, lost, p))
        for (name, _), (wins, lost), p in zip(rivals, counts, adjusted, strict=True)
    ]


def _verdict(wins: int, losses: int, p_value: float) -> str:
    if p_value > LEVEL:
        return "cannot tell"
    return "better" if wins > losses else "worse"
