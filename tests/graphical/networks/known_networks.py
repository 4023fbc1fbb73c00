"""Networks with known numbers, and random ones of every kind for Hypothesis."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from certus.graphical import BayesianNetwork

YES_NO = ("act", "inact")


def gene_network() -> BayesianNetwork:
    return BayesianNetwork(
        {"C": ["A", "B"]},
        {"A": YES_NO, "B": YES_NO, "C": YES_NO},
        {"A": [0.3, 0.7], "B": [0.3, 0.7], "C": [[[0.9, 0.1], [0.6, 0.4]], [[0.7, 0.3], [0.1, 0.9]]]},
    )


def fuel_gauge() -> BayesianNetwork:
    gauge = np.array([[0.1, 0.2], [0.2, 0.8]])  # P(G=1 | B, F)
    return BayesianNetwork(
        {"G": ["B", "F"]},
        {"B": [0, 1], "F": [0, 1], "G": [0, 1]},
        {"B": [0.1, 0.9], "F": [0.1, 0.9], "G": np.stack([1 - gauge, gauge], axis=-1)},
    )


def seven_nodes() -> dict[str, list[str]]:
    return {
        "x1": [],
        "x2": [],
        "x3": [],
        "x4": ["x1", "x2", "x3"],
        "x5": ["x1", "x3"],
        "x6": ["x4"],
        "x7": ["x4", "x5"],
    }


def random_network(
    rng: np.random.Generator,
    nodes: int,
    *,
    most_parents: int = 3,
    zeros: float = 0.0,
    cards: tuple[int, ...] = (1, 2, 3),
) -> BayesianNetwork:
    """A network over a random order; a share of the rows is deterministic."""
    names = [f"v{place}" for place in range(nodes)]
    order = rng.permutation(nodes)
    states = {name: list(range(rng.choice(cards))) for name in names}
    parents: dict[str, list[str]] = {}
    tables = {}
    for at, node in enumerate(order):
        count = int(rng.integers(0, min(at, most_parents) + 1))
        parents[names[node]] = [names[place] for place in rng.choice(order[:at], count, replace=False)] if count else []
        shape = tuple(len(states[name]) for name in (*parents[names[node]], names[node]))
        table = rng.dirichlet(np.ones(shape[-1]), shape[:-1])
        sure = rng.random(shape[:-1]) < zeros
        table[sure] = np.eye(shape[-1])[rng.integers(0, shape[-1], shape[:-1])][sure]
        tables[names[node]] = table.reshape(shape)
    return BayesianNetwork(parents, states, tables)


@st.composite
def networks(draw: st.DrawFn, most: int = 6) -> BayesianNetwork:
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    nodes = draw(st.integers(1, most))
    return random_network(rng, nodes, zeros=draw(st.sampled_from([0.0, 0.3, 0.9])))
