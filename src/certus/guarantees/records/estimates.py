"""A guarantee about one model read as an estimate about another one that resembles it."""

from dataclasses import replace

from certus.guarantees.records import rules
from certus.guarantees.records.certificate import Certificate
from certus.guarantees.records.combine import part_of
from certus.guarantees.records.plain_values import decode
from certus.guarantees.records.rules import Derivation

_CLAIM = "An estimate, not a guarantee ({reason}). About the model that it was proved for: {claim}"
_CLAIM_ON_THESE_ROWS = "An estimate, not a guarantee: {reason}. Without that: {claim}"
_CLAIM_OF_0_1_0 = "An estimate, not a guarantee ({reason}). For the model without that: {claim}"


def as_estimate(certificate: Certificate, reason: str) -> Certificate:
    """The same number, promised by nobody: it was proved for another model.

    Parameters
    ----------
    certificate : Certificate
        What holds for the model that it was made for.
    reason : str
        How the model at hand differs from that one.

    Examples
    --------
    >>> from certus.guarantees import error_bound
    >>> from certus.guarantees.records.estimates import as_estimate
    >>> told = as_estimate(error_bound(15, 500), "trained on more rows")
    >>> told.guaranteed, told.check()
    (False, True)
    """
    return Certificate(
        claim=_CLAIM.format(reason=reason, claim=certificate.claim),
        quantity=certificate.quantity,
        direction=certificate.direction,
        value=certificate.value,
        trivial=certificate.trivial,
        confidence=0.0,
        kind="estimate",
        theorem=certificate.theorem,
        rule="estimate",
        assumptions=certificate.assumptions,
        inputs={"reason": reason},
        witness={"certificate": decode(certificate.to_dict(), "witness")},
        fingerprint=certificate.fingerprint,
    )


def without_promise(certificate: Certificate, reason: str) -> Certificate:
    """The same number about the same model, promised by nobody: the rows behind it are not what they should be.

    Parameters
    ----------
    certificate : Certificate
        What would hold if the rows were untouched.
    reason : str
        What is the matter with them.
    """
    told = as_estimate(certificate, reason)
    return replace(told, claim=_CLAIM_ON_THESE_ROWS.format(reason=reason, claim=certificate.claim))


@rules.checker("estimate")
def _check_estimate(certificate: Certificate, data: object) -> Derivation:
    proved = part_of(certificate.witness["certificate"])
    proved.check(data)
    reason = str(certificate.inputs["reason"])
    again = as_estimate(proved, reason)
    others = (_CLAIM_OF_0_1_0, _CLAIM_ON_THESE_ROWS)
    if certificate.claim in [form.format(reason=reason, claim=proved.claim) for form in others]:
        again = replace(again, claim=certificate.claim)
    return Derivation(again.value, error=0.0, slack=0.0, record=again)
