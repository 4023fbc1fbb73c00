"""LinUCB: optimism for arms whose rewards are linear in a context (Li, Chu, Langford, Schapire 2010)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import Tags

from certus.base import Interval, Learner, check_parameters, fit_method, predict_method, register
from certus.base.inputs import LARGEST
from certus.base.params import Constraints
from certus.base.persistence import check_shapes
from certus.guarantees import Report
from certus.online.bandits.arm_learner import ArmNames, names_of

Floats = NDArray[np.float64]


@register(
    takes="arms",
    tasks=("bandits",),
    guarantees=(),
    cost="O(K d^2) per choice for K arms and contexts of d numbers",
)
class LinUCB(Learner):
    """A ridge regression of rewards on contexts per arm; chooses the largest x.w + alpha sqrt(x' A^-1 x).

    Parameters
    ----------
    n_arms : int or list
        How many arms there are, or their names.
    alpha : float, default=1.0
        How much uncertainty counts.
    penalty : float, default=1.0
        Strength of the penalty on squared coefficients.

    Attributes
    ----------
    labels_ : list
        The names of the arms.
    roots_ : ndarray of shape (n_arms, d, d)
        M with M M' = A^-1 = (penalty I + sum x x')^-1, of every arm.
    moments_ : ndarray of shape (n_arms, d)
        M'b, b the sum of reward times context.
    report_ : Report
        Empty; `bandit_policy_value` bounds what a policy is worth.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.online import LinUCB
    >>> contexts = np.random.default_rng(0).normal(size=(500, 2))
    >>> rewards = (contexts > 0).astype(float)    # arm i pays where number i of the context is positive
    >>> model = LinUCB(2).fit(contexts, rewards)
    >>> print(model.predict([[2.0, -1.0], [-1.0, 2.0]]))
    [0 1]
    """

    _constraints: ClassVar[Constraints] = {
        "n_arms": [ArmNames()],
        "alpha": [Interval(0.0, 1e6)],
        "penalty": [Interval(0.0, 1e12, closed="right")],
    }
    _state: ClassVar[tuple[str, ...]] = ("labels_", "roots_", "moments_")
    _arguments: ClassVar[dict[str, str]] = {
        "": """
context : array-like of shape (d,)
    What is known before the choice.
X : array-like of shape (n_trials, d)
    Contexts.
contexts : array-like of shape (n_trials, d)
    Contexts.
y : array-like of shape (n_trials, n_arms)
    What every arm would give.
rewards : array-like of shape (n_trials, n_arms)
    What every arm would give; only the reward of the chosen arm is looked at.
arm : label
    Which arm was played.
reward : float
    What it gave.
