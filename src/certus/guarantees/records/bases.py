"""What a bound rests on, and the certificates that are written from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from certus.guarantees.records.certificate import Certificate
from certus.guarantees.records.quantity import Quantity

Bound = float | tuple[float, float]
Facts = Mapping[str, Any]


@dataclass(frozen=True)
class Basis:
    """The checker, the theorem and the assumptions of a bound.

    Examples
    --------
    >>> basis = Basis("linear/separation", "A theorem (1984)", ("convex",))
    >>> print(basis.exact("The columns separate the classes.", "separation", "lower", 3.0, 0.0, {}, {}))
    The columns separate the classes. [always; A theorem (1984)]
    """

    rule: str
    theorem: str
    assumptions: tuple[str, ...] = ()

    def exact(
        self,
        claim: str,
        quantity: Quantity | str,
        direction: str,
        value: Bound,
        trivial: Bound,
        inputs: Facts,
        witness: Facts,
        *,
        confidence: float = 1.0,
        kind: str = "exact",
    ) -> Certificate:
        """The certificate of what always holds."""
        given = {"inputs": inputs, "witness": witness, "confidence": confidence, "kind": kind, **vars(self)}
        return Certificate(claim=claim, quantity=quantity, direction=direction, value=value, trivial=trivial, **given)

    def probable(self, confidence: float, *claim: Any) -> Certificate:
        """The certificate of what holds with this probability over the sample; further arguments as for `exact`."""
        return self.exact(*claim, confidence=confidence, kind="probable")
