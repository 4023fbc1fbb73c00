"""Reinforcement learning: decision processes solved with proof, and learning measured against the optimum."""

__all__: list[str] = []


def __dir__() -> list[str]:
    return __all__
