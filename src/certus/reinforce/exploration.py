"""How a learner chooses actions that it does not think are best."""

from __future__ import annotations

from sklearn.base import BaseEstimator

from certus.base import StoresParameters, register_part
from certus.guarantees.records import check_count

Rule = tuple[int, float, float, float, int]  # kind, first, last, until, visits, as kernels read them


def _within(value: float, name: str, low: float, high: float) -> float:
    number = float(value)
    if not low <= number <= high:
        raise ValueError(f"{name} must lie in [{low:g}, {high:g}], got {value!r}.")
    return number


class Exploration(StoresParameters, BaseEstimator):
    """A rule of exploration: use one of its heirs."""

    def rule(self) -> Rule:
        """The rule as kernels read it."""
        raise NotImplementedError


@register_part("reinforce")
class Greedy(Exploration):
    """Always the action that looks best, equal ones at random."""

    def rule(self) -> Rule:
        """The rule as kernels read it."""
        return (0, 0.0, 0.0, 1.0, 0)


@register_part("reinforce")
class EpsilonGreedy(Exploration):
    """Any action at random with probability epsilon, else the one that looks best.

    Parameters
    ----------
    epsilon : float, default=0.1
        The probability; at the start if it falls.
    final : float, default=None
        What it falls to; None: it does not fall.
    fraction : float, default=1.0
        The share of the training after which it has fallen.
    """

    def __init__(self, epsilon: float = 0.1, final: float | None = None, fraction: float = 1.0) -> None:
        self._set_parameters(locals())

    def rule(self) -> Rule:
        """The rule as kernels read it."""
        first = _within(self.epsilon, "epsilon", 0.0, 1.0)
        last = first if self.final is None else _within(self.final, "final", 0.0, 1.0)
        return (1, first, last, _within(self.fraction, "fraction", 1e-12, 1.0), 0)

    def rate(self, progress: float) -> float:
        """Epsilon after this share of the training."""
        _, first, last, until, _ = self.rule()
        return last if progress >= until else first + (last - first) * progress / until


@register_part("reinforce")
class Softmax(Exploration):
    """An action a with a probability proportional to exp(Q(s, a) / temperature).

    Parameters
    ----------
    temperature : float, default=1.0
        High: all actions are alike; low: the best nearly always.
    """

    def __init__(self, temperature: float = 1.0) -> None:
        self._set_parameters(locals())

    def rule(self) -> Rule:
        """The rule as kernels read it."""
        if not 0.0 < float(self.temperature) < float("inf"):
            raise ValueError(f"temperature must be above 0, got {self.temperature!r}.")
        return (2, float(self.temperature), 0.0, 1.0, 0)


@register_part("reinforce")
class Optimistic(Exploration):
    """The exploration function f(u, n): every action counts as the best possible until it was tried so many times.

    Parameters
    ----------
    reward : float
        R+, an optimistic guess of the best possible value.
    visits : int
        N_e, how often every action of a state is tried.
    """

    def __init__(self, reward: float, visits: int) -> None:
        self._set_parameters(locals())

    def rule(self) -> Rule:
        """The rule as kernels read it."""
        return (3, float(self.reward), 0.0, 1.0, check_count(self.visits, "visits"))
