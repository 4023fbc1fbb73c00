"""Linear models that are the solutions of linear programs."""

from certus.linear.programs.l1_hinge_classifier import L1HingeClassifier

__all__ = ["L1HingeClassifier"]


def __dir__() -> list[str]:
    return __all__
