"""Mixtures: densities that are sums of simple ones, learned by expectation and maximization."""

from certus.mixture.known_variance_mixture import KnownVarianceMixture

__all__ = ["KnownVarianceMixture"]


def __dir__() -> list[str]:
    return __all__
