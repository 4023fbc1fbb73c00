"""The regret of forward ridge regression, against the best ridge regression in hindsight, at any moment."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import numpy as np
from scipy.linalg import solve_triangular

from certus.guarantees.ledgers import Line
from certus.guarantees.records import rules
from certus.online.learning.linear_state import LinearState

FORWARD = "online/forward-ridge"


def forward_line(state: LinearState) -> Line:
    """Loss minus min_u (sum (y - x'u)^2 + penalty |u|^2) is at most Y^2 ln det(I + X'X / penalty)."""
    loss, squares, largest = (float(state.number(name)[0]) for name in ("loss", "targets", "target"))
    growth = float(np.sum(2.0 * np.log(np.diag(state.matrix)) - math.log(state.penalty)))
    half = solve_triangular(state.matrix, state.vector(2)[0], trans="T")
    best = squares - float(half @ half)
    return Line(
        loss=loss,
        comparator=max(0.0, best),
        bound=largest**2 * max(0.0, growth),
        rule=FORWARD,
        theorem="Forward ridge regression (Vovk 2001; Azoury, Warmuth 2001)",
        facts={"largest": largest, "growth": max(0.0, growth)},
    )


@rules.checker(FORWARD)
def _check_forward(certificate: Any, data: Any = None) -> float:
    """With the rows (X, y, penalty), the determinant of the whole matrix; else the product again."""
    witness = certificate.witness
    if data is None:
        return float(Decimal(witness["largest"]) ** 2 * Decimal(witness["growth"]))
    X, y, penalty = data
    Z = np.asarray(X, dtype=np.float64)
    sign, log = np.linalg.slogdet(np.eye(Z.shape[1]) + Z.T @ Z / penalty)
    return float(np.max(np.abs(y)) ** 2 * log) if sign > 0 else math.inf
