"""Online learning: experts, linear learners and bandits, each with a ledger of its regret."""

from certus.online.balanced_winnow import BalancedWinnow
from certus.online.ogd_classifier import OGDClassifier
from certus.online.ogd_regressor import OGDRegressor
from certus.online.online_perceptron import OnlinePerceptron
from certus.online.passive_aggressive_classifier import PassiveAggressiveClassifier
from certus.online.passive_aggressive_regressor import PassiveAggressiveRegressor
from certus.online.stream_progress import StreamProgress
from certus.online.table_stream import TableStream
from certus.online.vovk_azoury_warmuth import VovkAzouryWarmuth
from certus.online.winnow import Winnow

__all__ = [
    "BalancedWinnow",
    "OGDClassifier",
    "OGDRegressor",
    "OnlinePerceptron",
    "PassiveAggressiveClassifier",
    "PassiveAggressiveRegressor",
    "StreamProgress",
    "TableStream",
    "VovkAzouryWarmuth",
    "Winnow",
]


def __dir__() -> list[str]:
    return __all__
