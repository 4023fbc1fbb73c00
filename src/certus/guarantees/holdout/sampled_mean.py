"""How far the mean over a sample of rows can be from the mean over all rows it was drawn from.

m rows are drawn from N without replacement, every set of m equally likely. For losses in [0, 1] that do not depend on
the draw, the means differ by eps or more with probability at most (Serfling 1974, corollary 1.1, for both sides)

    2 exp(-2 m eps^2 / (1 - (m - 1) / N)),

which is Hoeffding's bound for a small share of the rows, and 0 for all of them.
"""

from __future__ import annotations

import math
from fractions import Fraction

from certus.guarantees.records import rules
from certus.guarantees.records.bases import Basis
from certus.guarantees.records.bound_arguments import check_count
from certus.guarantees.records.certificate import Certificate
from certus.guarantees.records.confidence_levels import check_confidence, exact
from certus.guarantees.records.rules import Derivation
from certus.guarantees.records.wording import confidence_percent, number, plural

RULE = "sampled-mean"
BASIS = Basis(
    RULE,
    "Probability Inequalities for the Sum in Sampling without Replacement (Serfling 1974)",
    ("independent-draws", "bounded-range", "candidates-fixed"),
)


def sampled_mean_bound(rows: int, population: int, *, confidence: float = 0.95) -> Certificate:
    """The price of sampling: how far the mean of any fixed loss in [0, 1] can be from its mean over all rows.

    Parameters
    ----------
    rows : int
        Rows that were drawn, without replacement.
    population : int
        Rows that they were drawn from.
    confidence : float, default=0.95
        Probability over the draw; for each loss, such as that of one model that was fixed before.

    Examples
    --------
    >>> round(sampled_mean_bound(10_000, 1_000_000).value, 4)
    0.0135
    """
    check_confidence(confidence)
    check_count(rows, "rows", minimum=1)
    check_count(population, "population", minimum=rows)
    return _record(_width(rows, population, confidence), rows, population, confidence)


def _record(value: float, rows: int, population: int, confidence: float) -> Certificate:
    return BASIS.probable(
        confidence,
        f"With confidence {confidence_percent(confidence)} over the draw, the mean of a loss in [0, 1] over the sample "
        f"is within {number(value, 'upper')} of its mean over all rows ({plural(rows, 'row')} of {population}).",
        "price of sampling",
        "upper",
        value,
        1.0,
        {"rows": rows, "population": population},
        {},
    )


def _width(rows: int, population: int, confidence: float) -> float:
    if rows == population:
        return 0.0
    level = math.log(2.0 / float(1 - exact(confidence)))
    share = (population - rows + 1) / population
    return min(1.0, math.sqrt(share * level / (2.0 * rows)) * (1.0 + 1e-14))


@rules.checker(RULE)
def check_sampled_mean(certificate: Certificate, data: object = None) -> Derivation:
    """The least width whose failure probability is small enough, by bisection instead of the formula."""
    del data
    rows, population = certificate.inputs["rows"], certificate.inputs["population"]
    check_count(rows, "rows", minimum=1)
    check_count(population, "population", minimum=rows)
    failure = float(1 - exact(certificate.confidence))
    left = Fraction(population - rows + 1, population)

    def fails(width: float) -> float:
        return 2.0 * math.exp(-float(2 * rows * Fraction(width) ** 2 / left))

    low, high = 0.0, 1.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if fails(middle) <= failure else (middle, high)
    found = 0.0 if rows == population else high
    record = _record(float(certificate.value), rows, population, certificate.confidence)  # type: ignore[arg-type]
    return Derivation(found, record=record)
