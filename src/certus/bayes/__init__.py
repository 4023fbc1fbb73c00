"""Learners that model the classes' distributions and decide by Bayes' rule."""

from certus.bayes.gaussian import GaussianNB
from certus.bayes.linear_discriminant import LinearDiscriminantAnalysis
from certus.bayes.quadratic_discriminant import QuadraticDiscriminantAnalysis

__all__ = ["GaussianNB", "LinearDiscriminantAnalysis", "QuadraticDiscriminantAnalysis"]
