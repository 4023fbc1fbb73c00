"""The Bayes risk of known distributions: what no predictor can beat."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from certus.theory.bayes_actions import bayes_action, cost_action


@dataclass(frozen=True)
class BayesPredictor:
    """The best predictor of a finite distribution.

    Parameters
    ----------
    predictions : ndarray of shape (points,)
        Best action for every point.
    risk : float
        Its expected loss, the Bayes risk.
    marginal : ndarray of shape (points,)
        Chance of every point.
    """

    predictions: np.ndarray
    risk: float
    marginal: np.ndarray


def bayes_predictor(
    joint: ArrayLike,
    outcomes: ArrayLike | None = None,
    loss: str = "zero-one",
    *,
    costs: ArrayLike | None = None,
    quantile: float = 0.5,
) -> BayesPredictor:
    """The predictor with the smallest expected loss under a known joint distribution of finitely many pairs.

    Parameters
    ----------
    joint : array-like of shape (points, outcomes)
        P(x, y), adding up to 1.
    outcomes : array-like of shape (outcomes,), optional
        The values of y; 0, 1, 2 ... by default.
    loss : {"square", "absolute", "zero-one", "pinball"}, default="zero-one"
        The loss, unless `costs` are given.
    costs : array-like of shape (outcomes, actions), optional
        Cost of every action for every outcome.
    quantile : float, default=0.5
        Of the pinball loss.

    Examples
    --------
    >>> best = bayes_predictor([[0.4, 0.1], [0.2, 0.3]])
    >>> best.predictions.tolist(), round(best.risk, 10)
    ([0.0, 1.0], 0.3)
    """
    table = check_joint(joint)
    values = np.arange(table.shape[1]) if outcomes is None else np.asarray(outcomes)
    marginal = table.sum(axis=1)
    predictions, risk = np.zeros(len(table)), 0.0
    for i, mass in enumerate(marginal):
        if mass > 0:
            given = table[i] / mass
            found = (
                cost_action(given, costs) if costs is not None else bayes_action(values, given, loss, quantile=quantile)
            )
            predictions[i], risk = found.action, risk + mass * found.risk
    return BayesPredictor(predictions, float(risk), marginal)


def check_joint(joint: ArrayLike) -> np.ndarray:
    """Return a table of probabilities that adds up to 1."""
    table = np.asarray(joint, dtype=np.float64)
    if table.ndim != 2 or 0 in table.shape or not np.isfinite(table).all() or (table < 0).any():
        raise ValueError(f"joint must be a (points, outcomes) table of numbers of at least 0, got shape {table.shape}.")
    if abs(table.sum() - 1.0) > 1e-9:
        raise ValueError(f"joint must add up to 1, got {table.sum()!r}.")
    return table


def gaussian_bayes_error(
    first_mean: ArrayLike, second_mean: ArrayLike, covariance: ArrayLike, first_chance: float = 0.5
) -> float:
    """Bayes error of two normal classes with a common covariance.

    With the Mahalanobis distance D of the means, priors p and 1 - p, and t = log((1 - p)/p)/D::

        p P(N(0,1) > D/2 - t) + (1 - p) P(N(0,1) > D/2 + t)

    Examples
    --------
    >>> round(gaussian_bayes_error([0.0], [2.0], [[1.0]]), 6)
    0.158655
    """
    a, b = np.atleast_1d(np.asarray(first_mean, float)), np.atleast_1d(np.asarray(second_mean, float))
    spread = np.atleast_2d(np.asarray(covariance, float))
    if a.shape != b.shape or spread.shape != (a.size, a.size):
        raise ValueError(f"means and covariance do not fit: {a.shape}, {b.shape}, {spread.shape}.")
    if not 0.0 < first_chance < 1.0:
        raise ValueError(f"first_chance must lie strictly between 0 and 1, got {first_chance!r}.")
    factor = np.linalg.cholesky(spread)
    distance = float(np.linalg.norm(np.linalg.solve(factor, a - b)))
    if distance == 0.0:
        return min(first_chance, 1.0 - first_chance)
    shift = math.log((1.0 - first_chance) / first_chance) / distance
    tails = special.ndtr([shift - distance / 2.0, -shift - distance / 2.0])
    return float(first_chance * tails[0] + (1.0 - first_chance) * tails[1])


def bayes_error(chance: Callable[[float], float], low: float = 0.0, high: float = 1.0) -> float:
    """Bayes error of two classes with P(y = 1 | x) = chance(x) and x uniform on [low, high].

    Examples
    --------
    >>> round(bayes_error(lambda x: 0.2 + 0.6 * x), 10)
    0.35
    """
    return uniform_mean(lambda x: min(chance(x), 1.0 - chance(x)), low, high)


def uniform_mean(function: Callable[[float], float], low: float, high: float) -> float:
    """Mean of a function of x uniform on [low, high], in a thousand pieces so that kinks do no harm."""
    if not -math.inf < low < high < math.inf:
        raise ValueError(f"low must be less than high and both finite, got {low!r} and {high!r}.")
    edges = np.linspace(low, high, 1001)
    nodes, weights = np.polynomial.legendre.leggauss(4)
    x = (edges[:-1, None] + edges[1:, None]) / 2 + (edges[1] - edges[0]) / 2 * nodes[None, :]
    values = np.array([[function(float(v)) for v in row] for row in x])
    return float((values @ weights).sum() / (2.0 * (len(edges) - 1)))
