"""The error of a majority vote from how often its voters err, alone and in pairs.

A vote errs only where voters of at least half the weight err. With W the weight that errs on a row, the Gibbs
risk is g = E[W] and the tandem risk t = E[W^2], the chance that two drawn voters err on the same row::

    P(W >= 1/2) <= 2 g                                      first order (Markov)
    P(W >= 1/2) <= 4 t                                      tandem (Markov of second order)
    P(W >= 1/2) <= (t - 2 mu g + mu^2) / (1/2 - mu)^2       Chebyshev-Cantelli, any mu < 1/2

Empirical risks enter through PAC-Bayes-kl; pairs of voters cost twice the relative entropy.
"""

from numpy.typing import ArrayLike

from certus.guarantees.records import rules
from certus.guarantees.records.bound_arguments import check_count
from certus.guarantees.records.certificate import Certificate
from certus.guarantees.records.quantity import Quantity
from certus.guarantees.records.rules import Derivation
from certus.guarantees.records.wording import number, percent, plural
from certus.guarantees.training.pac_bayes import kl_budget, risk_upper, second_route
from certus.guarantees.training.risk_record import (
    check_divergence,
    check_level,
    check_share,
    failure_share,
    risk_record,
)
from certus.guarantees.votes.out_of_bag_counts import recount

FIRST_ORDER = "PAC-Bayes and Margins (Langford, Shawe-Taylor 2003), first order"
TANDEM = "Second Order PAC-Bayesian Bounds for the Weighted Majority Vote (Masegosa et al. 2020)"
CANTELLI = "Chebyshev-Cantelli PAC-Bayes-Bennett Inequality for the Weighted Majority Vote (Wu et al. 2021)"
ASSUMED = {True: ("prior-fixed", "out-of-bag"), False: ("prior-fixed", "independent-holdout")}
QUANTITY = "error of the vote"


def first_order_bound(
    gibbs: float,
    rows: int,
    confidence: float = 0.95,
    *,
    kl: float = 0.0,
    uses: int = 1,
    out_of_bag: bool = False,
    quantity: Quantity | str = QUANTITY,
) -> Certificate:
    """Bound the error of a weighted vote by twice the risk of a voter drawn by weight.

    Parameters
    ----------
    gibbs : float
        Weighted average of the voters' error rates on rows that they have not seen.
    rows : int
        The fewest rows that any voter was tested on.
    confidence : float, default=0.95
        Probability with which the bound holds.
    kl : float, default=0.0
        Relative entropy of the weights to weights fixed before the data; 0 for equal weights.
    uses : int, default=1
        Among how many such bounds the failure probability is shared.
    out_of_bag : bool, default=False
        Whether the rows are those that bagging left out, voter by voter, or rows held out from all voters.
    quantity : str, default="error of the vote"
        Name of the risk.

    Examples
    --------
    >>> round(first_order_bound(0.1, 1000).value, 3)
    0.276
    """
    return _pairs_or_single("first-order", gibbs, rows, confidence, kl, uses, out_of_bag, quantity)


def tandem_bound(
    tandem: float,
    rows: int,
    confidence: float = 0.95,
    *,
    kl: float = 0.0,
    uses: int = 1,
    out_of_bag: bool = False,
    quantity: Quantity | str = QUANTITY,
) -> Certificate:
    """Bound the error of a weighted vote by four times the chance that two voters err together.

    Parameters are those of `first_order_bound`; `tandem` is the weighted average over pairs of voters, a voter
    with itself included, of the share of their common rows on which both err, and `rows` the fewest common rows.

    Examples
    --------
    >>> round(tandem_bound(0.02, 1000).value, 3)
    0.163
    """
    return _pairs_or_single("tandem", tandem, rows, confidence, kl, uses, out_of_bag, quantity)


FACTORS = {"first-order": (2.0, 1.0, FIRST_ORDER), "tandem": (4.0, 2.0, TANDEM)}


