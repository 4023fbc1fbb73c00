"""Truth gate of bounds that hold for whole classes: finite classes, VC, Rademacher, margins, stability.

Every function returns (share of wrong bounds, largest share that a valid bound may show, mean excess).
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special, stats

from certus.guarantees import (
    excess_bound,
    finite_class_bound,
    kernel_margin_bound,
    pac_bayes_margin,
    rademacher,
    rademacher_bound,
    stability_bound,
    uniform_convergence,
    vc_bound,
    voting_margin_bound,
)
from tests.guarantees.training_gate import LEVEL, Finding, finding

COINS = 64  # hypotheses that toss coins: every one has the true error 1/2


def luckiest(
    rows: int = 40,
    replicates: int = 20_000,
    bound: Callable[[int, int], float] = lambda e, m: finite_class_bound(e, m, COINS, LEVEL).value,
) -> Finding:
    """The hypothesis with the fewest training errors."""
    fewest = np.random.default_rng(0).binomial(rows, 0.5, (replicates, COINS)).min(axis=1)
    known = {e: bound(int(e), rows) for e in np.unique(fewest)}
    return finding(np.array([known[e] for e in fewest]), 0.5)


def luckiest_exactly(rows: int, hypotheses: int) -> float:
    """Exact chance that the bound of the luckiest of independent coins is below 1/2."""
    values = [finite_class_bound(e, rows, hypotheses, LEVEL).value for e in range(rows + 1)]
    wrong = max((e for e in range(rows + 1) if values[e] < 0.5), default=-1)
    return float(1.0 - stats.binom.sf(wrong, rows, 0.5) ** hypotheses) if wrong >= 0 else 0.0


def largest_gap(
    rows: int = 60,
    replicates: int = 20_000,
    bound: Callable[[int], float] = lambda m: uniform_convergence(COINS, m, LEVEL).value,
) -> Finding:
    """All training errors against 1/2 at once."""
    counts = np.random.default_rng(1).binomial(rows, 0.5, (replicates, COINS))
    gaps = np.abs(counts / rows - 0.5).max(axis=1)
    return finding(np.full(replicates, bound(rows)), gaps)


def excess_of_the_winner(rows: int = 100, replicates: int = 5000) -> Finding:
    """Thresholds on ten places with noisy labels: how much worse the winner is than the best."""
    rng, true = np.random.default_rng(2), 0.2 + 0.04 * np.abs(np.arange(11) - 4)
    counts = rng.binomial(rows, true, (replicates, 11))
    excess = true[counts.argmin(axis=1)] - true.min()
    return finding(np.full(replicates, excess_bound(11, rows, LEVEL).value), excess)


def memorizer(
    domain: int = 200,
    rows: int = 100,
    replicates: int = 2000,
    bound: Callable[[float, int, int], float] = lambda r, m, vc: vc_bound(r, m, vc, LEVEL).value,
) -> Finding:
    """All functions on a finite domain: coin-toss labels are learned by heart, unseen points guessed."""
    rng = np.random.default_rng(3)
    seen = np.array([len(np.unique(rng.integers(0, domain, rows))) for _ in range(replicates)])
    risks = rng.binomial(domain - seen, 0.5) / domain
    return finding(np.full(replicates, bound(0.0, rows, domain)), risks)


def noisy_threshold(rows: int = 2000, replicates: int = 400) -> Finding:
    """Thresholds on the line with 10 % flipped labels, where the VC bound says something."""
    rng, values, truths = np.random.default_rng(4), [], []
    for _ in range(replicates):
        x = np.sort(rng.random(rows))
        y = (x > 0.5) ^ (rng.random(rows) < 0.1)
        wrong = np.r_[0, np.cumsum(y)] + np.r_[np.cumsum(~y[::-1])[::-1], 0]
        place = int(wrong.argmin())
        cut = 0.0 if place == 0 else x[place - 1]
        values.append(vc_bound(wrong[place] / rows, rows, 1, LEVEL).value)
        truths.append(0.1 + 0.8 * abs(cut - 0.5))
    return finding(np.array(values), np.array(truths))


def drawn_signs(
    replicates: int = 500,
    bound: Callable[[np.ndarray, int], float] = lambda table, seed: (
        rademacher(table, draws=2, seed=seed, confidence=LEVEL).value
    ),
) -> Finding:
    """Two draws of signs for twelve points against the enumeration of all."""
    table = np.random.default_rng(5).choice([-1.0, 1.0], (20, 12))
    truth = rademacher(table).value * (1.0 - 1e-12)
    return finding(np.array([bound(table, seed) for seed in range(replicates)]), truth)


def coins_by_rademacher(rows: int = 200, replicates: int = 60) -> Finding:
    """The luckiest of coin-tossing hypotheses, bounded by the complexity of the losses on its own rows."""
    rng, values = np.random.default_rng(6), []
    for _ in range(replicates):
        losses = (rng.random((COINS, rows)) < 0.5).astype(float)
        noise = rademacher(losses, draws=200, confidence=0.95).value
        values.append(rademacher_bound(losses.mean(axis=1).min(), noise, rows, 0.95).value)
    return finding(np.array(values), 0.5)  # two failures of 5 % each


def random_labels_in_many_dimensions(
    bound: Callable[[np.ndarray, float, float, np.ndarray], float] = lambda m, rho, norm, k: (
        kernel_margin_bound(m, rho, norm, k, LEVEL).value
    ),
    rows: int = 100,
    replicates: int = 20,
) -> Finding:
    """Coin-toss labels fitted with margin 1 in 200 dimensions: the true error is 1/2."""
    rng, values = np.random.default_rng(7), []
    for _ in range(replicates):
        x, y = rng.normal(size=(rows, 200)) / 14.0, rng.choice([-1.0, 1.0], rows)
        w = x.T @ np.linalg.solve(x @ x.T, y)
        values.append(bound(y * (x @ w), 0.99, float(np.linalg.norm(w)), (x**2).sum(axis=1)))
    return finding(np.array(values), 0.5)


def angles(rows: int = 300, replicates: int = 80, bound: Any = lambda g: pac_bayes_margin(g, LEVEL).value) -> Finding:
    """The difference of class means in five dimensions; its true error is a normal tail."""
    rng, values, truths = np.random.default_rng(8), [], []
    center = np.array([1.0, 0.0, 0.0, 0.0, 0.0])
    for _ in range(replicates):
        y = rng.choice([-1.0, 1.0], rows)
        x = rng.normal(size=(rows, 5)) + y[:, None] * center
        w = (y[:, None] * x).mean(axis=0)
        cosines = y * (x @ w) / np.linalg.norm(w) / np.linalg.norm(x, axis=1)
        values.append(bound(cosines))
        truths.append(special.ndtr(-(w @ center) / np.linalg.norm(w)))
    return finding(np.array(values), np.array(truths))


def vote_of_stumps(
    rows: int = 200,
    replicates: int = 20,
    bound: Callable[[np.ndarray, float, int], float] = lambda m, rho, vc: voting_margin_bound(m, rho, vc, LEVEL).value,
) -> Finding:
    """Coin-toss labels and the vote that boosting finds for them: the true error is 1/2."""
    rng, values = np.random.default_rng(9), []
    for _ in range(replicates):
        y, said = rng.choice([-1.0, 1.0], rows), rng.choice([-1.0, 1.0], (500, rows))
        score, weights, total = np.zeros(rows), np.full(rows, 1.0 / rows), 0.0
        for _ in range(60):
            edges = said @ (weights * y)
            best = int(np.abs(edges).argmax())
            step = math.atanh(edges[best])
            score, total = score + step * said[best], total + abs(step)
            weights = np.exp(-y * score)
            weights /= weights.sum()
        values.append(bound(y * score / total, 0.05, 8))
    return finding(np.array(values), 0.5)


def mean_predictor(rows: int = 400, replicates: int = 4000) -> Finding:
    """Predict the mean of targets 0 and 1 with square loss: replacing a row moves no loss by more than 2/rows."""
    counts = np.random.default_rng(10).binomial(rows, 0.3, replicates)
    known = {k: (k / rows, (k / rows) * (1 - k / rows)) for k in np.unique(counts)}
    values = {k: stability_bound(risk, 2.0 / rows, rows, LEVEL).value for k, (_, risk) in known.items()}
    truths = np.array([0.21 + (known[k][0] - 0.3) ** 2 for k in counts])
    return finding(np.array([values[k] for k in counts]), truths)


CASES = {
    "finite class, luckiest of 64 coins, 40 rows": luckiest,
    "uniform convergence, 64 coins, 60 rows": largest_gap,
    "excess of the winner, 11 thresholds, 100 rows": excess_of_the_winner,
    "VC bound, all functions on 200 points, 100 rows": memorizer,
    "VC bound, noisy threshold, 2000 rows": noisy_threshold,
    "Rademacher, two draws of signs, 12 points": drawn_signs,
    "Rademacher bound, luckiest of 64 coins, 200 rows": coins_by_rademacher,
    "kernel margin, coin-toss labels in 200 dimensions": random_labels_in_many_dimensions,
    "PAC-Bayes margin, class means, 300 rows": angles,
    "voting margin, boosted coin-toss labels": vote_of_stumps,
    "stability, mean of 400 targets": mean_predictor,
}
SLOW_CASES = {
    "VC bound, noisy threshold, 20 000 rows": lambda: noisy_threshold(20_000, 1000),
    "PAC-Bayes margin, class means, 100 rows, 3000 times": lambda: angles(100, 3000),
    "Rademacher bound, luckiest of 64 coins, 1000 rows": lambda: coins_by_rademacher(1000, 300),
}
