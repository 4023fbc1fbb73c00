"""Losses and penalties: value, derivative, curvature, conjugate, constants, range, links.

Losses are functions of a target and a score, row by row (`certus.losses.loss`); labels of two classes are -1 and 1.
Penalties are functions of the coefficients (`certus.losses.penalties.convex_penalty`). The compiled kernels have a twin
of every loss and penalty with a native name (``cpp/core/losses.hpp``, ``cpp/core/penalties.hpp``).
"""

from certus.losses._native_calls import loss_gradient, native_loss, native_loss_named
from certus.losses.epsilon_insensitive import EpsilonInsensitive, SquaredEpsilonInsensitive
from certus.losses.exponential import Exponential
from certus.losses.gamma import Gamma
from certus.losses.hinge import Hinge, ModifiedHuber, Perceptron, SquaredHinge
from certus.losses.huber import Huber
from certus.losses.logistic import Logistic
from certus.losses.loss import ConvexLoss, KnownLoss, Loss, Targets
from certus.losses.multinomial import Multinomial
from certus.losses.penalties.convex_penalty import KnownPenalty, Penalty
from certus.losses.penalties.elastic_net_penalty import ElasticNet
from certus.losses.penalties.group_l2 import GroupL2
from certus.losses.penalties.l1 import L1
from certus.losses.penalties.l2 import L2
from certus.losses.penalties.multi_task import MultiTask
from certus.losses.penalties.no_penalty import NoPenalty
from certus.losses.penalties.non_negative import NonNegative
from certus.losses.poisson import Poisson
from certus.losses.positive_mean import MeanLoss
from certus.losses.quantile import Absolute, Quantile, weighted_quantile
from certus.losses.registry import LOSSES, PENALTIES, named_loss
from certus.losses.squared import Squared
from certus.losses.tweedie import Tweedie, TweedieIdentity, tweedie_loss
from certus.losses.zero_one import ZeroOne

__all__ = [
    "L1",
    "L2",
    "LOSSES",
    "PENALTIES",
    "Absolute",
    "ConvexLoss",
    "ElasticNet",
    "EpsilonInsensitive",
    "Exponential",
    "Gamma",
    "GroupL2",
    "Hinge",
    "Huber",
    "KnownLoss",
    "KnownPenalty",
    "Logistic",
    "Loss",
    "MeanLoss",
    "ModifiedHuber",
    "MultiTask",
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
    "Targets",
    "Tweedie",
    "TweedieIdentity",
    "ZeroOne",
    "loss_gradient",
    "named_loss",
    "native_loss",
    "native_loss_named",
    "tweedie_loss",
    "weighted_quantile",
]


def __dir__() -> list[str]:
    return __all__
