"""What a drift leaves standing: certificates that rest on an unchanged distribution are void, others are not."""

from certus.guarantees.records.certificate import Certificate

# Each of these ties the claim to the distribution that the certificate's own rows came from.
BOUND_TO_THE_PAST = frozenset(
    {"iid", "exchangeable", "constant-mean", "known-weights", "correct-model", "gaussian", "asymptotic", "realizable"}
)


def void_after_drift(certificate: Certificate) -> str:
    """Why a drift voids the certificate; empty if it stands.

    Examples
    --------
    >>> from certus.guarantees import error_bound, strong_convexity_gap
    >>> void_after_drift(error_bound(15, 500))
    'it is about rows like those it was made from (iid), and new rows are not like them'
    >>> void_after_drift(strong_convexity_gap(1e-4, 0.5, 12.0))
    ''
    """
    if not certificate.guaranteed:
        return "it was an estimate of the past and no promise"
    tied = [token for token in certificate.assumptions if token in BOUND_TO_THE_PAST]
    if not tied:
        return ""
    return f"it is about rows like those it was made from ({', '.join(tied)}), and new rows are not like them"
