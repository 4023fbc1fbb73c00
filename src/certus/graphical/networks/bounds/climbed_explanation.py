"""An explanation by coordinate ascent from drawn rows, where max-product costs too much."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from certus.graphical.evidence.explanation_gap import gap_certificate
from certus.graphical.evidence.plain_factors import plain_factors
from certus.graphical.networks.bounds.log_factors import log_factors
from certus.graphical.networks.bounds.sampled_posteriors import possible_row
from certus.graphical.networks.inference.answers import Explanation
from certus.graphical.networks.inference.clique_messages import Question
from certus.graphical.networks.inference.evidence_input import Evidence
from certus.graphical.networks.inference.exact_queries import log_weight, named_states

_STARTS = 5


def climbed_explanation(network: Any, evidence: Evidence) -> Explanation:
    """The best assignment that single changes reach from a few rows; its certificate says how far from the best."""
    question = Question(network, evidence)
    found = []
    for seed in range(_STARTS):
        start = possible_row(network, evidence, seed)
        if start is not None:
            states = _climbed(question, start)
            found.append((log_weight(network, states, evidence), states))
    if not found:
        question.require_room()
        raise ValueError("No row that agrees with the evidence was found.\nHint: leave out some of the evidence.")
    value, states = max(found, key=lambda entry: entry[0])
    return Explanation(named_states(network, states), value, partial(gap_certificate, question, states))


def _climbed(question: Any, start: dict[int, int]) -> dict[int, int]:
    """Change one node after the other to its best state given all others, until none changes."""
    plain = plain_factors(question)
    factors = log_factors(plain)
    nodes = [question.network._dag.place[name] for name in plain["names"]]
    states = [start[node] for node in nodes]
    homes: list[list[int]] = [[] for _ in nodes]
    for place, (scope, _table) in enumerate(factors):
        for variable in scope:
            homes[variable].append(place)
    changed = True
    while changed:
        changed = False
        for variable, own in enumerate(homes):
            score = np.zeros(int(plain["states"][variable]))
            for place in own:
                scope, table = factors[place]
                score = score + table[tuple(slice(None) if v == variable else states[v] for v in scope)]
            best = int(score.argmax())
            if score[best] > score[states[variable]] + 1e-12:
                states[variable], changed = best, True
    return {**start, **dict(zip(nodes, states, strict=True))}
