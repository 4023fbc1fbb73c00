"""Is the winner really better: than the runner-up and the baseline on the test rows, than the others in the race?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.guarantees import holm, mcnemar
from certus.verbs import compare

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
    rows : {"test", "validation"}
        Which rows.
    """

    rival: str
    wins: int
    losses: int
    p_value: float
    verdict: str
    rows: str = "test"

    @property
    def told(self) -> str:
        """The comparison in words that say which side is which."""
        word = {"cannot tell": "not told apart"}.get(self.verdict, self.verdict)
        score = f"the winner alone is right, or nearer, on {self.wins} of them, that model alone on {self.losses}"
        told = f"{word} on the {self.rows} rows ({score}; p = {self.p_value:.2g})"
        return f"against {self.rival}, the best of another kind: {told}"


Losses = NDArray[Any]
Rivals = Sequence[tuple[str, Losses]]


def compare_all(losses: Losses, rivals: Rivals) -> list[Versus]:
    """Compare row losses of the winner with those of rivals by `certus.compare`; all comparisons hold together.

    On a row the one with the larger loss is wrong. Of the rows on which the losses differ, the winner has the smaller
    one on about half if both are equally good: for 0/1 losses this is McNemar's test, for others the sign test.
    """
    truth = np.zeros(len(losses), dtype=np.intp)
    tests = []
    for _, other in rivals:
        worse, better = (flags.astype(np.intp) for flags in (losses > other, losses < other))
        pvalue = compare(worse, better, y_true=truth, loss="error").pvalue
        assert pvalue is not None
        tests.append(pvalue)
    return _judged(losses, rivals, tests)


def tell_apart(losses: Losses, rivals: Rivals) -> list[Versus]:
    """The same verdicts by the tests alone, for many rivals: nothing is promised about rows that chose the winner."""
    return _judged(losses, rivals, [mcnemar(*reversed(_counts(losses, other))).pvalue for _, other in rivals])


def _counts(losses: Losses, other: Losses) -> tuple[int, int]:
    """Rows on which the winner has the smaller loss, and the reverse."""
    return int(np.sum(losses < other)), int(np.sum(losses > other))


def _judged(losses: Losses, rivals: Rivals, tests: list[float]) -> list[Versus]:
    found = []
    for (name, other), p_value in zip(rivals, holm(tests), strict=True):
        wins, lost = _counts(losses, other)
        verdict = "cannot tell" if p_value > LEVEL else "better" if wins > lost else "worse"
        found.append(Versus(name, wins, lost, p_value, verdict))
    return found
