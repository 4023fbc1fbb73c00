"""Truth gate of bounds from training rows: real schemes whose true risk is known, trained again and again.

Every function returns (share of wrong bounds, largest share that a valid bound may show, mean excess).
"""

import math
from collections.abc import Callable

import numpy as np
from scipy import special
from scipy.spatial import ConvexHull

from certus.guarantees import (
    c_bound,
    campi_garatti,
    cantelli_bound,
    compression_bound,
    first_order_bound,
    oob_vote_bounds,
    pac_bayes_gaussian,
    pac_bayes_kl,
    tandem_bound,
)
from tests.guarantees.gate import allowed

Finding = tuple[float, float, float]
DELTA = 0.1
LEVEL = 0.9


def finding(values: np.ndarray, truths: np.ndarray | float, delta: float = DELTA) -> Finding:
    return float(np.mean(values < truths)), allowed(delta, len(values)), float(np.mean(values - truths))


# --- compression schemes ---------------------------------------------------------------------------------------


def hull(points: np.ndarray) -> tuple[int, float]:
    """Convex hull in the unit square: corners that determine it, and the chance of a point outside."""
    found = ConvexHull(points)
    return len(found.vertices), 1.0 - found.volume


def staircase(points: np.ndarray) -> tuple[int, float]:
    """Points that no other dominates in both coordinates, and the chance that a new one joins them."""
    ordered = points[np.argsort(-points[:, 0])]
    record = np.maximum.accumulate(ordered[:, 1])
    steps = np.flatnonzero(np.r_[True, ordered[1:, 1] > record[:-1]])
    corners = ordered[steps]
    dominated = float(np.sum(corners[:, 0] * np.diff(np.r_[0.0, corners[:, 1]])))
    return len(corners), 1.0 - dominated


def scenario(
    scheme: Callable[[np.ndarray], tuple[int, float]],
    rows: int,
    replicates: int,
    bound: Callable[[int, int], float] = lambda k, m: campi_garatti(k, m, LEVEL).value,
) -> Finding:
    """Schemes with the preference property: leaving out a point that is not kept changes nothing."""
    rng = np.random.default_rng([rows, replicates])
    found = [scheme(rng.random((rows, 2))) for _ in range(replicates)]
    known = {k: bound(k, rows) for k in {k for k, _ in found}}
    return finding(np.array([known[k] for k, _ in found]), np.array([risk for _, risk in found]))


def support_vector_machine(rows: int, features: int, replicates: int, strength: float = 0.1) -> Finding:
    """Soft-margin machines with an offset on two normal classes; P(y f(x) < 1) is a normal probability."""
    from sklearn.svm import SVC

    rng, values, truths = np.random.default_rng([rows, features]), [], []
    center = np.r_[1.0, np.zeros(features - 1)]
    for _ in range(replicates):
        y = rng.choice([-1.0, 1.0], rows)
        if abs(y.sum()) == rows:
            continue
        x = rng.normal(size=(rows, features)) + y[:, None] * center
        machine = SVC(kernel="linear", C=strength, tol=1e-7).fit(x, y)
        w, b = machine.coef_[0], float(machine.intercept_[0])
        kept = int(np.sum(y * (x @ w + b) <= 1.0 + 1e-5))
        length = float(np.linalg.norm(w))
        tails = special.ndtr((1.0 - np.array([w @ center + b, w @ center - b])) / length)
        values.append(campi_garatti(kept, rows, LEVEL).value)
        truths.append(float(tails.mean()))
    return finding(np.array(values), np.array(truths))


