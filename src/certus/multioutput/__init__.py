"""Several targets at once, by learners that take one."""

from certus.multioutput.classifier import MultiOutputClassifier

__all__ = ["MultiOutputClassifier"]
