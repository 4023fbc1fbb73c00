"""The second route of bounds on the regret: prior masses of comparators, in forty decimals."""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_FLOOR, Decimal, localcontext
from typing import Any

from certus.guarantees import Certificate
from certus.guarantees.records import Derivation, rules
from certus.online.experts.regret_bounds import ROUNDING

DIGITS = 40
Derive = Callable[[Any], Decimal]


def decimal_checker(rule: str, derive: Derive) -> None:
    """Register a checker that derives the bound from the witness in decimal arithmetic."""

    def check(certificate: Certificate, _data: Any) -> Derivation:
        with localcontext() as context:
            context.prec = DIGITS
            value = float(derive(certificate.witness))
        return Derivation(value, error=1e-9, slack=1e-9, scale=1e-9)

    rules.checker(rule)(check)


class _Comparator:
    """The facts of a line as decimals; `switches` are those that fit into the trials."""

    def __init__(self, facts: Any) -> None:
        self.experts, self.least, self.alpha = (Decimal(facts[name]) for name in ("experts", "least", "alpha"))
        self.eta, self.factor, self.prior = (Decimal(facts[name]) for name in ("eta", "factor", "prior"))
        self.steps = max(facts["trials"] - 1, 0)
        self.told = facts["switches"]
        self.switches = min(self.told, self.steps)
        self.mean_losses = facts["mean_losses"]


def _mixture(facts: Any) -> Decimal:
    """C times -ln of the weight that the comparator has at the end, minus its loss."""
    comparator = _Comparator(facts)
    route = _static if facts["share"] == "none" else _ROUTES[facts["share"]]
    alone = comparator.experts == 1
    loss = Decimal(0) if alone else route(comparator)
    least = comparator.least
    return Decimal(facts["scale"]) * (
        comparator.factor * (comparator.eta * least + loss) - least + Decimal(ROUNDING) * facts["trials"]
    )


def _static(its: _Comparator) -> Decimal:
    return -its.prior.ln()


def _fixed(its: _Comparator) -> Decimal:
    """The mass of a sequence among all sequences of experts."""
    masses = [
        _power(1 - its.alpha, its.steps - k) * _power(its.alpha / (its.experts - 1), k) for k in (0, its.switches)
    ]
    return -(min(masses) / its.experts).ln()


def _variable(its: _Comparator) -> Decimal:
    handed_on = min(its.alpha / (its.experts - 1), 1 - its.alpha) * (-its.eta).exp()
    kept = ((1 - its.alpha).ln() * its.least).exp() if its.least else Decimal(1)
    return -(kept / its.experts * _power(handed_on, its.told)).ln()


def _past(its: _Comparator) -> Decimal:
    masses = [
        _power(1 / its.experts, min(k + 1, int(its.experts)))
        * _power(1 - its.alpha, its.steps - k)
        * (_power(its.alpha / its.steps, k) if k else 1)
        for k in range(its.switches + 1)
    ]
    return -min(masses).ln()


def _floor(its: _Comparator) -> Decimal:
    low = its.alpha / its.experts
    top = 1 - its.alpha + low
    start = top * (top * its.experts).ln() + ((its.experts - 1) * low * (low * its.experts).ln() if low else 0)
    moves = -its.told * (1 - its.alpha) * low.ln() if its.told and its.alpha < 1 else Decimal(0)
    return start + moves + (its.eta * its.alpha * (Decimal(its.mean_losses) - its.least) if its.alpha else 0)


_ROUTES: dict[str, Callable[[_Comparator], Decimal]] = {
    "fixed": _fixed,
    "variable": _variable,
    "past": _past,
    "floor": _floor,
}


def _power(base: Decimal, times: int) -> Decimal:
    return base**times if times else Decimal(1)


def _specialists(facts: Any) -> Decimal:
    return -Decimal(facts["scale"]) * Decimal(facts["factor"]) * Decimal(facts["prior"]).ln()


def _halving(facts: Any) -> Decimal:
    """Halve the experts until one is left; whoever was right then errs, and all begin anew."""
    survivors, mistakes = facts["experts"], 0
    while survivors > 1:
        survivors, mistakes = survivors // 2, mistakes + 1
    return Decimal(facts["fewest"] * (mistakes + 1) + mistakes - facts["taken"])


def _majority(facts: Any) -> Decimal:
    """The total weight after M mistakes is at most n ((1+beta)/2)^M, that of the best expert is beta^m."""
    beta = Decimal(facts["beta"])
    kept = (beta.ln() * facts["fewest"]).exp() / facts["experts"]
    most = kept.ln() / ((1 + beta) / 2).ln()
    if facts["whole"]:
        most = (most * (1 + Decimal("1e-12"))).to_integral_value(ROUND_FLOOR)
    return most - facts["taken"]


def _randomized(facts: Any) -> Decimal:
    beta, fewest = Decimal(facts["beta"]), facts["fewest"]
    kept = -((beta.ln() * fewest).exp() / facts["experts"]).ln()
    hoeffding = kept / -beta.ln() - beta.ln() * facts["trials"] / 8
    return min(kept / (1 - beta), hoeffding) - fewest


def _hedge(facts: Any) -> Decimal:
    eta, experts = Decimal(facts["eta"]), Decimal(facts["experts"])
    terms = [eta * Decimal(facts["squares"]) / 2]
    if facts["bounded"]:
        terms.append(eta * facts["trials"] * Decimal(facts["width"]) ** 2 / 8)
    return experts.ln() / eta + min(terms)


def _ada_hedge(facts: Any) -> Decimal:
    return 2 * Decimal(facts["gaps"])


def _squint(facts: Any) -> Decimal:
    """The regret at which the expert's own part of the potential is all of it, by halving an interval."""
    variance, prior = Decimal(facts["variance"]), Decimal(facts["prior"])
    grid = [(Decimal(eta), Decimal(share)) for eta, share in zip(facts["rates"], facts["shares"], strict=True)]
    low, high = Decimal(0), min(eta * variance - (prior * share).ln() / eta for eta, share in grid)
    for _ in range(80):
        middle = (low + high) / 2
        mass = prior * sum(share * (eta * middle - eta * eta * variance).exp() for eta, share in grid)
        low, high = (low, middle) if mass >= 1 else (middle, high)
    return Decimal(facts["scale"]) * high


decimal_checker("online/expert-mixture", _mixture)
decimal_checker("online/specialists", _specialists)
decimal_checker("online/halving", _halving)
decimal_checker("online/weighted-majority", _majority)
decimal_checker("online/randomized-majority", _randomized)
decimal_checker("online/hedge", _hedge)
decimal_checker("online/ada-hedge", _ada_hedge)
decimal_checker("online/squint", _squint)
