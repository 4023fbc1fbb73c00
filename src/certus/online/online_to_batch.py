"""From a learner of trials to one hypothesis for new rows, with a bound on its risk.

Rows that are independent draws turn what was lost along the way into statements about rows to come: each hypothesis was
tested on a row that it had not seen.

References: Cesa-Bianchi, Conconi, Gentile, On the Generalization Ability of On-line Learning Algorithms (2004);
Helmbold, Warmuth, On Weak Learning (1995); Gallant, Optimal Linear Discriminants (1986).
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import NotFittedError
from sklearn.utils import Tags

from certus.base import (
    Exactly,
    HasMethods,
    Interval,
    Learner,
    OneOf,
    RandomState,
    RandomStateLike,
    fit_method,
    predict_method,
    register,
    resolve_seed,
)
from certus.base.params import Constraints
from certus.guarantees import Certificate, ConfidenceSequence, Report
from certus.guarantees.records import Derivation, confidence_percent, failure_of, number, percent, rules
from certus.guarantees.records import count as counted
from certus.online.experts.advice_input import labels_of, require_values

Floats = NDArray[np.float64]
AVERAGE, STOPPED, SURVIVOR = "average", "random-stop", "longest-survivor"
LOSSES: dict[str, Callable[[Any, Any], Any]] = {
    "error": lambda y, p: float(y != p),
    "squared": lambda y, p: (y - p) ** 2,
}


@register(
    takes="advice",
    tasks=("experts",),
    guarantees=("risk of the average, expected error of the random stop, error of the longest survivor",),
    cost="that of the learner, and a copy of it per change",
)
class OnlineToBatch(Learner):
    """One pass of a learner over rows in their order, and the hypothesis that is kept of all those along the way.

    * "average" predicts the mean of all hypotheses (of labels 0 and 1: their majority). The mean risk of the hypotheses
      is bounded from their losses, each on the row that came next, by an anytime bound that adapts to the variance; the
      average's squared loss is at most that, a majority's error at most twice that.
    * "random-stop" is the hypothesis before a trial drawn beforehand; its expected error is at most B/m if the learner
      never makes more than B mistakes in m trials.
    * "longest-survivor" keeps every hypothesis until it errs, and then the one that was right on most rows in a row:
      the j-th one, right on s rows, errs with probability at most 1 - (delta/(j (j+1)))^(1/s).

    Parameters
    ----------
    learner : learner
        With ``predict_one``, ``learn_one`` and ``predict``; a copy of it learns.
    method : {"average", "random-stop", "longest-survivor"}, default="average"
        Which hypothesis is kept.
    loss : {"error", "squared"}, default="error"
        What is bounded; "squared" only for "average".
    loss_range : (float, float), default=(0.0, 1.0)
        Where squared losses lie.
    mistake_bound : float, default=None
        B, known before the rows; needed by "random-stop" for its certificate.
    confidence : float, default=0.95
        Probability with which the bounds hold that are not about expectations.
    random_state : int, RandomState or None, default=None
        Seed of the random stop.

    Attributes
    ----------
    hypotheses_ : list
        What predicts: all hypotheses for "average", else one.
    shares_ : ndarray
        For how many trials each of them stood.
    trials_ : int
        Rows of training.
    report_ : Report
        The bound on the risk.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.online import OnlineToBatch, TermElimination
    >>> rows = np.random.default_rng(0).integers(0, 2, (500, 4))
    >>> model = OnlineToBatch(TermElimination(), "longest-survivor").fit(rows, rows[:, 0] & rows[:, 2])
    >>> print(model.predict([[1, 0, 1, 0], [1, 1, 0, 0]]), model.report_["error"].value < 0.05)
    [1. 0.] True
    """

    _constraints: ClassVar[Constraints] = {
        "learner": [HasMethods("predict_one", "learn_one", "predict")],
        "method": [OneOf(AVERAGE, STOPPED, SURVIVOR)],
        "loss": [OneOf("error", "squared")],
        "mistake_bound": [Interval(0.0, 1e15), Exactly(None)],
        "confidence": [Interval(0.0, 1.0, closed="neither")],
        "random_state": [RandomState()],
    }
    _state: ClassVar[tuple[str, ...]] = ("hypotheses_", "shares_", "trials_")
    _arguments: ClassVar[dict[str, str]] = {
        "": """
