"""Ranks of conformal prediction, from exact rationals of the decimal level.

With n calibration scores and a level p the threshold is the k-th smallest score, k = ceil((n + 1) p).
The level 0.9 is read as 9/10 and the ceiling is taken in whole numbers: no quantile function and no
floating-point product decides which score is used. When k > n the threshold is infinite.

Given the calibration set, the coverage of the resulting set is distributed as Beta(k, n + 1 - k), or
better when scores tie. Its lower quantile is the `coverage_floor`; asking that the floor itself reach
the level gives the `assured_rank`.

Reference: Vovk, Gammerman, Shafer, Algorithmic Learning in a Random World (2005); Vovk, Conditional
Validity of Inductive Conformal Predictors (2012).
"""

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import numpy as np

from certus.guarantees.holdout import clopper_pearson
from certus.guarantees.holdout.exact_tails import upper_tail_at_most

Level = float | str | Decimal | Fraction


def exact_level(level: Level, name: str = "confidence") -> Fraction:
    """Read a level strictly between 0 and 1 as the fraction that its decimal digits spell."""
    try:
        if isinstance(level, bool):
            raise TypeError
        value = level if isinstance(level, Fraction) else Fraction(str(level))
    except (TypeError, ValueError, ZeroDivisionError):
        value = Fraction(-1)
    if not 0 < value < 1:
        raise ValueError(
            f"{name} must be a number strictly between 0 and 1, got {level!r}.\n"
            f"Hint: write ninety percent as {name}=0.9."
        )
    return value


def split_rank(rows: int, confidence: Level) -> int:
    """Rank k = ceil((rows + 1) * confidence); rows + 1 means that no score is large enough."""
    return math.ceil((_row_count(rows) + 1) * exact_level(confidence))


def assured_rank(rows: int, confidence: Level, assurance: Level = 0.95) -> int:
    """Smallest rank whose coverage, given the calibration set, is `confidence` with probability `assurance`.

    It is the smallest k with P(Bin(rows, confidence) >= k) <= 1 - assurance; rows + 1 when there is none.
    """
    level = exact_level(confidence)
    failure = 1 - exact_level(assurance, "assurance")
    low, high = 0, _row_count(rows) + 1
    while high - low > 1:
        middle = (low + high) // 2
        if upper_tail_at_most(middle, rows, level, failure):
            high = middle
        else:
            low = middle
    return high


def rows_for_split(confidence: Level) -> int:
    """Fewest calibration rows for which the threshold is finite."""
    level = exact_level(confidence)
    return math.ceil(level / (1 - level))


def rows_for_assured(confidence: Level, assurance: Level = 0.95) -> int:
    """Fewest calibration rows for which the assured threshold is finite: confidence^n <= 1 - assurance."""
    level = exact_level(confidence)
    failure = 1 - exact_level(assurance, "assurance")
    # Stay a little below the floating-point answer and let the exact comparison finish.
    rows = max(1, math.floor(math.log(failure) / math.log(level) * (1.0 - 1e-12)) - 1)
    while not upper_tail_at_most(rows, rows, level, failure):
        rows += 1
    return rows


def coverage_floor(rank: int, rows: int, assurance: Level = 0.95) -> float:
    """Coverage that this calibration set reaches with probability `assurance`, rounded downward.

    The (1 - assurance)-quantile of Beta(rank, rows + 1 - rank); 1 when the rank exceeds the rows.
    """
    failure = float(1 - exact_level(assurance, "assurance"))
    if not 1 <= rank <= _row_count(rows) + 1:
        raise ValueError(
            f"rank must lie between 1 and rows + 1 = {rows + 1}, got {rank}.\n"
            "Hint: take it from split_rank(rows, confidence)."
        )
    # The quantile of Beta(k, n + 1 - k) is the Clopper-Pearson lower limit of k successes in n.
    return 1.0 if rank > rows else clopper_pearson.lower(rank, rows, failure)


@dataclass(frozen=True)
class ConformalRank:
    """Which of the sorted calibration scores is the threshold, and what that is worth.

    Attributes
    ----------
    rank, rows : int
        The threshold is the `rank`-th smallest of `rows` scores; `rank = rows + 1` stands for infinity.
    confidence : Fraction
        The level asked for.
    assurance : Fraction or None
        If given, the level is meant for this calibration set with that probability, not on average.
    floor_assurance : Fraction
        The probability that belongs to `floor`.
    """

    rank: int
    rows: int
    confidence: Fraction
    assurance: Fraction | None = None
    floor_assurance: Fraction = Fraction(19, 20)

    @classmethod
    def of(
        cls, rows: int, confidence: Level, assurance: Level | None = None, floor_assurance: Level = 0.95
    ) -> "ConformalRank":
        """Choose the rank for `rows` scores."""
        level = exact_level(confidence)
        if assurance is None:
            return cls(split_rank(rows, level), rows, level, None, exact_level(floor_assurance, "floor_assurance"))
        sure = exact_level(assurance, "assurance")
        return cls(assured_rank(rows, level, sure), rows, level, sure, sure)

    @property
    def finite(self) -> bool:
        """Whether there are enough rows for a finite threshold."""
        return self.rank <= self.rows

    @property
    def delivered(self) -> float:
        """Average coverage k / (n + 1), exact when scores do not tie and a lower bound when they do."""
        return rounded_down(Fraction(self.rank, self.rows + 1))

    @property
    def floor(self) -> float:
        """Coverage reached by this calibration set with probability `floor_assurance`."""
        return coverage_floor(self.rank, self.rows, self.floor_assurance)

    @property
    def rows_needed(self) -> int:
        """Fewest calibration rows for which the threshold would be finite."""
        if self.assurance is None:
            return rows_for_split(self.confidence)
        return rows_for_assured(self.confidence, self.assurance)

    def threshold(self, scores: np.ndarray) -> float:
        """Return the score of this rank, or infinity."""
        if len(scores) != self.rows:
            raise ValueError(f"scores must hold {self.rows} values, got {len(scores)}.")
        if not self.finite:
            return math.inf
        return float(np.partition(scores, self.rank - 1)[self.rank - 1])


def _row_count(rows: int) -> int:
    if isinstance(rows, bool) or not isinstance(rows, int | np.integer) or rows < 0:
        raise ValueError(
            f"rows must be a whole number of calibration rows, at least 0, got {rows!r}.\nHint: pass len(scores)."
        )
    return int(rows)


def rounded_down(value: Fraction) -> float:
    """Largest double that does not exceed `value`."""
    rounded = float(value)
    return rounded if Fraction(rounded) <= value else math.nextafter(rounded, -math.inf)
