"""Losses and penalties: value, derivative, conjugate, constants, range.

Losses are functions of a target and a score, row by row (`certus.losses.loss`); labels of two classes are -1 and 1.
Penalties are functions of the coefficients (`certus.losses.penalty`).
"""

from certus.losses.epsilon_insensitive import EpsilonInsensitive, SquaredEpsilonInsensitive
from certus.losses.huber import Huber
from certus.losses.logistic import Logistic, Multinomial
from certus.losses.loss import ConvexLoss, Loss
from certus.losses.margin import Exponential, Hinge, Perceptron, SquaredHinge, ZeroOne
from certus.losses.penalties import L1, L2, ElasticNet, GroupL2, NonNegative, NoPenalty
from certus.losses.penalty import Penalty
from certus.losses.poisson import Poisson
from certus.losses.quantile import Absolute, Quantile
from certus.losses.squared import Squared

__all__ = [
    "L1",
    "L2",
    "Absolute",
    "ConvexLoss",
    "ElasticNet",
    "EpsilonInsensitive",
    "Exponential",
    "GroupL2",
    "Hinge",
    "Huber",
    "Logistic",
    "Loss",
    "Multinomial",
    "NoPenalty",
    "NonNegative",
    "Penalty",
    "Perceptron",
    "Poisson",
    "Quantile",
    "Squared",
    "SquaredEpsilonInsensitive",
    "SquaredHinge",
    "ZeroOne",
]


def __dir__() -> list[str]:
    return __all__
