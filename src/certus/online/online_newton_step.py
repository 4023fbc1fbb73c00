"""Online Newton steps (Hazan, Agarwal, Kale 2007): gradient steps in the geometry of all gradients so far."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from certus.base import register
from certus.base.inputs import WeightsLike
from certus.base.params import Interval, OneOf
from certus.guarantees.ledgers import Line
from certus.losses import named_loss
from certus.online.evidence.hindsight import best_competitor, hindsight
from certus.online.evidence.newton_line import newton_line
from certus.online.evidence.projections import onto_ball
from certus.online.learning.stream_classifier import CLASSIFIER_CONSTRAINTS, StreamClassifier
from certus.online.learning.stream_learner import STREAM_STATE
from certus.online.learning.stream_weights import NOT_REPEATED


@register(
    guarantees=("regret in hindsight, and its bound from observed gradients",),
    cost="fit n p^2, predict p per row",
    known_failures=NOT_REPEATED,
    draws_rows=True,
)
class OnlineNewtonStep(StreamClassifier):
    """Linear classifier of a stream with steps w := w - A^-1 g / gamma, A = penalty I + the sum of g g' so far.

    Correlated columns do not slow it down, and for losses with curvature its regret grows with the logarithm of the
    number of trials. The regret against u is at most

        sum g'A^-1 g / (2 gamma) + (gamma / 2) (sum (g'(w_t - u))^2 + penalty |u|^2),

    which `audit` evaluates.

    Parameters
    ----------
    loss : {"logistic", "squared_hinge"}, default="logistic"
        The loss.
    gamma : float, default=0.5
        The larger, the shorter the steps.
    penalty : float, default=1.0
        What A begins with, in squares of gradients.
    radius : float, default=10.0
        Largest length of the competitors.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.online import OnlineNewtonStep
    >>> X = np.random.default_rng(0).normal(size=(500, 3))
    >>> learner = OnlineNewtonStep()
    >>> played = learner.run(X, X[:, 0] + X[:, 1] > 0)
    >>> 0 < learner.ledger_.regret <= learner.ledger_.bound
    True
    """

    _constraints = {
        **CLASSIFIER_CONSTRAINTS,
        "loss": [OneOf("logistic", "squared_hinge")],
        "gamma": [Interval(0, None, "neither")],
        "penalty": [Interval(0, None, "neither")],
        "radius": [Interval(0, None, "neither")],
    }
    _state = STREAM_STATE
    _rule_name = "newton"
    _takes_fractions = True
    audited_: dict[str, float]

    def __init__(
        self,
        loss: str = "logistic",
        *,
        gamma: float = 0.5,
        penalty: float = 1.0,
        radius: float = 10.0,
        fit_intercept: bool = True,
        epochs: int = 1,
        classes: Sequence[Any] | None = None,
        hash_bits: int | None = None,
    ) -> None:
        self._set_parameters(locals())

    def _penalty(self) -> float:
        return float(self.penalty)

    def _settings(self) -> dict[str, Any]:
        return {"loss": (self.loss, 0.0), "factor": float(self.gamma)}

    def audit(self, X: Any, y: Any, sample_weight: WeightsLike = None) -> Self:
        """Look for the best coefficients in hindsight, on the stream that was learned.

        Parameters
        ----------
        X, y : table and labels
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
        loss, paid, spread = named_loss(self.loss), 0.0, 0.0
        for stream in hindsight(self, X, y, sample_weight):
            u = best_competitor(stream, loss, onto_ball(float(self.radius)))
            told = stream.rows @ u
            away = stream.shares * loss.derivative(stream.targets, stream.scores) * (stream.scores - told)
            paid += float(np.sum(stream.shares * loss.value(stream.targets, told)))
            spread += float(away @ away + self.penalty * (u @ u))
        self.audited_ = {"trials": float(self._trials()), "comparator": paid, "spread": spread}
        self.__dict__.pop("_ledger", None)

    def _lines(self) -> tuple[Line, ...]:
        audited = vars(self).get("audited_")
        if audited is None or audited["trials"] != self._trials() or self.state_.number("cut").any():
            return ()
        loss, moves = (float(self.state_.number(name).sum()) for name in ("loss", "moves"))
        return (newton_line(loss, audited["comparator"], float(self.gamma), moves, audited["spread"]),)
