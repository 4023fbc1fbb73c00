"""Online learning: experts, linear learners and bandits, each with a ledger of its regret."""

from certus.online.alma import ALMA
from certus.online.balanced_winnow import BalancedWinnow
from certus.online.bandits import (
    KLUCB,
    UCB1,
    EpsilonGreedy,
    Exp3,
    Exp3IX,
    LinUCB,
    SuccessiveElimination,
    ThompsonSampling,
    bandit_policy_value,
    contextual_rewards,
    drifting_rewards,
    exp3_bound,
    exp3_ix_bound,
    german_tank,
    importance_weighted,
    oblivious_bench,
    stochastic_rewards,
)
from certus.online.boolean import DisjunctionMajority, SubsetWinnow, TermElimination
from certus.online.experts import (
    AdaHedge,
    AggregatingAlgorithm,
    ExpertsClassifier,
    ExpertsRegressor,
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
from certus.online.mirror_descent import MirrorDescent
from certus.online.ogd_classifier import OGDClassifier
from certus.online.ogd_regressor import OGDRegressor
from certus.online.online_kernel_perceptron import OnlineKernelPerceptron
from certus.online.online_newton_step import OnlineNewtonStep
from certus.online.online_perceptron import OnlinePerceptron
from certus.online.online_to_batch import OnlineToBatch
from certus.online.passive_aggressive_classifier import PassiveAggressiveClassifier
from certus.online.passive_aggressive_regressor import PassiveAggressiveRegressor
from certus.online.randomized_kernel_ogd import RandomizedKernelOGD
from certus.online.regret_display import RegretDisplay
from certus.online.romma import ROMMA
from certus.online.stream_progress import StreamProgress
from certus.online.table_stream import TableStream
from certus.online.vovk_azoury_warmuth import VovkAzouryWarmuth
from certus.online.weights_display import WeightsDisplay
from certus.online.winnow import Winnow

__all__ = [
    "ALMA",
    "AdaHedge",
    "AggregatingAlgorithm",
    "BalancedWinnow",
    "DisjunctionMajority",
    "EpsilonGreedy",
    "Exp3",
    "Exp3IX",
    "ExpertsClassifier",
    "ExpertsRegressor",
    "FixedShare",
    "FlooredWeights",
    "ForcedStream",
    "Halving",
    "Hedge",
    "KLUCB",
    "LinUCB",
    "MetaExperts",
    "MirrorDescent",
    "MixingPastPosteriors",
    "OGDClassifier",
    "OGDRegressor",
    "OnlineKernelPerceptron",
    "OnlineNewtonStep",
    "OnlinePerceptron",
    "OnlineToBatch",
    "PassiveAggressiveClassifier",
    "PassiveAggressiveRegressor",
    "ROMMA",
    "RandomizedKernelOGD",
    "RegretDisplay",
    "Specialists",
    "Squint",
    "StreamProgress",
    "SubsetWinnow",
    "SuccessiveElimination",
    "TableStream",
    "TermElimination",
    "ThompsonSampling",
    "UCB1",
    "VariableShare",
    "VovkAzouryWarmuth",
    "WeightedAverage",
    "WeightedMajority",
    "WeightsDisplay",
    "Winnow",
    "bandit_policy_value",
    "best_switching",
    "c_regret",
    "contextual_rewards",
    "drifting_rewards",
    "exp3_bound",
    "exp3_ix_bound",
    "force_double_loss",
    "force_halvings",
    "german_tank",
    "importance_weighted",
    "oblivious_bench",
    "stochastic_rewards",
]


def __dir__() -> list[str]:
    return __all__
