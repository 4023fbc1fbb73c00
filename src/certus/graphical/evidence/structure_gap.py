"""How much higher another network could score: bounds from prices of clusters, and the optimum itself."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from certus.graphical.evidence.plain_families import (
    columns_again,
    plain_network_score,
    plain_score,
    rules_of,
    setting,
)
from certus.graphical.evidence.plain_search import plain_best_score
from certus.graphical.knowledge import ArcRules
from certus.graphical.learning.structures.candidate_families import enumerated
from certus.graphical.learning.structures.family_scores import FamilyScores
from certus.graphical.learning.structures.structure_bound import PricedClusters
from certus.guarantees import Certificate, CertificateError
from certus.guarantees.records import Basis, Derivation, number, plural, rules

BOUND, BEST = "graphical/structure-bound", "graphical/best-structure"
QUANTITY = "score that another network could gain"
THEOREMS = {
    BOUND: "Learning Bayesian network structure using LP relaxations (Jaakkola, Sontag, Globerson and Meila 2010)",
    BEST: "A simple approach for finding the globally optimal Bayesian network structure (Silander, Myllymaki 2006)",
}
MOST_CHECKED = 300_000  # families that a check scores one by one


def bound_certificate(
    scores: FamilyScores, knowledge: ArcRules, parents: Sequence[Sequence[int]], score: float, priced: PricedClusters
) -> Certificate:
    """The certificate of a network from a bound on all of them."""
    witness = {
        "score": score,
        "parents": [list(own) for own in parents],
        "rounding": scores.rounding(),
        "clusters": [list(cluster) for cluster, _ in priced.demands],
        "ranks": [rank for _, rank in priced.demands],
        "prices": priced.prices,
        "best": priced.best,
    }
    return _record(BOUND, setting(scores, knowledge), witness)


def best_certificate(
    scores: FamilyScores, knowledge: ArcRules, parents: Sequence[Sequence[int]], score: float, best: float
) -> Certificate:
    """The certificate of a network from the score of the best one."""
    witness = {
        "score": score,
        "parents": [list(own) for own in parents],
        "rounding": scores.rounding(),
        "best": best,
    }
    return _record(BEST, setting(scores, knowledge), witness)


def _bound(rule: str, witness: Any) -> float:
    """What no network scores more than."""
    if rule == BEST:
        return float(witness["best"])
    prices, ranks = [float(price) for price in witness["prices"]], [int(rank) for rank in witness["ranks"]]
    sizes = [len(set(cluster)) for cluster in witness["clusters"]]
    if min(prices, default=0.0) < 0.0 or not len(prices) == len(ranks) == len(sizes):
        raise CertificateError(f"{QUANTITY}: the prices do not fit the clusters")
    if any(not 1 <= rank <= size for rank, size in zip(ranks, sizes, strict=True)):
        raise CertificateError(f"{QUANTITY}: a cluster has fewer nodes than it must")
    paid = [-rank * price for rank, price in zip(ranks, prices, strict=True)]
    return math.fsum([*map(float, witness["best"]), *paid])


def _record(rule: str, inputs: Any, witness: Any) -> Certificate:
    score, rounding, bound = float(witness["score"]), float(witness["rounding"]), _bound(rule, witness)
    if not all(map(math.isfinite, (score, rounding, bound))) or rounding < 0.0:
        raise CertificateError(f"{QUANTITY}: the witness holds a number that cannot occur")
    value = max(0.0, bound - score) + rounding
    most = [int(count) for count in inputs["max_parents"]]
    limit = f" with at most {plural(max(most), 'parent')} per node" if max(most) < len(most) - 1 else ""
    known = " that keeps what is known" if inputs["required"] or inputs["forbidden"] else ""
    claim = (
        f"On these {plural(int(inputs['rows']), 'row')} the network scores {number(score)} by {inputs['score']}, and "
        f"no network{limit}{known} scores more than {number(score + value, 'upper')}: at most {number(value, 'upper')} "
        "higher."
    )
    return Basis(rule, THEOREMS[rule], ("floating-point-model",)).exact(
        claim, QUANTITY, "upper", value, math.inf, inputs, witness
    )


@rules.checker(BOUND)
def check_bound(certificate: Certificate, data: Any = None) -> Derivation:
    """Subtract again; with the table score all families one by one, and take every node's best with its prices."""
    inputs, witness = certificate.inputs, certificate.witness
    record = _record(BOUND, inputs, witness)
    if data is not None:
        columns = _check_network(inputs, witness, data)
        knowledge = rules_of(inputs)
        priced = [
            (set(cluster), int(rank), float(price))
            for cluster, rank, price in zip(witness["clusters"], witness["ranks"], witness["prices"], strict=True)
        ]
        families = [enumerated(knowledge, node)[0] for node in _few(knowledge)]
        for node, stated in enumerate(witness["best"]):
            found = max(
                plain_score(columns, inputs, node, own)
                + sum(
                    price for inside, rank, price in priced if node in inside and len(inside.intersection(own)) < rank
                )
                for own in families[node]
            )
            if found > float(stated) + _slack(witness, found):
                raise CertificateError(f"{QUANTITY}: on this table node {node} reaches {found!r}")
    return Derivation(record.value, error=1e-12, record=record)


@rules.checker(BEST)
def check_best(certificate: Certificate, data: Any = None) -> Derivation:
    """Subtract again; with the table find the best score by plain dynamic programming from the first nodes on."""
    inputs, witness = certificate.inputs, certificate.witness
    record = _record(BEST, inputs, witness)
    if data is not None:
        columns = _check_network(inputs, witness, data)
        knowledge = rules_of(inputs)
        _few(knowledge)
        found = plain_best_score(columns, inputs, knowledge)
        if found > float(witness["best"]) + _slack(witness, found):
            raise CertificateError(f"{QUANTITY}: on this table a network scores {found!r}")
    return Derivation(record.value, error=1e-12, record=record)


def _slack(witness: Any, found: float) -> float:
    return 1e-9 * (1.0 + abs(found)) + float(witness["rounding"])


def _few(knowledge: ArcRules) -> range:
    """The nodes, unless their families are too many to be scored one by one."""
    nodes = len(knowledge.names)
    count = sum(
        math.comb(len(knowledge.free_parents(node)), size)
        for node in range(nodes)
        for size in range(knowledge.most[node] + 1)
    )
    if count > MOST_CHECKED:
        raise CertificateError(
            f"{QUANTITY}: a check scores at most {MOST_CHECKED:,} families, here are {count:,}.\n"
            "Hint: without the table the step from the witness to the value is checked."
        )
    return range(nodes)


def _check_network(inputs: Any, witness: Any, data: Any) -> Any:
    """The table, if the network has the stated score on it and keeps the rules."""
    columns = columns_again(inputs, data)
    parents = [[int(parent) for parent in own] for own in witness["parents"]]
    if not rules_of(inputs).fits(parents):
        raise CertificateError(f"{QUANTITY}: the network does not keep the rules")
    found = plain_network_score(columns, inputs, parents)
    if abs(found - float(witness["score"])) > _slack(witness, found):
        raise CertificateError(f"{QUANTITY}: on this table the network scores {found!r}")
    return columns
