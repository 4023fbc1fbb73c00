"""The best action against a known distribution of outcomes, for every usual loss."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from certus.guarantees.records import check_choice

LOSSES = ("square", "absolute", "zero-one", "pinball")


@dataclass(frozen=True)
class BayesAction:
    """The action with the smallest expected loss.

    Parameters
    ----------
    action : float or int
        The outcome to predict; with a cost matrix the number of the action.
    risk : float
        Its expected loss.
    risks : ndarray
        Expected loss of every action that was compared.
    """

    action: float
    risk: float
    risks: np.ndarray


def bayes_action(
    outcomes: ArrayLike, chances: ArrayLike, loss: str = "square", *, quantile: float = 0.5
) -> BayesAction:
    """Minimize E[loss(outcome, action)] over all actions, for finitely many numeric outcomes.

    The mean for the square loss, a median for the absolute loss, a most likely outcome for the 0/1 loss, a quantile
    for the pinball loss max(q (y - a), (q - 1)(y - a)). Of several best actions the smallest is taken.

    Parameters
    ----------
    outcomes : array-like of shape (n,)
        Possible outcomes.
    chances : array-like of shape (n,)
        Their probabilities.
    loss : {"square", "absolute", "zero-one", "pinball"}, default="square"
        The loss.
    quantile : float, default=0.5
        q of the pinball loss.

    Examples
    --------
    >>> outcomes, chances = [0.0, 1.0, 10.0], [0.4, 0.3, 0.3]
    >>> [round(bayes_action(outcomes, chances, loss).action, 10) for loss in ("square", "absolute", "zero-one")]
    [3.3, 1.0, 0.0]
    """
    check_choice(loss, "loss", LOSSES)
    if not 0.0 < quantile < 1.0:
        raise ValueError(f"quantile must lie strictly between 0 and 1, got {quantile!r}.")
    values, mass = np.asarray(outcomes, dtype=np.float64), check_chances(chances)
    if values.shape != mass.shape or not np.isfinite(values).all():
        raise ValueError(f"outcomes must be {mass.size} finite numbers, got shape {values.shape}.")
    actions = np.unique(values)
    if loss == "square":
        actions = np.array([float(mass @ values)])
    gaps = values[None, :] - actions[:, None]
    losses = {
        "square": gaps**2,
        "absolute": np.abs(gaps),
        "zero-one": (gaps != 0).astype(float),
        "pinball": np.maximum(quantile * gaps, (quantile - 1.0) * gaps),
    }[loss]
    risks = losses @ mass
    best = int(np.flatnonzero(risks <= risks.min() * (1 + 1e-12) + 1e-15)[0])
    return BayesAction(float(actions[best]), float(risks[best]), risks)


def cost_action(chances: ArrayLike, costs: ArrayLike) -> BayesAction:
    """The action with the smallest expected cost, for a table of costs.

    Parameters
    ----------
    chances : array-like of shape (classes,)
        Probabilities of the classes.
    costs : array-like of shape (classes, actions)
        Cost of every action when the class is true; an extra column can be the cost of not deciding.

    Examples
    --------
    >>> cost_action([0.9, 0.1], [[0, 1, 0.3], [20, 0, 0.3]]).action
    2
    """
    mass, table = check_chances(chances), np.asarray(costs, dtype=np.float64)
    if table.ndim != 2 or table.shape[0] != mass.size or table.shape[1] == 0 or not np.isfinite(table).all():
        raise ValueError(f"costs must be a finite ({mass.size} classes, actions) table, got shape {table.shape}.")
    risks = mass @ table
    best = int(risks.argmin())
    return BayesAction(best, float(risks[best]), risks)


def check_chances(chances: ArrayLike) -> np.ndarray:
    """Return probabilities as a float vector that adds up to 1."""
    mass = np.asarray(chances, dtype=np.float64)
    if mass.ndim != 1 or mass.size == 0 or not np.isfinite(mass).all() or (mass < 0).any():
        raise ValueError(f"chances must be a non-empty vector of numbers of at least 0, got {chances!r}.")
    if abs(mass.sum() - 1.0) > 1e-9:
        raise ValueError(f"chances must add up to 1, got {mass.sum()!r}.")
    return mass
