"""REINFORCE: a policy that follows the gradient of what it earns."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from certus.base import Boolean, InstanceOf, fit_method, predict_method, register, resolve_seed
from certus.base.persistence import check_shapes
from certus.guarantees import Report
from certus.guarantees.records import check_count
from certus.reinforce import _native_calls
from certus.reinforce.learning.linear_learner import featured_world
from certus.reinforce.learning.table_learner import TableLearner
from certus.reinforce.learning.worlds import World
from certus.reinforce.state_features import OneHot, StateFeatures
from certus.reinforce.step_lengths import Constant, StepLength

Floats = NDArray[np.float64]


@register(
    takes="process",
    tasks=("control",),
    guarantees=("loss of the learned policy, in a known process",),
    cost="fit O(actions * features) per step",
)
class PolicyGradient(TableLearner):
    """A softmax policy over functions that are linear in features, by REINFORCE (Williams 1992).

    Acts with probabilities proportional to exp(features(s) . weights(a)), and after each episode moves the weights by
    alpha sum_t discount^t (G_t - v(s_t)) grad log pi(a_t | s_t), with G_t the return from step t on: an unbiased
    estimate of the gradient of the expected return. The baseline v(s) = features(s) . baseline makes it less noisy and
    changes nothing else. It climbs to a local optimum, slowly: on a process that is known, `solve` is the tool.

    Parameters
    ----------
    features : StateFeatures
        What scores and baseline are linear in: `OneHot`, `TileCoding`, `FourierFeatures`, `Polynomial`.
    discount : float, default=1.0
        What a reward is worth one step later, in [0, 1].
    step : StepLength, default Constant(0.05)
        How far weights move; visits are those of episodes.
    baseline : bool, default=True
        Whether returns are compared with what was expected. Without it what is cut off counts as 0.
    baseline_step : StepLength, default Constant(0.05)
        How far the baseline moves at every step of an episode.

    Attributes
    ----------
    weights_ : ndarray of shape (n_actions, n_features)
        The weights of the policy.
    baseline_ : ndarray of shape (n_features,)
        The weights of the baseline; empty without one.
    shares_ : ndarray of shape (n_states, n_actions)
        The probabilities of the actions where states are numbered.
    policy_ : ndarray of shape (n_states,)
        The likeliest action of every numbered state, -1 in terminal ones: what `predict` takes and the report judges.
    values_ : ndarray of shape (n_states,)
        What the baseline thinks the numbered states are worth, where there is one.

    Examples
    --------
    >>> from certus.reinforce import GridWorld, OneHot, PolicyGradient
    >>> world = GridWorld(discount=0.9)
    >>> learner = PolicyGradient(OneHot(11), 0.9, random_state=0).fit(world, episodes=5000)
    >>> world.action_names[learner.predict([world.state(3, 3)])[0]]
    'R'
    """

    _constraints = {
        **TableLearner._constraints,
        "features": [InstanceOf(StateFeatures)],
        "baseline": [Boolean()],
        "baseline_step": [InstanceOf(StepLength)],
    }
    _state: ClassVar[tuple[str, ...]] = (
        "weights_", "baseline_", "shares_", "policy_", "values_", "history_", "lengths_",
    )  # fmt: skip
    _arguments: ClassVar[dict[str, str]] = {
        "": """
observations : array-like
    Numbers of states or vectors, as the features take them.
""",
    }

    features: StateFeatures
    step: StepLength
    baseline: bool
    baseline_step: StepLength
    weights_: Floats
    baseline_: Floats
    shares_: Floats

    def __init__(
        self,
        features: StateFeatures,
        discount: float = 1.0,
        *,
        step: StepLength = Constant(0.05),  # noqa: B008  never changed
        baseline: bool = True,
        baseline_step: StepLength = Constant(0.1),  # noqa: B008
        random_state: Any = None,
    ) -> None:
        self._set_parameters(locals())

    @fit_method
    def fit(self, environment: Any, *, episodes: int, horizon: int = 1000) -> Any:
        """Learn from episodes."""
        episodes = check_count(episodes, "episodes", minimum=1)
        horizon = check_count(horizon, "horizon", minimum=1)
        seed = resolve_seed(self.random_state)
        world, table, numbered = featured_world(self.features, environment)
        self.weights_ = np.zeros((world.n_actions, table.shape[1]))
        self.baseline_ = np.zeros(table.shape[1] if self.baseline else 0)
        agent = _native_calls.gradient_agent(
            float(self.discount),
            (self.step.rule(), self.baseline_step.rule()),
            world.pairs,
            (table, self.weights_, self.baseline_),
            not numbered,
            seed,
        )
        self.history_, self.lengths_ = world.train(agent, episodes, horizon, seed)
        agent.settle()
        self._require_finite()
        if numbered:
            self._name_states(world, table)
        self.report_ = self._report(world) if numbered else Report()
        return self

    def _require_finite(self) -> None:
        if not (np.isfinite(self.weights_).all() and np.isfinite(self.baseline_).all()):
            raise ValueError(
                "step, baseline_step: the weights grew without bound.\n"
                "Hint: take shorter steps, or divide the rewards by their size."
            )

    def _name_states(self, world: World, table: Floats) -> None:
        has = world.pairs >= 0
        acts = np.asarray(has.any(axis=1))
        self.shares_ = np.where(acts[:, None], _softmax(np.where(has, table @ self.weights_.T, -np.inf)), 0.0)
        self.policy_ = np.where(acts, np.argmax(self.shares_, axis=1), -1)
        if self.baseline:
            self.values_ = np.where(acts, table @ self.baseline_, world.fixed)

    @predict_method
    def predict(self, observations: ArrayLike) -> NDArray[np.int64]:
        """The likeliest actions.

        Returns
        -------
        ndarray
            One action for every observation, -1 for terminal states.
        """
        if isinstance(self.features, OneHot):  # numbered states, which may lack actions
            return super().predict(observations)
        return np.argmax(self.predict_proba(observations), axis=1)

    @predict_method
    def predict_proba(self, observations: ArrayLike) -> Floats:
        """The probabilities with which the policy acts.

        Returns
        -------
        ndarray of shape (n, n_actions)
            Every row sums to 1; rows of terminal states are 0.
        """
        transformed = self.features.transform(observations)
        if isinstance(self.features, OneHot):
            return np.asarray(self.shares_[np.asarray(observations)])
        return _softmax(transformed @ self.weights_.T)

    def _restored(self) -> None:
        if "weights_" in vars(self):
            check_shapes(self, weights_=(None, None))
            check_shapes(self, baseline_=(self.weights_.shape[1] if self.baseline else 0,))
        if "policy_" in vars(self):
            check_shapes(self, shares_=(len(self.policy_), len(self.weights_)), policy_=(None,))


def _softmax(scores: Floats) -> Floats:
    with np.errstate(invalid="ignore"):  # a row of minus infinities has no largest one
        raised = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))
