"""How far a learner moves its estimate towards what it has just seen."""

from __future__ import annotations

from sklearn.base import BaseEstimator

from certus.base import StoresParameters, register_part

Rule = tuple[int, float, float]  # kind, first, last, as kernels read them


def _share(value: float, name: str) -> float:
    number = float(value)
    if not 0.0 <= number <= 1.0:
        raise ValueError(f"{name} must lie in [0, 1], got {value!r}.")
    return number


class StepLength(StoresParameters, BaseEstimator):
    """A rule of step lengths: use one of its heirs."""

    def rule(self) -> Rule:
        """The rule as kernels read it."""
        raise NotImplementedError


@register_part("reinforce")
class Constant(StepLength):
    """Always the same length, so that the estimate follows changes and never settles.

    Parameters
    ----------
    length : float
        The length; 1 replaces the estimate by what was seen.
    """

    def __init__(self, length: float) -> None:
        self._set_parameters(locals())

    def rule(self) -> Rule:
        """The rule as kernels read it."""
        return (0, _share(self.length, "length"), 0.0)


@register_part("reinforce")
class Power(StepLength):
    """n^-p at the n-th visit: estimates settle for p in (1/2, 1], p = 1 is the mean of what was seen.

    Parameters
    ----------
    p : float
        The power.
    """

    def __init__(self, p: float) -> None:
        self._set_parameters(locals())

    def rule(self) -> Rule:
        """The rule as kernels read it."""
        return (1, _share(self.p, "p"), 0.0)


@register_part("reinforce")
class Linear(StepLength):
    """A length that falls along a line during the training.

    Parameters
    ----------
    first : float
        At the beginning.
    last : float, default=0.0
        At the end.
    """

    def __init__(self, first: float, last: float = 0.0) -> None:
        self._set_parameters(locals())

    def rule(self) -> Rule:
        """The rule as kernels read it."""
        return (2, _share(self.first, "first"), _share(self.last, "last"))
