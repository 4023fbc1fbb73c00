"""Risk bounds of the form "training risk + capacity + factor sqrt(log(parts/delta) / (2 rows))".

The formula is evaluated in floating point and rounded up; the checker evaluates it in 50 decimal digits.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal, localcontext
from typing import Any

from numpy.typing import ArrayLike

from certus.guarantees.holdout import concentration
from certus.guarantees.records.bound_arguments import check_count
from certus.guarantees.records.certificate import Certificate
from certus.guarantees.records.quantity import Quantity
from certus.guarantees.records.rules import Derivation
from certus.guarantees.records.wording import number, plural
from certus.guarantees.training.risk_record import compare_mean, failure_share, risk_record


@dataclass(frozen=True)
class AdditiveBound:
    """Everything that the certificate of such a bound says.

    Parameters
    ----------
    risk : float
        What the bound starts from: training risk, share of rows below a margin, leave-one-out risk.
    rows : int
        Training rows.
    capacity : float
        The term that does not depend on the confidence.
    factor : float
        Factor of the confidence term.
    parts : int
        Into how many parts the proof splits the failure probability.
    basis : str
        What the bound rests on, in words; the numbers are added.
    extra : mapping
        Numbers that `capacity` and `factor` follow from, for the checker.
    """

    risk: float
    rows: int
    capacity: float
    factor: float
    parts: int
    theorem: str
    rule: str
    assumptions: tuple[str, ...]
    quantity: Quantity | str
    basis: str
    largest: float = 1.0
    extra: Mapping[str, Any] = field(default_factory=dict)

    def certificate(self, confidence: float, uses: int) -> Certificate:
        """The bound, rounded up and clipped to the range of the loss."""
        level = math.log(self.parts) - math.log(failure_share(confidence, uses))
        value = self.risk + self.capacity + self.factor * math.sqrt(level / (2.0 * self.rows))
        return self.record(min(self.largest, value * (1.0 + 1e-13)), confidence, uses)

    def record(self, value: float, confidence: float, uses: int) -> Certificate:
        return risk_record(
            value,
            quantity=self.quantity,
            basis=f"{self.basis} {number(self.risk)} on {plural(self.rows, 'row')}, capacity {number(self.capacity)}",
            confidence=confidence,
            uses=uses,
            theorem=self.theorem,
            rule=self.rule,
            assumptions=self.assumptions,
            inputs=dict(self.extra),
            witness={"risk": self.risk, "rows": self.rows},
            trivial=self.largest,
        )

    def derivation(self, certificate: Certificate, data: ArrayLike | None) -> Derivation:
        """The second route. `data`, if given, are the losses whose mean is `risk`, one per row."""
        uses = check_count(certificate.inputs["uses"], "uses", minimum=1)
        compare_mean(certificate, data, self.risk, self.rows)
        level = concentration.log_level_decimal(certificate.confidence, self.parts * uses)
        with localcontext(prec=50):
            width = Decimal(self.factor) * (level / (2 * self.rows)).sqrt()
            value = float(Decimal(self.risk) + Decimal(self.capacity) + width)
        record = self.record(certificate.single_value, certificate.confidence, uses)
        return Derivation(min(self.largest, value), error=1e-12, record=record)
