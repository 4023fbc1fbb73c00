"""Reinforcement learning: decision processes solved with proof, and learning measured against the optimum."""

from certus.reinforce.adp_agent import ADPAgent
from certus.reinforce.bellman_bounds import bellman_bounds, policy_loss
from certus.reinforce.breakpoint_display import BreakpointDisplay
from certus.reinforce.dqn import DQN
from certus.reinforce.episodes import Episode, monte_carlo_values, utility
from certus.reinforce.evaluate import action_values, evaluate, greedy, occupancy
from certus.reinforce.exploration import EpsilonGreedy, Greedy, Optimistic, Softmax
from certus.reinforce.grid_display import GridDisplay
from certus.reinforce.grid_world import GridWorld
from certus.reinforce.linear_q_learning import LinearQLearning
from certus.reinforce.mdp import MDP
from certus.reinforce.model_interval import ModelInterval, model_interval
from certus.reinforce.off_policy_value import off_policy_value, policy_value
from certus.reinforce.passive_adp import PassiveADP
from certus.reinforce.passive_td import PassiveTD
from certus.reinforce.policy_breakpoints import Breakpoints, Change, policy_breakpoints
from certus.reinforce.policy_gradient import PolicyGradient
from certus.reinforce.q_learning import QLearning
from certus.reinforce.return_display import ReturnDisplay
from certus.reinforce.rollout import rollout
from certus.reinforce.sarsa import SARSA
from certus.reinforce.semi_gradient_sarsa import SemiGradientSARSA
from certus.reinforce.semi_gradient_td import SemiGradientTD
from certus.reinforce.solve import Solution, solve
from certus.reinforce.solve_finite import FinitePlan, solve_finite
from certus.reinforce.state_features import FourierFeatures, OneHot, Polynomial, TileCoding
from certus.reinforce.step_lengths import Constant, Linear, Power

__all__ = [
    "ADPAgent",
    "BreakpointDisplay",
    "Breakpoints",
    "Change",
    "Constant",
    "DQN",
    "Episode",
    "EpsilonGreedy",
    "FinitePlan",
    "FourierFeatures",
    "Greedy",
    "GridDisplay",
    "GridWorld",
    "Linear",
    "LinearQLearning",
    "MDP",
    "ModelInterval",
    "OneHot",
    "Optimistic",
    "PassiveADP",
    "PassiveTD",
    "PolicyGradient",
    "Polynomial",
    "Power",
    "QLearning",
    "ReturnDisplay",
    "SARSA",
    "SemiGradientSARSA",
    "SemiGradientTD",
    "Softmax",
    "Solution",
    "TileCoding",
    "action_values",
    "bellman_bounds",
    "evaluate",
    "greedy",
    "model_interval",
    "monte_carlo_values",
    "occupancy",
    "off_policy_value",
    "policy_breakpoints",
    "policy_loss",
    "policy_value",
    "rollout",
    "solve",
    "solve_finite",
    "utility",
]


def __dir__() -> list[str]:
    return __all__