def best_threshold(
    rows: int,
    replicates: int,
    bound: Callable[[int, int], float] = lambda e, m: compression_bound(1, e, m, LEVEL, log_messages=math.log(2)).value,
) -> Finding:
    """Coin-toss labels, and the training row and direction whose threshold errs least on the others: risk 1/2."""
    rng = np.random.default_rng([1, rows])
    labels = rng.random((replicates, rows)) < 0.5  # in the order of the rows' only feature
    before = np.cumsum(labels, axis=1) - labels
    after = labels.sum(axis=1, keepdims=True) - before - labels
    above = before + (rows - 1 - np.arange(rows) - after)  # errors outside the row that is kept, "1 above it"
    fewest = np.minimum(above, rows - 1 - above).min(axis=1)
    known = {e: bound(int(e), rows) for e in np.unique(fewest)}
    return finding(np.array([known[e] for e in fewest]), 0.5)


# --- posteriors ------------------------------------------------------------------------------------------------


def gibbs_posterior(
    rows: int = 30,
    voters: int = 200,
    replicates: int = 1500,
    bound: Callable[[float, float, int], float] = lambda r, kl, m: pac_bayes_kl(r, kl, m, LEVEL).value,
) -> Finding:
    """Voters that toss coins, weighted by how lucky they were: the true risk is 1/2 for all weights."""
    rng = np.random.default_rng([2, rows])
    values = np.empty(replicates)
    for i in range(replicates):
        risks = rng.binomial(rows, 0.5, voters) / rows
        weights = np.exp(-3.0 * rows * (risks - risks.min()))
        weights /= weights.sum()
        kl = float(np.sum(weights * np.log(np.maximum(weights, 1e-300) * voters)))
        values[i] = bound(float(weights @ risks), max(0.0, kl), rows)
    return finding(values, 0.5)


GAUSSIAN = Callable[[float, int, float, float, int], float]


def gaussian_bound(risk: float, draws: int, distance: float, scale: float, rows: int) -> float:
    return pac_bayes_gaussian(risk, draws, distance, scale, rows, LEVEL).value


def gaussian_posterior(rows: int = 40, replicates: int = 1500, bound: GAUSSIAN = gaussian_bound) -> Finding:
    """Linear classifiers of labels that coins decide, drawn around what happened to fit: true risk 1/2."""
    rng, values, columns, draws = np.random.default_rng([4, rows]), np.empty(replicates), 38, 100
    for i in range(replicates):
        X, y = rng.normal(size=(rows, columns)), rng.choice([-1.0, 1.0], rows)
        center = 20.0 * np.linalg.lstsq(X, y, rcond=None)[0]
        drawn = center + rng.normal(size=(draws, columns))
        risk = float((np.sign(drawn @ X.T) != y).mean())
        values[i] = bound(risk, draws, float(np.linalg.norm(center)), 1.0, rows)
    return finding(values, 0.5)


def sampled_risk(replicates: int = 3000, bound: GAUSSIAN = gaussian_bound) -> Finding:
    """Draws that err on all rows or on none, so many rows that only the number of draws matters: true risk 1/2."""
    risks = np.random.default_rng(5).binomial(12, 0.5, replicates) / 12
    known = {risk: bound(float(risk), 12, 0.0, 1.0, 10**8) for risk in np.unique(risks)}
    return finding(np.array([known[risk] for risk in risks]), 0.5)


# --- votes -----------------------------------------------------------------------------------------------------


def two_of_three(rng: np.random.Generator, rows: int, share: float) -> np.ndarray:
    """Mistakes of three voters of whom, on a share of the rows, always some two err: the vote errs there."""
    hard, right = rng.random(rows) < share, rng.integers(0, 3, rows)
    return hard & (np.arange(3)[:, None] != right)


def held_out_vote(bound: Callable[[float, float, int], float], rows: int = 20_000, replicates: int = 60) -> Finding:
    """A bound from Gibbs and tandem risk on held-out rows, at error 0.3 of the vote."""
    rng, values = np.random.default_rng(3), []
    for _ in range(replicates):
        wrong = two_of_three(rng, rows, 0.3).astype(float)
        values.append(bound(float(wrong.mean()), float((wrong @ wrong.T).mean() / rows), rows))
    return finding(np.array(values), 0.3)


