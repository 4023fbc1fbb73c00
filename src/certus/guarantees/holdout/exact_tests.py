"""Exact tests of paired mistakes, their power, and Holm's correction for many tests."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import special

from certus.guarantees.records.bound_arguments import check_choice, check_count
from certus.guarantees.records.confidence_levels import check_confidence, failure_of

ALTERNATIVES = ("two-sided", "greater", "less")


@dataclass(frozen=True)
class TestResult:
    """The outcome of a statistical test.

    Parameters
    ----------
    name : str
        The test.
    statistic, pvalue : float
        Test statistic, and probability of one at least as extreme under the null hypothesis.
    kind : {"exact", "probable", "estimate"}
        "exact": the level holds for every sample size; "estimate": only if the stated assumptions hold.
    caveat : str
        What the p-value rests on.
    details : dict
        Further numbers, such as degrees of freedom.
    """

    __test__ = False  # not a test class of pytest

    name: str
    statistic: float
    pvalue: float
    kind: str
    caveat: str
    details: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.name}: statistic {self.statistic:.4g}, p = {self.pvalue:.4g} [{self.kind}; {self.caveat}]"


def mcnemar(only_a_wrong: int, only_b_wrong: int, *, alternative: str = "two-sided") -> TestResult:
    """Exact test whether two classifiers err equally often on the same rows.

    Given the number of rows on which exactly one is wrong, and equal error rates, the wrong one is A or B
    with probability 1/2 each: p = 2 P(Binomial(a + b, 1/2) >= max(a, b)), at most 1.

    Parameters
    ----------
    only_a_wrong, only_b_wrong : int
        Rows on which only A, and only B, is wrong.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        "greater": A has the larger error; "less": A has the smaller error.

    Examples
    --------
    >>> round(mcnemar(30, 15).pvalue, 7)
    0.0356978
    """
    a, b = check_count(only_a_wrong, "only_a_wrong"), check_count(only_b_wrong, "only_b_wrong")
    check_choice(alternative, "alternative", ALTERNATIVES)
    if alternative == "two-sided":
        pvalue = min(1.0, 2.0 * half_tail(max(a, b), a + b))
    else:
        pvalue = half_tail(a if alternative == "greater" else b, a + b)
    return TestResult("exact McNemar", float(a - b), pvalue, "exact", "rows are independent", {"discordant": a + b})


def half_tail(successes: int, trials: int) -> float:
    """P(Binomial(trials, 1/2) >= successes)."""
    if successes <= 0:
        return 1.0
    return float(special.betainc(successes, trials - successes + 1.0, 0.5)) if successes <= trials else 0.0


def mcnemar_power(rows: int, only_a_rate: float, only_b_rate: float, *, confidence: float = 0.95) -> float:
    """Chance that the exact two-sided test finds a difference, for given rates of one-sided mistakes.

    The sum, over the number d of rows on which exactly one is wrong, of P(d) P(reject given d).

    Examples
    --------
    >>> round(mcnemar_power(2000, 0.06, 0.04), 2), round(mcnemar_power(500, 0.06, 0.04), 2)
    (0.79, 0.25)
    """
    check_count(rows, "rows", minimum=1)
    total = only_a_rate + only_b_rate
    if not (only_a_rate >= 0.0 and only_b_rate >= 0.0 and total <= 1.0):
        raise ValueError(f"rates must be at least 0 and add up to at most 1, got {only_a_rate} and {only_b_rate}.")
    if total == 0.0:
        return 0.0
    half = failure_of(check_confidence(confidence)) / 2.0
    mean, spread = rows * total, math.sqrt(rows * total * (1.0 - total))
    d = np.arange(max(0, math.floor(mean - 9 * spread) - 2), min(rows, math.ceil(mean + 9 * spread) + 2) + 1)
    log_weight = (
        special.gammaln(rows + 1.0)
        - special.gammaln(d + 1.0)
        - special.gammaln(rows - d + 1.0)
        + special.xlogy(d, total)
        + special.xlog1py(rows - d, -total)
    )
    limit = _rejection_limits(d, half)
    share = only_a_rate / total
    reject = special.bdtrc(limit - 1, d, share) + special.bdtr(d - limit, d, share)
    return float(np.sum(np.exp(log_weight) * np.where(limit <= d, np.minimum(reject, 1.0), 0.0)))


def _rejection_limits(d: np.ndarray, half: float) -> np.ndarray:
    """Smallest k with P(Binomial(d, 1/2) >= k) <= half, for every d (d + 1 if there is none)."""
    low, high = d // 2, d + 1
    while (open_ := high - low > 1).any():
        middle = (low + high) // 2
        tail = special.betainc(np.maximum(middle, 1), d - middle + 1.0, 0.5)
        holds = tail <= half
        high = np.where(open_ & holds, middle, high)
        low = np.where(open_ & ~holds, middle, low)
    return high


def mcnemar_rows(
    only_a_rate: float,
    only_b_rate: float,
    *,
    confidence: float = 0.95,
    power: float = 0.8,
    limit: int = 10**8,
) -> int | None:
    """About how many rows give the exact test the wanted power; None if more than `limit`.

    Examples
    --------
    >>> 1900 < mcnemar_rows(0.06, 0.04) < 2200
    True
    """
    check_confidence(power, "power")
    if only_a_rate == only_b_rate:
        return None
    low, high = 1, 16
    while mcnemar_power(high, only_a_rate, only_b_rate, confidence=confidence) < power:
        low, high = high, high * 2
        if high > limit:
            return None
    while high - low > max(1, low // 500):  # power is not exactly monotone: a half per cent is fine enough
        middle = (low + high) // 2
        reached = mcnemar_power(middle, only_a_rate, only_b_rate, confidence=confidence) >= power
        low, high = (low, middle) if reached else (middle, high)
    return high


def holm(pvalues: Sequence[float]) -> list[float]:
    """Holm's adjusted p-values: rejecting those below delta errs at all with probability at most delta.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    values = np.asarray(pvalues, dtype=float)
    if values.ndim != 1 or not ((values >= 0) & (values <= 1)).all():
        raise ValueError("pvalues must be numbers between 0 and 1.")
    order = np.argsort(values, kind="stable")
    factors = np.arange(len(values), 0, -1)
    adjusted = np.empty(len(values))
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(values[order] * factors))
    return [float(value) for value in adjusted]
