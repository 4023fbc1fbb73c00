"""Expectation and maximization for any model with something that nobody sees."""

from certus.base.em.climbing import Climb, EMModel, LikelihoodFellError, best_climb, climb

__all__ = ["Climb", "EMModel", "LikelihoodFellError", "best_climb", "climb"]
