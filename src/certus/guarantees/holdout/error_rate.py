"""The bound that everything else is measured against: an error rate from a count of errors."""

from certus.guarantees.holdout.rate import RateSetting, rate_bound
from certus.guarantees.records.bound_arguments import check_errors_and_rows
from certus.guarantees.records.certificate import Certificate


def error_bound(
    errors: int,
    rows: int,
    *,
    confidence: float = 0.95,
    side: str = "upper",
    method: str = "clopper-pearson",
    uses: int = 1,
) -> Certificate:
    """Bound the true error rate from `errors` mistakes on `rows` independent held-out rows.

    Clopper-Pearson: the largest p with P(Binomial(rows, p) <= errors) >= 1 - confidence. Exact: no other
    bound that depends on the count alone and grows with it is smaller.

    Parameters
    ----------
    errors, rows : int
        Mistakes, and rows looked at.
    confidence : float, default=0.95
        Probability with which the bound holds; both ends together for side="both".
    side : {"upper", "lower", "both"}, default="upper"
        Which side to bound.
    method : {"clopper-pearson", "kl", "hoeffding"}, default="clopper-pearson"
        The theorem to use; the others are wider and are there for comparison.
    uses : int, default=1
        How many candidates were scored on these rows, this one included; the bound pays for all of them.

    Returns
    -------
    Certificate
        `value` is the bound (a pair for side="both").

    Examples
    --------
    >>> bound = error_bound(15, 500)
    >>> round(bound.value, 5)
    0.04582
    >>> bound.claim
    'With confidence 95% the error is at most 4.582% (15 errors in 500 rows).'
    """
    errors, rows = check_errors_and_rows(errors, rows)
    return rate_bound(errors, rows, RateSetting(confidence=confidence, side=side, method=method, uses=uses))
