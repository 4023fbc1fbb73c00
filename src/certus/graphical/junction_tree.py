"""A tree of cliques that keeps its plan and its messages between questions."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.graphical import _native_calls
from certus.graphical.bayesian_network import BayesianNetwork
from certus.graphical.networks.inference.answers import Explanation, Posterior
from certus.graphical.networks.inference.clique_messages import MAX, SUM, OutOfRange, Question
from certus.graphical.networks.inference.evidence_input import Evidence
from certus.graphical.networks.inference.exact_queries import (
    all_marginals,
    exact_posterior,
    explanation_of,
    log_evidence,
)

Floats = NDArray[np.float64]
_SMALL = 4096  # cells up to which another plan is not worth its while


class JunctionTree:
    """A junction tree of a network: planned once, for any evidence (Lauritzen and Spiegelhalter 1988).

    The moral graph is triangulated by the better of the min-fill and the min-weight order; its cliques form a tree with
    the running-intersection property. New evidence computes only those messages to the root again that it touches.

    Parameters
    ----------
    network : BayesianNetwork
        A network with tables.
    max_cells : int, optional
        The most memory, in numbers of 8 bytes; half of what is free by default.

    Attributes
    ----------
    cliques : tuple of tuples of str
        The variables of every clique.
    width : int
        Variables of the largest clique, less one.
    cells : int
        Numbers in all clique tables together.
    recomputed : int
        Cliques whose message the last question computed again.

    Examples
    --------
    >>> from certus.graphical import BayesianNetwork, JunctionTree
    >>> network = BayesianNetwork(
    ...     {"b": ["a"], "c": ["b"]},
    ...     {"a": [0, 1], "b": [0, 1], "c": [0, 1]},
    ...     {"a": [0.6, 0.4], "b": [[0.9, 0.1], [0.2, 0.8]], "c": [[0.7, 0.3], [0.4, 0.6]]},
    ... )
    >>> tree = JunctionTree(network)
    >>> tree.width, tree.cells
    (1, 8)
    >>> print(tree.marginals({"c": 1})["a"].round(4))
    [0.4783 0.5217]
    """

    def __init__(self, network: BayesianNetwork, *, max_cells: int | None = None) -> None:
        self.network = network
        self._question = Question(network, Evidence(), max_cells=max_cells)
        self._question.require_room()
        self._question.tree.remember()
        self.cliques = tuple(network._named(clique) for clique in self._question.tree.cliques)
        self.width = int(self._question.tree.width)
        self.cells = int(self._question.tree.cells)
        self._whole = self._question
        self._sliced: dict[tuple[int, ...], Question | None] = {}

    @property
    def recomputed(self) -> int:
        return int(self._question.tree.recomputed)

    def _load(self, given: Mapping[str, Any] | None) -> Evidence:
        """Evidence as likelihoods, so that one plan serves any.

        In larger networks, nodes that are observed for the second time together are sliced out by a plan of their own.
        """
        evidence = self.network._evidence(given)
        key = tuple(sorted(evidence.states))
        if self.cells > _SMALL and key in self._sliced:
            self._question = self._plan_for(key, evidence)
            self._question.evidence = evidence
            self._question.load(evidence)
            return evidence
        if len(self._sliced) > 1000:
            self._sliced.clear()
        self._sliced[key] = None
        weights = dict(evidence.weights)
        for node, state in evidence.states.items():
            weights[node] = np.eye(1, self.network._cards[node], state)[0]
        self._question = self._whole
        self._question.evidence = Evidence(evidence.given, {}, weights)
        self._question.load(self._question.evidence)
        return evidence

    def _plan_for(self, key: tuple[int, ...], evidence: Evidence) -> Question:
        found = self._sliced[key]
        if found is None:
            for other in [name for name, plan in self._sliced.items() if plan is not None][:-3]:
                self._sliced[other] = None  # only the last few keep their tables
            found = Question(self.network, evidence, max_cells=self._whole.max_cells)
            found.tree.remember()
            self._sliced[key] = found
        return found

    def marginals(self, evidence: Mapping[str, Any] | None = None) -> dict[str, Floats]:
        """P(v | evidence) of every unobserved node."""
        found = self._load(evidence)
        try:
            self._question.collect(SUM)
            self._question.distribute()
        except OutOfRange:
            return all_marginals(self.network, found, self._whole.max_cells)
        free = [node for node in range(len(self.network.nodes)) if node not in found.states]
        values = _native_calls.tree_marginals(self._question.tree, free, [self.network._cards[node] for node in free])
        return {self.network.nodes[node]: own for node, own in zip(free, values, strict=True)}

    def log_probability(self, evidence: Mapping[str, Any]) -> float:
        """The logarithm of P(evidence)."""
        found = self._load(evidence)
        try:
            return self._question.collect(SUM)
        except OutOfRange:
            return log_evidence(self.network, found, self._whole.max_cells)

    def query(self, targets: str | Sequence[str], evidence: Mapping[str, Any] | None = None) -> Posterior:
        """P(targets | evidence), jointly; by a tree of its own, in which one clique holds all targets."""
        network = self.network
        return exact_posterior(network, network._places(targets, "targets"), network._evidence(evidence), None)

    def mpe(self, evidence: Mapping[str, Any] | None = None) -> Explanation:
        """The most probable assignment to all nodes given the evidence."""
        self._load(evidence)
        self._question.collect(MAX)
        return explanation_of(copy.copy(self._question))  # the next evidence must not change this one's certificate
