"""Learners that model the classes' distributions and decide by Bayes' rule."""

from certus.bayes.gaussian import GaussianNB

__all__ = ["GaussianNB"]
