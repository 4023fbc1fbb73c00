"""Scores of families in plain NumPy, from tables counted one by one: the second route of certificates of structure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaln, gammaln, xlogy

from certus.graphical.knowledge import ArcRules, Knowledge
from certus.graphical.learning.structures.state_columns import StateColumns, state_columns
from certus.guarantees import CertificateError

Floats = NDArray[np.float64]


def setting(scores: Any, rules: ArcRules) -> dict[str, Any]:
    """What a certificate says about the score and the networks that count."""
    return {
        "nodes": list(scores.columns.names),
        "states": scores.columns.arities,
        "rows": scores.columns.rows,
        "score": scores.score,
        "equivalent_sample_size": scores.sample_size,
        "max_parents": list(rules.most),
        "required": np.argwhere(rules.required).tolist(),
        "forbidden": np.argwhere(1 - rules.allowed - np.eye(len(rules.allowed), dtype=np.uint8)).tolist(),
    }


def rules_of(inputs: Mapping[str, Any]) -> ArcRules:
    """The rules of a certificate."""
    names = [str(name) for name in inputs["nodes"]]
    arcs = {
        kind: [(names[int(parent)], names[int(child)]) for parent, child in inputs[kind]]
        for kind in ("required", "forbidden")
    }
    most = dict(zip(names, (int(count) for count in inputs["max_parents"]), strict=True))
    return ArcRules(names, Knowledge(**arcs, max_parents=most))


def columns_again(inputs: Mapping[str, Any], data: Any) -> StateColumns:
    """The table that a certificate is about, or an error."""
    found = state_columns(data)
    stated = (list(inputs["nodes"]), [int(count) for count in inputs["states"]], int(inputs["rows"]))
    if (list(found.names), found.arities, found.rows) != stated:
        raise CertificateError("this is another table: its columns, states or rows differ from the certificate's")
    return found


def plain_score(columns: StateColumns, inputs: Mapping[str, Any], child: int, parents: Sequence[int]) -> float:
    """The score of a node with its parents."""
    states = columns.arities
    combined = np.zeros(columns.rows, dtype=np.int64)
    for parent in parents:
        _, combined = np.unique(combined * states[parent] + columns.codes[parent], return_inverse=True)
    counts = np.bincount(combined * states[child] + columns.codes[child]).astype(np.float64)
    counts = np.append(counts, np.zeros(-len(counts) % states[child])).reshape(-1, states[child])
    totals = counts.sum(axis=1)
    kind, cells = str(inputs["score"]), math.prod(float(states[parent]) for parent in parents)
    if kind in ("bdeu", "k2"):
        size = float(inputs["equivalent_sample_size"])
        each = 1.0 if kind == "k2" else size / (cells * states[child])
        return float(_rising(each, counts).sum() - _rising(each * states[child], totals).sum())
    penalty = {"bic": 0.5 * math.log(columns.rows), "aic": 1.0}.get(kind, 0.0)
    return float(xlogy(counts, counts).sum() - xlogy(totals, totals).sum() - penalty * cells * (states[child] - 1))


def _rising(start: float, counts: Floats) -> Floats:
    """``ln start (start + 1) ... (start + count - 1)``, right also where the start is large."""
    some = np.maximum(counts, 1.0)
    return np.where(counts > 0.0, gammaln(some) - betaln(start, some), 0.0)


def plain_network_score(columns: StateColumns, inputs: Mapping[str, Any], parents: Sequence[Sequence[int]]) -> float:
    """The score of a network by the parents of its nodes."""
    return math.fsum(plain_score(columns, inputs, child, own) for child, own in enumerate(parents))