def _pairs_or_single(
    name: str,
    risk: object,
    rows: object,
    confidence: object,
    kl: object,
    uses: object,
    out_of_bag: bool,
    quantity: Quantity | str,
) -> Certificate:
    factor, entropies, _ = FACTORS[name]
    share = check_share(risk, "gibbs" if name == "first-order" else "tandem")
    total, divergence = check_count(rows, "rows", minimum=1), check_divergence(kl)
    level, paid = check_level(confidence, uses)
    budget = kl_budget(entropies * divergence, total, failure_share(level, paid))
    value = min(1.0, factor * risk_upper(share, budget))
    return _record(name, value, (share, total, divergence, bool(out_of_bag)), level, paid, quantity)


def _record(
    name: str,
    value: float,
    given: tuple[float, int, float, bool],
    confidence: float,
    uses: int,
    quantity: Quantity | str,
) -> Certificate:
    risk, rows, kl, out_of_bag = given
    what = "voters err" if name == "first-order" else "pairs of voters both err"
    return risk_record(
        value,
        quantity=quantity,
        basis=f"{what} on {percent(risk)} of at least {plural(rows, 'row')} each, relative entropy {number(kl)}",
        confidence=confidence,
        uses=uses,
        theorem=FACTORS[name][2],
        rule=f"vote-{name}",
        assumptions=ASSUMED[out_of_bag],
        inputs={"out_of_bag": out_of_bag},
        witness={"risk": risk, "rows": rows, "kl": kl},
    )


def _check_markov(certificate: Certificate, data: ArrayLike | None) -> Derivation:
    name = certificate.rule.removeprefix("vote-")
    factor, entropies, _ = FACTORS[name]
    witness, inputs = certificate.witness, certificate.inputs
    given = (
        check_share(witness["risk"], "risk"),
        check_count(witness["rows"], "rows", minimum=1),
        check_divergence(witness["kl"]),
        bool(inputs["out_of_bag"]),
    )
    if data is not None:
        counted = ("gibbs", "rows") if name == "first-order" else ("tandem", "pair_rows")
        recount(certificate, data, {"risk": counted[0], "rows": counted[1], "kl": "kl"})
    high = second_route(given[0], entropies * given[2], given[1], certificate.confidence, inputs["uses"])
    stated = certificate.single_value
    record = _record(name, stated, given, certificate.confidence, inputs["uses"], certificate.quantity)
    return Derivation(min(1.0, factor * high), error=1e-11, scale=1e-3, record=record)


for _name in FACTORS:
    rules.checker(f"vote-{_name}")(_check_markov)


def cantelli_bound(
    gibbs: float,
    gibbs_rows: int,
    tandem: float,
    tandem_rows: int,
    confidence: float = 0.95,
    *,
    kl: float = 0.0,
    uses: int = 1,
    out_of_bag: bool = False,
    quantity: Quantity | str = QUANTITY,
) -> Certificate:
    """Bound the error of a weighted vote by Chebyshev and Cantelli's inequality with the best mu in [0, 1/2).

    The tandem risk is bounded from above and the Gibbs risk from below, each with half the failure probability;
    both hold for all weights, so that mu may be chosen afterwards. With mu = 0 it is the tandem bound.

    Examples
    --------
    >>> round(cantelli_bound(0.2, 4000, 0.05, 4000).value, 3)
    0.246
    """
    single, pair = check_share(gibbs, "gibbs"), check_share(tandem, "tandem")
    rows = check_count(gibbs_rows, "gibbs_rows", minimum=1), check_count(tandem_rows, "tandem_rows", minimum=1)
    divergence = check_divergence(kl)
    level, paid = check_level(confidence, uses)
    delta = failure_share(level, 2 * paid)
    above = risk_upper(pair, kl_budget(2.0 * divergence, rows[1], delta))
    below = max(0.0, 1.0 - risk_upper(1.0 - single, kl_budget(divergence, rows[0], delta)) - 1e-15)
    given = (single, rows[0], pair, rows[1], divergence, bool(out_of_bag))
    return _cantelli_record(min(1.0, cantelli(above, below) * (1 + 1e-13)), given, level, paid, quantity)


