"""Exact answers of one network: posteriors, probabilities of evidence, best explanations, whole tables of rows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.distributions import Factor
from certus.graphical import _native_calls
from certus.graphical.evidence.best_explanation import explanation_certificate
from certus.graphical.evidence.best_marginal import marginal_certificate
from certus.graphical.evidence.exact_posterior import posterior_certificate
from certus.graphical.evidence.plain_factors import Elimination, plain_factors
from certus.graphical.networks.inference.answers import Explanation, Posterior
from certus.graphical.networks.inference.clique_messages import _TOO_SMALL, MAX, SUM, SUM_THEN_MAX, OutOfRange, Question
from certus.graphical.networks.inference.evidence_input import Evidence, ImpossibleEvidence
from certus.graphical.networks.tables.coded_columns import coded_column, columns_of
from certus.guarantees import CertificateError

Floats = NDArray[np.float64]


def spread_over_observed(network: Any, targets: Sequence[int], evidence: Evidence, values: Floats) -> Factor:
    """The table of the unobserved targets with an axis for the observed ones, whose probability is in one state."""
    shape = [1 if target in evidence.states else network._cards[target] for target in targets]
    whole = np.zeros([network._cards[target] for target in targets])
    cut = tuple(
        slice(evidence.states[target], evidence.states[target] + 1) if target in evidence.states else slice(None)
        for target in targets
    )
    whole[cut] = values.reshape(shape)
    return Factor({network.nodes[target]: network.states(network.nodes[target]) for target in targets}, whole)


def exact_posterior(network: Any, targets: list[int], evidence: Evidence, max_cells: int | None) -> Posterior:
    """P(targets | evidence) by one elimination towards a clique that holds the targets."""
    question = Question(network, evidence, targets, joint=True, max_cells=max_cells)
    drop = not question.fits()
    free = [target for target in targets if target not in evidence.states]
    try:
        log_evidence = question.collect(SUM, drop=drop)
    except OutOfRange:
        return _posterior_by_powers(question, targets, free)
    values = _native_calls.tree_joint(question.tree, free, tuple(network._cards[target] for target in free))
    factor = spread_over_observed(network, targets, evidence, values)
    return Posterior(factor, "exact", log_evidence, partial(posterior_certificate, question, free, values))


def _by_powers(question: Question, free: Sequence[int]) -> tuple[Floats, float, float]:
    """The table of the free targets, its log total and its roundings, by elimination with every exponent kept apart."""
    plain = plain_factors(question)
    elimination = Elimination(plain)
    try:
        table = elimination.run([plain["names"].index(question.network.nodes[node]) for node in free])
    except CertificateError:
        raise OutOfRange(_TOO_SMALL) from None
    total = float(table.sum())
    return table / total, math.log(total) + elimination.log_scale, elimination.roundings


def _posterior_by_powers(question: Question, targets: Sequence[int], free: list[int]) -> Posterior:
    values, log_evidence, roundings = _by_powers(question, free)
    factor = spread_over_observed(question.network, targets, question.evidence, values)
    certify = partial(posterior_certificate, question, free, values, roundings)
    return Posterior(factor, "exact", log_evidence, certify)


def all_marginals(network: Any, evidence: Evidence, max_cells: int | None) -> dict[str, Floats]:
    """P(v | evidence) of every unobserved node: one tree for all, or an elimination per node if only that fits."""
    question = Question(network, evidence, max_cells=max_cells)
    free = [node for node in range(len(network.nodes)) if node not in evidence.states]
    if not question.fits():
        return {
            network.nodes[node]: exact_posterior(network, [node], evidence, max_cells).values.copy() for node in free
        }
    try:
        question.collect()
        question.distribute()
    except OutOfRange:
        return {network.nodes[v]: exact_posterior(network, [v], evidence, max_cells).values.copy() for v in free}
    found = _native_calls.tree_marginals(question.tree, free, [network._cards[node] for node in free])
    return {network.nodes[node]: values for node, values in zip(free, found, strict=True)}


def log_evidence(network: Any, evidence: Evidence, max_cells: int | None = None) -> float:
    """Give log P(evidence); -inf if it is impossible."""
    question = Question(network, evidence, (), max_cells=max_cells)
    try:
        return question.total(drop=True)
    except OutOfRange:
        return _by_powers(question, [])[1]


def best_explanation(network: Any, evidence: Evidence, max_cells: int | None = None) -> Explanation:
    """The most probable assignment to all nodes, by max-product and back-pointers."""
    question = Question(network, evidence, max_cells=max_cells)
    question.collect(MAX)
    return explanation_of(question)


def explanation_of(question: Question, rank: int = 1) -> Explanation:
    """What a maximizing collect found."""
    network, evidence = question.network, question.evidence
    best = _native_calls.tree_best(question.tree, len(network.nodes))
    states = {node: evidence.states.get(node, int(best[node])) for node in range(len(network.nodes))}
    certify = partial(explanation_certificate, question, states, rank)
    return Explanation(named_states(network, states), log_weight(network, states, evidence), certify)


def log_weight(network: Any, states: Mapping[int, int], evidence: Evidence) -> float:
    """Give log P(assignment, evidence), soft evidence by its likelihoods."""
    row = np.array([[states[node] for node in range(len(network.nodes))]], dtype=np.int32)
    log_row = float(_native_calls.network_row_likelihoods(network._arrays, row)[0])
    with np.errstate(divide="ignore"):
        return log_row + sum(float(np.log(weights[states[node]])) for node, weights in evidence.weights.items())


def marginal_map(network: Any, targets: list[int], evidence: Evidence, max_cells: int | None = None) -> Explanation:
    """The most probable joint assignment to the targets, the other nodes summed out."""
    late = [target for target in targets if target not in evidence.states]
    question = Question(network, evidence, targets, late=late, max_cells=max_cells)
    log_value = question.collect(SUM_THEN_MAX)
    best = _native_calls.tree_best(question.tree, len(network.nodes), late_only=True)
    states = {target: evidence.states.get(target, int(best[target])) for target in targets}
    return Explanation(named_states(network, states), log_value, partial(marginal_certificate, question, states))


def best_explanations(network: Any, k: int, evidence: Evidence) -> list[Explanation]:
    """The k most probable assignments, best first: the space is split around each one that is found (Lawler 1972)."""
    found: list[Explanation] = []
    order = [node for node in range(len(network.nodes)) if node not in evidence.states]
    waiting = [(best_explanation(network, evidence), evidence, 0)]
    while waiting and len(found) < k:
        at = max(range(len(waiting)), key=lambda place: waiting[place][0].log_probability)
        best, space, fixed = waiting.pop(at)
        found.append(best)
        states = {node: _state(network, node, best) for node in order}
        for depth in range(fixed, len(order)):
            part = _without(network, space, order, states, depth)
            question = None if part is None else Question(network, part)
            if part is not None and question is not None and question.total(MAX) > -math.inf:
                waiting.append((explanation_of(question, len(found) + 1), part, depth))
    return found


def _without(network: Any, space: Evidence, order: list[int], states: dict[int, int], depth: int) -> Evidence | None:
    """The part of a space in which nodes before ``depth`` are as in ``states`` and the one at it is not."""
    node = order[depth]
    weights = space.weights.get(node, np.ones(network._cards[node])).copy()
    weights[states[node]] = 0.0
    if not weights.any():
        return None
    before = order[:depth]
    soft = {other: found for other, found in space.weights.items() if other not in before}
    fixed = {
        other: np.where(np.arange(len(own)) == states[other], own, 0.0)
        for other, own in space.weights.items()
        if other in before
    }
    hard = {other: states[other] for other in before if other not in fixed}
    return Evidence(space.given, {**space.states, **hard}, {**soft, **fixed, node: weights})


def rows_posterior(network: Any, table: Any, target: int) -> Floats:
    """P(target | the other cells of the row) of every row; NaN for impossible rows."""
    columns = columns_of(table)
    known = [node for node, name in enumerate(network.nodes) if name in columns and node != target]
    count = len(next(iter(columns.values()))) if columns else 0
    rows = np.full((count, len(network.nodes)), -1, dtype=np.int64)
    for node in known:
        name = network.nodes[node]
        rows[:, node] = coded_column(columns[name], name, network.states(name))
    out = np.empty((count, network._cards[target]))
    for chosen in rows_alike(rows >= 0):
        evidence = Evidence({}, dict.fromkeys(np.flatnonzero(rows[chosen[0]] >= 0).tolist(), 0), {})
        question = Question(network, evidence, [target], joint=True)
        question.require_room()
        found, logs = _native_calls.tree_query_rows(question.tree, rows[chosen], target, network._cards[target])
        found[np.isneginf(logs)] = np.nan
        for at in np.flatnonzero(np.isnan(logs)):  # out of range
            seen = {node: int(state) for node, state in enumerate(rows[chosen[at]]) if state >= 0}
            try:
                found[at] = exact_posterior(network, [target], Evidence({}, seen, {}), None).values
            except ImpossibleEvidence:
                found[at] = np.nan
        out[chosen] = found
    return out


def rows_alike(seen: NDArray[np.bool_]) -> list[NDArray[np.intp]]:
    """The places of the rows that are equal to each other, for every kind of row."""
    packed = np.ascontiguousarray(np.packbits(seen, axis=1))
    keys = packed.view(np.dtype((np.void, packed.shape[1]))).ravel()
    if len(keys) and (keys == keys[0]).all():
        return [np.arange(len(keys))]
    _kinds, which, counts = np.unique(keys, return_inverse=True, return_counts=True)
    return np.split(np.argsort(which, kind="stable"), np.cumsum(counts)[:-1]) if len(keys) else []


def rows_given(network: Any, evidence: Evidence, count: int, seed: int) -> NDArray[np.int32]:
    """Independent draws from P(x | evidence), as places of states."""
    question = Question(network, evidence)
    question.collect()
    rows = np.full((count, len(network.nodes)), -1, dtype=np.int32)
    for node, state in evidence.states.items():
        rows[:, node] = state
    question.tree.draw_rows(seed, rows)
    return rows


def _state(network: Any, node: int, found: Explanation) -> int:
    name = network.nodes[node]
    return int(network.states(name).index(found.assignment[name]))


def named_states(network: Any, states: Mapping[int, int]) -> dict[str, Any]:
    """Labels by name."""
    return {network.nodes[node]: network.states(network.nodes[node])[state] for node, state in states.items()}
