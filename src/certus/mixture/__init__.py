"""Mixtures: densities that are sums of simple ones, learned by expectation and maximization."""

from certus.mixture.gaussian_mixture import GaussianMixture
from certus.mixture.known_variance_mixture import KnownVarianceMixture

__all__ = ["GaussianMixture", "KnownVarianceMixture"]


def __dir__() -> list[str]:
    return __all__
