"""Neural networks: multi-layer perceptrons for tables, modules to read, and certificates on both."""

from certus.neural.autoencoder import Autoencoder
from certus.neural.bernoulli_rbm import BernoulliRBM
from certus.neural.deep_boltzmann_machine import DeepBoltzmannMachine
from certus.neural.lipschitz_bound import lipschitz_bound
from certus.neural.mlp_classifier import MLPClassifier
from certus.neural.mlp_regressor import MLPRegressor
from certus.neural.robust_error import robust_error, vulnerable_rows
from certus.neural.robust_radius import RobustRadius, robust_radius
from certus.neural.stacked_autoencoder import StackedAutoencoder
from certus.neural.tabular_mlp_classifier import TabularMLPClassifier
from certus.neural.tabular_mlp_regressor import TabularMLPRegressor

__all__ = [
    "Autoencoder",
    "BernoulliRBM",
    "DeepBoltzmannMachine",
    "MLPClassifier",
    "MLPRegressor",
    "RobustRadius",
    "StackedAutoencoder",
    "TabularMLPClassifier",
    "TabularMLPRegressor",
    "lipschitz_bound",
    "robust_error",
    "robust_radius",
    "vulnerable_rows",
]


def __dir__() -> list[str]:
    return __all__
