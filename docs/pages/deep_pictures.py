"""Draw the pictures of the page about sequences, graphs and generators: python -m docs.pages.deep_pictures."""

from pathlib import Path
from typing import Any

import numpy as np

from certus.neural.deep import NodeEmbedding, computation_graph

FOLDER = Path(__file__).parents[1]
TREE, POINTS = FOLDER / "computation-graph.svg", FOLDER / "node-embedding.svg"


def tree() -> str:
    """What two layers compute the output of node D from."""
    adjacency = np.array([[0, 1, 1, 0], [1, 0, 1, 0], [1, 1, 0, 1], [0, 0, 1, 0]])
    return computation_graph(adjacency, 3, depth=2, names="ABCD").to_svg()


def points() -> Any:
    """Four groups of nodes, with few edges between them."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    plt.rcParams["svg.hashsalt"] = "certus"
    rng, groups = np.random.default_rng(0), np.arange(80) % 4
    likely = np.where(groups[:, None] == groups, 0.3, 0.01)
    A = np.triu(rng.random((80, 80)) < likely, 1)
    graph = A + A.T, np.eye(80)
    axes = NodeEmbedding(max_epochs=150, random_state=0).fit(graph).plot(graph, groups)
    axes.figure.set_size_inches(5, 4)
    axes.figure.tight_layout()
    return axes.figure


if __name__ == "__main__":
    TREE.write_text(tree(), encoding="utf-8")
    points().savefig(POINTS, metadata={"Date": None})
