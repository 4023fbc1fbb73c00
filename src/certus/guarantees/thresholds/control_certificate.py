"""Certificates of guarded rates and their checkers.

`guard-monotone` confirms one binomial tail; `guard-search` repeats the whole multiple test from the counts in
the witness with summed tails and a plain loop. With data, the pair ``(scores, positive)``, the counts are
taken again from the rows.
"""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from certus.guarantees.holdout.binomial_tail import log_upper_tail
from certus.guarantees.records import rules
from certus.guarantees.records.certificate import Certificate
from certus.guarantees.records.certificate_error import CertificateError
from certus.guarantees.records.wording import count, percent
from certus.guarantees.thresholds.demanded_rates import RATES, Demand

_THEOREMS = {
    "guard-monotone": "Distribution-Free, Risk-Controlling Prediction Sets (Bates et al. 2021)",
    "guard-search": "Learn then Test: Calibrating Predictive Algorithms to Achieve Risk Control (Angelopoulos 2021)",
}
_SEARCH_KEYS = ("thresholds", "starts", "shares", "successes", "trials")


def monotone_certificate(
    demand: Demand, threshold: float, successes: int, trials: int, failure: Fraction
) -> Certificate:
    """A rate that is only safer on one side of the threshold: one test at the full level."""
    return _record(
        "guard-monotone",
        demand,
        failure,
        seen=(successes, trials),
        assumptions=("monotone-loss",),
        inputs={},
        witness={"threshold": threshold, "successes": successes, "trials": trials},
    )


def search_certificate(
    demand: Demand, chosen: int, failure: Fraction, procedure: str, grid: str, search: Mapping[str, Any]
) -> Certificate:
    """A rate at a threshold picked among several; `search` holds thresholds and the counts of all rates.

    Parameters
    ----------
    demand : Demand
        The rate that the certificate is about.
    chosen : int
        Index of the threshold.
    failure : Fraction
        Failure probability of the whole search.
    procedure : str
        How the search was paid for.
    grid : {"given", "ranks"}
        Whether the thresholds were given, or are scores of these rows at ranks fixed by their number alone.
    search : dict
        `thresholds`, `starts` of a fixed sequence, and `shares`, `successes`, `trials` by name of rate.
    """
    name = demand.rate.name
    fixed = ("candidates-fixed",) if grid == "given" else ()
    order = ("fixed-sequence",) if procedure == "fixed-sequence" else ()
    return _record(
        "guard-search",
        demand,
        failure,
        seen=(search["successes"][name][chosen], search["trials"][name][chosen]),
        assumptions=(*fixed, *order),
        inputs={"procedure": procedure, "grid": grid},
        witness={"threshold": search["thresholds"][chosen], "chosen": chosen, **search},
    )


def _record(
    rule: str,
    demand: Demand,
    failure: Fraction,
    seen: tuple[int, int],
    assumptions: tuple[str, ...],
    inputs: dict[str, Any],
    witness: dict[str, Any],
) -> Certificate:
    rate, target = demand.rate, float(demand.target)
    side = "least" if rate.at_least else "most"
    did = {"recall": "flagged", "precision": "positive"}.get(rate.name, "not flagged")
    return Certificate(
        claim=(
            f"Flagging scores of at least {witness['threshold']!r}, the {rate.words} is at {side} "
            f"{percent(target)} ({count(seen[0])} of {count(seen[1])} {rate.trials} were {did})."
        ),
        quantity=rate.words,
        direction="lower" if rate.at_least else "upper",
        value=target,
        trivial=0.0 if rate.at_least else 1.0,
        confidence=float(1 - failure),
        kind="probable",
        theorem=_THEOREMS[rule],
        rule=rule,
        assumptions=("iid", "independent-holdout", "fixed-sample-size", *assumptions),
        inputs={"rate": rate.name, "target": str(demand.target), "failure": str(failure), **inputs},
        witness=witness,
    )


def _declared(certificate: Certificate) -> tuple[Demand, Fraction]:
    inputs = certificate.inputs
    return Demand(RATES[inputs["rate"]], Fraction(inputs["target"])), Fraction(inputs["failure"])


