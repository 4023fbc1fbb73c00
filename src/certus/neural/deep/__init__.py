"""Networks of torch (``pip install 'certus[deep]'``) as learners: images, sequences, graphs, any module.

torch is imported when a learner is first fitted or asked.
"""

from certus.neural.deep.computation_graph import ComputationGraph, computation_graph
from certus.neural.deep.torch_classifier import TorchClassifier

__all__ = ["ComputationGraph", "TorchClassifier", "computation_graph"]


def __dir__() -> list[str]:
    return __all__
