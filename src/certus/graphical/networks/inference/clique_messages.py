"""A tree of cliques for one question: what is kept, what it costs, and its messages."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base import resolve_threads
from certus.graphical import _native_calls
from certus.graphical.networks.inference.evidence_input import Evidence, ImpossibleEvidence

Floats = NDArray[np.float64]
SUM, MAX, SUM_THEN_MAX = 0, 1, 2
_NOBODY = np.empty(0, dtype=np.int64)
_ALWAYS = 2**20  # cells that are there without asking


def free_cells() -> int:
    """Half of the free memory, in numbers of eight bytes."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        free = 1024 * next(int(line.split()[1]) for line in lines if line.startswith("MemAvailable"))
    except (OSError, StopIteration, ValueError):
        free = 2**32
    with contextlib.suppress(OSError, ValueError):  # a container may allow less
        limit, used = (int(Path(f"/sys/fs/cgroup/memory.{name}").read_text()) for name in ("max", "current"))
        free = min(free, max(limit - used, 0))
    return max(free // 16, _ALWAYS)


_TOO_SMALL = (
    "The states of a clique must have probabilities in the range of numbers, got products that are too small.\n"
    "Hint: query(...) and log_probability(...) keep exponents apart where this network is not too wide for it."
)


class OutOfRange(ArithmeticError):  # noqa: N818  it is what the numbers are
    """A product of probabilities was too small for a double, so that answers could be wrong."""


class Question:
    """A tree for evidence on a network, loaded and ready for messages.

    Parameters
    ----------
    network : BayesianNetwork
        The network.
    evidence : Evidence
        Observed nodes are sliced out.
    targets : sequence of int, optional
        The only nodes of interest: nodes that are neither their ancestors nor the evidence's are left out. All by
        default.
    joint : bool, default=False
        Whether one clique must hold all targets.
    late : iterable of int
        Nodes that are maximized after all others are summed out.
    max_cells : int, optional
        The most memory, in cells; half of what is free by default.
    """

    def __init__(
        self,
        network: Any,
        evidence: Evidence,
        targets: Sequence[int] | None = None,
        *,
        joint: bool = False,
        late: Iterable[int] = (),
        max_cells: int | None = None,
    ) -> None:
        self.network, self.evidence = network, evidence
        nodes = len(network.nodes)
        kept = range(nodes) if targets is None else network._dag.ancestors({*targets, *evidence.nodes})
        self.kept = _flags(nodes, kept)
        self.observed = _flags(nodes, evidence.states)
        chosen = [target for target in targets or () if target not in evidence.states] if joint else []
        places = np.array(chosen, dtype=np.int64)
        self.tree = _native_calls.clique_tree(network._arrays, self.kept, self.observed, _flags(nodes, late), places)
        self.max_cells = max_cells
        self.load(evidence)

    def load(self, evidence: Evidence) -> None:
        """Take in evidence on the same observed nodes."""
        self.tree.load(self._states(evidence), self.network._flat_weights(evidence.weights))

    def _states(self, evidence: Evidence) -> NDArray[np.int64]:
        states = np.full(len(self.kept), -1, dtype=np.int64)
        for node, state in evidence.states.items():
            states[node] = state
        return states

    def fits(self, *, drop: bool = False) -> bool:
        """Whether the tables fit into the memory that was allowed."""
        cells = self.tree.peak(drop)
        if self.max_cells is None:
            return bool(cells <= _ALWAYS or cells <= free_cells())
        return bool(cells <= self.max_cells)

    def require_room(self, *, drop: bool = False) -> None:
        """Refuse a tree that does not fit, before anything is allocated."""
        if not self.fits(drop=drop):
            cells, most = self.tree.peak(drop), free_cells() if self.max_cells is None else self.max_cells
            raise MemoryError(
                f"Exact inference must fit in {most:,} cells, got a tree of width {self.tree.width} that "
                f"takes {cells:,.0f} cells ({8 * cells:,.0f} bytes).\nHint: bound_log_probability(...) takes any "
                "network; query(..., method='weighting') or method='loopy' are approximate; max_cells allows more."
            )

    def total(self, mode: int = SUM, *, drop: bool = False) -> float:
        """Messages to the roots; the log of what they sum (or maximize) to, -inf for impossible evidence."""
        self.require_room(drop=drop)
        if self.tree.collect(mode, drop, self._threads()) and not self.tree.lost:
            return float(self.tree.log_total)
        if self._is_supported():
            raise OutOfRange(_TOO_SMALL)
        return -math.inf

    def _is_supported(self) -> bool:
        """Whether the evidence is possible by the signs of the tables alone, which cannot underflow."""
        network = self.network
        signs = (network._values > 0).astype(np.float64) / 2.0
        arrays = _native_calls.network_arrays(network._cards, network._dag.parents, network._stored.begins, signs)
        tree = _native_calls.clique_tree(arrays, self.kept, self.observed, _flags(len(self.kept), ()), _NOBODY)
        weights = {node: (found > 0).astype(np.float64) for node, found in self.evidence.weights.items()}
        tree.load(self._states(self.evidence), network._flat_weights(weights))
        return bool(tree.collect(SUM, True, 1))

    def collect(self, mode: int = SUM, *, drop: bool = False) -> float:
        """The same for evidence that must be possible."""
        found = self.total(mode, drop=drop)
        if found == -math.inf:
            raise ImpossibleEvidence(impossible_subset(self.network, self.evidence))
        return found

    def distribute(self) -> None:
        """Messages from the roots."""
        self.tree.distribute(self._threads())
        if self.tree.lost:
            raise OutOfRange(_TOO_SMALL)

    def _threads(self) -> int:
        return resolve_threads() if self.tree.largest > 2**16 else 1


def _flags(count: int, places: Iterable[int]) -> NDArray[np.uint8]:
    found = np.zeros(count, dtype=np.uint8)
    found[list(places)] = 1
    return found


def is_possible(network: Any, evidence: Evidence) -> bool:
    """Whether the evidence has a positive probability."""
    return Question(network, evidence, ())._is_supported()


def require_possible(network: Any, evidence: Evidence) -> None:
    """Refuse impossible evidence, where a tree that shows it fits into memory."""
    question = Question(network, evidence, ())
    if question.fits(drop=True) and not question._is_supported():
        raise ImpossibleEvidence(impossible_subset(network, evidence))


def impossible_subset(network: Any, evidence: Evidence) -> dict[str, Any]:
    """A smallest impossible part: whatever can be left out without making it possible is left out."""
    left = dict.fromkeys([*evidence.states, *evidence.weights])
    for node in list(left):
        rest = [other for other in left if other != node]
        part = Evidence(
            {},
            {other: evidence.states[other] for other in rest if other in evidence.states},
            {other: evidence.weights[other] for other in rest if other in evidence.weights},
        )
        if not is_possible(network, part):
            del left[node]
    return {network.nodes[node]: evidence.given[network.nodes[node]] for node in left}
