"""Bandits: arms of which only the played one shows its reward."""

from certus.online.bandits.adversarial_arms import exp3_bound, exp3_ix_bound
from certus.online.bandits.arm_benches import contextual_rewards, drifting_rewards, oblivious_bench, stochastic_rewards
from certus.online.bandits.epsilon_greedy import EpsilonGreedy
from certus.online.bandits.exp3 import Exp3
from certus.online.bandits.exp3_ix import Exp3IX
from certus.online.bandits.klucb import KLUCB
from certus.online.bandits.lin_ucb import LinUCB
from certus.online.bandits.policy_value import bandit_policy_value
from certus.online.bandits.successive_elimination import SuccessiveElimination
from certus.online.bandits.thompson_sampling import ThompsonSampling
from certus.online.bandits.ucb1 import UCB1
from certus.online.bandits.unbiased_estimators import german_tank, importance_weighted

__all__ = [
    "EpsilonGreedy",
    "Exp3",
    "Exp3IX",
    "KLUCB",
    "LinUCB",
    "SuccessiveElimination",
    "ThompsonSampling",
    "UCB1",
    "bandit_policy_value",
    "contextual_rewards",
    "drifting_rewards",
    "exp3_bound",
    "exp3_ix_bound",
    "german_tank",
    "importance_weighted",
    "oblivious_bench",
    "stochastic_rewards",
]


def __dir__() -> list[str]:
    return __all__
