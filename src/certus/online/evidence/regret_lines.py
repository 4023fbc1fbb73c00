"""Bounds on regret from observed gradients.

For a convex loss, l(w_t) - l(u) <= g_t'(w_t - u): the regret is at most the linear regret sum g_t'w_t - u'sum g_t. Its
two sides are kept along the stream, and the worst u of a class is known at any moment. The theorems bound the linear
regret in turn.
"""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import numpy as np

from certus.guarantees.ledgers import Line
from certus.guarantees.records import Derivation, rules
from certus.online._native_calls.stream_kernels import UNLIMITED
from certus.online.learning.linear_state import LinearState

CONVEX = "online/convex-regret"
GRADIENT = "online/gradient-steps"
ADAPTIVE = "online/adaptive-steps"
ENTROPIC = "online/exponentiated-gradient"
LINEAR = "regret of the linearized losses"


def gradient_line(state: LinearState, eta: float, radius: float) -> Line:
    """All u with |u| <= radius: U^2 / (2 eta) + (eta / 2) sum |g_t|^2 per problem."""
    lengths = np.sqrt((state.vector(1) ** 2).sum(axis=1))
    problems, squares = state.problems, float(state.number("squares").sum())
    return Line(
        quantity=LINEAR,
        loss=float(state.number("linear").sum()),
        comparator=-radius * float(lengths.sum()),
        bound=problems * radius**2 / (2.0 * eta) + eta * squares / 2.0,
        rule=GRADIENT,
        theorem="Online gradient descent (Zinkevich 2003)",
        facts={"problems": problems, "radius": radius, "eta": eta, "squares": squares},
    )


@rules.checker(GRADIENT)
def _check_gradient(certificate: Any, data: Any) -> float:
    """The sum of its telescope and of its steps, each with exact numbers."""
    del data
    witness = {name: Decimal(value) for name, value in certificate.witness.items()}
    telescope = witness["problems"] * witness["radius"] ** 2 / witness["eta"]
    return float((telescope + witness["eta"] * witness["squares"]) / 2)


def adaptive_line(state: LinearState, eta: float, radius: float) -> Line:
    """All u with |u_j| max |x_tj| <= radius: D_j = 2 radius / max |x_tj| for every coordinate."""
    limits, squares, totals = (state.vector(field) for field in (1, 2, 3))
    met = limits < UNLIMITED
    limits = np.where(met, limits, 0.0) * state.number("unit")[:, None]
    spread = float((limits * np.sqrt(squares)).sum())
    jumps, falls = (float((state.number("unit") * state.number(name)).sum()) for name in ("jumps", "falls"))
    return Line(
        quantity=LINEAR,
        loss=float(state.number("linear").sum()),
        comparator=-float((limits * np.abs(totals)).sum()),
        bound=2.0 * radius / eta * (spread + jumps) + eta / radius * (spread + falls),
        rule=ADAPTIVE,
        theorem="Adaptive gradients, column by column (McMahan, Streeter 2010; Duchi, Hazan, Singer 2011)",
        facts={"radius": radius, "eta": eta, "spread": spread, "jumps": jumps, "falls": falls},
        since=int(state.number("since")[0]),
    )


@rules.checker(ADAPTIVE)
def _check_adaptive(certificate: Any, data: Any) -> float:
    """Half the squared widths of the box over the last steps, and twice the roots of the sums."""
    del data
    radius, eta, spread, jumps, falls = (
        Decimal(certificate.witness[name]) for name in ("radius", "eta", "spread", "jumps", "falls")
    )
    width = 2 * radius  # of the box, in units of the largest |x_tj|
    return float(width**2 / 2 * (spread + jumps) / (radius * eta) + eta * 2 * (spread + falls) / (2 * radius))


def entropic_line(state: LinearState, radius: float) -> Line:
    """All u with sum |u_j| <= radius: radius (ln(2 n) / a + sum a_t max_j g_tj^2 / 2) per problem."""
    rates, moves = state.number("rate"), float(state.number("moves").sum())
    logs = math.log(2.0 * (state.columns + 1))
    inverse = float(sum(1.0 / rate for rate in rates if rate > 0.0))
    return Line(
        quantity=LINEAR,
        loss=float(state.number("linear").sum()),
        comparator=-radius * float(np.abs(state.vector(1)).max(axis=1).sum()),
        bound=radius * (logs * inverse + moves / 2.0),
        rule=ENTROPIC,
        theorem="Exponentiated gradient, two-sided (Kivinen, Warmuth 1997)",
        facts={"radius": radius, "columns": state.columns + 1, "inverse": inverse, "moves": moves},
    )


@rules.checker(ENTROPIC)
def _check_entropic(certificate: Any, data: Any) -> float:
    del data
    witness = {name: Decimal(value) for name, value in certificate.witness.items()}
    experts = 2 * witness["columns"]
    return float(witness["radius"] * (experts.ln() * witness["inverse"] + witness["moves"] / 2))


def convex_line(loss: float, comparator: float, linear: float, inner: float, since: int) -> Line:
    """One u: the regret is at most sum g_t'w_t - u'sum g_t."""
    return Line(
        loss=loss,
        comparator=comparator,
        bound=linear - inner + 1e-12 * (abs(linear) + abs(inner)),
        rule=CONVEX,
        theorem="A convex loss lies above its tangents, with observed gradients",
        facts={"linear": linear, "inner": inner},
        since=since,
    )


@rules.checker(CONVEX)
def _check_convex(certificate: Any, data: Any) -> Derivation:
    del data
    linear, inner = (Decimal(certificate.witness[name]) for name in ("linear", "inner"))
    return Derivation(float(linear - inner), error=1e-9, scale=float(abs(linear) + abs(inner)) * 1e-3)
