"""What all learners with one number per state or per action share."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from certus.base import InstanceOf, Interval, Learner, RandomState, fit_method, predict_method, resolve_seed
from certus.base.params import Constraints
from certus.base.persistence import check_shapes
from certus.guarantees import Report
from certus.guarantees.records import check_count
from certus.reinforce.bellman_bounds import policy_loss
from certus.reinforce.exploration import Exploration
from certus.reinforce.learning.worlds import Diary, KnownWorld, World, world_of
from certus.reinforce.mdp import MDP
from certus.reinforce.step_lengths import StepLength

Floats = NDArray[np.float64]


class TableLearner(Learner):
    """Learns from episodes in a process with numbered states and actions.

    Parameters
    ----------
    discount : float
        What a reward is worth one step later, in [0, 1].
    random_state : int, RandomState instance, default=None
        Seed of all that is drawn.

    Attributes
    ----------
    values_ : ndarray of shape (n_states,)
        What the states are thought to be worth.
    history_ : ndarray of shape (episodes,)
        The sum of the rewards of every episode.
    lengths_ : ndarray of shape (episodes,)
        Its number of steps.
    report_ : Report
        Fitted on an `MDP`: how much the learned policy loses at most against the best one.
    """

    _constraints: ClassVar[Constraints] = {
        "discount": [Interval(0, 1)],
        "random_state": [RandomState()],
        "step": [InstanceOf(StepLength)],
        "exploration": [InstanceOf(Exploration)],
    }
    _arguments: ClassVar[dict[str, str]] = {
        "fit": """environment : MDP or environment of gymnasium
    Where to learn; discrete states and actions.
episodes : int
    Number of episodes.
horizon : int, default=1000
    Largest number of steps of an episode; what is cut off counts as going on.
""",
        "predict": """states : array-like of int
    Numbers of states.
""",
        "certify": """mdp : MDP
    The process.
""",
    }

    discount: float
    random_state: Any
    values_: Floats
    policy_: NDArray[np.int64]
    history_: Floats
    lengths_: NDArray[np.int64]

    @fit_method
    def fit(self, environment: Any, *, episodes: int, horizon: int = 1000) -> Any:
        """Learn from episodes."""
        episodes = check_count(episodes, "episodes", minimum=1)
        horizon = check_count(horizon, "horizon", minimum=1)
        world = world_of(environment)
        seed = resolve_seed(self.random_state)
        agent = self._agent(world, seed)
        self._keep(world, agent, world.train(agent, episodes, horizon, seed))
        self.report_ = self._report(world)
        return self

    def _agent(self, world: World, seed: int) -> Any:
        """The compiled learner, writing into tables that are kept until `_keep`."""
        raise NotImplementedError

    def _keep(self, world: World, agent: Any, diary: Diary) -> None:
        """Set the fitted attributes."""
        self.history_, self.lengths_ = diary.returns, diary.lengths

    def _report(self, world: World) -> Report:
        if not isinstance(world, KnownWorld) or not hasattr(self, "policy_"):
            return Report()
        return Report([policy_loss(world.mdp.with_discount(self.discount), self.policy_)])

    def certify(self, mdp: MDP) -> Report:  # type: ignore[override]
        """How much the learned policy loses at most against the best one, in a process that is known.

        Returns
        -------
        Report
            With the loss in the worst state.
        """
        return self.report_.with_([policy_loss(mdp.with_discount(self.discount), self.policy_)])

    @predict_method
    def predict(self, states: ArrayLike) -> NDArray[np.int64]:
        """The actions that were learned.

        Returns
        -------
        ndarray
            One action for every state, -1 for terminal ones.
        """
        asked = np.asarray(states)
        known = len(self.policy_)
        if asked.dtype.kind not in "iu" or (asked.size and not (asked.min() >= 0 and asked.max() < known)):
            raise ValueError(
                f"states must be whole numbers in 0 .. {known - 1}, got {asked.dtype} {asked.tolist()!r:.60}."
            )
        return self.policy_[asked]

    def _restored(self) -> None:
        if "policy_" in vars(self):
            check_shapes(self, policy_=(None,), values_=(len(self.policy_),))


def greedy_policy(world: World, q: Floats) -> NDArray[np.int64]:
    """The best action of every state, the first of equals; -1 where there is none."""
    has = world.pairs >= 0
    return np.where(has.any(axis=1), np.argmax(np.where(has, q, -np.inf), axis=1), -1)


def state_values(world: World, q: Floats) -> Floats:
    """The largest Q of every state; what a terminal state pays."""
    has = world.pairs >= 0
    best = np.max(np.where(has, q, -np.inf), axis=1)
    return np.where(has.any(axis=1), best, world.fixed)


def policy_shares(world: World, policy: ArrayLike) -> Floats:
    """A policy as probabilities of shape (S, A), whether it was given by actions or by probabilities."""
    given = np.asarray(policy)
    if given.ndim == 2:
        shares = np.ascontiguousarray(given, dtype=np.float64)
    else:
        shares = np.zeros((world.n_states, world.n_actions))
        if given.shape == (world.n_states,) and given.dtype.kind in "iu":
            inside = (given >= 0) & (given < world.n_actions)
            shares[np.flatnonzero(inside), given[inside]] = 1.0
    has = world.pairs >= 0
    ends = ~has.any(axis=1)
    fits = shares.shape == has.shape and (shares >= 0.0).all()
    if not fits or (np.abs(np.where(has, shares, 0.0).sum(axis=1) - 1.0) > 1e-9)[~ends].any():
        raise ValueError(
            f"policy must hold an action for each of the {world.n_states} states, or probabilities of shape "
            f"{has.shape} "
            f"that sum to 1 over the actions that the state has; got shape {given.shape}."
        )
    return np.where(has, shares, 0.0)
