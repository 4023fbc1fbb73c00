"""Neural networks: multi-layer perceptrons for tables, modules to read, and certificates on both."""

from certus.neural.autoencoder import Autoencoder
from certus.neural.mlp_classifier import MLPClassifier
from certus.neural.mlp_regressor import MLPRegressor
from certus.neural.stacked_autoencoder import StackedAutoencoder
from certus.neural.tabular_mlp_classifier import TabularMLPClassifier
from certus.neural.tabular_mlp_regressor import TabularMLPRegressor

__all__ = [
    "Autoencoder",
    "MLPClassifier",
    "MLPRegressor",
    "StackedAutoencoder",
    "TabularMLPClassifier",
    "TabularMLPRegressor",
]


def __dir__() -> list[str]:
    return __all__
