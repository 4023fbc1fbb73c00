"""How many labeled rows a promise needs: the test-set bound, read backwards."""

import math

from scipy import special

from certus.guarantees.holdout import clopper_pearson


def rows_for_errors(errors: int, target: float, delta: float) -> int:
    """Smallest number of rows with which `errors` mistakes still certify an error of at most `target`."""
    low, high = errors, max(errors + 1, math.ceil((errors + 1) / target))
    while not _certifies(errors, high, target, delta):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _certifies(errors, middle, target, delta) else (middle, high)
    while clopper_pearson.upper(errors, high, delta) > target:  # the certificate itself is rounded up
        high += 1
    return high


def _certifies(errors: int, rows: int, target: float, delta: float) -> bool:
    """P(Binomial(rows, target) <= errors) <= delta."""
    return rows > errors and float(special.betaincc(errors + 1.0, rows - errors, target)) <= delta


def errors_allowed(rows: int, target: float, delta: float) -> int:
    """Most mistakes on `rows` rows that still certify `target`; -1 if not even none does."""
    low, high = -1, rows
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _certifies(middle, rows, target, delta) else (low, middle)
    while low >= 0 and clopper_pearson.upper(low, rows, delta) > target:
        low -= 1
    return low


def chance_of_success(rows: int, target: float, delta: float, true_error: float) -> float:
    """Probability that `rows` fresh rows will certify `target` if the true error is `true_error`."""
    allowed = errors_allowed(rows, target, delta)
    return 0.0 if allowed < 0 else float(special.bdtr(allowed, rows, true_error))


def rows_for_chance(chance: float, target: float, delta: float, true_error: float) -> int | None:
    """Smallest number of rows that certifies `target` with probability `chance`; None if none does.

    The chance jumps up where one more error becomes allowed, so only those numbers of rows are candidates.
    """
    if true_error >= target:
        return None

    def reached(errors: int) -> bool:
        rows = rows_for_errors(errors, target, delta)
        return float(special.bdtr(errors, rows, true_error)) >= chance

    if reached(0):
        return rows_for_errors(0, target, delta)
    low, high = 0, 1
    while not reached(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) else (middle, high)
    while high > 0 and reached(high - 1):  # the chance is only nearly monotone
        high -= 1
    return rows_for_errors(high, target, delta)
