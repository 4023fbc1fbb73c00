"""The C-bound: the error of a majority vote from how often two voters both err and how often just one does."""

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from certus.guarantees.holdout import concentration
from certus.guarantees.records import rules
from certus.guarantees.records.bound_arguments import check_count
from certus.guarantees.records.certificate import Certificate
from certus.guarantees.records.confidence_levels import exact
from certus.guarantees.records.quantity import Quantity
from certus.guarantees.records.rules import Derivation
from certus.guarantees.records.wording import number, percent, plural
from certus.guarantees.training.pac_bayes_constant import log_xi_of_three, summed_log_xi
from certus.guarantees.training.risk_record import (
    check_divergence,
    check_level,
    check_share,
    failure_share,
    risk_record,
)
from certus.guarantees.votes.majority_votes import ASSUMED, QUANTITY
from certus.guarantees.votes.out_of_bag_counts import recount

THEOREM = "Risk Bounds for the Majority Vote, PAC-Bound 2 (Germain et al. 2015)"
RULE = "vote-c-bound"
_GOLDEN = (math.sqrt(5.0) - 1.0) / 2.0


def c_bound(
    gibbs: float,
    disagreement: float,
    rows: int,
    confidence: float = 0.95,
    *,
    kl: float = 0.0,
    uses: int = 1,
    out_of_bag: bool = False,
    quantity: Quantity | str = QUANTITY,
) -> Certificate:
    """Bound the error of a weighted vote by the C-bound, from the joint errors of two voters.

    With d the chance that exactly one of two drawn voters errs and e = gibbs - d/2 the chance that both do::

        C(d, e) = 1 - (1 - 2 e - d)^2 / (1 - 2 d),      the largest over all (d, e) with 2 e + d < 1 and
        kl((d_train, e_train), (d, e)) <= (2 KL + log((xi(rows) + rows) / delta)) / rows.

    Parameters
    ----------
    gibbs : float
        Average error rate of the voters, by weight.
    disagreement : float
        Share of rows on which exactly one of two drawn voters errs; with two classes, on which they differ.
    rows : int
        The fewest rows that any pair of voters was tested on.
    confidence : float, default=0.95
        Probability with which the bound holds.
    kl : float, default=0.0
        Relative entropy of the weights to weights fixed before the data; 0 for equal weights.
    uses : int, default=1
        Among how many such bounds the failure probability is shared.
    out_of_bag : bool, default=False
        Whether the rows are those that bagging left out, or rows held out from all voters.
    quantity : str, default="error of the vote"
        Name of the risk.

    Examples
    --------
    >>> round(c_bound(0.2, 0.3, 1000, kl=2.0).value, 4)
    0.3604
    """
    single, apart = check_share(gibbs, "gibbs"), check_share(disagreement, "disagreement")
    both = single - apart / 2.0
    if both < -1e-12 or both + apart > 1.0 + 1e-12:
        raise ValueError(
            f"gibbs must lie between disagreement/2 and 1 - disagreement/2, got gibbs={gibbs!r}, "
            f"disagreement={disagreement!r}.\nHint: gibbs = (both err) + (exactly one errs)/2."
        )
    total, divergence = check_count(rows, "rows", minimum=1), check_divergence(kl)
    level, paid = check_level(confidence, uses)
    budget = (2.0 * divergence + log_xi_of_three(total) - math.log(failure_share(level, paid))) / total
    value = largest_c(apart, max(0.0, both), budget * (1.0 + 1e-13))
    return _record(value, (single, apart, total, divergence, bool(out_of_bag)), level, paid, quantity)


def largest_c(apart: float, both: float, budget: float) -> float:
    """The largest C(d, e) within the budget, rounded up.

    By the chain rule of relative entropy the largest e for a given d is a one-dimensional inverse. C is concave
    (a square over a linear function), so the profile over d is too and a golden section finds its top.
    """
    if apart >= 1.0:
        return 1.0
    low = max(0.0, 1.0 - concentration.kl_upper(1.0 - apart, budget))
    high = min(0.5, concentration.kl_upper(apart, budget))

    def profile(d: float) -> float:
        rest = max(0.0, budget - concentration.kl(apart, d)) / (1.0 - apart)
        e = (1.0 - d) * concentration.kl_upper(min(1.0, both / (1.0 - apart)), rest)
        slope = 1.0 - 2.0 * e - d
        return 1.0 if slope <= 0.0 else 1.0 - slope * slope / (1.0 - 2.0 * d) if d < 0.5 else -math.inf

    low = min(low, high)
    left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    at_left, at_right = profile(left), profile(right)
    best = max(profile(low), profile(high), at_left, at_right)
    for _ in range(90):
        if best >= 1.0:
            return 1.0
        if at_left < at_right:
            low, left, at_left = left, right, at_right
            right = low + _GOLDEN * (high - low)
            at_right = profile(right)
        else:
            high, right, at_right = right, left, at_left
            left = high - _GOLDEN * (high - low)
            at_left = profile(left)
        best = max(best, at_left, at_right)
    return min(1.0, max(0.0, best) + 1e-12)


