"""Deep Q-learning: Q by a network, learned from a memory of transitions."""

from __future__ import annotations

import copy
import itertools
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from certus.base import (
    Boolean,
    InstanceOf,
    Interval,
    Learner,
    RandomState,
    fit_method,
    predict_method,
    register,
    resolve_seed,
)
from certus.base.persistence import check_shapes
from certus.guarantees import Report
from certus.guarantees.records import check_count
from certus.reinforce.exploration import EpsilonGreedy
from certus.reinforce.learning.q_network import QNetwork
from certus.reinforce.learning.replay_memory import ReplayMemory

Singles = NDArray[np.float32]


@register(takes="process", tasks=("control",), guarantees=(), cost="fit O(batch * weights) per step of learning")
class DQN(Learner):
    """Deep Q-learning with a memory, a target network, double Q-learning and Huber's loss (Mnih et al. 2015).

    ``buffer_size=0, target_every=0`` is the plain algorithm: a gradient step on every transition as it comes.
    Actions that ``info["action_mask"]`` forbids are neither taken nor counted as next ones.

    Parameters
    ----------
    hidden_layer_sizes : tuple of int, default=(64, 64)
        Units of the hidden layers.
    discount : float, default=0.99
        What a reward is worth one step later, in [0, 1].
    learning_rate : float, default=1e-3
        Step size of the optimizer.
    batch_size : int, default=64
        Transitions of a step of learning.
    buffer_size : int, default=100_000
        How many transitions are remembered.
    learning_starts : int, default=1000
        Steps before the first one of learning.
    train_every : int, default=4
        Steps of the environment between two times of learning.
    gradient_steps : int, default=1
        Steps of learning each time.
    target_every : int, default=500
        Steps of the environment after which the target network is what the network is; 0: always.
    double : bool, default=True
        Whether the network chooses the next action that the target network values.
    exploration : EpsilonGreedy, default EpsilonGreedy(1.0, final=0.05, fraction=0.1)
        How actions are chosen on the way.
    evaluate_every : int, default=5000
        Steps after which the greedy policy is tried in a copy of the environment, for at most as many steps an episode;
        the best network so far predicts. 0: the last network predicts.
    evaluation_episodes : int, default=5
        Episodes of such a trial.
    random_state : int, RandomState instance, default=None
        Seed of all that is drawn.

    Attributes
    ----------
    parameters_ : ndarray
        Weights and intercepts of the network that predicts.
    layer_sizes_ : tuple of int
        Length of an observation, hidden units, number of actions.
    steps_ : int
        Steps of the environment so far.
    exploration_rate_ : float
        The probability of an action at random that was reached.
    history_ : ndarray of shape (episodes,)
        The sum of the rewards of every episode.
    evaluations_ : ndarray of shape (trials, 2)
        Steps and mean return of every trial.
    report_ : Report
        Empty: nothing is promised. `policy_value` bounds what the policy earns, from fresh episodes.
    """

    _constraints = {
        "hidden_layer_sizes": [InstanceOf(tuple, list)],
        "discount": [Interval(0, 1)],
        "learning_rate": [Interval(0, None, closed="neither")],
        "batch_size": [Interval(1, None, integer=True)],
        "buffer_size": [Interval(0, None, integer=True)],
        "learning_starts": [Interval(0, None, integer=True)],
        "train_every": [Interval(1, None, integer=True)],
        "gradient_steps": [Interval(1, None, integer=True)],
        "target_every": [Interval(0, None, integer=True)],
        "double": [Boolean()],
        "exploration": [InstanceOf(EpsilonGreedy)],
        "evaluate_every": [Interval(0, None, integer=True)],
        "evaluation_episodes": [Interval(1, None, integer=True)],
        "random_state": [RandomState()],
    }
    _state: ClassVar[tuple[str, ...]] = (
        "parameters_",
        "layer_sizes_",
        "steps_",
        "exploration_rate_",
        "history_",
        "evaluations_",
        "learning_",
        "memory_",
        "planned_",
        "seed_",
    )
    _arguments: ClassVar[dict[str, str]] = {
        "fit": """env : environment of gymnasium
    With vectors as observations and numbered actions.
steps : int
    Steps of the environment.
resume : bool, default=False
    Go on where the last fit ended, with its memory, optimizer, count of steps and rate of exploration.
""",
        "predict": """observations : array-like of shape (n, width)
    What is seen.
""",
    }

    hidden_layer_sizes: Any
    discount: float
    learning_rate: float
    batch_size: int
    buffer_size: int
    learning_starts: int
    train_every: int
    gradient_steps: int
    target_every: int
    double: bool
    exploration: EpsilonGreedy
    evaluate_every: int
    evaluation_episodes: int
    random_state: Any
    layer_sizes_: tuple[int, ...]
    parameters_: Singles

    def __init__(
        self,
        hidden_layer_sizes: Any = (64, 64),
        *,
        discount: float = 0.99,
        learning_rate: float = 1e-3,
        batch_size: int = 64,
        buffer_size: int = 100_000,
        learning_starts: int = 1000,
        train_every: int = 4,
        gradient_steps: int = 1,
        target_every: int = 500,
        double: bool = True,
        exploration: EpsilonGreedy = EpsilonGreedy(1.0, final=0.05, fraction=0.1),  # noqa: B008  never changed
        evaluate_every: int = 5000,
        evaluation_episodes: int = 5,
        random_state: Any = None,
    ) -> None:
        self._set_parameters(locals())

    @fit_method
    def fit(self, env: Any, *, steps: int, resume: bool = False) -> Any:
        """Learn for so many steps."""
        steps = check_count(steps, "steps", minimum=1)
        width, actions = _shape_of(env)
        if resume and not hasattr(self, "learning_"):
            raise ValueError("resume=True needs an agent that was fitted.\nHint: call fit without it first.")
        sizes = (width, *(check_count(size, "hidden_layer_sizes", 1) for size in self.hidden_layer_sizes), actions)
        if resume and sizes != self.layer_sizes_:
            raise ValueError(f"resume=True: the layers were {self.layer_sizes_}, and would be {sizes} now.")
        if not resume:
            self._forget_all()
            self.layer_sizes_, self.steps_, self.planned_ = sizes, 0, steps
            self.seed_, self.history_ = resolve_seed(self.random_state), np.zeros(0)
            self.evaluations_ = np.zeros((0, 2))
        training = _Training(self, env)
        try:
            training.run(steps)
        finally:  # also after Ctrl-C: what was learned up to the last complete step stays
            training.keep()
        self.report_ = Report()
        return self

    def _forget(self) -> None:
        """Ctrl-C takes nothing away: `fit` with ``resume=True`` goes on."""
        if hasattr(self, "learning_"):
            self.report_ = Report()
        else:
            self._forget_all()

    def _forget_all(self) -> None:
        super()._forget()

    @predict_method
    def predict(self, observations: ArrayLike, *, allowed: ArrayLike | None = None) -> NDArray[np.int64]:
        """The actions that were learned.

        Parameters
        ----------
        allowed : boolean array-like of shape (n, actions), default=None
            Which actions may be chosen.

        Returns
        -------
        ndarray
            One action for every observation.
        """
        worth = self.action_values(observations)
        return np.argmax(worth if allowed is None else np.where(np.asarray(allowed, bool), worth, -np.inf), axis=1)

    @predict_method
    def action_values(self, observations: ArrayLike) -> Singles:
        """Q of every action.

        Parameters
        ----------
        observations : array-like of shape (n, width)
            What is seen.

        Returns
        -------
        ndarray of shape (n, actions)
            The values.
        """
        seen = np.ascontiguousarray(observations, dtype=np.float32)
        if seen.ndim != 2 or seen.shape[1] != self.layer_sizes_[0]:
            raise ValueError(f"observations must have the shape (n, {self.layer_sizes_[0]}), got {seen.shape}.")
        network = QNetwork(self.layer_sizes_, 0.0, 1.0, double=False, plain=True).online
        network.parameters[:] = self.parameters_
        return network.forward(seen)

    def _restored(self) -> None:
        if "parameters_" in vars(self):
            sizes = [int(size) for size in self.layer_sizes_]
            if min(sizes) < 1 or len(sizes) < 2:
                raise ValueError(f"layers of sizes {sizes} make no network.")
            count = sum((before + 1) * after for before, after in itertools.pairwise(sizes))
            check_shapes(self, parameters_=(count,))
            for part in self.learning_[:2]:
                if np.shape(part) != (count,):
                    raise ValueError("the networks do not have the shape of the layers.")


