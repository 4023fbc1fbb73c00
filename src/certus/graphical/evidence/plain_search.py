"""The best score of any network, found in plain NumPy from the first nodes of an order to the last."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from certus.graphical.evidence.plain_families import plain_score
from certus.graphical.knowledge import ArcRules
from certus.graphical.learning.structures.candidate_families import enumerated
from certus.graphical.learning.structures.state_columns import StateColumns


def plain_best_score(columns: StateColumns, inputs: Mapping[str, Any], knowledge: ArcRules) -> float:
    """The largest score over all orders of the nodes: a node may take parents among those before it."""
    nodes = len(columns.names)
    within = np.full((nodes, 2**nodes), -math.inf)  # the best family of a node inside a set
    for node in range(nodes):
        for own in enumerated(knowledge, node)[0]:
            place = sum(1 << parent for parent in own)
            within[node, place] = plain_score(columns, inputs, node, own)
        for other in range(nodes):  # the best of a set is its own family or that of a set with one node less
            split = within[node].reshape(-1, 2, 2**other)
            np.maximum(split[:, 1], split[:, 0], out=split[:, 1])
    best = np.full(2**nodes, -math.inf)
    best[0] = 0.0
    for members in range(2**nodes):
        for node in range(nodes):
            if not members >> node & 1:
                after = members | 1 << node
                best[after] = max(best[after], best[members] + within[node, members])
    return float(best[-1])