def _record(
    value: float, given: tuple[float, float, int, float, bool], confidence: float, uses: int, quantity: Quantity | str
) -> Certificate:
    gibbs, apart, rows, kl, out_of_bag = given
    return risk_record(
        value,
        quantity=quantity,
        basis=f"voters err on {percent(gibbs)} and exactly one of two on {percent(apart)} of at least "
        f"{plural(rows, 'row')} each, relative entropy {number(kl)}",
        confidence=confidence,
        uses=uses,
        theorem=THEOREM,
        rule=RULE,
        assumptions=ASSUMED[out_of_bag],
        inputs={"out_of_bag": out_of_bag},
        witness={"gibbs": gibbs, "disagreement": apart, "rows": rows, "kl": kl},
    )


@rules.checker(RULE)
def _check_c_bound(certificate: Certificate, data: ArrayLike | None) -> Derivation:
    """Walk around the boundary of the region in all directions from the observed pair, ever closer to the top."""
    witness, inputs = certificate.witness, certificate.inputs
    gibbs, apart = check_share(witness["gibbs"], "gibbs"), check_share(witness["disagreement"], "disagreement")
    rows, kl = check_count(witness["rows"], "rows", minimum=1), check_divergence(witness["kl"])
    if data is not None:
        names = {"gibbs": "joint", "disagreement": "disagreement", "rows": "pair_rows", "kl": "kl"}
        recount(certificate, data, names)
    delta = float((1 - exact(certificate.confidence)) / inputs["uses"])
    constant = math.log(math.exp(summed_log_xi(rows)) + rows)
    value = _around(apart, max(0.0, gibbs - apart / 2.0), (2.0 * kl + constant - math.log(delta)) / rows)
    stated = certificate.single_value
    given = (gibbs, apart, rows, kl, bool(inputs["out_of_bag"]))
    record = _record(stated, given, certificate.confidence, inputs["uses"], certificate.quantity)
    return Derivation(value, error=1e-8, scale=1e-2, record=record)


def _around(apart: float, both: float, budget: float) -> float:
    low, high, best = 0.0, 2.0 * math.pi, 0.0
    for _ in range(7):
        angles = np.linspace(low, high, 361)
        values = _c_on_boundary(apart, both, budget, angles)
        index = int(np.argmax(values))
        best, step = max(best, float(values[index])), (high - low) / 360
        low, high = angles[index] - 2 * step, angles[index] + 2 * step
    return min(1.0, best)


def _c_on_boundary(apart: float, both: float, budget: float, angles: np.ndarray) -> np.ndarray:
    """C at the end of the ray in each direction, capped at 1 where 2 e + d reaches 1."""
    inside, outside = np.zeros_like(angles), np.full_like(angles, 2.0)
    for _ in range(52):
        middle = (inside + outside) / 2
        within = _relative_entropy(apart, both, middle, angles) <= budget
        inside, outside = np.where(within, middle, inside), np.where(within, outside, middle)
    d, e = apart + inside * np.cos(angles), both + inside * np.sin(angles)
    slope = 1.0 - 2.0 * e - d
    # A ray that leaves the half-plane 2 e + d < 1 passes through C = 1 on its way.
    crossed = (slope <= 0.0) & (d < 0.5 + 1e-15)
    with np.errstate(divide="ignore", invalid="ignore"):
        values = np.where(d < 0.5, 1.0 - slope**2 / (1.0 - 2.0 * d), -np.inf)
    return np.where(crossed | (1.0 - 2.0 * both - apart <= 0.0), 1.0, values)


def _relative_entropy(apart: float, both: float, radius: np.ndarray, angles: np.ndarray) -> np.ndarray:
    d, e = apart + radius * np.cos(angles), both + radius * np.sin(angles)
    pairs = ((apart, d), (both, e), (max(0.0, 1.0 - apart - both), 1.0 - d - e))
    return np.sum([special.rel_entr(p, q) for p, q in pairs], axis=0)
