"""Deep networks on torch (the extra `deep`): sequences, graphs, generators, and what needs no torch."""

from certus.neural.deep.computation_graph import ComputationGraph, computation_graph

__all__ = ["ComputationGraph", "computation_graph"]


def __dir__() -> list[str]:
    return __all__
