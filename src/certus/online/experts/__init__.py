"""Prediction from the advice of experts, with the regret that it can have."""

from certus.online.experts import readable_forecasts as readable_forecasts
from certus.online.experts import readable_votes as readable_votes
from certus.online.experts import regret_checkers as regret_checkers
from certus.online.experts.ada_hedge import AdaHedge
from certus.online.experts.adversaries import ForcedStream, c_regret, force_double_loss, force_halvings
from certus.online.experts.aggregating_algorithm import AggregatingAlgorithm
from certus.online.experts.best_switching import best_switching
from certus.online.experts.experts_classifier import ExpertsClassifier
from certus.online.experts.experts_regressor import ExpertsRegressor
from certus.online.experts.fixed_share import FixedShare
from certus.online.experts.floored_weights import FlooredWeights
from certus.online.experts.halving import Halving
from certus.online.experts.hedge import Hedge
from certus.online.experts.meta_experts import MetaExperts
from certus.online.experts.mixing_past_posteriors import MixingPastPosteriors
from certus.online.experts.specialists import Specialists
from certus.online.experts.squint import Squint
from certus.online.experts.variable_share import VariableShare
from certus.online.experts.weighted_average import WeightedAverage
from certus.online.experts.weighted_majority import WeightedMajority

__all__ = [
    "ExpertsClassifier",
    "ExpertsRegressor",
    "ForcedStream",
    "MetaExperts",
    "c_regret",
    "force_double_loss",
    "force_halvings",
    "AdaHedge",
    "AggregatingAlgorithm",
    "FixedShare",
    "FlooredWeights",
    "Halving",
    "Hedge",
    "MixingPastPosteriors",
    "Specialists",
    "Squint",
    "VariableShare",
    "WeightedAverage",
    "WeightedMajority",
    "best_switching",
]


def __dir__() -> list[str]:
    return __all__
