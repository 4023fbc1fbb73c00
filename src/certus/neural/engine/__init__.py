"""The compiled network behind the learners, for whoever trains one by other rules than theirs."""

from certus.neural.engine.initial_weights import initial_parameters
from certus.neural.engine.network_engine import NetworkEngine, StepRule

__all__ = ["NetworkEngine", "StepRule", "initial_parameters"]


def __dir__() -> list[str]:
    return __all__
