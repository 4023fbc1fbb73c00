"""Graphical models: Bayesian networks, and hidden Markov models of sequences."""

from certus.graphical.average_structures import AveragedStructures, average_structures
from certus.graphical.bayesian_network import BayesianNetwork
from certus.graphical.bayesian_network_classifier import BayesianNetworkClassifier
from certus.graphical.categorical_hmm import CategoricalHMM
from certus.graphical.chain import Chain
from certus.graphical.conditional_gaussian_network import ConditionalGaussianNetwork
from certus.graphical.convergence_monitor import ConvergenceMonitor
from certus.graphical.discretizer import Discretizer
from certus.graphical.equivalent_dags import enumerate_dags, equivalence_classes
from certus.graphical.factor_graph import FactorGraph
from certus.graphical.gaussian_hmm import GaussianHMM
from certus.graphical.gmmhmm import GMMHMM
from certus.graphical.independence_maps import factorizes, is_i_map, minimal_i_map, p_map
from certus.graphical.junction_tree import JunctionTree
from certus.graphical.knowledge import Knowledge
from certus.graphical.learn_gaussians import LearnedGaussians, learn_gaussians
from certus.graphical.learn_structure import LearnedStructure, learn_structure, score_structure
from certus.graphical.learn_tables import LearnedTables, learn_tables
from certus.graphical.linear_normal import LinearNormal
from certus.graphical.multinomial_hmm import MultinomialHMM
from certus.graphical.network_files import read_network, write_network
from certus.graphical.networks.files.network_draft import NetworkFileError
from certus.graphical.networks.inference.evidence_input import ImpossibleEvidence
from certus.graphical.number_of_states import StateChoice, choose_states
from certus.graphical.poisson_hmm import PoissonHMM
from certus.graphical.state_tracker import StateTracker

__all__ = [
    "AveragedStructures",
    "BayesianNetwork",
    "BayesianNetworkClassifier",
    "CategoricalHMM",
    "Chain",
    "ConditionalGaussianNetwork",
    "ConvergenceMonitor",
    "Discretizer",
    "FactorGraph",
    "GMMHMM",
    "GaussianHMM",
    "ImpossibleEvidence",
    "JunctionTree",
    "Knowledge",
    "LearnedGaussians",
    "LearnedStructure",
    "LearnedTables",
    "LinearNormal",
    "MultinomialHMM",
    "NetworkFileError",
    "PoissonHMM",
    "StateChoice",
    "StateTracker",
    "average_structures",
    "choose_states",
    "enumerate_dags",
    "equivalence_classes",
    "factorizes",
    "is_i_map",
    "learn_gaussians",
    "learn_structure",
    "learn_tables",
    "minimal_i_map",
    "p_map",
    "read_network",
    "score_structure",
    "write_network",
]


def __dir__() -> list[str]:
    return __all__
