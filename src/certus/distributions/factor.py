"""Tables of named finite variables: joint and conditional probabilities, and the factors of graphical models."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base import RandomStateLike, resolve_seed
from certus.distributions.probability_input import Floats, non_negative

Assignment = Mapping[Hashable, Any]
Names = Hashable | Sequence[Hashable]


class Factor:
    """A non-negative function of named finite variables, as a table with an axis per variable.

    A joint distribution, a conditional one or a message are all factors. Values are never changed in place: every
    operation gives a new factor. Products and quotients join the variables of both sides.

    Parameters
    ----------
    variables : mapping of name to labels
        For every variable the list of its values, of any hashable kind, in the order of the axes.
    values : array-like
        A number for every combination; any shape with that many numbers, in C order.

    Attributes
    ----------
    names : tuple
        The variables, in the order of the axes.
    labels : dict of name to tuple
        The values of each variable.
    values : ndarray
        The table, read-only.

    Examples
    --------
    >>> from certus.distributions import Factor
    >>> rain = Factor({"rain": ["yes", "no"]}, [0.2, 0.8])
    >>> wet = Factor({"rain": ["yes", "no"], "grass": ["wet", "dry"]}, [[0.9, 0.1], [0.3, 0.7]])
    >>> joint = rain * wet
    >>> print(joint.given({"grass": "wet"}).normalized().values.round(4))
    [0.4286 0.5714]
    """

    __slots__ = ("labels", "names", "values")
    names: tuple[Hashable, ...]
    labels: dict[Hashable, tuple[Any, ...]]
    values: Floats

    def __init__(self, variables: Mapping[Any, Iterable[Any]], values: Any) -> None:
        labels = {name: tuple(given) for name, given in variables.items()}
        for name, found in labels.items():
            if not found or len(set(found)) < len(found):
                raise ValueError(f"The labels of {name!r} must be distinct and at least one, got {list(found)!r}.")
        table = non_negative(values, "values")
        shape = tuple(len(found) for found in labels.values())
        if table.size != int(np.prod(shape)):
            raise ValueError(f"values must hold {int(np.prod(shape))} numbers for shape {shape}, got {table.size}.")
        self._set(labels, table.reshape(shape))

    def _set(self, labels: dict[Hashable, tuple[Any, ...]], values: Floats) -> None:
        values.flags.writeable = False
        self.names, self.labels, self.values = tuple(labels), labels, values

    @classmethod
    def _of(cls, labels: dict[Hashable, tuple[Any, ...]], values: NDArray[Any]) -> Factor:
        """A factor of parts that are known to fit."""
        made = cls.__new__(cls)
        made._set(labels, np.ascontiguousarray(values, dtype=np.float64).reshape(tuple(map(len, labels.values()))))
        return made

    # Algebra.

    def __mul__(self, other: Factor | float) -> Factor:
        return self._joined(other, np.multiply)

    __rmul__ = __mul__

    def __truediv__(self, other: Factor | float) -> Factor:
        """The quotient, with 0 / 0 = 0; a positive number by zero is an error."""
        return self._joined(other, _quotient)

    def _joined(self, other: Factor | float, operation: Callable[[Floats, Floats], Floats]) -> Factor:
        if not isinstance(other, Factor):
            if not np.isscalar(other):
                return NotImplemented
            return Factor._of(self.labels, operation(self.values, non_negative(other, "The number")))
        labels = {**self.labels, **{name: found for name, found in other.labels.items() if name not in self.labels}}
        with np.errstate(over="ignore"):
            found = operation(self._spread(labels), other._spread(labels))
        if np.isinf(found).any():
            raise ValueError(
                "The product must not exceed the range of numbers, got infinity.\n"
                "Hint: normalized() divides a factor by its total."
            )
        return Factor._of(labels, found)

    def _spread(self, labels: Mapping[Hashable, tuple[Any, ...]]) -> Floats:
        """The values with an axis for each of these variables, of length 1 where this factor does not have it."""
        values = self.values
        for name in self.names:
            values = self._reordered(values, name, labels[name])
        own = [name for name in labels if name in self.labels]
        values = values.transpose([self.names.index(name) for name in own])
        return values.reshape([len(labels[name]) if name in self.labels else 1 for name in labels])

    def _reordered(self, values: Floats, name: Hashable, wanted: tuple[Any, ...]) -> Floats:
        have = self.labels[name]
        if have == wanted:
            return values
        if set(have) != set(wanted):
            raise ValueError(
                f"Both factors must have the same labels of {name!r}, got {list(wanted)!r} and {list(have)!r}."
            )
        places = {label: place for place, label in enumerate(have)}
        return values.take([places[label] for label in wanted], axis=self.names.index(name))

    def aligned(self, other: Factor) -> Factor:
        """The same factor with the axes and labels in the order of another one with the same variables."""
        if set(self.names) != set(other.names):
            raise ValueError(f"Both factors must have the same variables, got {other.names} and {self.names}.")
        return Factor._of(other.labels, self._spread(other.labels))

    # Fewer variables.

    def marginal(self, *names: Hashable) -> Factor:
        """The sum over all other variables, with axes in the order of ``names`` (law of total probability)."""
        return self._reduced(names, np.sum)

    def maximum(self, *names: Hashable) -> Factor:
        """The maximum over all other variables, with axes in the order of ``names``."""
        return self._reduced(names, np.max)

    def _reduced(self, names: tuple[Hashable, ...], reduction: Callable[..., Floats]) -> Factor:
        self._check_names(names)
        others = tuple(axis for axis, name in enumerate(self.names) if name not in names)
        kept = [name for name in self.names if name in names]
        values = reduction(self.values, axis=others) if others else self.values
        values = np.asarray(values).transpose([kept.index(name) for name in names])
        return Factor._of({name: self.labels[name] for name in names}, values)

    def given(self, assignment: Assignment) -> Factor:
        """The slice at these labels; not normalized, so that its total is the probability of the assignment."""
        self._check_names(tuple(assignment))
        index = tuple(self._place(name, assignment[name]) if name in assignment else slice(None) for name in self.names)
        left = {name: found for name, found in self.labels.items() if name not in assignment}
        return Factor._of(left, np.asarray(self.values[index]))

    def value(self, assignment: Assignment) -> float:
        """The number at labels of some or all variables, summed over the others."""
        return self.given(assignment).total

    @property
    def total(self) -> float:
        """The sum of all values: 1 for a joint distribution."""
        return float(self.values.sum())

    def normalized(self) -> Factor:
        """The factor divided by its total: a joint distribution."""
        largest = self.values.max()
        if largest <= 0:
            raise ValueError("The values must have a positive sum to be normalized, got only zeros.")
        relative = self.values / largest  # so that neither the smallest nor the largest numbers are lost in the sum
        return Factor._of(self.labels, relative / relative.sum())

    def conditional(self, *names: Hashable) -> Factor:
        """The distribution of the other variables given ``names``: every slice at fixed ``names`` sums to 1.

        Combinations of ``names`` that have probability 0 keep the value 0.
        """
        return self / self.marginal(*names)

    def most_probable(self) -> dict[Hashable, Any]:
        """The assignment with the largest value, the first one in C order if several have it."""
        places = np.unravel_index(int(np.argmax(self.values)), self.values.shape)
        return {name: self.labels[name][place] for name, place in zip(self.names, places, strict=True)}

    # Moments, of the normalized factor.

    def expectation(self, function: Callable[..., Any] | Hashable, *names: Hashable) -> float:
        """The mean of a variable with numbers as labels, or of a function of the labels of ``names``.

        Examples
        --------
        >>> from certus.distributions import Factor
        >>> die = Factor({"x": [1, 2, 3, 4, 5, 6]}, [1 / 6] * 6)
        >>> round(die.expectation("x"), 12), round(die.expectation(lambda x: 2 * x + 1, "x"), 12)
        (3.5, 8.0)
        """
        if callable(function):
            joint = self.marginal(*names).normalized()
            numbers = [function(*found) for found in _combinations(joint)]
            return float(joint.values.ravel() @ np.asarray(numbers, dtype=np.float64))
        return float(self.marginal(function).normalized().values @ self._numbers(function))

    def variance(self, name: Hashable) -> float:
        """``E[(X - E X)^2]``."""
        return self.covariance(name, name)

    def covariance(self, a: Hashable, b: Hashable) -> float:
        """``E[(A - E A)(B - E B)]`` of two variables with numbers as labels."""
        first = self._numbers(a) - self.expectation(a)
        second = self._numbers(b) - self.expectation(b)
        if a == b:
            return float(self.marginal(a).normalized().values @ (first * second))
        return float(first @ self.marginal(a, b).normalized().values @ second)

    def correlation(self, a: Hashable, b: Hashable) -> float:
        """The covariance divided by both standard deviations, in [-1, 1]; NaN if one of the two is constant."""
        scale = np.sqrt(self.variance(a) * self.variance(b))
        return float(np.clip(self.covariance(a, b) / scale, -1.0, 1.0)) if scale > 0 else float("nan")

    def independent(self, a: Names, b: Names, given: Names = (), *, tolerance: float = 1e-9) -> bool:
        """Whether ``P(a, b | given) = P(a | given) P(b | given)`` for all labels, up to the tolerance.

        ``a``, ``b`` and ``given`` are a name or a tuple of names. Compared is ``P(a, b, c) P(c)`` with ``P(a, c) P(b,
        c)`` relative to P(c)^2, so that improbable conditions count as much as others.
        """
        first, second, third = _tuple(a), _tuple(b), _tuple(given)
        if len({*first, *second, *third}) < len(first) + len(second) + len(third):
            raise ValueError(f"a, b and given must have no variable in common, got {first}, {second} and {third}.")
        joint = self.normalized()
        background = joint.marginal(*third)
        together = joint.marginal(*first, *second, *third) / background
        apart = (joint.marginal(*first, *third) / background) * (joint.marginal(*second, *third) / background)
        return bool(np.abs(together.values - apart.aligned(together).values).max() <= tolerance)

    def sample(self, n: int, random_state: RandomStateLike = None) -> dict[Hashable, list[Any]]:
        """Draws of all variables together from the normalized factor: a list of labels per variable."""
        generator = np.random.default_rng(resolve_seed(random_state))
        drawn = generator.choice(self.values.size, size=n, p=self.normalized().values.ravel())
        places = np.unravel_index(drawn, self.values.shape)
        return {
            name: [self.labels[name][place] for place in axis] for name, axis in zip(self.names, places, strict=True)
        }

    # Names and labels.

    def _check_names(self, names: tuple[Hashable, ...]) -> None:
        unknown = [name for name in names if name not in self.labels]
        if unknown:
            raise ValueError(f"The variable must be one of {list(self.names)!r}, got {unknown[0]!r}.")
        if len(set(names)) < len(names):
            raise ValueError(f"Each variable must be named once, got {names!r}.")

    def _place(self, name: Hashable, label: Any) -> int:
        try:
            return self.labels[name].index(label)
        except ValueError:
            raise ValueError(
                f"The label of {name!r} must be one of {list(self.labels[name])!r}, got {label!r}."
            ) from None

    def _numbers(self, name: Hashable) -> Floats:
        self._check_names((name,))
        try:
            return np.array([float(label) for label in self.labels[name]])
        except (TypeError, ValueError):
            raise ValueError(
                f"The labels of {name!r} must be numbers to have moments, got {list(self.labels[name])!r}.\n"
                "Hint: expectation(function, name) takes a function from labels to numbers."
            ) from None

    def __repr__(self) -> str:
        return f"Factor({ {name: list(found) for name, found in self.labels.items()} }, {self.values.tolist()})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Factor, (self.labels, self.values)


def bayes_rule(prior: Factor, likelihood: Factor, hypothesis: Names) -> Factor:
    """The posterior ``P(y | x, z) = P(x | y, z) P(y | z) / P(x | z)``.

    Parameters
    ----------
    prior : Factor
        ``P(y)``, or ``P(y | z)`` with background variables z.
    likelihood : Factor
        ``P(x | y)`` or ``P(x | y, z)``; sliced at the observed x, or whole.
    hypothesis : name or tuple of names
        y: the posterior sums to 1 over it for every combination of the other variables.

    Examples
    --------
    >>> from certus.distributions import Factor, bayes_rule
    >>> ill = Factor({"ill": [True, False]}, [0.01, 0.99])
    >>> test = Factor({"test": ["+", "-"], "ill": [True, False]}, [[0.9, 0.05], [0.1, 0.95]])
    >>> posterior = bayes_rule(ill, test, "ill")
    >>> round(posterior.value({"ill": True, "test": "+"}), 4)
    0.1538
    """
    joint = prior * likelihood
    hypotheses = _tuple(hypothesis)
    joint._check_names(hypotheses)
    return joint.conditional(*(name for name in joint.names if name not in hypotheses))


def _quotient(above: Floats, below: Floats) -> Floats:
    above, below = np.broadcast_arrays(above, below)
    if ((below == 0) & (above > 0)).any():
        raise ValueError("A quotient of factors must not divide a positive value by zero.")
    return np.divide(above, below, out=np.zeros(above.shape), where=below > 0)


def _tuple(names: Names) -> tuple[Hashable, ...]:
    return tuple(names) if isinstance(names, list | tuple) else (names,)


def _combinations(factor: Factor) -> list[tuple[Any, ...]]:
    """The labels of all cells, in C order."""
    grid = np.indices(factor.values.shape).reshape(len(factor.names), -1).T
    found = [factor.labels[name] for name in factor.names]
    return [tuple(labels[place] for labels, place in zip(found, places, strict=True)) for places in grid]
