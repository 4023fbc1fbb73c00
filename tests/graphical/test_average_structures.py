"""Averages over all networks."""

from __future__ import annotations

import math

import numpy as np
import pytest

from certus.graphical import average_structures, learn_tables, score_structure
from certus.graphical.bayesian_network import BayesianNetwork
from tests.graphical.all_networks import parent_lists, random_table

SEVEN = ["TRF", "TRF", "TGT", "FRF", "TBT", "TBT", "TBT"]
TABLE = {f"X{column + 1}": [row[column] for row in SEVEN] for column in range(3)}


def test_the_worked_example() -> None:
    found = average_structures(TABLE)
    assert found.log_evidence == pytest.approx(-17.2627308, abs=1e-7)
    assert list(found.adjacency.values()) == pytest.approx([0.356849, 0.582954, 0.982771], abs=1e-6)
    assert found.query("X1", {"X2": "R", "X3": "F"}).value({"X1": "T"}) == pytest.approx(0.7062702, abs=1e-7)


def test_weights_are_those_of_the_scores() -> None:
    best = score_structure(TABLE, {"X2": ["X3"]}, "bdeu") - average_structures(TABLE).log_evidence - math.log(25)
    assert math.exp(best) == pytest.approx(0.118835, abs=1e-6)


def test_predictions_are_the_mean_of_all_networks() -> None:
    table = random_table(13, 3, 12)
    found = average_structures(table, equivalent_sample_size=2.0)
    names = list(table)
    states = {name: sorted(set(cells)) for name, cells in table.items()}
    joint, logs = [], []
    for parents in parent_lists(3):
        named = {name: [names[p] for p in own] for name, own in zip(names, parents, strict=True)}
        logs.append(score_structure(table, named, "bdeu", 2.0))
        structure = BayesianNetwork(named, states)
        sizes = {name: np.prod([len(states[p]) for p in (*named[name], name)]) for name in names}
        network = learn_tables(structure, table, alpha={name: 2.0 / sizes[name] for name in names}).network
        joint.append(network.joint().values)
    weights = np.exp(np.array(logs) - max(logs))
    mean = np.tensordot(weights / weights.sum(), np.array(joint), axes=1)
    assert found.query(tuple(names)).values == pytest.approx(mean, abs=1e-12)
    given = found.query("v0", {"v2": "s0"}).values
    assert given == pytest.approx(mean[:, :, 0].sum(axis=1) / mean[:, :, 0].sum(), abs=1e-12)


def test_errors_help() -> None:
    with pytest.raises(ValueError, match=r"at most 5 columns .* got 6"):
        average_structures(random_table(0, 6, 10))
    found = average_structures(TABLE)
    with pytest.raises(ValueError, match="must name columns of the table, got 'X9'"):
        found.query("X9")
    with pytest.raises(ValueError, match="must not be part of the evidence"):
        found.query("X1", {"X1": "T"})
