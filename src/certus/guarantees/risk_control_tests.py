"""Which of several thresholds pass, with the probability of any wrong pass at most `failure`.

Every threshold has its counts for every demand; it passes a level when all its exact binomial p-values do
(an intersection-union test, so that several rates need no split). Three ways to pay for trying many:

* bonferroni: level failure / J for each of the J thresholds.
* holm: from the smallest p-value on, levels failure / J, failure / (J - 1), ..., up to the first that fails.
* fixed-sequence: from each of S starts go on in the given order at level failure / S, up to the first that
  fails. Order and starts must not come from the labels of these rows.

Reference: Angelopoulos, Bates, Candes, Jordan, Lei, Learn then Test (2021).
"""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from certus.guarantees.risk_control_tails import upper_tail, upper_tail_at_most

PROCEDURES = ("holm", "bonferroni", "fixed-sequence")

# For one demand: the wanted share, then successes and trials at every threshold.
Counts = tuple[Fraction, Sequence[int], Sequence[int]]


def passing(tests: Sequence[Counts], failure: Fraction, procedure: str, starts: Sequence[int] = (0,)) -> list[int]:
    """Indices of the thresholds that pass, ascending."""
    size = len(tests[0][1])
    if procedure == "bonferroni":
        return [index for index in range(size) if _passes(tests, index, failure / size)]
    if procedure == "holm":
        order = np.argsort(_largest_p_values(tests), kind="stable").tolist()
        return sorted(_leading(tests, order, [failure / (size - step) for step in range(size)]))
    level = failure / len(starts)
    passed: set[int] = set()
    for start in starts:
        passed.update(_leading(tests, range(start, size), [level] * (size - start)))
    return sorted(passed)


def check_procedure(procedure: str) -> str:
    """Refuse an unknown procedure."""
    if procedure not in PROCEDURES:
        raise ValueError(
            f"procedure must be one of {', '.join(map(repr, PROCEDURES))}, got {procedure!r}.\n"
            "Hint: 'holm' needs no order of the thresholds."
        )
    return procedure


def _leading(tests: Sequence[Counts], order: Sequence[int], levels: Sequence[Fraction]) -> list[int]:
    """Indices of `order` before the first that fails its level."""
    passed: list[int] = []
    for index, level in zip(order, levels, strict=True):
        if not _passes(tests, index, level):
            break
        passed.append(index)
    return passed


def _passes(tests: Sequence[Counts], index: int, level: Fraction) -> bool:
    return all(upper_tail_at_most(hits[index], trials[index], share, level) for share, hits, trials in tests)


def _largest_p_values(tests: Sequence[Counts]) -> np.ndarray:
    return np.max([upper_tail(hits, trials, float(share)) for share, hits, trials in tests], axis=0)