def cantelli(tandem: float, gibbs: float) -> float:
    """Min over mu in [0, 1/2) of (tandem - 2 mu gibbs + mu^2) / (1/2 - mu)^2.

    The derivative vanishes at mu = (gibbs/2 - tandem) / (1/2 - gibbs). Risks with tandem < gibbs^2, which no vote
    has, and a Gibbs risk of 1/2 or more are left with mu = 0.
    """
    if gibbs >= 0.5 or tandem < gibbs * gibbs:
        return 4.0 * tandem
    mu = (0.5 * gibbs - tandem) / (0.5 - gibbs)
    if not 0.0 < mu < 0.5:
        return 4.0 * tandem
    return (tandem - 2.0 * mu * gibbs + mu * mu) / (0.5 - mu) ** 2


def _cantelli_record(
    value: float,
    given: tuple[float, int, float, int, float, bool],
    confidence: float,
    uses: int,
    quantity: Quantity | str,
) -> Certificate:
    gibbs, gibbs_rows, tandem, tandem_rows, kl, out_of_bag = given
    return risk_record(
        value,
        quantity=quantity,
        basis=f"voters err on {percent(gibbs)} of at least {plural(gibbs_rows, 'row')} each, pairs both on "
        f"{percent(tandem)} of at least {plural(tandem_rows, 'row')}, relative entropy {number(kl)}",
        confidence=confidence,
        uses=uses,
        theorem=CANTELLI,
        rule="vote-cantelli",
        assumptions=ASSUMED[out_of_bag],
        inputs={"out_of_bag": out_of_bag},
        witness={"gibbs": gibbs, "gibbs_rows": gibbs_rows, "tandem": tandem, "tandem_rows": tandem_rows, "kl": kl},
    )


@rules.checker("vote-cantelli")
def _check_cantelli(certificate: Certificate, data: ArrayLike | None) -> Derivation:
    """Both risks in 50 digits, and mu by trying many values around ever smaller intervals."""
    witness, inputs = certificate.witness, certificate.inputs
    uses, confidence = inputs["uses"], certificate.confidence
    gibbs, tandem = check_share(witness["gibbs"], "gibbs"), check_share(witness["tandem"], "tandem")
    rows = [check_count(witness[name], name, minimum=1) for name in ("gibbs_rows", "tandem_rows")]
    kl = check_divergence(witness["kl"])
    if data is not None:
        same = ("gibbs", "tandem", "kl")
        recount(
            certificate, data, {**dict(zip(same, same, strict=True)), "gibbs_rows": "rows", "tandem_rows": "pair_rows"}
        )
    above = second_route(tandem, 2.0 * kl, rows[1], confidence, 2 * uses)
    below = max(0.0, 1.0 - second_route(1.0 - gibbs, kl, rows[0], confidence, 2 * uses))
    low, high, best = 0.0, 0.5, 4.0 * above
    for _ in range(0 if below >= 0.5 or above < below * below else 40):
        grid = [low + (high - low) * i / 16 for i in range(16 + (high < 0.5))]
        values = [(above - 2.0 * mu * below + mu * mu) / (0.5 - mu) ** 2 for mu in grid]
        index = values.index(min(values))
        best, step = min(best, values[index]), (high - low) / 16
        low, high = max(0.0, grid[index] - step), min(high, grid[index] + step)
    stated = certificate.single_value
    given = (gibbs, rows[0], tandem, rows[1], kl, bool(inputs["out_of_bag"]))
    record = _cantelli_record(stated, given, confidence, uses, certificate.quantity)
    return Derivation(min(1.0, best), error=1e-9, scale=1e-3, record=record)
