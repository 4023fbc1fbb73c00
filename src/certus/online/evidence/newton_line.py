"""The regret of online Newton steps, from the curvature that was observed."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from certus.guarantees.ledgers import Line
from certus.guarantees.records import rules

NEWTON = "online/newton-steps"


def newton_line(loss: float, comparator: float, gamma: float, moves: float, spread: float) -> Line:
    """Sum g'A^-1 g / (2 gamma) + gamma / 2 (sum (g'(w - u))^2 + penalty |u|^2), ``spread`` the bracket."""
    return Line(
        loss=loss,
        comparator=comparator,
        bound=moves / (2.0 * gamma) + gamma / 2.0 * spread,
        rule=NEWTON,
        theorem="Online Newton steps, with observed gradients (Hazan, Agarwal, Kale 2007)",
        facts={"gamma": gamma, "moves": moves, "spread": spread},
    )


@rules.checker(NEWTON)
def _check_newton(certificate: Any, data: Any) -> float:
    del data
    gamma, moves, spread = (Decimal(certificate.witness[name]) for name in ("gamma", "moves", "spread"))
    return float((moves / gamma + gamma * spread) / 2)
