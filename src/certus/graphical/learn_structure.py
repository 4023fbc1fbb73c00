"""The structure of a Bayesian network from rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from certus.base import RandomStateLike, check_parameters, resolve_seed
from certus.base.params import Constraints, Exactly, InstanceOf, Interval, OneOf, RandomState
from certus.graphical.bayesian_network import BayesianNetwork
from certus.graphical.evidence.likely_tree import tree_certificate
from certus.graphical.evidence.structure_gap import best_certificate, bound_certificate
from certus.graphical.knowledge import ArcRules, Knowledge
from certus.graphical.learning import _native_calls
from certus.graphical.learning.structures.candidate_families import BUDGET, candidate_families
from certus.graphical.learning.structures.constraint_search import search_constraints
from certus.graphical.learning.structures.family_scores import SCORES, FamilyScores
from certus.graphical.learning.structures.order_sampling import walk_orders
from certus.graphical.learning.structures.state_columns import StateColumns, state_columns
from certus.graphical.learning.structures.structure_bound import ClusterProgram, PricedClusters
from certus.graphical.learning.structures.subset_search import MOST_NODES, search_subsets
from certus.graphical.learning.structures.tree_search import pair_information, search_tree
from certus.graphical.networks.graphs.dag import Dag
from certus.guarantees import Report

METHODS = ("hill_climb", "exact", "chow_liu", "tan", "pc", "order_mcmc")
RULES: Constraints = {
    "method": [OneOf(*METHODS)],
    "score": [OneOf(*SCORES)],
    "equivalent_sample_size": [Interval(0, None, closed="neither")],
    "max_parents": [Interval(0, None, integer=True), Exactly(None)],
    "knowledge": [InstanceOf(Knowledge), Exactly(None)],
    "alpha": [Interval(0, 1)],
    "random_state": [RandomState()],
    "n_jobs": [InstanceOf(int, np.integer), Exactly(None)],
}


class LearnedStructure:
    """A structure, its score, and how much higher another one could score.

    Attributes
    ----------
    network : BayesianNetwork
        The structure, without tables; its nodes are the columns.
    score : float
        Its score: natural logarithms, larger is better.
    upper_bound : float
        What no network of at most ``max_parents`` parents that keeps the knowledge scores more than. Found when first
        asked for, as the report is.
    report : Report
        The certificates: of the bound, and for trees that none is more likely.
    arcs : dict of (str, str) to float or None
        Of "order_mcmc" an estimate of every arc's posterior probability, if all orders are as probable before.
    """

    network: BayesianNetwork

    def __init__(
        self, scores: FamilyScores, rules: ArcRules, parents: Sequence[Sequence[int]], *, tree: bool, target: int | None
    ) -> None:
        self._scores, self._rules, self._tree, self._target = scores, rules, tree, target
        self._parents = [list(own) for own in parents]
        columns = scores.columns
        named = {
            name: [columns.names[parent] for parent in own]
            for name, own in zip(columns.names, self._parents, strict=True)
        }
        self.network = BayesianNetwork(named, dict(zip(columns.names, columns.labels, strict=True)))
        self.score = scores.network(self._parents)
        self.arcs: dict[tuple[str, str], float] | None = None
        self._best: float | None = None

    @cached_property
    def _priced(self) -> PricedClusters:
        return ClusterProgram(candidate_families(self._scores, self._rules, BUDGET)).tighten()

    @property
    def upper_bound(self) -> float:
        bound = self._priced.value if self._best is None else self._best
        return max(bound, self.score) + self._scores.rounding()

    @cached_property
    def report(self) -> Report:
        """The certificates."""
        given = (self._scores, self._rules, self._parents, self.score)
        found = [
            bound_certificate(*given, self._priced) if self._best is None else best_certificate(*given, self._best)
        ]
        if self._tree and self._is_free() and len(self._parents) > (1 if self._target is None else 2):
            information = pair_information(self._scores, self._target)
            found.append(tree_certificate(self._scores, information, self._parents, self._target))
        return Report(found)

    def _is_free(self) -> bool:
        """Whether no arc was forbidden or required."""
        return not self._rules.required.any() and int(self._rules.allowed.sum()) == len(self._parents) * (
            len(self._parents) - 1
        )

    def __repr__(self) -> str:
        return f"LearnedStructure({self.network!r}, score={self.score:.10g})"


def learn_structure(
    table: Any,
    *,
    method: str = "hill_climb",
    score: str = "bic",
    equivalent_sample_size: float = 1.0,
    max_parents: int | None = None,
    knowledge: Knowledge | None = None,
    target: str | None = None,
    alpha: float = 0.01,
    random_state: RandomStateLike = None,
    n_jobs: int | None = None,
) -> LearnedStructure:
    """Find a network over the columns of a table.

    Parameters
    ----------
    table : polars or pandas frame, or dict of columns
        Complete rows of labels. Numeric columns go through a `Discretizer` first.
    method : {"hill_climb", "exact", "chow_liu", "tan", "pc", "order_mcmc"}, default="hill_climb"
        Best additions, deletions and reversals of arcs with a memory and new starts; the best network of all (dynamic
        programming to 20 columns, integer programming beyond); the most likely tree; the most likely tree with the
        target as parent of all nodes; tests of independence; a walk over orders of the nodes, which also estimates the
        probability of every arc.
    score : {"bic", "aic", "bdeu", "k2", "loglik"}, default="bic"
        What is maximized, in natural logarithms. Trees maximize the likelihood and "pc" nothing, whatever the score.
    equivalent_sample_size : float, default=1.0
        Imaginary rows of the prior of "bdeu".
    max_parents : int, default=None
        Most parents of a node.
    knowledge : Knowledge, default=None
        Arcs that must or must not be.
    target : str, default=None
        The class of "tan"; the last column by default.
    alpha : float, default=0.01
        Level of the tests of "pc". Where they leave a node more than ``max_parents``, those go that the score misses
        least.
    random_state : int, RandomState instance or None, default=None
        Seed of the new starts.
    n_jobs : int, default=None
        Threads that count; -1 for all cores. The result does not depend on it.

    Returns
    -------
    LearnedStructure
        ``network``, ``score``, ``upper_bound``, ``report``.

    Examples
    --------
    >>> from certus.graphical import learn_structure
    >>> rows = {"a": [0, 0, 1, 1] * 9, "b": [0, 0, 1, 1] * 9, "c": [0, 1] * 18}
    >>> found = learn_structure(rows, method="exact")
    >>> found.network.edges, round(found.upper_bound - found.score, 6), found.report.check(rows)
    ((('b', 'a'),), 0.0, True)
    """
    given = {name: value for name, value in locals().items() if name in RULES}
    check_parameters("learn_structure", RULES, given)
    columns = state_columns(table)
    scores = FamilyScores(columns, score, equivalent_sample_size, n_jobs=n_jobs)
    tree = method in ("chow_liu", "tan")
    limit = max_parents if not tree or max_parents is not None else (1 if method == "chow_liu" else 2)
    rules = ArcRules(columns.names, knowledge, limit)
    place = None
    if method == "tan":
        place = len(columns.names) - 1 if target is None else columns.places([target], "target")[0]
    if tree:
        return LearnedStructure(scores, rules, search_tree(scores, rules, place), tree=True, target=place)
    if method == "pc":
        parents = [
            _within(scores, rules, node, own) for node, own in enumerate(search_constraints(scores, rules, alpha))
        ]
        most = max(map(len, parents)) if max_parents is None else max_parents
        return LearnedStructure(scores, ArcRules(columns.names, knowledge, most), parents, tree=False, target=None)
    if method == "exact":
        return _exact(scores, rules)
    if method == "order_mcmc":
        return _walked(scores, rules, resolve_seed(random_state))
    parents = climbed_parents(scores, rules, resolve_seed(random_state))
    return LearnedStructure(scores, rules, parents, tree=False, target=None)


def _walked(scores: FamilyScores, rules: ArcRules, seed: int) -> LearnedStructure:
    walk, names = walk_orders(scores, rules, seed), scores.columns.names
    learned = LearnedStructure(scores, rules, walk.parents, tree=False, target=None)
    pairs = [(i, j) for i in range(len(names)) for j in range(len(names)) if i != j]
    learned.arcs = {(names[i], names[j]): float(walk.arcs[i, j]) for i, j in pairs}
    return learned


def _exact(scores: FamilyScores, rules: ArcRules) -> LearnedStructure:
    if scores.nodes <= MOST_NODES:
        best, parents = search_subsets(scores, rules)
        learned = LearnedStructure(scores, rules, parents, tree=False, target=None)
        learned._best = best
        return learned
    if max(rules.most) > 4:
        raise ValueError(
            f"max_parents must be at most 4 to search {scores.nodes} columns exactly, got {max(rules.most)}.\n"
            "Hint: set max_parents, or method='hill_climb', whose report bounds what is left."
        )
    program = ClusterProgram(candidate_families(scores, rules))
    priced = program.tighten()
    learned = LearnedStructure(scores, rules, program.solve(), tree=False, target=None)
    learned.__dict__["_priced"] = priced
    return learned


def _within(scores: FamilyScores, rules: ArcRules, node: int, parents: Sequence[int]) -> list[int]:
    """The parents without those that the score misses least, until there are no more than may be."""
    kept, must = list(parents), set(rules.required_parents()[node])
    while len(kept) > rules.most[node]:
        smaller = [[other for other in kept if other != parent] for parent in kept if parent not in must]
        kept = smaller[int(np.argmax(scores.families([node] * len(smaller), smaller)))]
    return kept


def climbed_parents(scores: FamilyScores, rules: ArcRules, seed: int) -> list[list[int]]:
    """The parents of every node in the best network that a climb finds."""
    start = rules.required_parents()
    _, parents = _native_calls.hill_climb(
        scores.sums,
        rules.allowed,
        rules.required,
        start,
        most_parents=rules.most,
        remembered=20,
        patience=30,
        restarts=min(10, 1 + 60 // scores.nodes),  # small networks cost little to search again
        seed=seed,
        threads=scores.threads,
    )
    return parents


def score_structure(table: Any, parents: Any, score: str = "bic", equivalent_sample_size: float = 1.0) -> float:
    """Score a network on rows: natural logarithms, larger is better.

    Parameters
    ----------
    table : polars or pandas frame, or dict of columns
        Complete rows of labels.
    parents : BayesianNetwork or dict of column to sequence of columns
        The network, or its parents; columns that are no key have none.
    score : {"bic", "aic", "bdeu", "k2", "loglik"}, default="bic"
        Which score.
    equivalent_sample_size : float, default=1.0
        Imaginary rows of the prior of "bdeu".

    Examples
    --------
    >>> from certus.graphical import score_structure
    >>> rows = {"x": ["a", "a", "b"], "y": [0, 0, 1]}
    >>> round(score_structure(rows, {"y": ["x"]}, "loglik"), 6)
    -1.909543
    """
    given = {"score": score, "equivalent_sample_size": equivalent_sample_size}
    check_parameters("score_structure", {name: RULES[name] for name in given}, given)
    columns = state_columns(table)
    mapping: Mapping[str, Any] = parents
    if isinstance(parents, BayesianNetwork):
        columns = _with_states(columns, parents)
        mapping = {node: parents.parents(node) for node in parents.nodes}
    dag = Dag.of(mapping, columns.names)
    return FamilyScores(columns, score, equivalent_sample_size).network(dag.parents)


def _with_states(columns: StateColumns, network: BayesianNetwork) -> StateColumns:
    """The columns of a network's nodes with its states, of which some may not occur."""
    places = columns.places(network.nodes, "The network")
    labels = tuple(network.states(node) for node in network.nodes)
    codes = np.empty((len(places), columns.rows), dtype=np.int32)
    for row, (place, states) in enumerate(zip(places, labels, strict=True)):
        known = {label: code for code, label in enumerate(states)}
        unknown = [label for label in columns.labels[place] if label not in known]
        if unknown:
            raise ValueError(
                f"Column {network.nodes[row]!r} must hold states of the node, got {unknown[0]!r}.\n"
                f"Hint: its states are {', '.join(map(repr, states[:8]))}."
            )
        codes[row] = np.array([known[label] for label in columns.labels[place]])[columns.codes[place]]
    return StateColumns(network.nodes, labels, codes)
