"""Parameter rules as data: each learner states what its parameters may be.

A rule list reads ``{"alpha": [Interval(0, None)], "solver": [OneOf("auto", "svd")]}``: a value must satisfy one
of the rules of its parameter. Every violation gives the same shape of message: parameter, learner, what is
allowed, what was received, and a hint where a near miss can be guessed.
"""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
from scipy import sparse


class Rule(Protocol):
    """One way for a value to be allowed; ``str(rule)`` completes "must be …"."""

    def allows(self, value: Any) -> bool:
        """Whether the value satisfies the rule."""
        ...


@dataclass(frozen=True)
class Interval:
    """A number between two ends; ``integer=True`` asks for a whole number. ``None`` is an open infinite end."""

    low: float | None
    high: float | None
    closed: Literal["both", "left", "right", "neither"] = "both"
    integer: bool = False

    def allows(self, value: Any) -> bool:
        kind = numbers.Integral if self.integer else numbers.Real
        if not isinstance(value, kind) or isinstance(value, bool | np.bool_) or np.isnan(float(value)):
            return False
        number = float(value)
        if self.low is not None:
            inside = number >= self.low if self.closed in ("both", "left") else number > self.low
            if not inside:
                return False
        if self.high is not None:
            return number <= self.high if self.closed in ("both", "right") else number < self.high
        return True

    def __str__(self) -> str:
        number = int if self.integer else float
        low = "-inf" if self.low is None else number(self.low)
        high = "inf" if self.high is None else number(self.high)
        left = "[" if self.low is not None and self.closed in ("both", "left") else "("
        right = "]" if self.high is not None and self.closed in ("both", "right") else ")"
        return f"{'an int' if self.integer else 'a float'} in the range {left}{low}, {high}{right}"


class Fraction(Interval):
    """A float between two ends, where a whole number of type int would mean something else (a count)."""

    def allows(self, value: Any) -> bool:
        return not isinstance(value, numbers.Integral) and super().allows(value)


class OneOf:
    """One of a fixed set of strings."""

    def __init__(self, *options: str) -> None:
        self.options = options

    def allows(self, value: Any) -> bool:
        return isinstance(value, str) and value in self.options

    def __str__(self) -> str:
        return "a str among {" + ", ".join(repr(option) for option in sorted(self.options)) + "}"


class Exactly:
    """One particular value, such as None, False or "auto"."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def allows(self, value: Any) -> bool:
        return value is self.value or (type(value) is type(self.value) and bool(value == self.value))

    def __str__(self) -> str:
        return repr(self.value)


class InstanceOf:
    """An instance of one of the given types."""

    def __init__(self, *types: type) -> None:
        self.types = types

    def allows(self, value: Any) -> bool:
        return isinstance(value, self.types)

    def __str__(self) -> str:
        return "an instance of " + " or ".join(repr(kind.__name__) for kind in self.types)


class Boolean:
    """True or False."""

    def allows(self, value: Any) -> bool:
        return isinstance(value, bool | np.bool_)

    def __str__(self) -> str:
        return "an instance of 'bool'"


class Verbosity:
    """A level of talkativeness: a bool or a whole number from 0."""

    def allows(self, value: Any) -> bool:
        return isinstance(value, bool | np.bool_) or (isinstance(value, numbers.Integral) and int(value) >= 0)

    def __str__(self) -> str:
        return "an int in the range [0, inf), or an instance of 'bool'"


class ArrayLike:
    """Anything that looks like an array: it has a length, a shape or an array interface, and is not a string."""

    def allows(self, value: Any) -> bool:
        if isinstance(value, str | bytes | Mapping) or sparse.issparse(value):
            return False
        return hasattr(value, "__len__") or hasattr(value, "shape") or hasattr(value, "__array__")

    def __str__(self) -> str:
        return "an array-like"


class Function:
    """A function."""

    def allows(self, value: Any) -> bool:
        return callable(value)

    def __str__(self) -> str:
        return "a callable"


class HasMethods:
    """An object with all of the given methods, such as an estimator with ``fit``."""

    def __init__(self, *names: str) -> None:
        self.names = names

    def allows(self, value: Any) -> bool:
        return all(callable(getattr(value, name, None)) for name in self.names)

    def __str__(self) -> str:
        listed = [repr(name) for name in self.names]
        return "an object implementing " + " and ".join([", ".join(listed[:-1]), listed[-1]] if listed[1:] else listed)


class Folds:
    """What ``cv`` accepts: None, a number of folds, a splitter, or an iterable of (train, test) positions."""

    def allows(self, value: Any) -> bool:
        if isinstance(value, numbers.Integral) and not isinstance(value, bool | np.bool_):
            return int(value) >= 2
        splitter = hasattr(value, "split") and hasattr(value, "get_n_splits")
        return value is None or splitter or (isinstance(value, Iterable) and not isinstance(value, str))

    def __str__(self) -> str:
        return "an int in the range [2, inf), an object implementing 'split' and 'get_n_splits', an iterable or None"


class RandomState:
    """What ``random_state`` accepts: None, a seed, or a NumPy generator."""

    def allows(self, value: Any) -> bool:
        if value is None or isinstance(value, np.random.RandomState | np.random.Generator):
            return True
        return isinstance(value, numbers.Integral) and 0 <= int(value) < 2**32

    def __str__(self) -> str:
        return "an int in the range [0, 4294967295], an instance of 'numpy.random.RandomState' or None"


Constraints = Mapping[str, Iterable[Rule]]