class _Training:
    """One run of `DQN.fit`: the network, the memory and where it stands."""

    def __init__(self, agent: DQN, env: Any) -> None:
        self.agent, self.env = agent, env
        self.rng = np.random.default_rng([agent.seed_ % 2**63, agent.steps_])
        plain = agent.buffer_size == 0
        self.network = QNetwork(
            agent.layer_sizes_, agent.discount, agent.learning_rate, double=agent.double, plain=plain
        )
        drawing = int(np.random.default_rng([agent.seed_ % 2**63, agent.steps_, 1]).integers(2**63))
        width, actions = agent.layer_sizes_[0], agent.layer_sizes_[-1]
        self.memory = ReplayMemory(max(1, agent.buffer_size), width, actions, drawing)
        self.returns: list[float] = []
        self.trials: list[tuple[float, float]] = []
        self.best: Singles | None = None
        if hasattr(agent, "learning_"):
            online, twin, first, second, count = agent.learning_
            self.network.online.parameters[:], self.network.twin.parameters[:] = online, twin
            self.network.online.first, self.network.online.second = first.copy(), second.copy()
            self.network.online.steps = int(count)
            self.memory.fill(agent.memory_)
            self.best = agent.parameters_ if agent.evaluate_every and len(agent.evaluations_) else None
        else:
            self.network.initialize(np.random.RandomState(agent.seed_ % 2**32))

    def run(self, steps: int) -> None:
        """Act and learn."""
        agent, twin = self.agent, self.agent.target_every > 0
        seen, allowed = self._reset()
        total = 0.0
        for _ in range(steps):
            rate = agent.exploration.rate(agent.steps_ / agent.planned_)
            action = self._choose(seen, allowed, rate)
            following, reward, ended, truncated, info = self.env.step(action)
            allowed = _mask(info)
            self.memory.add(seen, action, float(reward), following, bool(ended), allowed)
            seen, total = following, total + float(reward)
            agent.steps_, agent.exploration_rate_ = agent.steps_ + 1, rate
            self._learn(twin)
            if ended or truncated:
                self.returns.append(total)
                (seen, allowed), total = self._reset(), 0.0
            if agent.evaluate_every and agent.steps_ % agent.evaluate_every == 0:
                self._try_out()

    def keep(self) -> None:
        """Write what was reached into the agent."""
        agent, online = self.agent, self.network.online
        # Optimizers make their memory at their first step.
        parts = (online.parameters, self.network.twin.parameters, online.first, online.second)
        agent.learning_ = (*(part.copy() for part in parts), online.steps)
        agent.memory_ = self.memory.kept()
        agent.parameters_ = online.parameters.copy() if self.best is None else self.best
        agent.history_ = np.append(agent.history_, self.returns)
        agent.evaluations_ = np.vstack([agent.evaluations_, np.array(self.trials).reshape(-1, 2)])

    def _reset(self) -> tuple[Any, Any]:
        fresh = not self.returns
        seed = int(self.rng.integers(2**31)) if fresh else None
        seen, info = self.env.reset(seed=seed)
        return seen, _mask(info)

    def _choose(self, seen: Any, allowed: Any, rate: float) -> int:
        if self.rng.random() < rate:
            actions = np.flatnonzero(allowed) if allowed is not None else self.agent.layer_sizes_[-1]
            return int(self.rng.choice(actions)) if allowed is not None else int(self.rng.integers(actions))
        worth = self.network.online.forward(np.asarray(seen, np.float32)[None])[0]
        return int(np.argmax(worth if allowed is None else np.where(allowed, worth, -np.inf)))

    def _learn(self, twin: bool) -> None:
        agent = self.agent
        if agent.buffer_size == 0:
            self.network.learn(self.memory.first(), twin=twin)
        elif agent.steps_ >= agent.learning_starts and agent.steps_ % agent.train_every == 0:
            for _ in range(agent.gradient_steps):
                self.network.learn(self.memory.draw(agent.batch_size), twin=twin)
        if twin and agent.steps_ % agent.target_every == 0:
            self.network.follow()

    def _try_out(self) -> None:
        """Episodes without exploration, in a copy of the environment; the best network is kept."""
        env = copy.deepcopy(self.env)
        found = []
        for episode in range(self.agent.evaluation_episodes):
            seen, info = env.reset(seed=self.agent.seed_ % 2**31 + episode)
            total = 0.0
            for _ in range(self.agent.evaluate_every):  # a greedy policy may never end
                action = self._choose(seen, _mask(info), -1.0)
                seen, reward, ended, truncated, info = env.step(action)
                total += float(reward)
                if ended or truncated:
                    break
            found.append(total)
        mean = float(np.mean(found))
        before = np.append(self.agent.evaluations_[:, 1], [value for _, value in self.trials])
        if self.best is None or mean >= before.max(initial=-np.inf):
            self.best = self.network.online.parameters.copy()
        self.trials.append((float(self.agent.steps_), mean))


def _mask(info: Any) -> Any:
    found = info.get("action_mask") if isinstance(info, dict) else None
    return None if found is None else np.asarray(found, dtype=bool)


def _shape_of(env: Any) -> tuple[int, int]:
    """Length of an observation and number of actions."""
    actions = getattr(getattr(env, "action_space", None), "n", None)
    shape = getattr(getattr(env, "observation_space", None), "shape", None)
    if actions is None:
        raise ValueError(
            f"env: its actions are not numbered (action_space is {getattr(env, 'action_space', None)!r}).\n"
            "Hint: deep Q-learning compares actions one by one; divide the range into a few."
        )
    if shape is None or len(shape) != 1:
        raise ValueError(
            f"env: its observations must be vectors, got the shape {shape!r}.\n"
            "Hint: gymnasium.wrappers.FlattenObservation makes vectors; numbered states are for QLearning."
        )
    return int(shape[0]), int(actions)
