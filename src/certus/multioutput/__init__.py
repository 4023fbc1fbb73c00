"""Several targets at once, by learners that take one."""

from certus.multioutput.multi_output_classifier import MultiOutputClassifier

__all__ = ["MultiOutputClassifier"]


def __dir__() -> list[str]:
    return __all__
