"""Bounds on the number of mistakes, for any stream and in terms of any competitor."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from certus.guarantees.ledgers import Line
from certus.guarantees.records import Derivation, rules

PERCEPTRON = "online/perceptron-mistakes"
PASSIVE = "online/passive-aggressive-mistakes"
WINNOW = "online/winnow-mistakes"
ALMA = "online/alma-mistakes"
Parts = Sequence[dict[str, float]]
SAFE = 1.0 + 1e-12  # sums of the stream are rounded


def most_perceptron_mistakes(radius: float, norm: float, hinge: float) -> int:
    """The largest M with M <= L + R |u| sqrt(M): the root of a quadratic, ((a + sqrt(a^2 + 4 L)) / 2)^2."""
    a = radius * norm
    root = (a + math.sqrt(a * a + 4.0 * hinge)) / 2.0
    return math.floor(root * root * SAFE)


def separated_line(mistakes: float, parts: Parts, unknown: float) -> Line:
    """The same where u separates all rows with margin 1, for rules that promise nothing on others."""
    line = perceptron_line(mistakes, [{**part, "hinge": 0.0} for part in parts], unknown)
    return line if all(part["hinge"] == 0.0 for part in parts) else line.without_bound()


def perceptron_line(mistakes: float, parts: Parts, unknown: float) -> Line:
    """The bound in terms of the hinge loss of u on the mistaken trials, the longest of which is R.

    There is a part per problem. ``unknown`` counts trials that were wrong only because their label had never come
    before.
    """
    names = ("radius", "norm", "hinge")
    bounds = [most_perceptron_mistakes(*(part[name] for name in names)) for part in parts]
    return Line(
        quantity="mistakes",
        loss=mistakes,
        comparator=0.0,
        bound=sum(bounds) + unknown,
        rule=PERCEPTRON,
        theorem="Mistakes of the perceptron (Novikoff 1962; Freund, Schapire 1999)",
        facts={**_columns(parts, names), "unknown": unknown},
    )


def _columns(parts: Parts, names: Sequence[str]) -> dict[str, list[float]]:
    return {name: [part[name] for part in parts] for name in names}


def _fractions(witness: Any, *names: str) -> Iterator[tuple[Fraction, ...]]:
    """The facts of every problem, as exact numbers."""
    columns = (witness[name] if isinstance(witness[name], list | tuple) else [witness[name]] for name in names)
    return zip(*([Fraction(value) for value in column] for column in columns), strict=True)


@rules.checker(PERCEPTRON)
def _check_perceptron(certificate: Any, data: Any) -> Derivation:
    """The largest whole numbers with (M - L)^2 <= R^2 |u|^2 M, found by trying, in exact arithmetic."""
    del data
    most = sum(_most_mistakes(*facts) for facts in _fractions(certificate.witness, "radius", "norm", "hinge"))
    return Derivation(float(most + certificate.witness["unknown"]), error=0.0, slack=1e-11, scale=1.0)


def _most_mistakes(radius: Fraction, norm: Fraction, hinge: Fraction) -> int:
    square = (radius * norm) ** 2

    def possible(count: int) -> bool:
        return count <= hinge or (count - hinge) ** 2 <= square * count

    low, high = 0, 1
    while possible(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if possible(middle) else (low, middle)
    return low


def passive_bound(cost: float, radius: float, norm: float, loss: float, *, squared: bool) -> float:
    """Crammer et al. 2006, theorems 4 and 5: ``loss`` is the sum of u's hinge losses, or of their squares."""
    room = norm * norm + 2.0 * cost * loss
    return (radius * radius + 0.5 / cost if squared else max(radius * radius, 1.0 / cost)) * room


def passive_line(mistakes: float, cost: float, parts: Parts, unknown: float, *, squared: bool) -> Line:
    """The bound in terms of what u loses over all trials."""
    names = ("radius", "norm", "hinge")
    bounds = [passive_bound(cost, *(part[name] for name in names), squared=squared) for part in parts]
    return Line(
        quantity="mistakes",
        loss=mistakes,
        comparator=0.0,
        bound=sum(math.floor(bound * SAFE) for bound in bounds) + unknown,
        rule=PASSIVE,
        theorem="Mistakes of passive-aggressive learning (Crammer et al. 2006)",
        facts={"cost": cost, **_columns(parts, names), "squared": squared, "unknown": unknown},
    )


@rules.checker(PASSIVE)
def _check_passive(certificate: Any, data: Any) -> Derivation:
    """The smallest step that a mistake makes, times their number, is at most what all steps may make."""
    del data
    cost, unknown = (Fraction(certificate.witness[name]) for name in ("cost", "unknown"))
    squared, most = certificate.witness["squared"], 0
    for radius, norm, loss in _fractions(certificate.witness, "radius", "norm", "hinge"):
        least = 1 / (radius**2 + 1 / (2 * cost)) if squared else min(cost, 1 / radius**2 if radius else cost)
        most += math.floor((norm**2 + 2 * cost * loss) / least * Fraction(SAFE))
    return Derivation(float(most + unknown), error=1e-12, slack=1e-9, scale=1.0)


def alma_line(mistakes: float, alpha: float, margins: Sequence[float], unknown: float) -> Line:
    """Gentile 2001, theorem 3: steps on rows of length 1 that some u of length 1 separates by the margin."""
    apart = min(margins) > 0.0
    steps = sum(2.0 * ((2.0 / alpha - 1.0) / margin) ** 2 + 8.0 / alpha - 4.0 for margin in margins if apart)
    return Line(
        quantity="mistakes",
        loss=mistakes,
        comparator=0.0,
        bound=steps * SAFE + unknown if apart else math.inf,
        rule=ALMA,
        theorem="Steps of ALMA (Gentile 2001)",
        facts={"alpha": alpha, "margin": list(margins), "unknown": unknown},
    )


@rules.checker(ALMA)
def _check_alma(certificate: Any, data: Any) -> Derivation:
    del data
    alpha, unknown = (Fraction(certificate.witness[name]) for name in ("alpha", "unknown"))
    margins = [margin for (margin,) in _fractions(certificate.witness, "margin")]
    steps = sum(2 * (2 - alpha) ** 2 / (alpha * margin) ** 2 + 8 / alpha - 4 for margin in margins)
    return Derivation(float(steps * Fraction(SAFE) + unknown), error=1e-12)


def winnow_line(mistakes: float, columns: int, variables: int) -> Line:
    """3 k (lg n + 1) + 2 for labels that are a disjunction of k of n variables."""
    return Line(
        quantity="mistakes",
        loss=mistakes,
        comparator=0.0,
        bound=3.0 * variables * (math.log2(columns) + 1.0) + 2.0,
        rule=WINNOW,
        theorem="Mistakes of Winnow (Littlestone 1988)",
        assumptions=(),
        facts={"columns": columns, "variables": variables},
    )


@rules.checker(WINNOW)
def _check_winnow(certificate: Any, data: Any) -> float:
    """Mistakes on positive rows double a relevant weight that is below n; those on others are paid by the sum."""
    del data
    columns, variables = certificate.witness["columns"], certificate.witness["variables"]
    promotions = variables * (math.log(columns) / math.log(2.0) + 1.0)
    return promotions + 2.0 * (promotions + 1.0)  # W >= 0: n + n promotions - (n / 2) demotions >= 0
