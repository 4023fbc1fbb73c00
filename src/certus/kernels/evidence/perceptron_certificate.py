"""The kernel perceptron's mistake bound on separable rows, and the second route by which it is checked."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.guarantees import Certificate
from certus.guarantees.records import Derivation, rules
from certus.guarantees.training import (
    KEPT,
    check_margins,
    check_mistake_bound,
    mistake_bound,
    require_kept,
    training_data,
)
from certus.kernels.learning.function_spaces import GramSpace
from certus.kernels.solvers.machine_interior import interior_point
from certus.kernels.solvers.machine_losses import boxes_of
from certus.losses import Hinge

Array = NDArray[np.float64]
RULE = "kernels/perceptron-mistakes"
SEARCHED = 500  # rows up to which a wide margin is looked for
STEPS = 60  # of the interior-point method that looks for a wide margin
COST = 1e4  # of a violated margin, relative to the squared length of the rows


def mistake_certificate(K: Array, targets: Array, learned: Array, updates: NDArray[np.int64]) -> Certificate | None:
    """The bound for all problems together, or None if one of them is not separated.

    K is positive semidefinite. ``learned`` are the perceptron's coefficients (rows x problems); for few rows a support
    vector machine with a high cost looks for a wider margin, and the wider of the two is used.
    """
    space = GramSpace(K, 1)
    radius = float(space.lengths.max(initial=0.0)) * (1.0 + 1e-15)
    directions, margins = [], []
    for y, own in zip(targets.T, learned.T, strict=True):
        found = max(((_margin(space, y, c), c) for c in (own, _wide(space, y, radius))), key=lambda pair: pair[0])
        if found[0] <= 0.0:
            return None
        margins.append(found[0])
        directions.append(found[1])
    witness: dict[str, Any] = {
        "radius": radius,
        "margins": margins,
        "updates": [int(made) for made in updates],
        "directions": [c.tolist() for c in directions] if learned.size <= KEPT else None,
    }
    return mistake_bound(witness, RULE)


def _wide(space: GramSpace, y: Array, radius: float) -> Array:
    loss, ones = Hinge(), np.ones(len(y))
    boxes = boxes_of(loss, y)
    if boxes is None or radius == 0.0 or len(y) > SEARCHED:
        return np.zeros(len(y))
    alpha = radius**2 / COST
    return interior_point(space, y, ones, loss, boxes, alpha, 1e-9 * len(y), STEPS, lambda *_: False).coef[:, 0]


def _margin(space: GramSpace, y: Array, coef: Array) -> float:
    """A lower bound on the margin of a separator, rounding included; 0 or less if it does not separate."""
    columns = coef[:, None]
    length = float(space.norm_bound(columns, np.zeros_like(columns))[0]) * (1.0 + 1e-14)
    if not length > 0.0:
        return 0.0
    least = (y * space.scores(coef) - space.score_error(columns)[:, 0]).min()
    return float(least) / length * (1.0 - 1e-15)


@rules.checker(RULE)
def check_mistakes(certificate: Certificate, data: Any = None) -> Derivation:
    """Derive the bound again; with ``(K, y)``, the matrix of kernel values of the rows, also radius and margins."""
    derivation = check_mistake_bound(certificate)
    if data is not None:
        require_kept(certificate, "directions")
        K, y, _ = training_data(data)
        K = K.astype(np.longdouble)

        def margin(signs: Any, c: Any) -> float:
            scores = K @ c
            return float((signs * scores).min() / np.sqrt(c @ scores))

        check_margins(certificate, y, float(np.sqrt(np.diagonal(K).max())), margin)
    return derivation
