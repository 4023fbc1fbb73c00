"""Learners that model the classes' distributions and decide by Bayes' rule."""

from certus.bayes.gaussian_nb import GaussianNB
from certus.bayes.linear_discriminant_analysis import LinearDiscriminantAnalysis
from certus.bayes.quadratic_discriminant_analysis import QuadraticDiscriminantAnalysis

__all__ = ["GaussianNB", "LinearDiscriminantAnalysis", "QuadraticDiscriminantAnalysis"]


def __dir__() -> list[str]:
    return __all__