def _passes(successes: int, trials: int, share: Fraction, level: Fraction) -> bool:
    """Summed-tail decision; below the expected number of successes nothing passes a level under one half."""
    if not 0 <= successes <= trials or (successes <= share * trials and 2 * level < 1):
        return False
    return log_upper_tail(successes, trials, float(share)) <= math.log(level) + 1e-9


@rules.checker("guard-monotone")
def _check_monotone(certificate: Certificate, data: tuple[ArrayLike, ArrayLike] | None) -> rules.Derivation:
    demand, failure = _declared(certificate)
    witness = certificate.witness
    successes, trials = witness["successes"], witness["trials"]
    if demand.rate.safe_side is None:
        raise CertificateError(f"{certificate.quantity}: this rate is not monotone in the threshold.")
    _recount(certificate, demand, [witness["threshold"]], [successes], [trials], data)
    if not _passes(successes, trials, demand.share, failure):
        raise CertificateError(f"{certificate.quantity}: {successes} of {trials} do not support the target.")
    record = monotone_certificate(demand, witness["threshold"], successes, trials, failure)
    return rules.Derivation(float(demand.target), error=0.0, slack=0.0, record=record)


@rules.checker("guard-search")
def _check_search(certificate: Certificate, data: tuple[ArrayLike, ArrayLike] | None) -> rules.Derivation:
    demand, failure = _declared(certificate)
    witness, name = certificate.witness, demand.rate.name
    procedure, chosen = certificate.inputs["procedure"], witness["chosen"]
    if Fraction(witness["shares"][name]) != demand.share:
        raise CertificateError(f"{certificate.quantity}: the search was not made for this target.")
    for rate, share in witness["shares"].items():
        other = Demand(RATES[rate], Fraction(share) if RATES[rate].at_least else 1 - Fraction(share))
        counts = witness["successes"][rate], witness["trials"][rate]
        _recount(certificate, other, witness["thresholds"], *counts, data)
    if not _search_passes(witness, failure, procedure, chosen):
        raise CertificateError(f"{certificate.quantity}: the chosen threshold does not pass by {procedure}.")
    search = {key: witness[key] for key in _SEARCH_KEYS}
    record = search_certificate(demand, chosen, failure, procedure, certificate.inputs["grid"], search)
    return rules.Derivation(float(demand.target), error=0.0, slack=0.0, record=record)


def _search_passes(witness: Mapping[str, Any], failure: Fraction, procedure: str, chosen: int) -> bool:
    size = len(witness["thresholds"])

    def passes(index: int, level: Fraction) -> bool:
        return all(
            _passes(witness["successes"][rate][index], witness["trials"][rate][index], Fraction(share), level)
            for rate, share in witness["shares"].items()
        )

    if procedure == "bonferroni":
        return passes(chosen, failure / size)
    if procedure == "fixed-sequence":
        level = failure / len(witness["starts"])
        begun = [start for start in witness["starts"] if start <= chosen]
        return bool(begun) and all(passes(index, level) for index in range(max(begun), chosen + 1))
    if procedure != "holm":
        return False
    # Holm in any order: the more thresholds have passed, the larger the level for those that remain.
    rejected: set[int] = set()
    while len(rejected) < size:
        level = failure / (size - len(rejected))
        more = next((i for i in range(size) if i not in rejected and passes(i, level)), None)
        if more is None:
            break
        rejected.add(more)
    return chosen in rejected


def _recount(
    certificate: Certificate,
    demand: Demand,
    thresholds: Sequence[float],
    successes: Sequence[int],
    trials: Sequence[int],
    data: tuple[ArrayLike, ArrayLike] | None,
) -> None:
    if data is None:
        return
    scores, positive = np.asarray(data[0], dtype=float), np.asarray(data[1], dtype=bool)
    for threshold, hits, size in zip(thresholds, successes, trials, strict=True):
        flagged = scores >= threshold
        chosen = {"recall": positive, "false_alarm": ~positive, "precision": flagged}.get(
            demand.rate.name, np.ones(len(scores), dtype=bool)
        )
        success = {"recall": flagged, "precision": positive}.get(demand.rate.name, ~flagged)
        if (int(np.sum(success & chosen)), int(np.sum(chosen))) != (hits, size):
            raise CertificateError(f"{certificate.quantity}: at {threshold!r} the rows do not give {hits} of {size}.")
