"""Gradient steps along a stream in three geometries, and what bounds their regret."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from certus.base.inputs import WeightsLike
from certus.base.params import Boolean, Exactly, Interval, OneOf
from certus.guarantees.ledgers import Line
from certus.online._native_calls.stream_kernels import UNLIMITED, Array
from certus.online.evidence import regret_lines
from certus.online.evidence.hindsight import best_competitor, hindsight
from certus.online.evidence.projections import onto_ball, onto_box, onto_diamond
from certus.online.learning.stream_learner import StreamLearner

RULE_OF = {"euclidean": "gradient", "adagrad": "adaptive", "entropy": "entropic"}
_POSITIVE = [Exactly(None), Interval(0, None, "neither")]
GRADIENT_CONSTRAINTS: dict[str, list[Any]] = {
    "geometry": [OneOf("euclidean", "entropy", "adagrad")],
    "eta": _POSITIVE,
    "radius": _POSITIVE,
    "horizon": [Exactly(None), Interval(1, None, integer=True)],
    "max_norm": _POSITIVE,
    "conservative": [Boolean()],
}


class GradientLearner(StreamLearner):
    """Online gradient descent: after every trial a step along minus the gradient of its loss.

    geometry="adagrad" divides the step of every coordinate by its largest value and by the root of the sum of its
    squared gradients so far, so that the unit of a column does not matter: coefficients stay within |w_j| max |x_tj|
    <= radius. "euclidean" makes plain steps of length eta. "entropy" multiplies weights, two per coordinate (EG,
    two-sided), whose sum is radius: better if few of many columns matter.

    Parameters
    ----------
    geometry : {"adagrad", "euclidean", "entropy"}, default="adagrad"
        In what the steps are measured.
    eta : float, optional
        Length of the steps. By default 0.5 for "adagrad" (0.1 in regression); radius / (max_norm sqrt(horizon)) for
        "euclidean", which needs the three; adapted to the gradients for "entropy", or with horizon and max_norm
        sqrt(2 ln(2 n) / horizon) / (radius max_norm).
    radius : float, optional
        Size of the competitors: |u|, sum |u_j|, or max |x_tj| |u_j|. By default 30 for "adagrad" (3 in regression),
        1 for "entropy".
        In regression eta and radius of "adagrad" are in units of the largest |y| so far, rounded up to a power of two;
        whenever it grows, the account begins anew.
    horizon : int, optional
        How many trials are expected.
    max_norm : float, optional
        Largest length of a gradient (largest entry for "entropy").
    conservative : bool, default=False
        Whether only mistakes are learned from.
    """

    _takes_fractions = True
    _adaptive_eta: ClassVar[float]
    _adaptive_radius: ClassVar[float]

    loss: Any
    geometry: str
    eta: float | None
    radius: float | None
    horizon: int | None
    max_norm: float | None
    conservative: bool
    audited_: dict[str, float]

    def _loss(self) -> Any:
        raise NotImplementedError

    def _rule(self) -> str:
        return RULE_OF[self.geometry]

    def _settings(self) -> dict[str, Any]:
        loss = self._loss()
        return {
            "loss": (loss.name, loss.parameter),
            "eta": self._eta(),
            "radius": self._radius(),
            "conservative": bool(self.conservative),
        }

    def _radius(self) -> float:
        if self.radius is not None:
            return float(self.radius)
        return self._adaptive_radius if self.geometry == "adagrad" else 1.0

    def _eta(self) -> float:
        if self.eta is not None:
            return float(self.eta)
        if self.geometry == "adagrad":
            return self._adaptive_eta
        if self.geometry == "entropy":
            if self.horizon is None or self.max_norm is None:
                return 0.0
            count = 2.0 * (self.state_.columns + 1)
            return float(np.sqrt(2.0 * np.log(count) / self.horizon) / (self._radius() * self.max_norm))
        if self.radius is None or self.horizon is None or self.max_norm is None:
            raise ValueError(
                f"{type(self).__name__}: geometry='euclidean' needs eta, or radius, horizon and max_norm; got "
                f"eta=None, radius={self.radius}, horizon={self.horizon}, max_norm={self.max_norm}.\n"
                "Hint: geometry='adagrad' needs none of them."
            )
        return float(self.radius / (self.max_norm * np.sqrt(self.horizon)))

    def _check_options(self) -> None:
        if self.geometry == "euclidean":
            self._eta()

    def _start(self, columns: int) -> None:
        self._check_options()
        super()._start(columns)

    def audit(self, X: Any, y: Any, sample_weight: WeightsLike = None) -> Self:
        """Look for the best competitor of the geometry's class, on the stream that was learned.

        Parameters
        ----------
        X, y : table and target
            All trials since the learner was new, in their order.
        sample_weight : array-like of shape (n_samples,), optional
            Their weights.

        Returns
        -------
        self
            Its `ledger_` has the regret against it from now on.
        """
        self._audit(X, np.asarray(y), sample_weight)
        return self

    def _audit(self, X: Any, y: Any, sample_weight: WeightsLike = None) -> None:
        if self.conservative:
            return
        loss, paid, inner = self._loss(), 0.0, 0.0
        for problem, stream in enumerate(hindsight(self, X, y, sample_weight)):
            kept = stream.part(slice(self._since() - 1, None))  # regressors begin anew; problems that join do not
            u = best_competitor(kept, loss, self._projection(problem))
            paid += float(np.sum(kept.shares * loss.value(kept.targets, kept.rows @ u)))
            inner += float(self._gradients()[problem] @ u)
        self.audited_ = {"trials": float(self._trials()), "comparator": paid, "inner": inner}
        self.__dict__.pop("_ledger", None)

    def _gradients(self) -> Array:
        return self.state_.vector({"euclidean": 1, "entropy": 1, "adagrad": 3}[self.geometry])

    def _since(self) -> int:
        return int(self.state_.number("since")[0])

    def _projection(self, problem: int) -> Any:
        radius = self._radius()
        if self.geometry == "entropy":
            return onto_diamond(radius)
        if self.geometry == "adagrad":
            limits = self.state_.vector(1)[problem]
            return onto_box(np.where(limits < UNLIMITED, limits, 0.0) * self.state_.number("unit")[problem])
        return onto_ball(radius if self.radius is not None else np.inf)

    def _lines(self) -> tuple[Line, ...]:
        state = self.state_
        if state.number("cut").any():
            return ()
        lines: list[Line] = []
        audited = vars(self).get("audited_")
        if audited is not None and audited["trials"] == self._trials():
            linear = float(state.number("linear").sum())
            loss = float((state.number("loss") - state.number("before")).sum())
            lines.append(regret_lines.convex_line(loss, audited["comparator"], linear, audited["inner"], self._since()))
        if self.geometry == "adagrad":
            lines.append(regret_lines.adaptive_line(state, self._eta(), self._radius()))
        elif self.geometry == "entropy":
            lines.append(regret_lines.entropic_line(state, self._radius()))
        elif self.radius is not None:
            lines.append(regret_lines.gradient_line(state, self._eta(), self._radius()))
        return tuple(lines)
