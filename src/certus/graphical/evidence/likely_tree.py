"""That no tree is more likely than the learned one: every other pair adds no more than any link on the path between."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from certus.graphical.evidence.plain_families import columns_again
from certus.graphical.learning.structures.family_scores import FamilyScores
from certus.graphical.learning.structures.state_columns import StateColumns
from certus.guarantees import Certificate, CertificateError
from certus.guarantees.records import Basis, Derivation, number, plural, rules

RULE = "graphical/likely-tree"
QUANTITY = "log-likelihood that another tree could gain"
BASIS = Basis(
    RULE,
    "Approximating discrete probability distributions with dependence trees (Chow, Liu 1968)",
    ("floating-point-model",),
)
Floats = NDArray[np.float64]


def tree_certificate(
    scores: FamilyScores, information: Floats, parents: Sequence[Sequence[int]], target: int | None
) -> Certificate:
    """The certificate of a spanning tree from what every pair would add."""
    links = [[parent, child] for child, own in enumerate(parents) for parent in own if parent != target]
    inputs = {
        "nodes": list(scores.columns.names),
        "states": scores.columns.arities,
        "rows": scores.columns.rows,
        "target": target,
    }
    return _record(inputs, {"links": links, "gains": information.tolist(), "rounding": scores.rounding()})


def _record(inputs: Any, witness: Any) -> Certificate:
    gains, rounding = np.array(witness["gains"], dtype=np.float64), float(witness["rounding"])
    if not np.isfinite(gains).all() or not math.isfinite(rounding) or rounding < 0.0:
        raise CertificateError(f"{QUANTITY}: the witness holds a number that cannot occur")
    links = [(int(parent), int(child)) for parent, child in witness["links"]]
    value = _excess(gains, links, len(inputs["nodes"]), inputs["target"]) + rounding
    among = "" if inputs["target"] is None else f" with {inputs['nodes'][inputs['target']]!r} as parent of all nodes"
    total = math.fsum(float(gains[link]) for link in links)
    claim = (
        f"The {plural(len(links), 'arc')} of the tree add {number(total)} to the log-likelihood of "
        f"{plural(int(inputs['rows']), 'row')}, and no tree{among} adds more by over {number(value, 'upper')}."
    )
    return BASIS.exact(claim, QUANTITY, "upper", value, math.inf, inputs, witness)


def _excess(gains: Floats, links: list[tuple[int, int]], nodes: int, target: int | None) -> float:
    """A bound on what another spanning tree gains: an exchange for every link, each by the worst pair."""
    inside = [node for node in range(nodes) if node != target]
    near: dict[int, list[int]] = {node: [] for node in inside}
    for a, b in links:
        near[a].append(b)
        near[b].append(a)
    if len(links) != len(inside) - 1:
        raise CertificateError(f"{QUANTITY}: the arcs are no spanning tree")
    worst = 0.0
    for start in inside:
        least = {start: math.inf}  # the smallest gain on the path from the start
        waiting = [start]
        for node in waiting:
            for other in near[node]:
                if other not in least:
                    least[other] = min(least[node], float(gains[node, other]))
                    waiting.append(other)
        if len(least) != len(inside):
            raise CertificateError(f"{QUANTITY}: the arcs are no spanning tree")
        worst = max(worst, max((float(gains[start, v]) - least[v] for v in inside if v != start), default=0.0))
    return len(links) * worst


@rules.checker(RULE)
def check_tree(certificate: Certificate, data: Any = None) -> Derivation:
    """Compare every pair with its path again; with the table find what each pair adds from its counts."""
    inputs, witness = certificate.inputs, certificate.witness
    record = _record(inputs, witness)
    if data is not None:
        columns, target = columns_again(inputs, data), inputs["target"]
        for a, b in combinations([node for node in range(len(columns.names)) if node != target], 2):
            found, stated = _plain_gain(columns, a, b, target), float(witness["gains"][a][b])
            if abs(found - stated) > 1e-9 * columns.rows + float(witness["rounding"]):
                raise CertificateError(f"{QUANTITY}: on this table the columns {a} and {b} add {found!r}")
    return Derivation(record.value, error=1e-12, record=record)


def _plain_gain(columns: StateColumns, a: int, b: int, target: int | None) -> float:
    """N times the mutual information of two columns, given the target, from a table of counts."""
    states, codes = columns.arities, columns.codes
    behind = np.zeros(columns.rows, dtype=np.intp) if target is None else codes[target]
    counts = np.zeros((1 if target is None else states[target], states[a], states[b]))
    np.add.at(counts, (behind, codes[a], codes[b]), 1.0)
    first, second, both = counts.sum(axis=2, keepdims=True), counts.sum(axis=1, keepdims=True), counts.sum((1, 2))
    expected = first * second / np.where(both > 0, both, 1.0)[:, None, None]
    return float((xlogy(counts, counts) - xlogy(counts, np.where(counts > 0, expected, 1.0))).sum())