"""
    }

    labels_: list[Any]
    roots_: Floats
    moments_: Floats

    def __init__(self, n_arms: Any, *, alpha: float = 1.0, penalty: float = 1.0) -> None:
        self._set_parameters(locals())

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        return tags

    def _begin(self, width: int) -> None:
        check_parameters(type(self).__name__, self._constraints, self.get_params(deep=False))
        count = isinstance(self.n_arms, (int, np.integer))
        self.labels_ = list(range(int(self.n_arms))) if count else names_of(self.n_arms)
        self.roots_ = np.repeat(np.eye(width)[None] / np.sqrt(self.penalty), len(self.labels_), axis=0)
        self.moments_ = np.zeros((len(self.labels_), width))
        self.report_ = Report()

    def _context(self, context: ArrayLike) -> Floats:
        x = np.asarray(context, dtype=np.float64)
        if x.ndim != 1 or not len(x) or not (np.abs(x) <= LARGEST).all():
            raise ValueError(f"context must be a row of finite numbers up to {LARGEST:g}, got {context!r:.80}.")
        if "labels_" not in vars(self):
            self._begin(len(x))
        if len(x) != self.moments_.shape[1]:
            raise ValueError(f"context must have {self.moments_.shape[1]} numbers as before, got {len(x)}.")
        return x

    def _choose(self, x: Floats, alpha: float) -> int:
        seen = x @ self.roots_  # M'x of every arm: x' A^-1 x is its square, x' A^-1 b its product with M'b
        spread = np.sqrt(np.einsum("kj,kj->k", seen, seen))
        return int(np.argmax(np.einsum("kj,kj->k", seen, self.moments_) + alpha * spread))

    def select(self, context: ArrayLike) -> Any:
        """Choose an arm for a context.

        Returns
        -------
        label
            Its name.
        """
        arm = self._choose(self._context(context), self.alpha)
        return self.labels_[arm]

    def update(self, arm: Any, reward: float, context: ArrayLike) -> LinUCB:
        """Learn what an arm gave in a context.

        Returns
        -------
        self
        """
        x = self._context(context)
        if arm not in self.labels_:
            raise ValueError(f"no arm is called {arm!r}.\nHint: n_arms names them.")
        if not abs(reward) <= LARGEST:
            raise ValueError(f"the reward of arm {arm!r} must be finite, got {reward}.")
        self._absorb(self.labels_.index(arm), float(reward), x)
        return self

    def _absorb(self, place: int, reward: float, x: Floats) -> None:
        """M := M (I - c v v') with v = M'x, so that M M' = (A + x x')^-1 (Potter 1963).

        A^-1 itself has no digits left where contexts lie far from 0; its root loses half as many.
        """
        root, moments = self.roots_[place], self.moments_[place]
        v = x @ root
        square = float(v @ v)
        if square > 0.0:
            grown = np.sqrt(1.0 + square)
            c = 1.0 / (grown * (grown + 1.0))  # (1 - 1 / grown) / square
            moments += reward * v
            moments -= c * (v @ moments) * v
            root -= np.outer(root @ v, c * v)

    @fit_method
    def run(self, contexts: ArrayLike, rewards: ArrayLike) -> NDArray[Any]:
        """Choose and learn trial by trial.

        Returns
        -------
        ndarray of shape (n_trials,)
            Names of the arms that were chosen.
        """
        rows, table = np.asarray(contexts, dtype=np.float64), np.asarray(rewards, dtype=np.float64)
        if rows.ndim != 2 or table.ndim != 2 or len(rows) != len(table):
            raise ValueError(f"contexts and rewards must have one row per trial, got {rows.shape} and {table.shape}.")
        for name, part in (("contexts", rows), ("rewards", table)):
            if not (np.abs(part) <= LARGEST).all():
                row, column = np.argwhere(~(np.abs(part) <= LARGEST))[0].tolist()
                raise ValueError(f"{name} of trial {row + 1}, column {column} must be finite, got {part[row, column]}.")
        found = []
        for x, given in zip(rows, table, strict=True):
            arm = self.select(x)
            if len(given) != len(self.labels_):
                raise ValueError(f"rewards must have one column per arm: {len(self.labels_)}, got {len(given)}.")
            self.update(arm, float(given[self.labels_.index(arm)]), x)
            found.append(arm)
        return np.array(found)

    @fit_method
    def fit(self, X: ArrayLike, y: ArrayLike) -> LinUCB:
        """Forget everything, and play these trials in order."""
        self._forget()
        self.run(X, y)
        return self

    @predict_method
    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """The arms that look best in contexts, without exploring.

        Returns
        -------
        ndarray of shape (n_trials,)
        """
        rows = np.atleast_2d(np.asarray(X, dtype=np.float64))
        return np.array([self.labels_[self._choose(self._context(x), 0.0)] for x in rows])

    def _restored(self) -> None:
        arms = len(self.labels_) if isinstance(self.labels_, list) else 0
        check_shapes(self, moments_=(arms, None))
        check_shapes(self, roots_=(arms, self.moments_.shape[1], self.moments_.shape[1]))
        for name in ("roots_", "moments_"):
            array = getattr(self, name)
            if not arms or array.dtype != np.float64 or not np.isfinite(array).all() or np.abs(array).max() > 1e100:
                raise ValueError(f"{name} must hold finite numbers.")
            setattr(self, name, np.ascontiguousarray(array).copy())
