"""The perceptron's mistake bound on separable rows, and the second route by which it is checked.

If some (v, c) of length 1 has y_i (x_i'v + a c) >= margin > 0 on all rows, where a is the constant that stands for the
intercept, and all rows (x, a) have length at most R, then the perceptron, started at 0, makes at most (R / margin)^2
updates, however often and in whatever order it sees these rows (Novikoff 1962).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.guarantees import Certificate
from certus.guarantees.records import Derivation, rules
from certus.guarantees.training import check_margins, check_mistake_bound, mistake_bound, training_data
from certus.linear.design.moments import gamma
from certus.linear.problems.box_problem import MachineTable, classification
from certus.linear.solvers.box_newton import BoxNewton

Array = NDArray[np.float64]
RULE = "linear/perceptron-mistakes"
STEPS = 60  # Newton steps spent on widening the margin


def mistake_certificate(table: MachineTable, targets: Array, learned: Array, updates: Array) -> Certificate | None:
    """The bound for all problems together, or None if one of them is not separated.

    ``learned`` are the perceptron's coefficients (with the constant's), which separate the rows; a support vector
    machine with a high cost looks for a wider margin, and the wider of the two is used.
    """
    radius = float(table.lengths.max(initial=0.0)) * (1.0 + 4.0 * gamma(table.width + 8))
    directions, margins = [], []
    for target, w in zip(targets, learned, strict=True):
        found = max((_margin(table, target, v), k) for k, v in enumerate((w, _wide(table, target, radius))))
        if found[0] <= 0.0:
            return None
        margins.append(found[0])
        directions.append(w if found[1] == 0 else _wide(table, target, radius))
    witness = {
        "radius": radius,
        "margins": margins,
        "updates": [int(made) for made in updates],
        "constant": table.constant,
        "directions": [v.tolist() for v in directions],
    }
    return mistake_bound(witness, RULE)


def _wide(table: MachineTable, target: Array, radius: float) -> Array:
    cost = 1e4 / max(radius, 1e-100) ** 2
    problem = classification(table, target, np.full(len(target), cost), squared=False)
    return BoxNewton(problem, 1e-6 * problem.at_zero, STEPS).solve(lambda *_: False).w


def _margin(table: MachineTable, target: Array, v: Array) -> float:
    """A lower bound on the margin of a separator, rounding included; 0 or less if it does not separate."""
    length = float(np.linalg.norm(v)) * (1.0 + 4.0 * gamma(table.width + 8))
    if not length > 0.0:
        return 0.0
    scores = target * table.scores(v) - gamma(table.width + 8) * table.lengths * length
    return float(scores.min()) / length * (1.0 - 1e-15)


@rules.checker(RULE)
def check_mistakes(certificate: Certificate, data: Any = None) -> Derivation:
    """Derive the bound again in rational arithmetic; with ``(X, y)`` also radius and margins."""
    derivation = check_mistake_bound(certificate)
    if data is not None:
        X, y, _ = training_data(data)
        X = X.astype(np.longdouble)
        Z = np.hstack([X, np.full((len(X), 1), certificate.witness["constant"], dtype=np.longdouble)])

        def margin(signs: Any, v: Any) -> float:
            return float((signs * (Z @ v)).min() / np.sqrt(v @ v))

        check_margins(certificate, y, float(np.sqrt((Z * Z).sum(axis=1)).max()), margin)
    return derivation
