"""The risk bound that an empirical Rademacher complexity gives."""

from typing import Any

from certus.guarantees.records import rules
from certus.guarantees.records.bound_arguments import check_count
from certus.guarantees.records.certificate import Certificate
from certus.guarantees.records.rules import Derivation
from certus.guarantees.training.additive_bounds import AdditiveBound
from certus.guarantees.training.risk_records import check_divergence, check_level, check_share

THEOREM = "Rademacher and Gaussian Complexities: Risk Bounds and Structural Results (Bartlett, Mendelson 2002)"
RULE = "rademacher-bound"


def rademacher_bound(
    risk: float, complexity: float, rows: int, confidence: float = 0.95, *, uses: int = 1, quantity: str = "error"
) -> Certificate:
    """Bound the risk of any hypothesis of a class by its training risk and the complexity of its losses.

    risk + 2 complexity + 3 sqrt(log(2/delta) / (2 rows)) for losses in [0, 1]. A reference value.

    Parameters
    ----------
    risk : float
        Training risk.
    complexity : float
        Empirical Rademacher complexity of the losses on these rows; for the 0/1 loss half that of predictions -1, 1.
    rows : int
        Training rows.
    confidence : float, default=0.95
        Probability with which the bound holds, given the complexity.
    uses : int, default=1
        Number of classes that were tried on these rows, this one included.
    quantity : str, default="error"
        Name of the risk.

    Examples
    --------
    >>> round(rademacher_bound(0.1, 0.02, 5000).value, 3)
    0.198
    """
    level, paid = check_level(confidence, uses)
    return _bound(risk, complexity, rows, quantity).certificate(level, paid)


def _bound(risk: object, complexity: object, rows: object, quantity: str) -> AdditiveBound:
    noise = check_divergence(complexity, "complexity")
    return AdditiveBound(
        risk=check_share(risk, "risk"),
        rows=check_count(rows, "rows", minimum=1),
        capacity=2.0 * noise,
        factor=3.0,
        parts=2,
        theorem=THEOREM,
        rule=RULE,
        assumptions=("class-fixed", "bounded-range"),
        quantity=quantity,
        basis="training risk",
        extra={"complexity": noise},
    )


@rules.checker(RULE)
def _check(certificate: Certificate, data: Any) -> Derivation:
    witness = certificate.witness
    bound = _bound(witness["risk"], certificate.inputs["complexity"], witness["rows"], certificate.quantity)
    return bound.derivation(certificate, data)
