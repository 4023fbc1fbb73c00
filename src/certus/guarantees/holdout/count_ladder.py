"""Counts that are shown in steps, so that a sealed look can show few outcomes.

The standard deviation of a count k is about sqrt(k): the ladder n (j / (s - 1))^2, j = 0 ... s - 1, has steps that
are about equally many standard deviations wide. A count is shown as the step at or above it: the bound grows with the
count, and stays valid.
"""

from __future__ import annotations

from certus.guarantees.records.bound_arguments import check_count


def count_ladder(rows: int, steps: int | None) -> list[int]:
    """The counts that can be shown of so many rows, in order: all of them, or about so many steps.

    Examples
    --------
    >>> count_ladder(100, 6)
    [0, 4, 16, 36, 64, 100]
    >>> len(count_ladder(100, None))
    101
    """
    if steps is None:
        return list(range(rows + 1))
    check_count(steps, "sealed_steps", minimum=2)
    if steps > rows:
        return list(range(rows + 1))
    return sorted({-(-rows * j * j // (steps - 1) ** 2) for j in range(steps)})  # rounded up


def step_above(count: int, ladder: list[int]) -> int:
    """The lowest step that is no lower than the count."""
    return next(step for step in ladder if step >= count)
