"""Networks of torch (``pip install 'certus[deep]'``) as learners: images, sequences, graphs, any module.

torch is imported when a learner is first fitted or asked.
"""

from certus.neural.deep.computation_graph import ComputationGraph, computation_graph
from certus.neural.deep.conv_net_classifier import ConvNetClassifier
from certus.neural.deep.generative_adversarial_network import GenerativeAdversarialNetwork
from certus.neural.deep.graph_classifier import GraphClassifier
from certus.neural.deep.link_predictor import LinkPredictor
from certus.neural.deep.node_classifier import NodeClassifier
from certus.neural.deep.node_embedding import NodeEmbedding
from certus.neural.deep.recursive_network_classifier import RecursiveNetworkClassifier
from certus.neural.deep.seq2_seq import Seq2Seq
from certus.neural.deep.sequence_classifier import SequenceClassifier
from certus.neural.deep.sequence_regressor import SequenceRegressor
from certus.neural.deep.torch_classifier import TorchClassifier
from certus.neural.deep.torch_regressor import TorchRegressor
from certus.neural.deep.variational_autoencoder import VariationalAutoencoder

__all__ = [
    "ComputationGraph",
    "ConvNetClassifier",
    "GenerativeAdversarialNetwork",
    "GraphClassifier",
    "LinkPredictor",
    "NodeClassifier",
    "NodeEmbedding",
    "RecursiveNetworkClassifier",
    "Seq2Seq",
    "SequenceClassifier",
    "SequenceRegressor",
    "TorchClassifier",
    "TorchRegressor",
    "VariationalAutoencoder",
    "computation_graph",
]


def __dir__() -> list[str]:
    return __all__
