"""Factor graphs with every message to be seen: sum-product and max-product on trees."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from certus.distributions import Factor
from certus.graphical.bayesian_network import BayesianNetwork
from certus.graphical.networks.graphs.dag import unknown_name

Floats = NDArray[np.float64]
Edge = tuple[Hashable, Hashable]


@dataclass(frozen=True)
class SumProduct:
    """All messages and what follows from them.

    Parameters
    ----------
    messages : dict of (from, to) to ndarray
        Logarithms of the messages, in the order in which they were sent; factors are called by their places.
    marginals : dict of name to ndarray
        The normalized product of the messages to each variable.
    log_total : float
        The logarithm of the sum of the product of all factors: log P(evidence) for a network.
    """

    messages: dict[Edge, Floats]
    marginals: dict[Hashable, Floats]
    log_total: float


@dataclass(frozen=True)
class MaxProduct:
    """Messages to the root, and back-pointers.

    Parameters
    ----------
    messages : dict of (from, to) to ndarray
        Logarithms of the messages.
    pointers : dict of (factor, variable) to dict of variable to ndarray
        For every state of the variable the states of the factor's other variables that attain the maximum.
    assignment : dict
        A best assignment, found by following the pointers from the root.
    log_value : float
        The logarithm of the product of all factors there.
    """

    messages: dict[Edge, Floats]
    pointers: dict[Edge, dict[Hashable, NDArray[np.int64]]]
    assignment: dict[Hashable, Any]
    log_value: float


class FactorGraph:
    """Variables and factors, each factor linked with its variables; exact messages need it to be a tree or a forest.

        from x to f:  prod of the messages to x from its other factors           (leaf: 1)
        from f to x:  sum over the other variables of f times their messages     (leaf: f)
        P(x)       =  prod of all messages to x, normalized

    Parameters
    ----------
    factors : sequence of Factor
        Non-negative functions; they need not be distributions.

    Examples
    --------
    >>> from certus.distributions import Factor
    >>> from certus.graphical import FactorGraph
    >>> bits = {"a": [0, 1], "b": [0, 1]}
    >>> graph = FactorGraph([Factor({"a": [0, 1]}, [3, 1]), Factor(bits, [[2, 1], [1, 2]])])
    >>> found = graph.sum_product(root="b")
    >>> print(found.marginals["b"].round(4))
    [0.5833 0.4167]
    >>> graph.max_product().assignment
    {'a': 0, 'b': 0}
    """

    def __init__(self, factors: Iterable[Factor]) -> None:
        self.factors = tuple(factors)
        self.labels: dict[Hashable, tuple[Any, ...]] = {}
        for factor in self.factors:
            for name, labels in factor.labels.items():
                if self.labels.setdefault(name, labels) != labels:
                    raise ValueError(f"All factors must have the same labels of {name!r} in the same order.")

    @classmethod
    def from_network(cls, network: BayesianNetwork, *, merged: bool = False) -> FactorGraph:
        """A factor per table; with ``merged`` the tables of parentless parents are multiplied into their child's.

        A collider a -> c <- b gives three factors P(a), P(b) and P(c | a, b), or one, P(c | a, b) P(a) P(b).
        """
        used: set[str] = set()
        factors = []
        for name in network.topological_order():
            factor = network.factor(name)
            for parent in network.parents(name) if merged else ():
                if not network.parents(parent) and parent not in used:
                    used.add(parent)
                    factor = factor * network.factor(parent)
            factors.append((name, factor))
        return cls([factor for name, factor in factors if name not in used])

    @property
    def is_tree(self) -> bool:
        """Whether there is at most one way between any two variables."""
        links = sum(len(factor.names) for factor in self.factors)
        return links == len(self.factors) + len(self.labels) - len(self._orders(None))

    def _orders(self, root: Hashable | None) -> list[list[tuple[str, Any, Any]]]:
        """Per part its nodes, each after the one through which it is reached: ("variable" or "factor", node, from)."""
        homes: dict[Hashable, list[int]] = {name: [] for name in self.labels}
        for place, factor in enumerate(self.factors):
            for name in factor.names:
                homes[name].append(place)
        starts = [*([] if root is None else [root]), *self.labels]
        seen_names: set[Hashable] = set()
        seen_factors: set[int] = {place for place, factor in enumerate(self.factors) if not factor.names}
        found: list[list[tuple[str, Any, Any]]] = [[("factor", place, None)] for place in sorted(seen_factors)]
        for start in starts:
            if start in seen_names:
                continue
            seen_names.add(start)
            part: list[tuple[str, Any, Any]] = [("variable", start, None)]
            for kind, node, _origin in part:
                if kind == "variable":
                    fresh: Sequence[Any] = [place for place in homes[node] if place not in seen_factors]
                    seen_factors.update(fresh)
                    part += [("factor", place, node) for place in fresh]
                else:
                    fresh = [name for name in self.factors[node].names if name not in seen_names]
                    seen_names.update(fresh)
                    part += [("variable", name, node) for name in fresh]
            found.append(part)
        return found

    def _prepared(self, root: Hashable | None, evidence: Mapping[Any, Any] | None) -> tuple[list[Any], dict[Any, Any]]:
        """The schedule, and per variable the logarithm of what the evidence allows."""
        if root is not None and root not in self.labels:
            raise ValueError(unknown_name(root, list(self.labels), "The root is"))
        if not self.is_tree:
            raise ValueError(
                "The factor graph must be a tree for exact messages, got one with a cycle.\n"
                "Hint: BayesianNetwork.query is exact on any graph, by a junction tree."
            )
        clamps = {name: np.zeros(len(labels)) for name, labels in self.labels.items()}
        for name, label in (evidence or {}).items():
            if name not in self.labels:
                raise ValueError(unknown_name(name, list(self.labels), "The evidence names"))
            if label not in self.labels[name]:
                raise ValueError(f"The label of {name!r} must be one of {list(self.labels[name])!r}, got {label!r}.")
            clamps[name] = np.where(np.arange(len(self.labels[name])) == self.labels[name].index(label), 0.0, -np.inf)
        return self._orders(root), clamps

    def _joined(self, place: int, messages: Mapping[Edge, Floats], target: Hashable) -> Floats:
        """Log of a factor times the messages from its variables but one, with the axis of that one first."""
        factor = self.factors[place]
        with np.errstate(divide="ignore"):
            table = np.log(factor.values)
        for axis, name in enumerate(factor.names):
            if name != target:
                table = table + messages[name, place].reshape([-1 if at == axis else 1 for at in range(table.ndim)])
        return np.moveaxis(table, factor.names.index(target), 0)

    def _product(self, name: Hashable, but: int | None, messages: Mapping[Edge, Floats], clamps: Any) -> Floats:
        homes = (place for place, factor in enumerate(self.factors) if name in factor.names and place != but)
        return np.asarray(clamps[name] + sum(messages[place, name] for place in homes))

    def _top(self, root: tuple[str, Any, Any], messages: Mapping[Edge, Floats], clamps: Any) -> Floats:
        """Log of the product at a root: of its messages, or of a factor without variables."""
        kind, node, _origin = root
        if kind == "variable":
            return self._product(node, None, messages, clamps)
        with np.errstate(divide="ignore"):
            return np.log(self.factors[node].values)

    def sum_product(self, root: Hashable | None = None, evidence: Mapping[Any, Any] | None = None) -> SumProduct:
        """Messages from the leaves to a root and back, two per link: all marginals (Kschischang et al. 2001)."""
        orders, clamps = self._prepared(root, evidence)
        messages: dict[Edge, Floats] = {}
        log_total = 0.0
        for part in orders:
            for kind, node, origin in reversed(part):
                if origin is not None:
                    messages[node, origin] = self._message(kind, node, origin, messages, clamps)
            top = self._top(part[0], messages, clamps)
            log_total += float(logsumexp(top))
            for kind, node, origin in part[1:]:
                back = "factor" if kind == "variable" else "variable"
                messages[origin, node] = self._message(back, origin, node, messages, clamps)
        if log_total == -np.inf:
            raise ValueError(f"The evidence must be possible, got {dict(evidence or {})!r}, which has the value 0.")
        products = {name: self._product(name, None, messages, clamps) for name in self.labels}
        marginals = {name: np.exp(found - logsumexp(found)) for name, found in products.items()}
        return SumProduct(messages, marginals, log_total)

    def _message(self, kind: str, node: Any, to: Any, messages: Mapping[Edge, Floats], clamps: Any) -> Floats:
        if kind == "variable":
            return self._product(node, to, messages, clamps)
        table = self._joined(node, messages, to)
        return np.asarray(logsumexp(table.reshape(len(table), -1), axis=1))

    def max_product(self, root: Hashable | None = None, evidence: Mapping[Any, Any] | None = None) -> MaxProduct:
        """Messages to a root with maxima for sums, then back-pointers outwards: one best assignment, whatever ties."""
        orders, clamps = self._prepared(root, evidence)
        messages: dict[Edge, Floats] = {}
        pointers: dict[Edge, dict[Hashable, NDArray[np.int64]]] = {}
        chosen: dict[Hashable, int] = {}
        log_value = 0.0
        for part in orders:
            for kind, node, origin in reversed(part):
                if origin is None:
                    continue
                if kind == "variable":
                    messages[node, origin] = self._product(node, origin, messages, clamps)
                    continue
                table = self._joined(node, messages, origin)
                flat = table.reshape(len(table), -1)
                messages[node, origin] = flat.max(axis=1)
                others = [name for name in self.factors[node].names if name != origin]
                places = np.unravel_index(flat.argmax(axis=1), table.shape[1:]) if others else ()
                pointers[node, origin] = dict(zip(others, places, strict=True))
            top = self._top(part[0], messages, clamps)
            log_value += float(top.max())
            if part[0][0] == "variable":
                chosen[part[0][1]] = int(top.argmax())
            for kind, node, origin in part[1:]:
                if kind == "factor":
                    chosen |= {name: int(found[chosen[origin]]) for name, found in pointers[node, origin].items()}
        if log_value == -np.inf:
            raise ValueError(f"The evidence must be possible, got {dict(evidence or {})!r}, which has the value 0.")
        assignment = {name: self.labels[name][state] for name, state in chosen.items()}
        return MaxProduct(messages, pointers, assignment, log_value)
