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
from numpy.typing import NDArray

from certus.guarantees.holdout.exact_tails import upper_tail, upper_tail_at_most, upper_tails_at_most

PROCEDURES = ("holm", "bonferroni", "fixed-sequence")

# For one demand: the wanted share, then successes and trials at every threshold.
Counts = tuple[Fraction, NDArray[np.integer], NDArray[np.integer]]


def passing(tests: Sequence[Counts], failure: Fraction, procedure: str, starts: Sequence[int] = (0,)) -> list[int]:
    """Indices of the thresholds that pass, ascending."""
    size = len(tests[0][1])
    if procedure == "bonferroni":
        return np.flatnonzero(_pass(tests, failure / size)).tolist()
    if procedure == "holm":
        return _holm(tests, failure, size)
    ok = _pass(tests, failure / len(starts))
    passed: set[int] = set()
    for start in starts:
        run = ok[start:]
        passed.update(range(start, size if run.all() else start + int(np.argmin(run))))
    return sorted(passed)


def check_procedure(procedure: str) -> str:
    """Refuse an unknown procedure."""
    if procedure not in PROCEDURES:
        raise ValueError(
            f"procedure must be one of {', '.join(map(repr, PROCEDURES))}, got {procedure!r}.\n"
            "Hint: 'holm' needs no order of the thresholds."
        )
    return procedure


def _holm(tests: Sequence[Counts], failure: Fraction, size: int) -> list[int]:
    p_values = np.max([upper_tail(hits, trials, float(share)) for share, hits, trials in tests], axis=0)
    passed: list[int] = []
    for step, index in enumerate(np.argsort(p_values, kind="stable").tolist()):
        level = failure / (size - step)
        if not all(upper_tail_at_most(int(h[index]), int(n[index]), share, level) for share, h, n in tests):
            break
        passed.append(index)
    return sorted(passed)


def _pass(tests: Sequence[Counts], level: Fraction) -> NDArray[np.bool_]:
    """Whether all demands pass the level, at every threshold."""
    return np.all([upper_tails_at_most(hits, trials, share, level) for share, hits, trials in tests], axis=0)
