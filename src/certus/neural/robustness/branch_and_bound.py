"""The least distance at which a ReLU network changes its label: units split into their signs, best bound first."""

from __future__ import annotations

import heapq
import itertools
from dataclasses import dataclass

import numpy as np

from certus.neural.robustness.dense_layers import Array, ScoringNetwork, lengths
from certus.neural.robustness.node_programs import NodePrograms, Signs, Solved

CLOSE = 1e-7  # relative distance between lower and upper that ends the search
LEADS = (1e-6, 1e-8)  # of the rival, relative to the range of the scores
NUDGES = np.array([0.0, 1e-13, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-6, 1e-4])


@dataclass
class Nearest:
    """What a search proved: no other label nearer than `lower`; `point` has one, at the distance `upper`.

    Attributes
    ----------
    nodes : int
        Linear programs solved.
    """

    lower: float
    upper: float
    point: Array
    nodes: int = 0


def nearest_change(
    network: ScoringNetwork, row: Array, place: int, norm: str, known: Nearest, max_nodes: int
) -> Nearest:
    """Improve what is known about a row until both bounds meet, or so many programs were solved.

    Parameters
    ----------
    network : ScoringNetwork
        With ReLU units only.
    row : array of shape (features,)
        The middle.
    place : int
        Number of its label.
    norm : {"inf", "1"}
        Of distances.
    known : Nearest
        Distances above its `upper` do not matter; its point may be NaN.
    max_nodes : int
        Programs at most.
    """
    margins = network.margins(np.array([place]))[0]
    programs = NodePrograms(network, row, margins, norm, known.upper)
    best, order, settled = Nearest(known.lower, known.upper, known.point), itertools.count(), known.upper
    heap: list[tuple[float, int, int, Signs]] = [(known.lower, next(order), rival, ()) for rival in range(len(margins))]
    while heap and best.nodes < max_nodes and heap[0][0] < min(settled, best.upper) * (1.0 - CLOSE):
        before, _, rival, signs = heapq.heappop(heap)
        solved = programs.solve(rival, signs)
        best.nodes += 1
        bound = max(before, solved.bound)
        if solved.change is not None:
            _try_point(network, row, place, norm, solved.change, best)
        if bound >= best.upper:
            continue
        unit = _unit_to_split(programs, signs, solved)
        if unit is None:
            settled = min(settled, bound)
            _try_inside(network, row, place, norm, programs, (rival, signs), best)
            continue
        for sign in (1, -1):
            heapq.heappush(heap, (bound, next(order), rival, (*signs, (*unit, sign))))
    best.lower = max(known.lower, min([settled, best.upper, *(entry[0] for entry in heap[:1])]))
    return best


def _try_point(network: ScoringNetwork, row: Array, place: int, norm: str, change: Array, best: Nearest) -> None:
    """Keep the solver's point, or one a little further out, if it has another label and is nearer than the best."""
    trials = row + (1.0 + NUDGES[:, None]) * change
    other = np.flatnonzero(network.places(trials) != place)
    if len(other):
        point = trials[other[0]]
        distance = float(lengths((point - row)[None], norm)[0])
        if distance < best.upper or (distance <= best.upper and np.isnan(best.point).any()):
            best.upper, best.point = distance, point


def _try_inside(
    network: ScoringNetwork,
    row: Array,
    place: int,
    norm: str,
    programs: NodePrograms,
    node: tuple[int, Signs],
    best: Nearest,
) -> None:
    """A step outwards from the border of a region may leave it again: points where the rival leads by a little."""
    for lead in LEADS:
        solved = programs.solve(*node, lead * float(max(np.abs(end).max() for end in programs.scores)))
        if solved.change is not None:
            _try_point(network, row, place, norm, solved.change, best)


def _unit_to_split(programs: NodePrograms, signs: Signs, solved: Solved) -> tuple[int, int] | None:
    """The unit whose output is furthest from what its input says, among those of both signs."""
    chosen, largest = None, -np.inf
    for layer, (low, high) in enumerate(programs.ranges(signs)):
        if programs.network.layers[layer].activation == "identity":
            continue
        for unit in np.flatnonzero((low < 0.0) & (high > 0.0)):
            gap = float(solved.gaps[layer][unit]) if solved.gaps else 0.0
            if gap > largest:
                chosen, largest = (layer, int(unit)), gap
    return chosen
