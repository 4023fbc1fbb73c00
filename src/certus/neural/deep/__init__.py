"""Networks of torch (``pip install 'certus[deep]'``) as learners: images, sequences, graphs, any module.

torch is imported when a learner is first fitted or asked.
"""

from certus.neural.deep.computation_graph import ComputationGraph, computation_graph
from certus.neural.deep.graph_classifier import GraphClassifier
from certus.neural.deep.node_classifier import NodeClassifier
from certus.neural.deep.seq2_seq import Seq2Seq
from certus.neural.deep.torch_classifier import TorchClassifier

__all__ = ["ComputationGraph", "GraphClassifier", "NodeClassifier", "Seq2Seq", "TorchClassifier", "computation_graph"]


def __dir__() -> list[str]:
    return __all__
