"""The contract of learners that play arms and see the reward of the arm that they played."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import Tags

from certus.base import Learner, check_parameters, fit_method, resolve_seed
from certus.base.params import Constraints, RandomState
from certus.base.persistence import check_shapes
from certus.guarantees import Report
from certus.guarantees.records import check_confidence
from certus.online.bandits import _native_calls
from certus.online.bandits._native_calls import ArmArrays
from certus.online.bandits.arm_intervals import arm_intervals, best_other, pseudo_regret

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def names_of(arms: Any) -> list[Any]:
    """The names in a list, tuple or array."""
    found: list[Any] = arms.tolist() if isinstance(arms, np.ndarray) else list(arms)
    return found


def as_names(names: list[Any]) -> NDArray[Any]:
    """Names as an array that holds each as it is: numbers beside texts, and tuples, as objects."""
    if len({type(name) for name in names}) < 2 and not any(isinstance(name, tuple) for name in names):
        return np.array(names)
    found = np.empty(len(names), dtype=object)
    for place, name in enumerate(names):
        found[place] = name
    return found


class ArmNames:
    """A number of arms, or their names."""

    def allows(self, value: Any) -> bool:
        if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
            return bool(1 <= value <= 10**8)
        names = list(value) if isinstance(value, (list, tuple, np.ndarray)) else []
        return bool(names) and all(isinstance(name, Hashable) for name in names) and len(set(names)) == len(names)

    def __str__(self) -> str:
        return "an int in the range [1, 100000000] or a list of different names"


class ArmLearner(Learner):
    """A learner of arms: choose one, see its reward in [0, 1].

    Parameters
    ----------
    n_arms : int or list
        How many arms there are, or their names; without names they are called 0, 1, ...
    random_state : int, RandomState or None, default=None
        Seed of the draws.

    Attributes
    ----------
    labels_ : list
        The names of all arms that there ever were.
    chosen_, counts_ : ndarray of shape (n_arms,)
        How often every arm was chosen, and how many of its rewards came.
    sums_ : ndarray of shape (n_arms,)
        The sums of its rewards.
    scores_ : ndarray of shape (n_arms,)
        Estimated losses, of rules that weigh arms by them.
    present_, left_ : ndarray of shape (n_arms,)
        1 for arms that can be chosen, and for those that elimination still considers.
    selections_ : int
        Choices so far.
    seed_ : int
        Seed of the draws.
    report_ : Report
        The certificates when ``fit`` or ``run`` ended last.
    """

    _constraints: ClassVar[Constraints] = {"n_arms": [ArmNames()], "random_state": [RandomState()]}
    _state: ClassVar[tuple[str, ...]] = (
        "labels_",
        "chosen_",
        "counts_",
        "sums_",
        "scores_",
        "present_",
        "left_",
        "selections_",
        "seed_",
    )
    _arguments: ClassVar[dict[str, str]] = {
        "": """
arm : label or list of labels
    Which arm, or which arms in turn.
reward : float or array-like
    Their rewards, in [0, 1].
rewards : array-like of shape (n_trials, n_arms)
    What every arm would give in every trial; only that of the chosen arm is looked at.
confidence : float, default=0.95
    Probability with which the statements hold, together and at every look.
X : array-like of shape (n_trials, n_arms)
    What every arm would give in every trial.
y : ignored
    There for compatibility.
