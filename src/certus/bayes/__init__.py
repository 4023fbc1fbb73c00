"""Learners that model the classes' distributions and decide by Bayes' rule."""

from certus.bayes.bayes_classifier import BayesClassifier
from certus.bayes.bernoulli_nb import BernoulliNB
from certus.bayes.categorical_nb import CategoricalNB
from certus.bayes.complement_nb import ComplementNB
from certus.bayes.counting.linear_form import LinearForm
from certus.bayes.gaussian_nb import GaussianNB
from certus.bayes.linear_discriminant_analysis import LinearDiscriminantAnalysis
from certus.bayes.mixed_nb import MixedNB
from certus.bayes.multinomial_nb import MultinomialNB
from certus.bayes.quadratic_discriminant_analysis import QuadraticDiscriminantAnalysis

__all__ = [
    "BayesClassifier",
    "BernoulliNB",
    "CategoricalNB",
    "ComplementNB",
    "GaussianNB",
    "LinearDiscriminantAnalysis",
    "LinearForm",
    "MixedNB",
    "MultinomialNB",
    "QuadraticDiscriminantAnalysis",
]


def __dir__() -> list[str]:
    return __all__
