"""The regret of mirror descent, from the divergences that were observed."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from certus.guarantees.ledgers import Line
from certus.guarantees.records import rules

MIRROR = "online/mirror-descent"


def mirror_line(loss: float, comparator: float, eta: float, distance: float, moves: float) -> Line:
    """(D(u, w_1) + sum D(w_t, w_(t+1))) / eta, less a divergence that is not negative."""
    return Line(
        loss=loss,
        comparator=comparator,
        bound=(distance + moves) / eta,
        rule=MIRROR,
        theorem="Mirror descent (Nemirovski, Yudin 1983; Beck, Teboulle 2003)",
        facts={"eta": eta, "distance": distance, "moves": moves},
    )


@rules.checker(MIRROR)
def _check_mirror(certificate: Any, data: Any) -> float:
    del data
    eta, distance, moves = (Decimal(certificate.witness[name]) for name in ("eta", "distance", "moves"))
    return float(distance / eta + moves / eta)