X : array-like of shape (n_trials, n_columns)
    Rows, in the form that the learner takes.
y : array-like of shape (n_trials,)
    Their labels.
"""
    }

    hypotheses_: list[Any]
    shares_: Floats
    trials_: int

    def __init__(
        self,
        learner: Any,
        method: str = "average",
        *,
        loss: str = "error",
        loss_range: tuple[float, float] = (0.0, 1.0),
        mistake_bound: float | None = None,
        confidence: float = 0.95,
        random_state: RandomStateLike = None,
    ) -> None:
        self._set_parameters(locals())

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        return tags

    @fit_method
    def fit(self, X: ArrayLike, y: ArrayLike) -> OnlineToBatch:
        """Pass over the rows once, in their order."""
        rows, labels = np.asarray(X), labels_of(y, len(np.asarray(X)), 1)
        if rows.ndim != 2 or not len(rows):
            raise ValueError(f"X must have at least one row and one column per variable, got the shape {rows.shape}.")
        if self.loss != "error" and self.method != AVERAGE:
            raise ValueError(f"loss must be 'error' for method={self.method!r}, got {self.loss!r}.")
        if self.loss == "error":
            hint = "hypotheses vote 0 or 1; encode other labels."
            require_values(labels, (0.0, 1.0), 0.0, 1.0, name="y", first=1, hint=hint)
        learner, losses = copy.deepcopy(self.learner), np.zeros(len(rows))
        # A row is a trial of its own: the hypothesis before it has not seen it.
        first = int(np.random.default_rng(resolve_seed(self.random_state)).integers(len(rows)))
        kept = _Kept(self.method, first)
        for trial, (row, label) in enumerate(zip(rows, labels, strict=True)):
            said = _said(learner, row[None, :])[0] if self.method == AVERAGE else learner.predict_one(row)
            losses[trial] = LOSSES[self.loss](label, said)
            kept.before(trial, learner, row, label)
            learner.learn_one(row, label)
        kept.close()
        self.hypotheses_, self.shares_ = kept.hypotheses, np.array(kept.shares, dtype=np.float64)
        self.trials_ = len(rows)
        self.report_ = Report(self._certificates(losses, kept))
        return self

    def _certificates(self, losses: Floats, kept: _Kept) -> list[Certificate]:
        if self.method == AVERAGE:
            return [self._mean_risk(losses)]
        if self.method == STOPPED:
            return [] if self.mistake_bound is None else [stopping_record(float(self.mistake_bound), self.trials_)]
        return [survivor_record(kept.place, kept.survived, float(self.confidence))] if kept.survived else []

    def _mean_risk(self, losses: Floats) -> Certificate:
        low, high = (0.0, 1.0) if self.loss == "error" else map(float, self.loss_range)
        name = "error" if self.loss == "error" else "squared error"
        sequence = ConfidenceSequence(
            "gamma-exponential",
            low=low,
            high=high,
            confidence=self.confidence,
            side="upper",
            quantity=f"mean {name} of all hypotheses",
        )
        return sequence.update(losses).certificate()

    @predict_method
    def predict(self, X: ArrayLike) -> Floats:
        """What the kept hypothesis says of new rows.

        Returns
        -------
        ndarray of shape (n_trials,)
        """
        rows = np.asarray(X)
        shares = self.shares_ / self.shares_.sum()
        say = _said if self.method == AVERAGE else _said_one_by_one
        mean = sum(share * say(hypothesis, rows) for share, hypothesis in zip(shares, self.hypotheses_, strict=True))
        return (np.asarray(mean) >= 0.5).astype(np.float64) if self.loss == "error" else np.asarray(mean)

    def _restored(self) -> None:
        shares = self.shares_
        if not isinstance(self.hypotheses_, list) or not self.hypotheses_ or shares.shape != (len(self.hypotheses_),):
            raise ValueError("hypotheses_ and shares_ do not belong together.")
        if shares.dtype != np.float64 or not ((shares > 0) & np.isfinite(shares)).all():
            raise ValueError("shares_ must be positive.")
        for hypothesis in self.hypotheses_:
            if not all(hasattr(hypothesis, name) for name in ("predict", "predict_one", "learn_one")):
                raise ValueError("hypotheses_ must be learners of trials.")


def _said(hypothesis: Any, rows: NDArray[Any]) -> Floats:
    """Predictions of a hypothesis, also of the one before the first trial."""
    try:
        return np.asarray(hypothesis.predict(rows), dtype=np.float64)
    except NotFittedError:
        return _said_one_by_one(hypothesis, rows)


def _said_one_by_one(hypothesis: Any, rows: NDArray[Any]) -> Floats:
    """Predictions as in a trial, where `predict` may say something else (an average); no prediction is 0."""
    said = [hypothesis.predict_one(row) for row in rows]
    return np.array([0.0 if label is None else label for label in said], dtype=np.float64)


class _Kept:
    """The hypotheses that are kept of a pass."""

    def __init__(self, method: str, stop: int) -> None:
        self.method, self.stop = method, stop
        self.hypotheses: list[Any] = []
        self.shares: list[float] = []
        self.place = self.survived = 0  # of the longest survivor: which hypothesis, and for how many rows
        self._number, self._run = 1, 0
        self._current: Any = None

    def before(self, trial: int, learner: Any, row: Floats, label: float) -> None:
        """Called before the learner learns a row."""
        if self.method == AVERAGE:
            self.hypotheses.append(copy.deepcopy(learner))
            self.shares.append(1.0)
        elif self.method == STOPPED and trial == self.stop:
            self.hypotheses, self.shares = [copy.deepcopy(learner)], [1.0]
        elif self.method == SURVIVOR:
            if self._current is None:
                self._current = copy.deepcopy(learner)
            if self._current.predict_one(row) == label:
                self._run += 1
            else:
                self._end()

    def _end(self) -> None:
        if self._run > self.survived or not self.hypotheses:
            self.hypotheses, self.shares = [self._current], [1.0]
            self.place, self.survived = self._number, self._run
        self._number, self._run, self._current = self._number + 1, 0, None

    def close(self) -> None:
        """Called after the last row."""
        if self.method == SURVIVOR and self._current is not None:
            self._end()


def stopping_record(bound: float, trials: int) -> Certificate:
    """The expected error of the hypothesis before a trial that was drawn beforehand."""
    value = bound / trials
    return Certificate(
        claim=f"The expected error of the hypothesis at the random stop is at most {percent(value, 'upper')} "
        f"(at most {number(bound)} mistakes in {counted(trials)} trials).",
        quantity="error",
        direction="upper",
        value=value,
        trivial=1.0,
        confidence=1.0,
        kind="expectation",
        theorem="From mistake bounds to expected errors (Helmbold, Warmuth 1995)",
        rule="online/random-stop",
        assumptions=("iid", "fixed-sample-size", "independent-draws"),
        inputs={"mistake_bound": bound},
        witness={"trials": trials},
    )


def survivor_record(place: int, survived: int, confidence: float) -> Certificate:
    """The error of the j-th hypothesis, which was right on s rows in a row."""
    level = (math.log(place) + math.log(place + 1) - math.log(failure_of(confidence))) / survived
    value = min(1.0, -math.expm1(-level) * (1.0 + 1e-12))
    return Certificate(
        claim=f"With confidence {confidence_percent(confidence)} the error is at most {percent(value, 'upper')} "
        f"(hypothesis {place} was right on {counted(survived)} rows in a row).",
        quantity="error",
        direction="upper",
        value=value,
        trivial=1.0,
        confidence=confidence,
        kind="anytime",
        theorem="Longest surviving hypothesis (Gallant 1986)",
        rule="online/longest-survivor",
        assumptions=("iid",),
        witness={"place": place, "survived": survived},
    )


@rules.checker("online/random-stop")
def _check_stop(certificate: Certificate, _data: Any) -> Derivation:
    bound, trials = certificate.inputs["mistake_bound"], certificate.witness["trials"]
    return Derivation(bound / trials, record=stopping_record(bound, trials))


@rules.checker("online/longest-survivor")
def _check_survivor(certificate: Certificate, _data: Any) -> Derivation:
    """The error at which so long a run has just the probability delta/(j (j+1)), by halving an interval."""
    place, survived = certificate.witness["place"], certificate.witness["survived"]
    target = math.log(certificate.failure / (place * (place + 1.0)))
    low, high = 0.0, 1.0
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if survived * math.log1p(-middle) < target else (middle, high)
    return Derivation(high, error=1e-9, record=survivor_record(place, survived, certificate.confidence))
