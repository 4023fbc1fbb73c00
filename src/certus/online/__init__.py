"""Online learning: experts, linear learners and bandits, each with a ledger of its regret."""

from certus.online.balanced_winnow import BalancedWinnow
from certus.online.experts import (
    AdaHedge,
    AggregatingAlgorithm,
    FixedShare,
    FlooredWeights,
    ForcedStream,
    Halving,
    Hedge,
    MetaExperts,
    MixingPastPosteriors,
    Specialists,
    Squint,
    VariableShare,
    WeightedAverage,
    WeightedMajority,
    best_switching,
    c_regret,
    force_double_loss,
    force_halvings,
)
from certus.online.ogd_classifier import OGDClassifier
from certus.online.ogd_regressor import OGDRegressor
from certus.online.online_perceptron import OnlinePerceptron
from certus.online.passive_aggressive_classifier import PassiveAggressiveClassifier
from certus.online.passive_aggressive_regressor import PassiveAggressiveRegressor
from certus.online.vovk_azoury_warmuth import VovkAzouryWarmuth
from certus.online.winnow import Winnow

__all__ = [
    "AdaHedge",
    "AggregatingAlgorithm",
    "BalancedWinnow",
    "FixedShare",
    "FlooredWeights",
    "ForcedStream",
    "Halving",
    "Hedge",
    "MetaExperts",
    "MixingPastPosteriors",
    "OGDClassifier",
    "OGDRegressor",
    "OnlinePerceptron",
    "PassiveAggressiveClassifier",
    "PassiveAggressiveRegressor",
    "Specialists",
    "Squint",
    "VariableShare",
    "VovkAzouryWarmuth",
    "WeightedAverage",
    "WeightedMajority",
    "Winnow",
    "best_switching",
    "c_regret",
    "force_double_loss",
    "force_halvings",
]


def __dir__() -> list[str]:
    return __all__