VOTES: dict[str, Callable[[float, float, int], float]] = {
    "first order": lambda g, t, m: first_order_bound(g, m, LEVEL).value,
    "tandem": lambda g, t, m: tandem_bound(t, m, LEVEL).value,
    "Chebyshev-Cantelli": lambda g, t, m: cantelli_bound(g, m, t, m, LEVEL).value,
    "C-bound": lambda g, t, m: c_bound(g, 2.0 * (g - t), m, LEVEL).value,
}


def few_rows_out_of_bag(
    replicates: int = 300,
    bound: Callable[[np.ndarray, np.ndarray], float] = lambda masks, wrong: min(
        found.value for found in oob_vote_bounds(masks, wrong, np.zeros(masks.shape[1]), LEVEL).values()
    ),
) -> Finding:
    """All voters leave out the same 20 rows of 20 000: the smallest bound is quoted, as is allowed."""
    rng, values = np.random.default_rng(4), []
    for _ in range(replicates):
        masks = np.zeros((3, 20_000), dtype=bool)
        masks[:, :20] = True
        values.append(bound(masks, two_of_three(rng, 20_000, 0.3)))
    return finding(np.array(values), 0.3)


def bagged_votes(rows: int = 400, voters: int = 25, replicates: int = 150) -> Finding:
    """Real bags: easy and hard rows, voters that err at random there; true error of the vote in closed form."""
    from scipy import stats

    rng, values = np.random.default_rng(5), []
    truth = 0.8 * stats.binom.sf(voters // 2, voters, 0.1) + 0.2 * stats.binom.sf(voters // 2, voters, 0.6)
    for _ in range(replicates):
        bags = rng.integers(0, rows, (voters, rows))
        masks = np.ones((voters, rows), dtype=bool)
        np.put_along_axis(masks, bags, False, axis=1)
        wrong = rng.random((voters, rows)) < np.where(rng.random(rows) < 0.2, 0.6, 0.1)
        found = oob_vote_bounds(masks, wrong, np.zeros(rows), LEVEL)
        values.append(min(bound.value for bound in found.values()))
    return finding(np.array(values), truth)


CASES = {
    "Campi-Garatti, convex hull of 30 points": lambda: scenario(hull, 30, 1000),
    "Campi-Garatti, staircase of 20 points": lambda: scenario(staircase, 20, 3000),
    "Campi-Garatti, staircase of 200 points": lambda: scenario(staircase, 200, 3000),
    "sample compression, best threshold of 30 rows": lambda: best_threshold(30, 20_000),
    "sample compression, best threshold of 100 rows": lambda: best_threshold(100, 10_000),
    "PAC-Bayes-kl, 200 lucky voters, 30 rows": lambda: gibbs_posterior(30),
    "PAC-Bayes-kl, 200 lucky voters, 200 rows": lambda: gibbs_posterior(200),
    "PAC-Bayes, weights drawn around lucky ones, 40 rows": gaussian_posterior,
    "PAC-Bayes, risk of the posterior from 12 draws": sampled_risk,
    **{f"vote, {name}, held out": (lambda b=b: held_out_vote(b)) for name, b in VOTES.items()},
    "vote, smallest out-of-bag bound, 20 rows left out": few_rows_out_of_bag,
    "vote, smallest out-of-bag bound, 25 bags of 400 rows": bagged_votes,
}
SLOW_CASES = {
    "Campi-Garatti, support vector machine, 60 rows, 2 features": lambda: support_vector_machine(60, 2, 2000),
    "Campi-Garatti, support vector machine, 150 rows, 10 features": lambda: support_vector_machine(150, 10, 1000),
    "Campi-Garatti, convex hull of 100 points": lambda: scenario(hull, 100, 10_000),
    "Campi-Garatti, staircase of 1000 points": lambda: scenario(staircase, 1000, 10_000),
    "PAC-Bayes-kl, 200 lucky voters, 30 rows, 10 000 times": lambda: gibbs_posterior(30, replicates=10_000),
}
