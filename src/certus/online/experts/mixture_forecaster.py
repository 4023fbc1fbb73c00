"""What the forecasters from weighted advice share: their arrays, one compiled loop, their ledger."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from certus.base import Exactly, Interval, OneOf
from certus.base.params import Constraints, Rule
from certus.base.persistence import check_shapes
from certus.guarantees import Ledger
from certus.online.experts import _native_calls
from certus.online.experts.advice_input import first_outside, require_values
from certus.online.experts.advice_learner import AdviceLearner
from certus.online.experts.mixture_account import LOSSES, SHARES, MixtureAccount, MixtureSetting, ledger_of
from certus.online.experts.regret_bounds import CONSTANTS

Floats = NDArray[np.float64]


LARGEST = 1e100  # squares of sums stay finite


class Range:
    """Two numbers whose squares are finite, the smaller one first."""

    def allows(self, value: Any) -> bool:
        try:
            low, high = (float(end) for end in value)
        except (TypeError, ValueError):
            return False
        return -LARGEST <= low < high <= LARGEST

    def __str__(self) -> str:
        return "a pair of numbers (low, high) with -1e100 <= low < high <= 1e100"


class Prior:
    """Weights that are positive and finite."""

    def allows(self, value: Any) -> bool:
        try:
            weights = np.asarray(value, dtype=np.float64)
        except (TypeError, ValueError):
            return False
        with np.errstate(over="ignore"):
            shares = weights / weights.sum() if weights.ndim == 1 and len(weights) else np.zeros(1)
        return bool((shares > 0).all() and (weights < np.inf).all())

    def __str__(self) -> str:
        return "a vector of positive weights, one per expert, none a vanishing share of their sum"


ETA: list[Rule] = [Interval(0.0, 1e6, closed="right"), Exactly(None)]
ALPHA = [Interval(0.0, 1.0)]
SWITCHES = [Interval(0, 10_000, integer=True)]


class MixtureForecaster(AdviceLearner):
    """Weights over experts that shrink with their losses, and a prediction from weights and advice.

    Parameters
    ----------
    loss : {"log", "square", "absolute"}, default="square"
        What a prediction costs. "log" takes probabilities and labels in [0, 1]: y ln(y/p) + (1-y) ln((1-y)/(1-p)).
    prediction : {"average", "vovk"}, default="average"
        The weighted average of the advice (square loss: c = 2), or Vovk's prediction (c = 1/2).
    switches : int, default=0
        The best sequences of experts with at most 0 .. `switches` switches are kept, and
        ``ledger_.switching(k)`` compares with them.
    eta : float, default=None
        Learning rate, for losses of numbers in [0, 1]; None: the largest one with a theorem (absolute loss: 1).
    value_range : (float, float), default=(0.0, 1.0)
        Where advice and labels lie. A number outside voids the bounds from its trial on.
    prior : array-like of shape (n_experts,), default=None
        Weights of the first trial; they are scaled to sum to 1. None: all equal.

    Attributes
    ----------
    losses_ : ndarray of shape (n_experts,)
        Every expert's loss so far, of numbers scaled to [0, 1].
    weights_ : ndarray of shape (n_experts,)
        Logarithms of the prior, or of a rule with a share the weights of the next trial.
    aside_, best_, sums_ : ndarray
        What else the next trial needs.
    void_trial_ : int
        The first trial with a number outside `value_range`, or 0.
    void_reason_ : str
        What was outside.
    """

    _constraints: ClassVar[Constraints] = {
        "loss": [OneOf("log", "square")],
        "prediction": [OneOf("average", "vovk")],
        "eta": ETA,
        "alpha": ALPHA,
        "switches": SWITCHES,
        "value_range": [Range()],
        "prior": [Prior(), Exactly(None)],
    }
    _state: ClassVar[tuple[str, ...]] = (
        "n_experts_",
        "trials_",
        "losses_",
        "weights_",
        "aside_",
        "best_",
        "sums_",
        "void_trial_",
        "void_reason_",
    )
    _share: ClassVar[str] = "none"
    _learner: ClassVar[str] = "online/expert-mixture"

    losses_: Floats
    weights_: Floats
    aside_: Floats
    best_: Floats
    sums_: Floats
    void_trial_: int
    void_reason_: str

    def _told(self) -> dict[str, Any]:
        """Parameters that settings may have."""
        return self.get_params(deep=False)

    def _setting(self) -> MixtureSetting:
        given = self._told()
        loss, prediction = given["loss"], given.get("prediction", "average")
        eta = given.get("eta")
        if eta is None:
            eta = 1.0 if loss == "absolute" else CONSTANTS[loss, prediction][0]
        low, high = map(float, given.get("value_range", (0.0, 1.0)))
        prior = given.get("prior")
        if prior is not None:
            weights = np.asarray(prior, dtype=np.float64)
            prior = tuple((weights / weights.sum()).tolist())
        return MixtureSetting(
            loss=loss,
            prediction=prediction,
            share=self._share,
            eta=float(eta),
            alpha=float(given.get("alpha", 0.0)),
            low=low,
            high=high,
            switches=int(given.get("switches", 0)),
            prior=prior,
            asleep=self._sleeps,
        )

    def _rule(self, setting: MixtureSetting) -> Any:
        return _native_calls.forecast_rule(
            loss=LOSSES.index(setting.loss),
            share=SHARES.index(setting.share),
            substitution=setting.prediction == "vovk",
            asleep=setting.asleep,
            eta=setting.eta,
            factor=setting.factor if math.isfinite(setting.factor) else 1.0 / setting.eta,
            alpha=setting.alpha,
        )

    def _begin(self, experts: int) -> None:
        setting = self._setting()
        if setting.loss == "log" and (setting.low, setting.high) != (0.0, 1.0):
            raise ValueError(f"value_range must be (0, 1) for the log loss, got ({setting.low:g}, {setting.high:g}).")
        if setting.prior is not None and len(setting.prior) != experts:
            raise ValueError(f"prior must have one weight per expert: {experts}, got {len(setting.prior)}.")
        first = setting.first_weights(experts)
        self.n_experts_, self.trials_ = experts, 0
        self.losses_ = np.zeros(experts)
        self.weights_ = np.log(first) if self._share == "none" else first.copy()
        self.aside_ = first.copy() if self._share == "past" else np.zeros(experts)
        self.best_ = np.zeros((self._sequences(setting), experts))
        self.sums_ = np.zeros(3)
        self.void_trial_, self.void_reason_ = 0, ""

    def _check_values(self, advice: Floats, labels: Floats | None, first: int) -> None:
        if self.loss == "log":
            hint = "the log loss takes probabilities."
            require_values(advice, None, 0.0, 1.0, name="advice", first=first, hint=hint)
            if labels is not None:
                require_values(labels, None, 0.0, 1.0, name="y", first=first, hint=hint)
        elif self.loss == "absolute" and labels is not None:
            low, high = self.value_range
            hint = "the theorem of the absolute loss is about two labels, the ends of value_range."
            require_values(labels, (low, high), low, high, name="y", first=first, hint=hint)

    def _sequences(self, setting: MixtureSetting) -> int:
        """For how many numbers of switches the best sequence is kept."""
        return 0 if self._share == "none" else setting.switches + 1

    def _arrays(self) -> _native_calls.ForecastArrays:
        return _native_calls.ForecastArrays(self.losses_, self.weights_, self.aside_, self.best_, self.sums_)

    def _unit(self, values: Floats, setting: MixtureSetting) -> Floats:
        if (setting.low, setting.high) == (0.0, 1.0):
            return values
        return (values - setting.low) / (setting.high - setting.low)

    def _predict(self, advice: Floats) -> Floats:
        setting = self._setting()
        found = _native_calls.predict_advice(self._unit(advice, setting), self._rule(setting), self._arrays())
        return setting.low + (setting.high - setting.low) * found

    def _learn(self, advice: Floats, labels: Floats) -> Floats:
        setting = self._setting()
        before = [array.copy() for array in self._arrays().parts()]
        unit = self._unit(advice, setting)
        found, learned = _native_calls.learn_advice(
            unit, self._unit(labels, setting), self._rule(setting), self._arrays()
        )
        if learned < len(labels):
            first = self.trials_ + 1
            self.losses_, self.weights_, self.aside_, self.best_, self.sums_ = before
            if not self.trials_:
                self._forget()
            raise ValueError(
                f"in trial {first + learned} every expert with weight gave probability 0 to what happened "
                f"(y = {labels[learned]:g}).\nHint: keep probabilities inside (0, 1), such as 0.001."
            )
        self._note_outside(advice, labels, setting)
        self.trials_ += len(labels)
        return setting.low + (setting.high - setting.low) * found

    def _note_outside(self, advice: Floats, labels: Floats, setting: MixtureSetting) -> None:
        if self.void_trial_:
            return
        parts = [first_outside(part, setting.low, setting.high) for part in (advice, labels)]
        found = [part for part in parts if part is not None]
        if found:
            row, value = min(found, key=lambda part: part[0])
            self.void_trial_ = self.trials_ + row + 1
            self.void_reason_ = f"{value:g} is outside [{setting.low:g}, {setting.high:g}]"

    @property
    def weights(self) -> Floats:
        """The weights of the next trial; of specialists, those of all if all were awake."""
        if not self._started:
            raise ValueError("no expert gave advice so far.\nHint: weights exist from the first trial on.")
        if self._share != "none":
            return self.weights_.copy()
        logs = self.weights_ - (0.0 if self._sleeps else self._setting().eta * self.losses_)
        weights = np.exp(logs - logs.max())
        return weights / weights.sum()

    @property
    def ledger_(self) -> Ledger:
        """Realized regret against the best expert (and sequence of experts), and the bounds on it."""
        setting = self._setting()
        if not self._started:
            return Ledger(learner=self._learner, settings=setting.plain(), trials=0, loss=0.0)
        account = MixtureAccount(
            trials=self.trials_,
            paid=float(self.sums_[0]),
            losses=self.losses_,
            best=self.best_.min(axis=1) if len(self.best_) else np.zeros(0),
            mean_losses=float(self.sums_[2]),
            lead=self.aside_,
            void_trial=self.void_trial_,
            void_reason=self.void_reason_,
        )
        return ledger_of(self._learner, setting, account)

    def _restored(self) -> None:
        if not self._started:
            return
        experts = self.n_experts_
        check_shapes(self, losses_=(experts,), weights_=(experts,), aside_=(experts,), best_=(None, experts))
        check_shapes(self, sums_=(3,))
        self._started_like(self._setting())
        for name in ("losses_", "weights_", "aside_", "best_", "sums_"):
            array = np.ascontiguousarray(getattr(self, name))
            if array.dtype != np.float64 or np.isnan(array).any():
                raise ValueError(f"{name} must hold numbers in double precision.")
            setattr(self, name, array.copy())

    def _started_like(self, setting: MixtureSetting) -> None:
        if self.n_experts_ < 1 or self.trials_ < 0 or self.sums_[1] != self.trials_:
            raise ValueError("trials_ and sums_ do not belong together.")
        if len(self.best_) != self._sequences(setting):
            raise ValueError("best_ must have a row per number of switches.")
        if self._share != "none" and not ((self.weights_ >= 0).all() and abs(self.weights_.sum() - 1.0) < 1e-6):
            raise ValueError("weights_ must be shares of 1.")
        if self._share == "none" and not np.isfinite(self.weights_).all():
            raise ValueError("weights_ must be logarithms of weights.")
