"""The mixture over all sequences of experts, the long way: the reference of Fixed Share."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from certus.guarantees.records import check_choice
from certus.online.experts.mixture_account import MixtureSetting
from certus.online.experts.readable_forecasts import losses_of, predict_readably
from certus.online.experts.regret_bounds import CONSTANTS

Floats = NDArray[np.float64]
MOST = 4_000_000


class MetaExperts:
    """One expert per sequence of experts, n^T of them, with the prior (1/n)(1-alpha)^(T-1-k)(alpha/(n-1))^k.

    Predicts as Fixed Share does, in time and memory n^T: it is there to be compared with.

    Parameters
    ----------
    alpha : float
        Prior probability of a switch.
    loss : {"log", "square"}, default="square"
        What a prediction costs, of numbers in [0, 1].
    prediction : {"average", "vovk"}, default="average"
        The weighted average, or Vovk's prediction.
    eta : float, default=None
        Learning rate; None: the largest one with a theorem.

    Examples
    --------
    >>> from certus.online import FixedShare, MetaExperts
    >>> advice, labels = [[0.1, 0.9], [0.2, 0.7], [0.8, 0.3]], [0.0, 0.0, 1.0]
    >>> bool(abs(MetaExperts(0.2).run(advice, labels) - FixedShare(0.2).run(advice, labels)).max() < 1e-12)
    True
    """

    def __init__(
        self, alpha: float, *, loss: str = "square", prediction: str = "average", eta: float | None = None
    ) -> None:
        check_choice(loss, "loss", ("log", "square"))
        check_choice(prediction, "prediction", ("average", "vovk"))
        if not 0.0 <= alpha <= 1.0:
            raise ValueError(f"alpha must lie in [0, 1], got {alpha!r}.")
        rate = CONSTANTS[loss, prediction][0] if eta is None else eta
        self.setting = MixtureSetting(loss, prediction, "none", rate, alpha)
        self.last = np.zeros(0, dtype=np.int64)  # the expert that every sequence follows now
        self.weights = np.zeros(0)

    def _extended(self, experts: int) -> tuple[NDArray[np.int64], Floats]:
        """All sequences with one more trial, and their weights."""
        if not len(self.last):
            return np.arange(experts), np.full(experts, 1.0 / experts)
        if len(self.last) * experts > MOST:
            raise ValueError(
                f"{len(self.last)} sequences of {experts} experts cannot grow: at most {MOST} are kept.\n"
                "Hint: FixedShare predicts the same in O(n) per trial."
            )
        following = np.tile(np.arange(experts), len(self.last))
        before = np.repeat(self.last, experts)
        change = self.setting.alpha / max(experts - 1, 1)
        step = np.where(following == before, 1.0 - self.setting.alpha if experts > 1 else 1.0, change)
        return following, np.repeat(self.weights, experts) * step

    def predict_one(self, advice: ArrayLike) -> float:
        """The prediction for one row of advice."""
        x = np.asarray(advice, dtype=np.float64)
        last, weights = self._extended(len(x))
        return predict_readably(self.setting, weights / weights.sum(), x[last])

    def learn_one(self, advice: ArrayLike, y: float) -> MetaExperts:
        """Learn one trial."""
        x = np.asarray(advice, dtype=np.float64)
        self.last, weights = self._extended(len(x))
        lost = losses_of(self.setting.loss, y, x)
        weights = weights * np.exp(-self.setting.eta * lost)[self.last]
        self.weights = weights / weights.sum()
        return self

    def run(self, advice: ArrayLike, y: ArrayLike) -> Floats:
        """Predict and learn trial by trial; predictions are made before each label."""
        found = []
        for x, label in zip(np.asarray(advice, dtype=np.float64), np.asarray(y, dtype=np.float64), strict=True):
            found.append(self.predict_one(x))
            self.learn_one(x, float(label))
        return np.array(found)
