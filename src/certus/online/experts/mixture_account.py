"""What a forecaster from expert advice owes: the numbers of a stream, and the lines of its ledger."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.guarantees.ledgers import Ledger, Line, Void, switching_quantity
from certus.online.experts import regret_bounds as bounds

Floats = NDArray[np.float64]
THEOREMS = {
    "none": "Aggregating strategies (Vovk 1990)",
    "fixed": "Tracking the Best Expert: Fixed Share (Herbster, Warmuth 1998)",
    "variable": "Tracking the Best Expert: Variable Share (Herbster, Warmuth 1998)",
    "past": "Tracking a Small Set of Experts by Mixing Past Posteriors (Bousquet, Warmuth 2002)",
    "floor": "Tracking the Best Linear Predictor (Herbster, Warmuth 2001)",
}
SHARES = tuple(THEOREMS)  # in the order of the compiled loops
LOSSES = ("log", "square", "absolute")


@dataclass(frozen=True)
class MixtureSetting:
    """All that a forecaster was told before the stream.

    Parameters
    ----------
    loss : {"log", "square", "absolute"}
        The loss of numbers in [0, 1].
    prediction : {"average", "vovk"}
        How weights and advice become a number.
    share : {"none", "fixed", "variable", "past", "floor"}
        How weight moves between experts after a trial.
    eta, alpha : float
        Learning rate, and what is shared.
    low, high : float
        The declared range of advice and labels.
    switches : int
        Up to how many switches the best sequence is kept.
    prior : tuple of float, optional
        Weights of the first trial; equal ones if None.
    asleep : bool
        Whether NaN is an expert that gives no advice.
    """

    loss: str
    prediction: str
    share: str
    eta: float
    alpha: float = 0.0
    low: float = 0.0
    high: float = 1.0
    switches: int = 0
    prior: tuple[float, ...] | None = None
    asleep: bool = False

    @property
    def factor(self) -> float:
        """The c of the loss with this eta; infinite where no theorem holds."""
        return bounds.loss_factor(self.loss, self.prediction, self.eta)

    @property
    def scale(self) -> float:
        """A loss in the units of advice, per loss of numbers in [0, 1]."""
        width = self.high - self.low
        return {"log": 1.0, "square": width * width, "absolute": width}[self.loss]

    def first_weights(self, experts: int) -> Floats:
        """The weights of the first trial."""
        return np.full(experts, 1.0 / experts) if self.prior is None else np.asarray(self.prior, dtype=np.float64)

    def plain(self) -> dict[str, Any]:
        """As plain values."""
        return asdict(self)


@dataclass(frozen=True)
class MixtureAccount:
    """What a stream left behind, in losses of numbers in [0, 1].

    Parameters
    ----------
    trials : int
        How many there were.
    paid : float
        The learner's loss.
    losses : array of shape (n,)
        Every expert's loss; of those who sleep, while awake.
    best : array of shape (switches + 1,)
        Least losses of sequences with at most so many switches.
    mean_losses : float
        Sum of the mean losses of all experts.
    lead : array of shape (n,)
        Of those who sleep: what the learner paid beyond them while they were awake.
    void_trial, void_reason : int, str
        The first trial with a number outside the range, or 0.
    """

    trials: int
    paid: float
    losses: Floats
    best: Floats
    mean_losses: float
    lead: Floats
    void_trial: int = 0
    void_reason: str = ""


def ledger_of(learner: str, setting: MixtureSetting, account: MixtureAccount) -> Ledger:
    """The account as a ledger."""
    lines = tuple(_lines(setting, account)) if account.trials else ()
    ledger = Ledger(
        learner=learner,
        settings=setting.plain(),
        trials=account.trials,
        loss=setting.scale * account.paid,
        lines=lines,
    )
    if not account.void_trial:
        return ledger
    ledger = ledger.voided(account.void_trial, account.void_reason)
    return ledger if ledger.void else _told(ledger, account)


def _told(ledger: Ledger, account: MixtureAccount) -> Ledger:
    """No line had a bound that could fall; the reason is told all the same."""
    ledger.void.append(Void("regret", account.void_trial, account.void_reason))
    return ledger


def _lines(setting: MixtureSetting, account: MixtureAccount) -> Iterator[Line]:
    if setting.asleep:
        yield _awake_line(setting, account)
        return
    first = setting.first_weights(len(account.losses))
    least = float(account.losses.min())
    prior = float(first[account.losses == least].max())
    yield _line(setting, account, "regret", least, 0, prior)
    for switches in range(len(account.best)):
        yield _line(setting, account, switching_quantity(switches), float(account.best[switches]), switches, None)


def _line(
    setting: MixtureSetting, account: MixtureAccount, quantity: str, least: float, switches: int, prior: float | None
) -> Line:
    facts = {
        "share": setting.share,
        "experts": len(account.losses),
        "trials": account.trials,
        "switches": switches,
        "eta": setting.eta,
        "factor": setting.factor,
        "alpha": setting.alpha,
        "prior": 1.0 / len(account.losses) if prior is None else prior,
        "least": least,
        "mean_losses": account.mean_losses,
        "scale": setting.scale,
    }
    return Line(
        quantity=quantity,
        loss=setting.scale * account.paid,
        comparator=setting.scale * least,
        bound=bounds.outward(setting.scale * (bound_from(facts) + bounds.ROUNDING * account.trials)),
        rule="online/expert-mixture",
        theorem=THEOREMS[setting.share],
        assumptions=("bounded-range",) if setting.loss != "log" else (),
        facts=facts,
        needs_range=True,
    )


def bound_from(facts: Any) -> float:
    """The bound on the regret, in losses of numbers in [0, 1]."""
    factor, eta, experts, least = facts["factor"], facts["eta"], facts["experts"], facts["least"]
    switches, alpha = facts["switches"], facts["alpha"]
    if math.isinf(factor) or math.isinf(least):
        return math.inf
    if facts["share"] == "none":
        return math.inf if switches else bounds.static_bound(factor, eta, facts["prior"], least)
    if facts["share"] == "fixed":
        return bounds.fixed_share_bound(factor, eta, experts, facts["trials"], switches, alpha, least)
    if facts["share"] == "variable":
        return bounds.variable_share_bound(factor, eta, experts, switches, alpha, least)
    if facts["share"] == "past":
        return bounds.past_posteriors_bound(factor, eta, experts, facts["trials"], switches, alpha, least)
    return bounds.weight_floor_bound(factor, eta, experts, switches, alpha, least, facts["mean_losses"])


def _awake_line(setting: MixtureSetting, account: MixtureAccount) -> Line:
    """Against the specialist that the learner lost most to, over the trials in which that one was awake."""
    best = int(np.argmax(account.lead))
    prior = float(setting.first_weights(len(account.losses))[best])
    facts = {"expert": best, "factor": setting.factor, "prior": prior, "scale": setting.scale}
    comparator = float(account.losses[best])
    return Line(
        loss=setting.scale * (comparator + float(account.lead[best])),
        comparator=setting.scale * comparator,
        bound=bounds.outward(setting.scale * setting.factor * math.log(1.0 / prior)),
        rule="online/specialists",
        theorem="Using and Combining Predictors That Specialize (Freund, Schapire, Singer, Warmuth 1997)",
        facts=facts,
        needs_range=True,
    )
