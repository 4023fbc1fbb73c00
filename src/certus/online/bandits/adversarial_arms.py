"""What EXP3 and EXP3-IX share: weights from estimated losses, and bounds that no adversary breaks."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from certus.base.params import Constraints, Exactly, Interval
from certus.guarantees import Certificate, Report
from certus.guarantees.records import confidence_percent, number, plural, rules
from certus.online.bandits.arm_learner import ArmLearner

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
THEOREMS = {
    "online/exp3": "The Nonstochastic Multiarmed Bandit Problem: EXP3 (Auer, Cesa-Bianchi, Freund, Schapire 2002)",
    "online/exp3-ix": "Explore No More: EXP3-IX (Neu 2015)",
}


def exp3_bound(eta: float, arms: int, trials: int) -> float:
    """Expected regret against any losses that were fixed before: ln K/eta + eta K T/2.

    Examples
    --------
    >>> eta = tuned_exp3(10, 5000)
    >>> round(exp3_bound(eta, 10, 5000), 1), round(math.sqrt(2 * 5000 * math.log(10)), 1)    # Hedge, which sees all
    (479.9, 151.7)
    """
    return math.log(arms) / eta + eta * arms * trials / 2.0


def tuned_exp3(arms: int, horizon: int) -> float:
    """sqrt(2 ln K/(K T)), at which the bound is sqrt(2 T K ln K)."""
    return math.sqrt(2.0 * math.log(max(arms, 2)) / (arms * horizon))


def exp3_ix_bound(arms: int, horizon: int, failure: float) -> float:
    """Regret with probability 1 - failure: 2 sqrt(2 K T ln K) + (sqrt(2 K T/ln K) + 1) ln(2/failure).

    Examples
    --------
    >>> round(exp3_ix_bound(10, 100_000, 0.05) / 100_000, 3)
    0.077
    """
    log_arms, plays = math.log(max(arms, 2)), 2.0 * arms * horizon
    return 2.0 * math.sqrt(plays * log_arms) + (math.sqrt(plays / log_arms) + 1.0) * math.log(2.0 / failure)


class AdversarialArms(ArmLearner):
    """Chooses arms with probabilities exp(-eta estimated loss), normalized.

    Parameters
    ----------
    horizon : int, default=None
        The number of trials T for which eta = sqrt(2 ln K/(K T)).
    eta : float, default=None
        Learning rate, if not that of `horizon`.

    Attributes
    ----------
    pending_arms_, pending_probabilities_ : ndarray
        Choices whose reward is still to come, with their probabilities.
    late_ : int
        1 once an arm was chosen while a reward was missing, which the bounds on the regret do not allow.
    """

    _constraints: ClassVar[Constraints] = {
        **ArmLearner._constraints,
        "horizon": [Interval(1, 10**15, integer=True), Exactly(None)],
        "eta": [Interval(0.0, 1e6, closed="right"), Exactly(None)],
    }
    _state: ClassVar[tuple[str, ...]] = (*ArmLearner._state, "pending_arms_", "pending_probabilities_", "late_")

    horizon: int | None
    eta: float | None
    pending_arms_: Integers
    pending_probabilities_: Floats
    late_: int

    def _begin(self) -> None:
        super()._begin()
        self.pending_arms_, self.pending_probabilities_ = np.zeros(0, dtype=np.int64), np.zeros(0)
        self.late_ = 0

    def _parameter(self) -> float:
        if self.eta is not None:
            return float(self.eta)
        if self.horizon is None:
            raise ValueError(
                f"{type(self).__name__} needs horizon, the number of trials, or eta.\nHint: UCB1 needs neither of them."
            )
        arms = int(self.n_arms) if isinstance(self.n_arms, (int, np.integer)) else len(self.n_arms)
        return tuned_exp3(arms, int(self.horizon))

    def _account(self, table: Floats, arms: Integers, probabilities: Floats) -> None:
        self.late_ |= int(len(table) > 0 and (len(self.pending_arms_) > 0 or not self.present_.all()))

    def _remember(self, arm: int, probability: float) -> None:
        self.late_ |= int(len(self.pending_arms_) > 0 or not self.present_.all())
        self.pending_arms_ = np.append(self.pending_arms_, np.int64(arm))
        self.pending_probabilities_ = np.append(self.pending_probabilities_, probability)

    def _probability(self, arm: int, taken: list[int]) -> float:
        places = [place for place in np.flatnonzero(self.pending_arms_ == arm).tolist() if place not in taken]
        if not places:
            raise ValueError(
                f"arm {self.labels_[arm]!r} has a reward that no choice waits for.\n"
                "Hint: losses are estimated with the probability of the choice; call select first."
            )
        taken.append(places[0])
        return float(self.pending_probabilities_[places[0]])

    def _forget_answered(self, taken: list[int]) -> None:
        self.pending_arms_ = np.delete(self.pending_arms_, taken)
        self.pending_probabilities_ = np.delete(self.pending_probabilities_, taken)

    def _waits(self) -> str | None:
        """Why the bound on the regret does not hold, if it does not."""
        fixed = self.n_arms if isinstance(self.n_arms, (int, np.integer)) else len(self.n_arms)
        if len(self.labels_) != fixed or not self.present_.all():
            return "arms were added or removed"
        return "rewards are missing or came late" if self.late_ or len(self.pending_arms_) else None

    def _regret_bound(self, confidence: float) -> Certificate | None:
        raise NotImplementedError

    def report(self, confidence: float = 0.95) -> Report:
        """The bound on the regret against rewards that were fixed before, and what sampled means say.

        Returns
        -------
        Report
            "regret", from the rule alone, while arms stay the same and every reward comes before the next choice;
            and "pseudo-regret", if every arm's rewards have one mean.
        """
        found = super().report(confidence)
        bound = None if self._waits() else self._regret_bound(confidence)
        return found if bound is None else found.with_([bound])

    def _restored(self) -> None:
        super()._restored()
        if "labels_" not in vars(self):
            return
        arms, chances = self.pending_arms_, self.pending_probabilities_
        whole = isinstance(arms, np.ndarray) and arms.dtype == np.int64 and arms.ndim == 1
        real = isinstance(chances, np.ndarray) and chances.dtype == np.float64
        if not whole or not real or chances.shape != arms.shape:
            raise ValueError("pending_arms_ and pending_probabilities_ do not belong together.")
        if len(arms) and not ((arms >= 0) & (arms < len(self.labels_)) & (chances > 0) & (chances <= 1)).all():
            raise ValueError("pending choices must be arms with probabilities.")
        self.pending_arms_, self.pending_probabilities_ = arms.copy(), chances.copy()
        if self.late_ not in (0, 1):
            raise ValueError("late_ must be 0 or 1.")


def regret_record(
    rule: str, value: float, trials: int, facts: Mapping[str, Any], *, confidence: float = 1.0
) -> Certificate:
    """The certificate of a bound on the regret of a randomized rule."""
    expected = confidence == 1.0
    surely = "Expected" if expected else f"With confidence {confidence_percent(confidence)}"
    return Certificate(
        claim=f"{surely}, {plural(trials, 'choice')} cost at most {number(value, 'upper')} more than the best single "
        "arm, for any rewards that were fixed before.",
        quantity="regret",
        direction="upper",
        value=value,
        trivial=float(trials),
        confidence=confidence,
        kind="expectation" if expected else "probable",
        theorem=THEOREMS[rule],
        rule=rule,
        assumptions=("bounded-range", "independent-draws"),
        inputs={"trials": trials},
        witness=facts,
    )


@rules.checker("online/exp3")
def _check_exp3(certificate: Certificate, _data: Any) -> float:
    """As a multiple of its least value sqrt(2 K T ln K), which it has at the tuned eta: (r + 1/r)/2, r = eta/tuned."""
    facts, trials = certificate.witness, certificate.inputs["trials"]
    least = math.sqrt(2.0 * facts["arms"] * trials * math.log(facts["arms"]))
    ratio = facts["eta"] * facts["arms"] * trials / least
    return least * (ratio + 1.0 / ratio) / 2.0


@rules.checker("online/exp3-ix")
def _check_exp3_ix(certificate: Certificate, _data: Any) -> float:
    """From eta = 2 gamma = sqrt(2 ln K/(K T)): 2 ln K/eta + eta K T + (2/eta + 1) ln(2/failure)."""
    arms, horizon = certificate.witness["arms"], certificate.witness["horizon"]
    log_arms = math.log(max(arms, 2))
    eta = math.sqrt(2.0 * log_arms / (arms * horizon))
    return 2.0 * log_arms / eta + eta * arms * horizon + (2.0 / eta + 1.0) * math.log(2.0 / certificate.failure)
