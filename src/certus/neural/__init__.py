"""Neural networks: multi-layer perceptrons for tables, modules to read, and certificates on both."""

from certus.neural.mlp_classifier import MLPClassifier
from certus.neural.mlp_regressor import MLPRegressor

__all__ = ["MLPClassifier", "MLPRegressor"]


def __dir__() -> list[str]:
    return __all__
