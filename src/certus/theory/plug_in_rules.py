"""Risk of a rule when P(y = 1 | x) is known, and what a wrong idea of it costs; x is uniform on an interval."""

from __future__ import annotations

from collections.abc import Callable

from certus.theory.bayes_risk import uniform_mean

Function = Callable[[float], float]


def class_chance(first_density: Function, second_density: Function, second_chance: float = 0.5) -> Function:
    """P(y = 1 | x) from the densities of both classes: p1 f1(x) / (p0 f0(x) + p1 f1(x)), 1/2 where both vanish.

    Parameters
    ----------
    first_density, second_density : callable
        Densities of x in class 0 and in class 1.
    second_chance : float, default=0.5
        P(y = 1).

    Examples
    --------
    >>> class_chance(lambda x: 2 * (1 - x), lambda x: 2 * x)(0.25)
    0.25
    """
    if not 0.0 <= second_chance <= 1.0:
        raise ValueError(f"second_chance must lie between 0 and 1, got {second_chance!r}.")

    def chance(x: float) -> float:
        one, other = second_chance * second_density(x), (1.0 - second_chance) * first_density(x)
        return one / (one + other) if one + other > 0 else 0.5

    return chance


def risk(eta: Function, classifier: Function, low: float = 0.0, high: float = 1.0) -> float:
    """Risk of a classifier: E[eta 1(g = 0) + (1 - eta) 1(g = 1)].

    Parameters
    ----------
    eta : callable
        P(y = 1 | x).
    classifier : callable
        The label, 0 or 1, or for a random classifier the chance of 1.
    low, high : float
        x is uniform between them.

    Examples
    --------
    >>> line = lambda x: 0.2 + 0.6 * x
    >>> round(risk(line, lambda x: x >= 0.5), 10), round(risk(line, lambda x: 0.5), 10)
    (0.35, 0.5)
    """
    return uniform_mean(lambda x: eta(x) * (1.0 - classifier(x)) + (1.0 - eta(x)) * classifier(x), low, high)


def excess_risk(eta: Function, classifier: Function, low: float = 0.0, high: float = 1.0) -> float:
    """How much more a classifier risks than the best one: E |2 eta - 1| 1(g != g*), g* = 1(eta >= 1/2).

    Parameters
    ----------
    eta : callable
        P(y = 1 | x).
    classifier : callable
        The label, 0 or 1, or for a random classifier the chance of 1.
    low, high : float
        x is uniform between them.

    Examples
    --------
    >>> round(excess_risk(lambda x: 0.2 + 0.6 * x, lambda x: 1.0), 10)
    0.15
    """
    return uniform_mean(lambda x: abs(2.0 * eta(x) - 1.0) * abs(classifier(x) - (eta(x) >= 0.5)), low, high)


def plug_in_bound(eta: Function, estimate: Function, low: float = 0.0, high: float = 1.0) -> float:
    """Most that the rule 1(estimate >= 1/2) can risk above the best one: 2 E |eta - estimate|.

    Parameters
    ----------
    eta : callable
        P(y = 1 | x).
    estimate : callable
        What it was estimated to be.
    low, high : float
        x is uniform between them.

    Examples
    --------
    >>> round(plug_in_bound(lambda x: 0.2 + 0.6 * x, lambda x: 0.3 + 0.6 * x), 10)
    0.2
    """
    return 2.0 * uniform_mean(lambda x: abs(eta(x) - estimate(x)), low, high)
