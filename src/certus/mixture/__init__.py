"""Mixtures: densities that are sums of simple ones, learned by expectation and maximization."""

from certus.mixture.bayesian_gaussian_mixture import BayesianGaussianMixture
from certus.mixture.exponential_mixture import ExponentialMixture
from certus.mixture.gaussian_mixture import GaussianMixture
from certus.mixture.known_variance_mixture import KnownVarianceMixture
from certus.mixture.number_of_components import ComponentChoice, choose_components
from certus.mixture.single_gaussian import OneComponentTest, one_component_test

__all__ = [
    "BayesianGaussianMixture",
    "ComponentChoice",
    "ExponentialMixture",
    "GaussianMixture",
    "KnownVarianceMixture",
    "OneComponentTest",
    "choose_components",
    "one_component_test",
]


def __dir__() -> list[str]:
    return __all__
