"""Hidden Markov models: sequences whose rows depend on states that nobody sees."""

from certus.graphical.categorical_hmm import CategoricalHMM
from certus.graphical.convergence_monitor import ConvergenceMonitor
from certus.graphical.gaussian_hmm import GaussianHMM
from certus.graphical.state_tracker import StateTracker

__all__ = ["CategoricalHMM", "ConvergenceMonitor", "GaussianHMM", "StateTracker"]


def __dir__() -> list[str]:
    return __all__
