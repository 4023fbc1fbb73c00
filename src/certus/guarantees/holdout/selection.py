"""The best of several candidates on the same rows: its price, and who cannot be excluded."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from certus.guarantees.holdout.exact_tests import half_tail
from certus.guarantees.records import rules
from certus.guarantees.records.assumptions import holdout_tokens
from certus.guarantees.records.certificate import Certificate
from certus.guarantees.records.certificate_error import CertificateError
from certus.guarantees.records.confidence_levels import check_confidence, exact
from certus.guarantees.records.rules import Derivation
from certus.guarantees.records.wording import confidence_percent, plural

THEOREM = "Note on the sampling error of the difference between correlated proportions (McNemar 1947), union bound"


def discordant_counts(wrong: np.ndarray) -> np.ndarray:
    """Table whose entry (i, j) counts the rows on which candidate i is wrong and j is right."""
    flags = wrong.astype(np.float64)
    return np.rint(flags @ (1.0 - flags).T).astype(np.int64)


def worse_pvalues(counts: np.ndarray) -> np.ndarray:
    """p[i, j]: exact one-sided p-value of "i errs no more often than j"; 1 on the diagonal."""
    size = len(counts)
    pvalues = np.ones((size, size))
    for i in range(size):
        for j in range(size):
            if i != j:
                pvalues[i, j] = half_tail(int(counts[i, j]), int(counts[i, j] + counts[j, i]))
    return pvalues


def not_excluded(pvalues: np.ndarray, confidence: float) -> list[int]:
    """Candidates that are not proven worse than some other.

    Candidate i is excluded when its smallest p-value times (candidates - 1) is at most 1 - confidence. The
    truly best candidate is worse than nobody, so it is excluded with probability at most 1 - confidence.
    """
    size = len(pvalues)
    limit = float((1 - exact(confidence)) / max(1, size - 1))
    return [i for i in range(size) if size == 1 or np.min(np.delete(pvalues[i], i)) > limit]


def shortlist_certificate(names: Sequence[str], counts: np.ndarray, *, confidence: float = 0.95) -> Certificate:
    """Certify that the truly best candidate is among those that cannot be excluded.

    Parameters
    ----------
    names : sequence of str
        The candidates, in the order of `counts`.
    counts : array of shape (candidates, candidates)
        From `discordant_counts`.

    Returns
    -------
    Certificate
        `value` is the length of the shortlist and `inputs["shortlist"]` its names.
    """
    check_confidence(confidence)
    kept = not_excluded(worse_pvalues(counts), confidence)
    return _record(tuple(map(str, names)), counts.tolist(), [str(names[i]) for i in kept], confidence)


def _record(names: Sequence[str], counts: ArrayLike, kept: Sequence[str], confidence: float) -> Certificate:
    listed = ", ".join(kept)
    return Certificate(
        claim=f"With confidence {confidence_percent(confidence)} the candidate with the smallest error is among "
        f"{listed} ({plural(len(kept), 'candidate')} of {len(names)} cannot be excluded).",
        quantity="shortlist",
        direction="set",
        value=float(len(kept)),
        trivial=float(len(names)),
        confidence=confidence,
        kind="probable",
        theorem=THEOREM,
        rule="shortlist",
        assumptions=holdout_tokens(2, "paired-rows"),
        inputs={"shortlist": list(kept)},
        witness={"names": list(names), "discordant": counts},
    )


@rules.checker("shortlist")
def _check_shortlist(certificate: Certificate, data: ArrayLike | None) -> Derivation:
    """`data`, if given, is the (candidates, rows) table of mistakes."""
    names = certificate.witness["names"]
    counts = np.array(certificate.witness["discordant"], dtype=np.int64)
    if counts.shape != (len(names), len(names)) or (counts < 0).any():
        raise CertificateError("shortlist: the witness must be a table of counts, candidates x candidates.")
    if data is not None:
        wrong = np.asarray(data, dtype=bool)
        again = [[int((a & ~b).sum()) for b in wrong] for a in wrong]
        if again != counts.tolist():
            raise CertificateError("shortlist: the mistakes do not give the counts of the witness.")
    limit = (1 - exact(certificate.confidence)) / max(1, len(names) - 1)
    kept = []
    for i, name in enumerate(names):
        tails = [summed_half_tail(counts[i, j], counts[j, i]) for j in range(len(names)) if j != i]
        if not tails or min(tails) > float(limit):
            kept.append(name)
    record = _record(names, certificate.witness["discordant"], kept, certificate.confidence)
    return Derivation(float(len(kept)), error=0.0, slack=0.0, record=record)


def summed_half_tail(mine: int, theirs: int) -> float:
    """P(Binomial(mine + theirs, 1/2) >= mine) in whole numbers: the second route."""
    trials, term, total = int(mine) + int(theirs), 1, 1
    for k in range(int(theirs)):  # binomial coefficients from the top down
        term = term * (trials - k) // (k + 1)
        total += term
    return total / 2**trials if trials < 1000 else _big_ratio(total, trials)


def _big_ratio(total: int, trials: int) -> float:
    """Total / 2^trials without overflow, correctly rounded enough for a comparison."""
    shift = max(0, total.bit_length() - 64)
    return float(np.ldexp(float(total >> shift), shift - trials))
