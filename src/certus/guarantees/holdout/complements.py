"""A score between 0 and 1 seen as a loss: what bounds the one from below bounds the other from above."""

from certus.guarantees.records import rules
from certus.guarantees.records.certificate import Certificate
from certus.guarantees.records.combine import part_of
from certus.guarantees.records.plain_values import decode
from certus.guarantees.records.rules import Derivation
from certus.guarantees.records.wording import confidence_percent, percent


def complement(certificate: Certificate) -> Certificate:
    """The upper bound on 1 - q that a lower bound on a score q in [0, 1] gives.

    Parameters
    ----------
    certificate : Certificate
        A lower bound whose trivial value is 0, such as that of `auc_bound` or `f_bound`.

    Examples
    --------
    >>> from certus.guarantees import complement, f_bound
    >>> loss = complement(f_bound(90, 5, 10))
    >>> str(loss.quantity), round(loss.value, 4), loss.check()
    ('1 - F1', 0.1182, True)
    """
    if certificate.direction != "lower" or certificate.trivial != 0.0:
        raise ValueError(f"a lower bound on a score between 0 and 1 is needed, got: {certificate.claim}")
    score = certificate.value
    assert isinstance(score, float)
    value, quantity = 1.0 - score, f"1 - {certificate.quantity}"
    return Certificate(
        claim=f"With confidence {confidence_percent(certificate.confidence)} {quantity} is at most "
        f"{percent(value, 'upper')}. {certificate.claim}",
        quantity=quantity,
        direction="upper",
        value=value,
        trivial=1.0,
        confidence=certificate.confidence,
        kind=certificate.kind,
        theorem=certificate.theorem,
        rule="complement",
        assumptions=certificate.assumptions,
        witness={"certificate": decode(certificate.to_dict(), "witness")},
    )


@rules.checker("complement")
def _check_complement(certificate: Certificate, data: object) -> Derivation:
    score = part_of(certificate.witness["certificate"])
    score.check(data)
    again = complement(score)
    return Derivation(again.value, error=0.0, slack=0.0, record=again)