"""
    }
    _kind: ClassVar[str]

    n_arms: Any
    labels_: list[Any]
    chosen_: Integers
    counts_: Integers
    sums_: Floats
    scores_: Floats
    present_: NDArray[np.uint8]
    left_: NDArray[np.uint8]
    selections_: int
    seed_: int

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        return tags

    def _begin(self) -> None:
        check_parameters(type(self).__name__, self._constraints, self.get_params(deep=False))
        self._parameter()
        count = isinstance(self.n_arms, (int, np.integer))
        labels = list(range(int(self.n_arms))) if count else names_of(self.n_arms)
        arms = len(labels)
        self.labels_, self.selections_, self.seed_ = labels, 0, resolve_seed(getattr(self, "random_state", None))
        self.chosen_, self.counts_ = np.zeros(arms, dtype=np.int64), np.zeros(arms, dtype=np.int64)
        self.sums_, self.scores_ = np.zeros(arms), np.zeros(arms)
        self.present_, self.left_ = np.ones(arms, dtype=np.uint8), np.ones(arms, dtype=np.uint8)

    def _parameter(self) -> float:
        """The number that the rule needs."""
        return 0.0

    def _decays(self) -> bool:
        return False

    def _ready(self) -> None:
        if "labels_" not in vars(self):
            self._begin()
            self.__dict__.setdefault("report_", Report())

    def _rule(self) -> Any:
        return _native_calls.arm_rule(self._kind, self._parameter(), decays=self._decays(), seed=self.seed_)

    def _arrays(self) -> ArmArrays:
        return ArmArrays(self.chosen_, self.counts_, self.sums_, self.scores_, self.present_, self.left_)

    def _place(self, label: Any) -> int:
        places = self.__dict__.get("_places")
        if places is None or len(places) != len(self.labels_):
            places = {name: place for place, name in enumerate(self.labels_)}
            self._places = places
        try:
            return int(places[label])
        except (KeyError, TypeError):
            raise ValueError(
                f"no arm is called {label!r}.\nHint: add_arm adds one; the first is {self.labels_[0]!r}."
            ) from None

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()
        return {name: value for name, value in state.items() if name != "_places"}

    def select(self) -> Any:
        """Choose the next arm.

        Returns
        -------
        label
            Its name.
        """
        self._ready()
        arm, probability = _native_calls.choose_arm(self._rule(), self._arrays(), self.selections_)
        self.selections_ += 1
        self._remember(arm, probability)
        return self.labels_[arm]

    def _remember(self, arm: int, probability: float) -> None:
        """Called with every choice whose reward is still to come."""

    def _probability(self, arm: int, taken: list[int]) -> float:
        """With what probability a choice was made whose reward comes now; `taken` are places of earlier answers."""
        return 1.0

    def update(self, arm: Any, reward: ArrayLike) -> ArmLearner:
        """Learn the reward of an arm, or of many; they may come late, in any order, and in batches.

        Returns
        -------
        self
        """
        self._ready()
        many = np.ndim(reward) > 0
        labels = list(arm) if many and isinstance(arm, Iterable) and not isinstance(arm, str) else [arm]
        values = np.atleast_1d(np.asarray(reward, dtype=np.float64))
        if values.ndim != 1 or len(labels) != len(values):
            raise ValueError(f"update takes one reward per arm: {len(labels)} arms, {values.size} rewards.")
        for label, value in zip(labels, values.tolist(), strict=True):
            if not 0.0 <= value <= 1.0:
                raise ValueError(
                    f"the reward of arm {label!r} must lie in [0, 1], got {value}.\n"
                    "Hint: scale rewards by their known range."
                )
        places = [self._place(label) for label in labels]
        taken: list[int] = []
        found = [
            (place, value, self._probability(place, taken))
            for place, value in zip(places, values.tolist(), strict=True)
        ]
        self._forget_answered(taken)
        _native_calls.reward_arms(self._rule(), self._arrays(), found)
        return self

    def _forget_answered(self, taken: list[int]) -> None:
        """Called with the places of the choices whose rewards came."""

    @fit_method
    def run(self, rewards: ArrayLike) -> NDArray[Any]:
        """Choose and learn trial by trial.

        Returns
        -------
        ndarray of shape (n_trials,)
            Names of the arms that were chosen.
        """
        self._ready()
        arms = self._run(rewards)
        self.report_ = self.report()
        return as_names([self.labels_[arm] for arm in arms])

    def _run(self, rewards: ArrayLike) -> Integers:
        table = np.ascontiguousarray(rewards, dtype=np.float64)
        if table.ndim != 2 or table.shape[1] != len(self.labels_):
            raise ValueError(
                f"rewards must have one column per arm: {len(self.labels_)} arms, got the shape {table.shape}."
            )
        if not ((table >= 0.0) & (table <= 1.0)).all():
            row, arm = np.argwhere(~((table >= 0.0) & (table <= 1.0)))[0].tolist()
            raise ValueError(
                f"the reward of arm {self.labels_[arm]!r} in trial {row + 1} must lie in [0, 1], got "
                f"{table[row, arm]}.\nHint: scale rewards by their known range."
            )
        arms, probabilities = _native_calls.run_arms(table, self._rule(), self._arrays(), self.selections_)
        self.selections_ += len(table)
        self._account(table, arms, probabilities)
        return arms

    def _account(self, table: Floats, arms: Integers, probabilities: Floats) -> None:
        """Called after a run with what was played."""

    @fit_method
    def fit(self, X: ArrayLike, y: object = None) -> ArmLearner:
        """Forget everything, and play these trials in order."""
        self._forget()
        self.__dict__.pop("_places", None)
        self._begin()
        self._run(X)
        self.report_ = self.report()
        return self

    def add_arm(self, label: Any) -> ArmLearner:
        """Add an arm, or bring back one that was removed.

        Statements about all arms are then about one more: those of looks before and of looks after hold each at their
        confidence, not both together.

        Parameters
        ----------
        label : label
            Its name.

        Returns
        -------
        self
        """
        self._ready()
        if label in self.labels_:
            self.present_[self._place(label)] = 1
            return self
        self.labels_ = [*self.labels_, label]
        self.chosen_, self.counts_ = (np.append(old, np.int64(0)) for old in (self.chosen_, self.counts_))
        lowest = self.scores_[self.present_ > 0].min(initial=np.inf)
        self.scores_ = np.append(self.scores_, 0.0 if np.isinf(lowest) else lowest)
        self.sums_ = np.append(self.sums_, 0.0)
        self.present_, self.left_ = (np.append(old, np.uint8(1)) for old in (self.present_, self.left_))
        return self

    def remove_arm(self, label: Any) -> ArmLearner:
        """Choose an arm no more; its rewards stay in the account.

        Parameters
        ----------
        label : label
            Its name.

        Returns
        -------
        self
        """
        self._ready()
        place = self._place(label)
        if self.present_.sum() == 1 and self.present_[place]:
            raise ValueError(f"{label!r} is the only arm.\nHint: add another one first.")
        self.present_[place] = 0
        return self

    def report(self, confidence: float = 0.95) -> Report:
        """What the arms that were played cost beyond the best one, from the rewards that came.

        Returns
        -------
        Report
            Its "pseudo-regret" is sum_i n_i max(0, max_{j != i} U_j - L_i), from bounds on all arms that hold together
            at every look.
        """
        self._ready()
        return Report([pseudo_regret(self.counts_, self.sums_, confidence)])

    def not_best(self, confidence: float = 0.95) -> list[Any]:
        """Names of the arms that are provably not the best one.

        Returns
        -------
        list
        """
        self._ready()
        low, high = arm_intervals(self.counts_, self.sums_, check_confidence(confidence))
        return [self.labels_[arm] for arm in np.flatnonzero(high < best_other(low))]

    def _restored(self) -> None:
        if "labels_" not in vars(self):
            return
        arms = len(self.labels_)
        integers = dict.fromkeys(("chosen_", "counts_"), np.int64)
        flags = dict.fromkeys(("present_", "left_"), np.uint8)
        for name, kind in {**integers, **flags, "sums_": np.float64, "scores_": np.float64}.items():
            self._restore(name, arms, kind)
        if not isinstance(self.labels_, list) or not arms or len(set(map(repr, self.labels_))) != arms:
            raise ValueError("labels_ must be a list of different names.")
        if not self.present_.any() or (self.present_ > 1).any() or (self.left_ > 1).any():
            raise ValueError("present_ and left_ must be 0 or 1, and an arm present.")
        if (self.sums_ > self.counts_ + 1e-6).any() or not 0 <= self.selections_ < 2**62 or not 0 <= self.seed_ < 2**63:
            raise ValueError("the sums of rewards must not be above their numbers.")
        self._parameter()

    def _restore(self, name: str, arms: int, kind: Any) -> None:
        check_shapes(self, **{name: (arms,)})
        array = getattr(self, name)
        if array.dtype != kind or not np.isfinite(array).all() or (array < 0).any() or (array > 1e15).any():
            raise ValueError(f"{name} must hold finite numbers from 0 on.")
        setattr(self, name, np.ascontiguousarray(array).copy())
