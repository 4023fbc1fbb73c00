"""Mixtures of normals over the states of discrete variables, with 60 digits, by covariances and by precisions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from typing import Any

import numpy as np

DIGITS = 60
TWO_PI = Decimal("6.283185307179586476925286766559005768394338798750211641949889184615632812572418")
HALF = Decimal("0.5")
Table = Any  # an array of decimals
Node = Mapping[str, Any]


@dataclass(frozen=True)
class Conditioned:
    """A part for one configuration of its causes: log-density of what is observed; means and covariances by node."""

    log_density: Decimal
    means: dict[str, Decimal]
    covariances: dict[tuple[str, str], Decimal]


@dataclass(frozen=True)
class DecimalAnswer:
    """Weights per configuration of the free variables, means and covariances of the targets, the log-density."""

    weights: Table
    means: Table
    covariances: Table
    log_evidence: Decimal


def by_covariances(witness: Mapping[str, Any]) -> DecimalAnswer:
    """One observation after the other, from the joint covariance; states in their order."""
    return _answer(witness, _condition_one_by_one, reverse=False)


def by_precisions(witness: Mapping[str, Any]) -> DecimalAnswer:
    """All observations at once, by the joint precision; states in the opposite order."""
    return _answer(witness, _condition_at_once, reverse=True)


def largest_error(witness: Mapping[str, Any], exact: DecimalAnswer) -> float:
    """How far the numbers of a witness are from exact ones at most."""
    with localcontext(_context()):
        names = witness["names"]
        errors = [abs(_decimal(witness["log_evidence"]) - exact.log_evidence)]
        stated = [witness[key] for key in ("weights", "means", "covariances")]
        if [len(found) for found in stated] != [exact.weights.size, exact.means.size, exact.covariances.size]:
            raise ValueError("it holds other numbers than are asked for")
        errors += [abs(_decimal(a) - b) for a, b in zip(stated[0], exact.weights.ravel(), strict=True)]
        size = len(names)
        means = np.reshape(np.array([_decimal(a) for a in stated[1]], dtype=object), exact.means.shape)
        covariances = np.reshape(np.array([_decimal(a) for a in stated[2]], dtype=object), exact.covariances.shape)
        for row in range(len(exact.weights.ravel())):
            variance = [exact.covariances[row, j, j] for j in range(size)]
            unit = [v.sqrt() if v > 0 else Decimal(1) for v in variance]
            errors += [abs(means[row, j] - exact.means[row, j]) / unit[j] for j in range(size)]
            errors += [
                abs(covariances[row, i, j] - exact.covariances[row, i, j]) / (unit[i] * unit[j])
                for i in range(size)
                for j in range(size)
            ]
        return math.nextafter(float(max(errors)), math.inf)


def _context() -> Context:
    return Context(prec=DIGITS, Emax=MAX_EMAX, Emin=MIN_EMIN)


def _decimal(value: Any) -> Decimal:
    found = Decimal(float(value))
    if not found.is_finite():
        raise ValueError(f"{value!r} is no finite number")
    return found


Condition = Callable[[Sequence[Node], Mapping[int, int], Sequence[int]], Conditioned]


def _answer(witness: Mapping[str, Any], condition: Condition, *, reverse: bool) -> DecimalAnswer:
    with localcontext(_context()):
        states = [int(count) for count in witness["states"]]
        free = [int(place) for place in witness["free"]]
        factors = [
            ([int(v) for v in scope], _shaped([_decimal(value) for value in values], [states[int(v)] for v in scope]))
            for scope, values in witness["factors"]
        ]
        parts = []
        for nodes in witness["parts"]:
            scope = sorted({int(v) for node in nodes for v in node["scope"]})
            cards = [states[v] for v in scope]
            found = {cell: condition(nodes, dict(zip(scope, cell, strict=True)), states) for cell in np.ndindex(*cards)}
            factors.append((scope, _shaped([found[cell].log_density.exp() for cell in np.ndindex(*cards)], cards)))
            parts.append((scope, found))
        table = _sum_out(factors, states, free, reverse=reverse)
        total = table.sum() if table.ndim else table.item()
        names = list(witness["names"])
        observed = {node["name"]: node["observed"] for nodes in witness["parts"] for node in nodes}
        count = math.prod(states[v] for v in free)
        means = np.full((count, len(names)), Decimal(0), dtype=object)
        covariances = np.full((count, len(names), len(names)), Decimal(0), dtype=object)
        for row, cell in enumerate(np.ndindex(*(states[v] for v in free))):
            for j, name in enumerate(names):
                if observed[name] is not None:
                    means[row, j] = _decimal(observed[name])
            for scope, found in parts:
                if not any(set(names) & set(own.means) for own in found.values()):
                    continue
                own = found[tuple(cell[free.index(v)] for v in scope)]
                for j, name in enumerate(names):
                    means[row, j] = own.means.get(name, means[row, j])
                    for i, other in enumerate(names):
                        covariances[row, i, j] = own.covariances.get((other, name), covariances[row, i, j])
        weights = np.array([value / total for value in table.ravel()], dtype=object)
        return DecimalAnswer(weights, means, covariances, total.ln())


def _shaped(values: Sequence[Decimal], shape: Sequence[int]) -> Table:
    found = np.empty(len(values), dtype=object)
    found[:] = values
    return found.reshape(tuple(shape))


def _sum_out(
    factors: Iterable[tuple[list[int], Table]], states: Sequence[int], free: Sequence[int], *, reverse: bool
) -> Table:
    """The sums over all variables that are not free, those first that meet the smallest tables."""
    left = list(factors)
    waiting = [v for v in range(len(states)) if v not in free]
    while waiting:
        joined = {v: {v}.union(*(scope for scope, _ in left if v in scope)) for v in waiting}
        cells = {v: math.prod(states[u] for u in joined[v]) for v in waiting}
        chosen = min(reversed(waiting) if reverse else waiting, key=cells.__getitem__)
        waiting.remove(chosen)
        scope = [*sorted(joined[chosen] - {chosen}), chosen]
        table = _product([factor for factor in left if chosen in factor[0]], scope, states).sum(axis=-1)
        left = [*(factor for factor in left if chosen not in factor[0]), (scope[:-1], np.asarray(table, dtype=object))]
    return _product(left, free, states)


def _product(factors: Iterable[tuple[list[int], Table]], scope: Sequence[int], states: Sequence[int]) -> Table:
    product = np.full([states[v] for v in scope], Decimal(1), dtype=object)
    for own, table in factors:
        shape = [states[v] if v in own else 1 for v in scope]
        product = np.asarray(product * table.transpose([own.index(v) for v in scope if v in own]).reshape(shape))
    return product


def _numbers(node: Node, at: Mapping[int, int], states: Sequence[int]) -> tuple[Decimal, list[Decimal], Decimal]:
    """Intercept with what observed parents add, coefficients of the others in the order of parents, variance."""
    place = 0
    for v in node["scope"]:
        place = place * states[int(v)] + at[int(v)]
    intercept = _decimal(node["intercept"][place])
    weights = []
    for parent, constant, given in zip(node["parents"], node["constants"], node["coefficients"][place], strict=True):
        if parent is None:
            intercept += _decimal(given) * _decimal(constant)
        weights.append(_decimal(given))
    variance = _decimal(node["variance"][place])
    if variance <= 0:
        raise ValueError("a variance is not positive")
    return intercept, weights, variance


def _condition_one_by_one(nodes: Sequence[Node], at: Mapping[int, int], states: Sequence[int]) -> Conditioned:
    size = len(nodes)
    mean: list[Decimal] = []
    covariance = [[Decimal(0)] * size for _ in range(size)]
    for j, node in enumerate(nodes):
        value, weights, variance = _numbers(node, at, states)
        linked = [(int(p), w) for p, w in zip(node["parents"], weights, strict=True) if p is not None]
        mean.append(value + sum((w * mean[p] for p, w in linked), Decimal(0)))
        for i in range(j):
            covariance[i][j] = covariance[j][i] = sum((w * covariance[p][i] for p, w in linked), Decimal(0))
        covariance[j][j] = variance + sum((w * covariance[p][j] for p, w in linked), Decimal(0))
    log_density = Decimal(0)
    for j, node in enumerate(nodes):
        if node["observed"] is None:
            continue
        off, variance = _decimal(node["observed"]) - mean[j], covariance[j][j]
        log_density -= HALF * (off * off / variance + (TWO_PI * variance).ln())
        gain = [covariance[i][j] / variance for i in range(size)]
        mean = [mean[i] + gain[i] * off for i in range(size)]
        column = [covariance[i][j] for i in range(size)]
        covariance = [[covariance[i][k] - gain[i] * column[k] for k in range(size)] for i in range(size)]
    return _told(nodes, log_density, mean, covariance)


def _condition_at_once(nodes: Sequence[Node], at: Mapping[int, int], states: Sequence[int]) -> Conditioned:
    size = len(nodes)
    rows, centers, variances = [], [], []
    precision = [[Decimal(0)] * size for _ in range(size)]
    for j, node in enumerate(nodes):
        value, weights, variance = _numbers(node, at, states)
        row = [Decimal(0)] * size
        row[j] = Decimal(1)
        for p, w in zip(node["parents"], weights, strict=True):
            if p is not None:
                row[int(p)] -= w
        rows.append(row)
        centers.append(value)
        variances.append(variance)
        for i in range(size):
            for k in range(size):
                precision[i][k] += row[i] * row[k] / variance
    hidden = [j for j, node in enumerate(nodes) if node["observed"] is None]
    point = [Decimal(0) if node["observed"] is None else _decimal(node["observed"]) for node in nodes]
    residuals = [
        c - sum((r * x for r, x in zip(row, point, strict=True)), Decimal(0))
        for row, c in zip(rows, centers, strict=True)
    ]
    right = [sum((rows[v][j] * residuals[v] / variances[v] for v in range(size)), Decimal(0)) for j in hidden]
    inverse, log_determinant = _inverse([[precision[i][k] for k in hidden] for i in hidden])
    for place, j in enumerate(hidden):
        point[j] = sum((a * b for a, b in zip(inverse[place], right, strict=True)), Decimal(0))
    log_density = HALF * (len(hidden) * TWO_PI.ln() - log_determinant)
    for row, center, variance in zip(rows, centers, variances, strict=True):
        off = center - sum((r * x for r, x in zip(row, point, strict=True)), Decimal(0))
        log_density -= HALF * (off * off / variance + (TWO_PI * variance).ln())
    covariance = [[Decimal(0)] * size for _ in range(size)]
    for a, i in enumerate(hidden):
        for b, k in enumerate(hidden):
            covariance[i][k] = inverse[a][b]
    return _told(nodes, log_density, point, covariance)


def _inverse(matrix: list[list[Decimal]]) -> tuple[list[list[Decimal]], Decimal]:
    """The inverse of a positive definite matrix and the logarithm of its determinant (Gauss and Jordan)."""
    size = len(matrix)
    work = [[*row, *(Decimal(int(i == j)) for j in range(size))] for i, row in enumerate(matrix)]
    log_determinant = Decimal(0)
    for j in range(size):
        pivot = work[j][j]
        log_determinant += pivot.ln()
        work[j] = [value / pivot for value in work[j]]
        for i in range(size):
            if i != j and work[i][j]:
                factor = work[i][j]
                work[i] = [a - factor * b for a, b in zip(work[i], work[j], strict=True)]
    return [row[size:] for row in work], log_determinant


def _told(
    nodes: Sequence[Node], log_density: Decimal, mean: Sequence[Decimal], covariance: Sequence[Sequence[Decimal]]
) -> Conditioned:
    hidden = [(j, node["name"]) for j, node in enumerate(nodes) if node["observed"] is None]
    means = {name: mean[j] for j, name in hidden}
    return Conditioned(log_density, means, {(a, b): covariance[i][j] for i, a in hidden for j, b in hidden})
