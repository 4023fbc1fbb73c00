"""Mirror descent: any loss, and the distance to the last coefficients in any of three divergences."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import clone

from certus.base import register
from certus.base.inputs import WeightsLike
from certus.base.params import Interval, OneOf
from certus.guarantees.ledgers import Line
from certus.losses import named_loss
from certus.online.evidence.hindsight import best_competitor, hindsight
from certus.online.evidence.mirror_line import mirror_line
from certus.online.learning.stream_learner import STREAM_CONSTRAINTS, STREAM_STATE
from certus.online.learning.stream_regressor import StreamRegressor
from certus.online.learning.stream_weights import NOT_REPEATED

LOSSES = ("squared", "absolute", "huber", "epsilon_insensitive", "squared_epsilon_insensitive")


@register(
    guarantees=("regret in hindsight, and its bound from observed divergences",),
    cost="fit n p, predict p per row",
    known_failures=NOT_REPEATED,
    draws_rows=True,
)
class MirrorDescent(StreamRegressor):
    """Linear regression along a stream that stays near its last coefficients in a divergence D.

    After every trial w becomes argmin_v eta g'v + D(v, w), g the gradient of the loss, D(v, w) that of phi:

    - "squared", phi(w) = |w|^2 / 2: w - eta g, gradient descent;
    - "entropy", phi(w) = sum w_j ln w_j - w_j: w_j e^(-eta g_j), for coefficients that are positive;
    - "hypentropy", phi(w) = sum w_j asinh(w_j / scale) - sqrt(w_j^2 + scale^2): between the two, for any sign.

    The regret against u is at most (D(u, w_1) + sum D(w_t, w_(t+1))) / eta, which `audit` evaluates.

    Parameters
    ----------
    loss : str, default="squared"
        As for `OGDRegressor`.
    divergence : {"squared", "entropy", "hypentropy"}, default="squared"
        In what the distance is measured.
    eta : float, default=0.01
        Length of the steps.
    scale : float, default=1.0
        Coefficients at the start for "entropy"; where "hypentropy" turns from squares to entropy.
    epsilon : float, default=0.1
        Deviation that does not count, or up to which the Huber loss is a square.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.online import MirrorDescent
    >>> X = np.random.default_rng(0).normal(size=(2000, 2))
    >>> learner = MirrorDescent(divergence="hypentropy").fit(X, X @ [1.0, -2.0])
    >>> bool(np.abs(learner.coef_ - [1.0, -2.0]).max() < 0.01)
    True
    """

    _constraints = {
        **STREAM_CONSTRAINTS,
        "loss": [OneOf(*LOSSES)],
        "divergence": [OneOf("squared", "entropy", "hypentropy")],
        "eta": [Interval(0, None, "neither")],
        "scale": [Interval(0, None, "neither")],
        "epsilon": [Interval(0, None)],
    }
    _state = STREAM_STATE
    _takes_fractions = True
    audited_: dict[str, float]

    def __init__(
        self,
        loss: str = "squared",
        *,
        divergence: str = "squared",
        eta: float = 0.01,
        scale: float = 1.0,
        epsilon: float = 0.1,
        fit_intercept: bool = True,
        epochs: int = 1,
        hash_bits: int | None = None,
    ) -> None:
        self._set_parameters(locals())

    def _rule(self) -> str:
        return "gradient" if self.divergence == "squared" else "mirror"

    def _settings(self) -> dict[str, Any]:
        loss = named_loss(self.loss, float(self.epsilon))
        return {
            "loss": (loss.name, loss.parameter),
            "eta": float(self.eta),
            "factor": float(self.scale),
            "squared": self.divergence == "hypentropy",
        }

    def _first_coefficient(self) -> float:
        return float(self.scale) if self.divergence == "entropy" else 0.0

    def _start(self, columns: int) -> None:
        super()._start(columns)
        self.state_.vector(0)[:, : columns + self.fit_intercept] = self._first_coefficient()

    def _meet(self, entries: dict[str, float]) -> None:
        room = self.state_.columns
        super()._meet(entries)
        self.state_.vector(0)[:, room:-1] = self._first_coefficient()

    def predict_one(self, x: Any) -> Any:
        """What the learner predicts for one row, before it is told."""
        if "state_" in vars(self) or isinstance(x, dict):
            return super().predict_one(x)
        fresh = clone(self)  # coefficients need not begin with 0
        fresh._begin(x)
        return fresh.predict_one(x)

    def audit(self, X: Any, y: Any, sample_weight: WeightsLike = None) -> Self:
        """Look for the best coefficients in hindsight, on the stream that was learned.

        Parameters
        ----------
        X, y : table and target
            All trials since the learner was new, in their order.
        sample_weight : array-like of shape (n_samples,), optional
            Their weights.

        Returns
        -------
        self
            Its `ledger_` has the regret against them from now on.
        """
        self._audit(X, np.asarray(y), sample_weight)
        return self

    def _audit(self, X: Any, y: Any, sample_weight: WeightsLike = None) -> None:
        (stream,), loss = hindsight(self, X, y, sample_weight), named_loss(self.loss, float(self.epsilon))
        positive = self.divergence == "entropy"
        u = best_competitor(stream, loss, (lambda v: np.maximum(v, 0.0)) if positive else (lambda v: v))
        self.audited_ = {
            "trials": float(self._trials()),
            "comparator": float(np.sum(stream.shares * loss.value(stream.targets, stream.rows @ u))),
            "distance": divergence_of(u, self._first_coefficient(), float(self.scale), self.divergence),
        }
        self.__dict__.pop("_ledger", None)

    def _lines(self) -> tuple[Line, ...]:
        audited = vars(self).get("audited_")
        if audited is None or audited["trials"] != self._trials() or self.state_.number("cut").any():
            return ()
        moves = float(self.state_.number("moves")[0])
        if self.divergence == "squared":
            moves = 0.5 * float(self.eta) ** 2 * float(self.state_.number("squares")[0])
        loss = float(self.state_.number("loss")[0])
        return (mirror_line(loss, audited["comparator"], float(self.eta), audited["distance"], moves),)


def divergence_of(u: Any, start: float, scale: float, divergence: str) -> float:
    """D(u, w_1) for coefficients that all begin alike."""
    if divergence == "squared":
        return 0.5 * float(np.sum((u - start) ** 2))
    if divergence == "entropy":
        logs = np.log(np.where(u > 0.0, u, start) / start)
        return float(np.sum(u * logs - u + start))
    return float(np.sum(u * np.arcsinh(u / scale) - np.hypot(u, scale) + scale))
