"""Exact answers of networks with continuous nodes: normals are integrated out, states summed over (Lauritzen 1992).

Every part of continuous nodes becomes a table over its discrete causes, the density of what is observed of it; then the
network is discrete. Targets keep their normals, one for every configuration of their causes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.distributions import Factor
from certus.graphical.evidence.exact_mixture import mixture_certificate
from certus.graphical.networks.graphs.dag import unknown_name
from certus.graphical.networks.inference.clique_messages import free_cells, impossible_subset
from certus.graphical.networks.inference.evidence_input import Evidence, ImpossibleEvidence, read_evidence
from certus.graphical.networks.normals.log_elimination import Bucket, LogElimination, Scope
from certus.graphical.networks.normals.mixed_posterior import MixedPosterior
from certus.graphical.networks.normals.normal_parts import NormalPart, conditioned, part_shapes

Floats = NDArray[np.float64]
Factors = list[tuple[Scope, Floats]]


@dataclass(frozen=True)
class MixedEvidence:
    """What is observed.

    Parameters
    ----------
    discrete : Evidence
        Of discrete nodes.
    states : dict of str to int
        Places of the states that are known.
    values : dict of str to float
        Of continuous nodes.
    """

    discrete: Evidence
    states: dict[str, int]
    values: dict[str, float]


def read_mixed(network: Any, given: Mapping[str, Any] | None) -> MixedEvidence:
    """Evidence by names, labels and values."""
    values: dict[str, float] = {}
    for name, value in (given or {}).items():
        if name not in network.nodes:
            raise ValueError(unknown_name(name, network.nodes, "The evidence names"))
        if name in network.continuous:
            if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not math.isfinite(value):
                raise ValueError(f"The evidence on {name!r} must be a finite number, got {value!r}.")
            values[name] = float(value)
    rest = {name: value for name, value in (given or {}).items() if name not in values}
    states = {name: network.states(name) for name in network.discrete}
    found = read_evidence(rest, network.discrete, states)
    return MixedEvidence(found, {network.discrete[node]: state for node, state in found.states.items()}, values)


class MixedQuestion:
    """A question to a network: its parts, its order of summation, and what they cost.

    Parameters
    ----------
    network : ConditionalGaussianNetwork
        The network.
    evidence : MixedEvidence
        What is observed.
    targets : sequence of str
        What is asked for; other nodes than their ancestors and those of the evidence are left out.
    max_cells : int, optional
        The most memory, in numbers of 8 bytes; half of what is free by default.
    joint : bool, default=True
        Whether the targets' joint distribution is wanted; without it everything is summed out.
    """

    def __init__(
        self,
        network: Any,
        evidence: MixedEvidence,
        targets: Sequence[str],
        max_cells: int | None = None,
        *,
        joint: bool = True,
    ) -> None:
        self.network, self.evidence = network, evidence
        observed = {*evidence.states, *evidence.values, *(network.discrete[v] for v in evidence.discrete.weights)}
        self.kept = network._ancestors({*targets, *observed})
        self.continuous = tuple(name for name in targets if joint and name in network.continuous)
        self.shapes = shapes = part_shapes(network, self.kept, evidence.states, evidence.values)
        asked = [shape for shape in shapes if set(shape.hidden) & set(self.continuous)]
        wanted = {name for shape in asked for name in shape.scope} | {name for name in targets if joint}
        self.free = tuple(name for name in network.discrete if name in wanted and name not in evidence.states)
        self.cards = {
            name: len(network.states(name))
            for name in network.discrete
            if name in self.kept and name not in evidence.states
        }
        self.tables = self._discrete_factors()
        scopes = [scope for scope, _ in self.tables] + [shape.scope for shape in shapes]
        self.elimination = LogElimination(self.cards, scopes, self.free)
        size = len(self.continuous)
        components = math.prod(self.cards[name] for name in self.free) * (1 + size + size**2)
        self._require(self.elimination.cells + components + sum(shape.cells for shape in shapes), max_cells)

    @staticmethod
    def _require(cells: int, max_cells: int | None) -> None:
        most = free_cells() if max_cells is None else max_cells
        if cells > most:
            raise MemoryError(
                f"Exact inference must fit in {most:,} cells, got states and normals that take {cells:,} cells "
                f"({8 * cells:,} bytes).\nHint: observe more, ask for fewer targets at once, or allow more max_cells."
            )

    def _discrete_factors(self) -> Factors:
        network, states = self.network, self.evidence.states
        found: Factors = []
        for name in network.discrete:
            if name in self.kept:
                family = (*network.parents(name), name)
                table = network.table(name)[tuple(states.get(member, slice(None)) for member in family)]
                found.append((tuple(member for member in family if member not in states), table))
        for node, weights in self.evidence.discrete.weights.items():
            found.append(((network.discrete[node],), weights))
        return found

    def solve(self, *, demand: bool = True) -> tuple[Floats, list[Bucket], list[NormalPart]]:
        """The logarithms of P(free, evidence), the buckets behind them, and the conditioned parts.

        Parameters
        ----------
        demand : bool, default=True
            Whether impossible evidence is an error.
        """
        evidence = self.evidence
        parts = [conditioned(self.network, shape, evidence.states, evidence.values) for shape in self.shapes]
        with np.errstate(divide="ignore"):
            tables = [(scope, np.log(table)) for scope, table in self.tables]
        factors = [*tables, *((part.shape.scope, part.log_density) for part in parts)]
        logs, buckets = self.elimination.run(factors)
        if demand and not np.isfinite(logs.max()):
            raise ImpossibleEvidence(impossible_subset(self.network.discrete_part, evidence.discrete))
        return logs, buckets, parts


def mixed_posterior(
    network: Any, targets: Sequence[str], evidence: MixedEvidence, max_cells: int | None
) -> MixedPosterior:
    """P(targets | evidence)."""
    question = MixedQuestion(network, evidence, targets, max_cells)
    logs, _buckets, parts = question.solve()
    most = float(logs.max())
    weights = np.exp(logs - most)
    total = float(weights.sum())
    weights = weights / total
    means, covariances = _joined(question, parts)
    if not (np.isfinite(means).all() and np.isfinite(covariances).all()):
        raise ValueError(
            f"Means and covariances of {', '.join(map(repr, question.continuous))} must be in the range of numbers, "
            "got some that are not.\nHint: measure in other units."
        )
    possible = np.flatnonzero(weights.ravel() > 0.0)
    cards = [question.cards[name] for name in question.free]
    places = np.unravel_index(possible, cards) if cards else ()
    labels = {
        name: [network.states(name)[place] for place in found]
        for name, found in zip(question.free, places, strict=True)
    }
    components = (weights.ravel()[possible], means[possible], covariances[possible])
    factor = _factor(network, [name for name in targets if name in network.discrete], question, weights)
    log_evidence = most + math.log(total)
    certify = partial(mixture_certificate, question, (weights.ravel(), means, covariances), log_evidence)
    return MixedPosterior(factor, question.continuous, labels, components, log_evidence, certify)


def _joined(question: MixedQuestion, parts: Sequence[NormalPart]) -> tuple[Floats, Floats]:
    """Means and covariances of the continuous targets for every configuration of the free variables."""
    names, free = question.continuous, question.free
    cards = [question.cards[name] for name in free]
    means = np.zeros((*cards, len(names)))
    covariances = np.zeros((*cards, len(names), len(names)))
    for place, name in enumerate(names):
        if name in question.evidence.values:
            means[..., place] = question.evidence.values[name]
    for part in parts:
        inside = [name for name in names if name in part.shape.hidden]
        if not inside:
            continue
        shape = [question.cards[name] if name in part.shape.scope else 1 for name in free]
        own, to = [part.shape.hidden.index(name) for name in inside], [names.index(name) for name in inside]
        means[..., to] = part.mean[..., own].reshape(*shape, len(own))
        block = part.covariance[..., own, :][..., own]
        for row, at in enumerate(to):
            covariances[..., at, to] = block[..., row, :].reshape(*shape, len(own))
    count = math.prod(cards)
    return means.reshape(count, len(names)), covariances.reshape(count, len(names), len(names))


def _factor(network: Any, targets: Sequence[str], question: MixedQuestion, weights: Floats) -> Factor:
    """The table of the discrete targets; an observed one has its probability in one state."""
    others = tuple(axis for axis, name in enumerate(question.free) if name not in targets)
    table = weights.sum(axis=others)
    left = [name for name in question.free if name in targets]
    free = [name for name in targets if name in left]
    table = table.transpose([left.index(name) for name in free])
    whole = np.zeros([len(network.states(name)) for name in targets])
    states = question.evidence.states
    whole[tuple(states.get(name, slice(None)) for name in targets)] = table
    return Factor({name: network.states(name) for name in targets}, whole)


def mixed_draws(network: Any, evidence: MixedEvidence, count: int, seed: int) -> dict[str, Any]:
    """Independent draws from P(x | evidence): places of states of discrete nodes, values of continuous ones."""
    question = MixedQuestion(network, evidence, network.nodes, joint=False)
    _logs, buckets, parts = question.solve()
    generator = np.random.default_rng(seed)
    found: dict[str, Any] = {name: np.full(count, state) for name, state in evidence.states.items()}
    for bucket in reversed(buckets):
        rows = bucket.logs[tuple(found[name] for name in bucket.scope[:-1])]
        ends = np.exp(rows - rows.max(axis=-1, keepdims=True)).cumsum(axis=-1)
        ends = np.broadcast_to(ends, (count, ends.shape[-1]))
        found[bucket.variable] = (generator.random((count, 1)) * ends[:, -1:] >= ends).sum(axis=1)
    found |= {name: np.full(count, value) for name, value in evidence.values.items()}
    for part in parts:
        hidden, scope = part.shape.hidden, part.shape.scope
        drawn = generator.standard_normal((count, len(hidden)))
        cards = [question.cards[name] for name in scope]
        which = np.ravel_multi_index([found[name] for name in scope], cards) if scope else np.zeros(count, dtype=int)
        means, roots = part.mean.reshape(-1, len(hidden)), part.root.reshape(-1, len(hidden), len(hidden))
        for own in np.unique(which) if hidden else ():
            rows = which == own
            drawn[rows] = means[own] + drawn[rows] @ roots[own]
        found |= {name: drawn[:, place] for place, name in enumerate(hidden)}
    return found
