"""Online learning: experts, linear learners and bandits, each with a ledger of its regret."""

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

__all__ = [
    "force_halvings",
    "force_double_loss",
    "c_regret",
    "MetaExperts",
    "ForcedStream",
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
