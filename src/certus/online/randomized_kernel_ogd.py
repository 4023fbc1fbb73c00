"""Online gradient descent over the functions of a kernel with randomized predictions (Cesa-Bianchi, Lugosi 2006)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base import register, resolve_seed
from certus.base.inputs import RandomStateLike, WeightsLike
from certus.base.params import Exactly, Interval, RandomState
from certus.guarantees import Ledger
from certus.kernels import Kernel
from certus.online.evidence import kernel_twin
from certus.online.evidence.kernel_lines import ball_line, machine_functions, randomized_line
from certus.online.learning.kernel_stream import (
    KERNEL_STREAM_CONSTRAINTS,
    KERNEL_STREAM_STATE,
    Array,
    KernelStream,
)
from certus.online.learning.stream_weights import NOT_REPEATED

USUAL = 0.5  # length of the steps if nothing is known


@register(
    guarantees=("expected regret in mistakes, in hindsight", "bound on the regret of the linearized losses"),
    cost="fit n p per kept row, predict p per kept row",
    known_failures=NOT_REPEATED,
    draws_rows=True,
)
class RandomizedKernelOGD(KernelStream):
    """Kernel classifier of a stream whose predictions are drawn, so that few mistakes are expected on any stream.

    For a row with value f(x) it draws Y between -1 and 1 and predicts the sign of f(x) - Y, wrong with a chance of at
    most half the hinge loss; where y f(x) <= 1, f := f + eta y k(x, .). With eta = radius / (max_norm sqrt(horizon))
    and k(x, x) <= max_norm^2, the expected number of mistakes in horizon trials is at most

        radius max_norm sqrt(horizon) / 2 = (1/2) sqrt(|h|^2 X^2 T)

    above that of any h with |h| <= radius and y h(x) >= 1 on all rows, whatever the rows are; and above half the hinge
    losses of any other h, which `audit` looks for. Of several labels one is drawn in proportion to (1 + f_c(x)) / 2,
    cut to [0, 1]. `predict` draws nothing.

    Parameters
    ----------
    kernel : {"rbf", "linear", "poly"} or Kernel, default="rbf"
        Of rows of numbers.
    eta : float, optional
        Length of the steps; by default radius / (max_norm sqrt(horizon)) where the three are given, else 0.5.
    radius : float, optional
        Length |h| of the functions to compare with.
    horizon : int, optional
        How many trials are expected.
    max_norm : float, optional
        Largest sqrt(k(x, x)).
    random_state : int, RandomState or None, default=None
        Seed of the draws.

    Attributes
    ----------
    expected_ : float
        Expected number of mistakes along the stream.
    seed_ : int
        Of the draws.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.online import RandomizedKernelOGD
    >>> X = np.random.default_rng(0).normal(size=(500, 2))
    >>> learner = RandomizedKernelOGD("linear", radius=2.0, horizon=500, max_norm=4.0, random_state=0)
    >>> played = learner.run(X, X[:, 0] > 0)
    >>> line = learner.audit(X, X[:, 0] > 0).ledger_.line("regret")
    >>> bool(line.regret <= line.bound <= 2.0 * 4.0 * 500**0.5 / 2.0)
    True
    """

    _constraints = {
        **KERNEL_STREAM_CONSTRAINTS,
        **{name: [Exactly(None), Interval(0, None, "neither")] for name in ("eta", "radius", "max_norm")},
        "horizon": [Exactly(None), Interval(1, None, integer=True)],
        "random_state": [RandomState()],
    }
    _state = (*KERNEL_STREAM_STATE, "expected_", "seed_")
    _fields = ("square", "linear", "lengths")

    eta: float | None
    radius: float | None
    horizon: int | None
    max_norm: float | None
    random_state: RandomStateLike
    expected_: float
    seed_: int

    def __init__(
        self,
        kernel: str | Kernel = "rbf",
        *,
        gamma: float | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        eta: float | None = None,
        radius: float | None = None,
        horizon: int | None = None,
        max_norm: float | None = None,
        classes: Sequence[Any] | None = None,
        random_state: RandomStateLike = None,
    ) -> None:
        self._set_parameters(locals())

    def _eta(self) -> float:
        if self.eta is not None:
            return float(self.eta)
        if self.radius is None or self.horizon is None or self.max_norm is None:
            return USUAL
        return float(self.radius / (self.max_norm * np.sqrt(self.horizon)))

    def _learn(self, X: Any, y: Any, sample_weight: WeightsLike = None) -> list[Any]:
        if "seed_" not in vars(self):
            self.seed_, self.expected_ = int(resolve_seed(self.random_state)), 0.0
        return super()._learn(X, y, sample_weight)

    def _chances(self, values: Array) -> Array:
        """With what chance each label is predicted."""
        if len(values) == 1:
            return np.ones(1)
        shares = np.clip((1.0 + values) / 2.0, 0.0, 1.0)
        if len(values) == 2:
            return np.array([1.0 - shares[1], shares[1]])
        total = float(shares.sum())
        return shares / total if total > 0.0 else np.full(len(values), 1.0 / len(values))

    def _said(self, values: Array) -> int | None:
        """Every trial has its own draw, so that a stream may go on anywhere."""
        draw = np.random.Generator(np.random.Philox(key=self.seed_, counter=self.trials_)).random()
        return min(int(np.searchsorted(np.cumsum(self._chances(values)), draw, side="right")), len(values) - 1)

    def _trial(self, row: Array, label: Any, count: int) -> Any:
        self._unknown_before = self.unknown_
        return super()._trial(row, label, count)

    def _step(self, row: Array, values: Array, signs: Array) -> None:
        fresh, self._unknown_before = self.unknown_ > self._unknown_before, self.unknown_
        self.expected_ += 1.0 if fresh else float(1.0 - self._chances(values)[signs > 0.0][0])
        active = signs * values <= 1.0
        if not active.any():
            return
        change, own = self._eta() * np.where(active, signs, 0.0), self._own(row)
        self._number("square")[:] += 2.0 * change * values + change**2 * own
        self._number("linear")[:] -= np.where(active, signs * values, 0.0)
        self._number("lengths")[:] += np.where(active, own, 0.0)
        self._keep(row, change)

    def _best(self, rows: Array, labels: NDArray[Any]) -> dict[str, Any]:
        first, kernel = self._first_trials(labels), self._kernel()
        hinge = inner = 0.0
        for problem in self._problems():
            since = first[problem]
            signs, K = np.where(labels[since:] == self.classes_[problem], 1.0, -1.0), kernel.gram(rows[since:])
            cross = kernel.gram(self.rows_, rows[since:]) if len(self.rows_) else np.zeros((0, len(signs)))
            found = []
            for coef in machine_functions(K, signs):
                lost = float(np.maximum(0.0, 1.0 - signs * (K @ coef)).sum())
                found.append((lost, -float(self.dual_coef_[:, problem] @ (cross @ coef)) / self._eta()))
            best = min(found, key=lambda pair: pair[0] - pair[1])  # the comparator and its bound together
            hinge, inner = hinge + best[0], inner + best[1]
        return {"hinge": hinge, "inner": inner}

    @property
    def ledger_(self) -> Ledger:
        """Expected mistakes, and their regret after `audit`."""
        if "rows_" not in vars(self):
            raise AttributeError(f"{type(self).__name__} has learned nothing yet.")
        problems, audited, lines = self._problems(), vars(self).get("audited_"), []
        linear = float(self._number("linear")[problems].sum())
        if audited is not None and audited["trials"] == self.trials_:
            spare = float(self.unknown_)
            lines.append(randomized_line(self.expected_, audited["hinge"], linear, audited["inner"], spare))
        if self.radius is not None:
            lengths = np.sqrt(np.maximum(self._number("square")[problems], 0.0)).tolist()
            squares = float(self._number("lengths")[problems].sum())
            lines.append(ball_line(linear, lengths, self._eta(), float(self.radius), squares))
        return Ledger(
            learner=kernel_twin.DESCENT,
            settings=self._twin_settings() | {"seed": self.seed_},
            trials=self.trials_,
            loss=self.expected_,
            mistakes=self.mistakes_,
            lines=tuple(lines),
            kind="expectation",
        )
