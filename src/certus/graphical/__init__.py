"""Graphical models: Bayesian networks, and hidden Markov models of sequences."""

from certus.graphical.bayesian_network import BayesianNetwork
from certus.graphical.bayesian_network_classifier import BayesianNetworkClassifier
from certus.graphical.categorical_hmm import CategoricalHMM
from certus.graphical.convergence_monitor import ConvergenceMonitor
from certus.graphical.discretizer import Discretizer
from certus.graphical.gaussian_hmm import GaussianHMM
from certus.graphical.gmmhmm import GMMHMM
from certus.graphical.junction_tree import JunctionTree
from certus.graphical.knowledge import Knowledge
from certus.graphical.learn_structure import LearnedStructure, learn_structure, score_structure
from certus.graphical.learn_tables import LearnedTables, learn_tables
from certus.graphical.multinomial_hmm import MultinomialHMM
from certus.graphical.networks.inference.evidence_input import ImpossibleEvidence
from certus.graphical.number_of_states import StateChoice, choose_states
from certus.graphical.poisson_hmm import PoissonHMM
from certus.graphical.state_tracker import StateTracker

__all__ = [
    "BayesianNetwork",
    "BayesianNetworkClassifier",
    "CategoricalHMM",
    "ConvergenceMonitor",
    "Discretizer",
    "GMMHMM",
    "GaussianHMM",
    "ImpossibleEvidence",
    "JunctionTree",
    "Knowledge",
    "LearnedStructure",
    "LearnedTables",
    "MultinomialHMM",
    "PoissonHMM",
    "StateChoice",
    "StateTracker",
    "choose_states",
    "learn_structure",
    "learn_tables",
    "score_structure",
]


def __dir__() -> list[str]:
    return __all__
