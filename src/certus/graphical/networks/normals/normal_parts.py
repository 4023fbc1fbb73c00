"""Continuous nodes that have to be integrated together, conditioned on observed ones, for all states of their causes.

Given the states of the discrete parents, ``x = B x + a + e`` with independent normal noise ``e``, so
``x = mean + M z`` with standard normal ``z``. With observed nodes first, the triangular factor R of
``M^T = Q R`` has ``R^T R = M M^T``, and

    log density of y = -|t|^2 / 2 - sum log |R_ii| - n log(2 pi) / 2,    R_yy^T t = y - mean_y,
    x | y is normal with mean mean_x + R_yx^T t and covariance R_xx^T R_xx.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class PartShape:
    """What has to be integrated together.

    Parameters
    ----------
    hidden, seen : tuple of str
        Continuous nodes that are not observed, and that are, each after its parents.
    scope : tuple of str
        Their discrete parents that are not observed.
    cells : int
        Numbers that it takes.
    """

    hidden: tuple[str, ...]
    seen: tuple[str, ...]
    scope: tuple[str, ...]
    cells: int


@dataclass(frozen=True)
class NormalPart:
    """A part after conditioning; arrays have an axis per member of ``scope`` first.

    Parameters
    ----------
    shape : PartShape
        Its nodes.
    log_density : ndarray
        Of what is observed.
    mean, covariance : ndarray
        Of the hidden nodes.
    root : ndarray
        R with R^T R = covariance.
    """

    shape: PartShape
    log_density: Floats
    mean: Floats
    covariance: Floats
    root: Floats


def part_shapes(
    network: Any, kept: set[str], states: Mapping[str, int], values: Mapping[str, float]
) -> list[PartShape]:
    """Parts among the kept nodes: an observed value cuts the links to its children.

    Parameters
    ----------
    network : ConditionalGaussianNetwork
        The network.
    kept : set of str
        Nodes of interest with all their ancestors.
    states, values : mapping
        What is observed of discrete and of continuous nodes.
    """
    numbers = set(network.continuous)
    nodes = [name for name in network.topological_order() if name in kept and name in numbers]
    group = {name: {name} for name in nodes}
    for name in nodes:
        for parent in network.parents(name):
            if parent in group and parent not in values and group[parent] is not group[name]:
                group[parent] |= group[name]
                for member in group[name]:
                    group[member] = group[parent]
    found = []
    for members in {id(own): own for own in group.values()}.values():
        inside = in_order(network, members)
        causes = {p for name in inside for p in network.parents(name) if p not in numbers and p not in states}
        scope = tuple(sorted(causes, key=network._dag.place.__getitem__))
        cells = math.prod(len(network.states(name)) for name in scope) * (2 * len(inside) ** 2 + 1)
        hidden = tuple(name for name in inside if name not in values)
        found.append(PartShape(hidden, tuple(name for name in inside if name in values), scope, cells))
    return found


def in_order(network: Any, names: Iterable[str]) -> list[str]:
    """Nodes, each after its parents."""
    return sorted(names, key=network._ranks.__getitem__)


def conditioned(network: Any, shape: PartShape, states: Mapping[str, int], values: Mapping[str, float]) -> NormalPart:
    """The distribution of the hidden nodes of a part, and the density of the seen ones, for every configuration."""
    order = in_order(network, (*shape.hidden, *shape.seen))
    cards = [len(network.states(name)) for name in shape.scope]
    count, size = math.prod(cards), len(order)
    chosen = dict(zip(shape.scope, np.unravel_index(np.arange(count), cards) if cards else (), strict=True))
    mean, mixing = np.zeros((count, size)), np.zeros((count, size, size))
    for row, name in enumerate(order):
        normal, parents = network.normal(name), network.parents(name)
        numbers = [parent for parent in parents if parent in network._normals]
        at = tuple(states.get(p, chosen.get(p)) for p in parents if p not in network._normals)
        mean[:, row] = normal.intercept[at]
        coefficients = normal.coefficients[at]
        for place, parent in enumerate(numbers):
            weight = coefficients[..., place]
            if parent in values:
                mean[:, row] += weight * values[parent]
            else:
                before = order.index(parent)
                mean[:, row] += weight * mean[:, before]
                mixing[:, row] += np.multiply.outer(weight, np.ones(size)) * mixing[:, before]
        mixing[:, row, row] += np.sqrt(normal.variance[at])
    seen = [order.index(name) for name in shape.seen]
    hidden = [order.index(name) for name in shape.hidden]
    observed = np.array([values[name] for name in shape.seen])
    return _given(shape, tuple(cards), mean, mixing[:, seen + hidden], seen, hidden, observed)


def _given(
    shape: PartShape,
    cards: tuple[int, ...],
    mean: Floats,
    mixing: Floats,
    seen: Sequence[int],
    hidden: Sequence[int],
    observed: Floats,
) -> NormalPart:
    first = len(seen)
    root: Floats = np.asarray(np.linalg.qr(mixing.transpose(0, 2, 1), mode="r"))
    inner, across, rest = root[:, :first, :first], root[:, :first, first:], root[:, first:, first:]
    off = observed - mean[:, seen]
    with np.errstate(over="ignore", divide="ignore"):
        scaled = np.linalg.solve(inner.transpose(0, 2, 1), off[..., None])[..., 0] if first else off
        sizes = np.log(np.abs(np.diagonal(inner, axis1=1, axis2=2))).sum(axis=1)
        density = -0.5 * (scaled**2).sum(axis=1) - sizes - 0.5 * first * math.log(2.0 * math.pi)
    if not np.isfinite(density).all():
        raise ValueError(
            f"The observed values of {', '.join(map(repr, shape.seen))} must have densities in the range of numbers, "
            f"got {observed.tolist()}, which are too far from what the network expects."
        )
    with np.errstate(over="ignore", invalid="ignore"):
        center = mean[:, hidden] + np.einsum("cij,ci->cj", across, scaled)
        covariance = np.einsum("cki,ckj->cij", rest, rest)
    count = len(hidden)
    return NormalPart(
        shape,
        density.reshape(cards),
        center.reshape(*cards, count),
        covariance.reshape(*cards, count, count),
        rest.reshape(*cards, count, count),
    )
