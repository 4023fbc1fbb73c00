"""Reinforcement learning: decision processes solved with proof, and learning measured against the optimum."""

from certus.reinforce.bellman_bounds import bellman_bounds, policy_loss
from certus.reinforce.evaluate import action_values, evaluate, greedy, occupancy
from certus.reinforce.grid_world import GridWorld
from certus.reinforce.mdp import MDP
from certus.reinforce.policy_breakpoints import Breakpoints, Change, policy_breakpoints
from certus.reinforce.solve import Solution, solve
from certus.reinforce.solve_finite import FinitePlan, solve_finite

__all__ = [
    "Breakpoints",
    "Change",
    "FinitePlan",
    "GridWorld",
    "MDP",
    "Solution",
    "action_values",
    "bellman_bounds",
    "evaluate",
    "greedy",
    "occupancy",
    "policy_breakpoints",
    "policy_loss",
    "solve",
    "solve_finite",
]


def __dir__() -> list[str]:
    return __all__
