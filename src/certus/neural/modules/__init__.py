"""Building blocks of networks to read: NumPy, one forward and one backward each, checked against differences."""

from certus.neural.modules.activations import ReLU, Sigmoid, Softmax, Tanh, Threshold
from certus.neural.modules.attention import Attention, FeedForward, MultiHeadAttention, PositionalEncoding
from certus.neural.modules.boolean_networks import BooleanNetwork, boolean_network
from certus.neural.modules.converting import to_modules
from certus.neural.modules.dense import Dense
from certus.neural.modules.first_weights import initial_weights
from certus.neural.modules.gradient_check import check_gradient
from certus.neural.modules.gradient_norms import gradient_norms
from certus.neural.modules.gradient_steps import (
    DescentStep,
    NeuronStep,
    batch_descent,
    mini_batch_descent,
    neuron_descent,
)
from certus.neural.modules.graph_layers import GraphConvolution, MessagePassing
from certus.neural.modules.images import Conv2d, Flatten, MaxPool2d
from certus.neural.modules.layered_network import LayeredNetwork
from certus.neural.modules.module import Module
from certus.neural.modules.module_losses import BinaryCrossEntropy, CrossEntropy, Loss, SquaredError
from certus.neural.modules.normalizations import BatchNorm, Dropout, LayerNorm
from certus.neural.modules.prototypical_model import PrototypicalModel
from certus.neural.modules.recurrent import LSTM, Recurrent
from certus.neural.modules.sequential import Sequential
from certus.neural.modules.update_rules import Adagrad, Adam, Momentum, RMSProp, UpdateRule, linear_decay
from certus.neural.modules.width_and_error import approximation_errors

__all__ = [
    "Adagrad",
    "Adam",
    "Attention",
    "BatchNorm",
    "BinaryCrossEntropy",
    "BooleanNetwork",
    "Conv2d",
    "CrossEntropy",
    "Dense",
    "DescentStep",
    "Dropout",
    "FeedForward",
    "Flatten",
    "GraphConvolution",
    "LSTM",
    "LayerNorm",
    "LayeredNetwork",
    "Loss",
    "MaxPool2d",
    "MessagePassing",
    "Module",
    "Momentum",
    "MultiHeadAttention",
    "NeuronStep",
    "PositionalEncoding",
    "PrototypicalModel",
    "RMSProp",
    "ReLU",
    "Recurrent",
    "Sequential",
    "Sigmoid",
    "Softmax",
    "SquaredError",
    "Tanh",
    "Threshold",
    "UpdateRule",
    "approximation_errors",
    "batch_descent",
    "boolean_network",
    "check_gradient",
    "gradient_norms",
    "initial_weights",
    "linear_decay",
    "mini_batch_descent",
    "neuron_descent",
    "to_modules",
]


def __dir__() -> list[str]:
    return __all__
