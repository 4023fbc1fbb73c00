"""Slow, naive twins: the definitions, written down with loops, fractions and no tricks."""

import itertools
import math
from fractions import Fraction


def binomial_tail(events: int, rows: int, rate: Fraction) -> Fraction:
    """P(Binomial(rows, rate) <= events), exactly."""
    return sum(
        (Fraction(math.comb(rows, j)) * rate**j * (1 - rate) ** (rows - j) for j in range(events + 1)), Fraction(0)
    )


def clopper_pearson_upper(events: int, rows: int, delta: Fraction, steps: int = 60) -> Fraction:
    """Bisection with exact fractions; the returned end is on the safe side."""
    if events == rows:
        return Fraction(1)
    low, high = Fraction(events, rows), Fraction(1)
    for _ in range(steps):
        middle = (low + high) / 2
        low, high = (middle, high) if binomial_tail(events, rows, middle) > delta else (low, middle)
    return high


def kl(p: float, q: float) -> float:
    first = p * math.log(p / q) if p > 0 else 0.0
    return first + ((1 - p) * math.log((1 - p) / (1 - q)) if p < 1 else 0.0)


def kl_upper(mean: float, budget: float) -> float:
    low, high = mean, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if middle >= 1.0 or kl(mean, middle) > budget:
            high = middle
        else:
            low = middle
    return high


def capital_path(x: list[float], mean: float, log_level: float, cap: float, star: bool) -> list[float]:
    """Capital after every row, with the bets of the papers and nothing from the future."""
    n, capital, path = len(x), 1.0, []
    for t in range(n):
        past = x[:t]
        centers = [(0.5 + sum(past[: i + 1])) / (i + 2) for i in range(t)]
        variance = (0.25 + sum((past[i] - centers[i]) ** 2 for i in range(t))) / (t + 1)
        if star:
            bet = math.sqrt(2 * max(0.0, log_level - math.log(capital)) / ((n - t) * variance))
        else:
            bet = math.sqrt(2 * log_level / (n * variance))
        if mean < 1.0:
            bet = min(bet, cap / (1.0 - mean))
        capital *= 1.0 - bet * (x[t] - mean)
        path.append(capital)
    return path


def betting_upper(x: list[float], log_level: float, cap: float) -> float:
    """Smallest rejected mean, by bisection."""
    low, high = 0.0, 1.0
    if max(capital_path(x, 1.0, log_level, cap, star=False)) < math.exp(log_level):
        return 1.0
    for _ in range(50):
        middle = (low + high) / 2
        reached = max(capital_path(x, middle, log_level, cap, star=False)) >= math.exp(log_level)
        low, high = (low, middle) if reached else (middle, high)
    return high


def star_upper(x: list[float], log_level: float, cap: float, grid: list[float]) -> float:
    """Go down the grid until a mean is not rejected."""
    last = 1.0
    for mean in grid:
        if max(capital_path(x, mean, log_level, cap, star=True)) < math.exp(log_level):
            return last
        last = mean
    return last


def mcnemar(a: int, b: int) -> Fraction:
    total, most = a + b, max(a, b)
    return min(Fraction(1), Fraction(2 * sum(math.comb(total, j) for j in range(most, total + 1)), 2**total))


def auc_half_pairs(ups: list[float], downs: list[float]) -> int:
    return sum(2 if u > d else 1 if u == d else 0 for u, d in itertools.product(ups, downs))


def holm(pvalues: list[float]) -> list[float]:
    """Definition: the largest, over smaller or equal p-values, of (how many are at least as large) times p."""
    order = sorted(range(len(pvalues)), key=lambda i: pvalues[i])
    adjusted = [0.0] * len(pvalues)
    for place, i in enumerate(order):
        adjusted[i] = min(1.0, max((len(order) - j) * pvalues[order[j]] for j in range(place + 1)))
    return adjusted


def rows_for_errors(errors: int, target: Fraction, delta: Fraction) -> int:
    """Count up until the tail is small enough."""
    rows = errors + 1
    while binomial_tail(errors, rows, target) > delta:
        rows += 1
    return rows


def mcnemar_power(rows: int, only_a: float, only_b: float, delta: float) -> float:
    """Sum over all outcomes of the multinomial."""
    total = 0.0
    for a in range(rows + 1):
        for b in range(rows + 1 - a):
            if mcnemar(a, b) <= Fraction(str(delta)):
                rest = rows - a - b
                ways = math.comb(rows, a) * math.comb(rows - a, b)
                total += ways * only_a**a * only_b**b * (1 - only_a - only_b) ** rest
    return total


def scenario_upper(support: int, rows: int, delta: Fraction, steps: int = 45) -> Fraction:
    """Campi and Garatti's equation as printed, bisected with exact fractions."""

    def left(risk: Fraction) -> Fraction:
        t, ways = 1 - risk, math.comb(rows, support)
        return (
            delta
            / rows
            * sum((Fraction(math.comb(j, support), ways) / t ** (rows - j) for j in range(support, rows)), Fraction(0))
        )

    low, high = Fraction(0), Fraction(1)
    for _ in range(steps):
        middle = (low + high) / 2
        low, high = (middle, high) if left(middle) < 1 else (low, middle)
    return high


def xi(rows: int) -> Fraction:
    """The definition of the PAC-Bayes constant."""
    return sum(
        (math.comb(rows, k) * Fraction(k, rows) ** k * Fraction(rows - k, rows) ** (rows - k) for k in range(rows + 1)),
        Fraction(0),
    )


def xi_of_three(rows: int) -> Fraction:
    """The same sum over three outcomes."""
    total = Fraction(0)
    for i, j in itertools.product(range(rows + 1), repeat=2):
        k = rows - i - j
        if k >= 0:
            ways = math.comb(rows, i) * math.comb(rows - i, j)
            total += ways * Fraction(i, rows) ** i * Fraction(j, rows) ** j * Fraction(k, rows) ** k
    return total


def growth_function(table: list[list[int]]) -> list[int]:
    """All sets of columns, all rows, nothing skipped."""
    points = range(len(table[0]))
    return [
        max(len({tuple(row[j] for j in chosen) for row in table}) for chosen in itertools.combinations(points, m))
        for m in range(1, len(table[0]) + 1)
    ]


def vc_dimension(table: list[list[int]]) -> int:
    return max([0, *(m + 1 for m, count in enumerate(growth_function(table)) if count == 2 ** (m + 1))])


def rademacher(table: list[list[float]]) -> float:
    """Mean over all signs of the largest correlation."""
    points = len(table[0])
    tops = [
        max(sum(s * h for s, h in zip(signs, row, strict=True)) for row in table)
        for signs in itertools.product((-1, 1), repeat=points)
    ]
    return sum(tops) / len(tops) / points


def stability_bound(risk: float, beta: float, rows: int, delta: float) -> float:
    return risk + 2 * beta + (4 * rows * beta + 1) * math.sqrt(math.log(1 / delta) / (2 * rows))
