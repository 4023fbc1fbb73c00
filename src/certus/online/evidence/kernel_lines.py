"""Bounds for learners of the functions of a kernel, in terms of any function, and good functions to compare with."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.guarantees.ledgers import Line
from certus.guarantees.records import Derivation, rules
from certus.kernels import KernelMachineClassifier

Array = NDArray[np.float64]
BUDGET = "online/kernel-perceptron-mistakes"
RANDOMIZED = "online/randomized-kernel-descent"
BALL = "online/kernel-steps"
COSTS = (1e-3, 1e-2, 1e-1, 1.0, 1e1, 1e2, 1e4)  # of machines, over the mean of k(x, x)
SEARCHED = 2000  # trials up to which machines look for functions
SAFE = 1.0 + 1e-9  # sums along the stream are rounded


def machine_functions(K: Array, signs: Array) -> list[Array]:
    """Coefficients of kernel machines with ever higher costs; 0 first."""
    found = [np.zeros(len(signs))]
    if not len(signs) or len(signs) > SEARCHED:
        return found
    if len(np.unique(signs)) < 2:
        return [*found, signs / max(float(np.mean(K @ np.ones(len(signs)))), 1e-300)]
    mean = max(float(np.mean(np.diag(K))), 1e-300)
    for cost in COSTS:
        machine = KernelMachineClassifier(
            "hinge", alpha=0.5 * mean / cost, kernel="precomputed", fit_intercept=False, gap_tol=1e-4
        )
        coef = np.zeros(len(signs))
        machine.fit(K, signs)
        coef[machine.support_ if hasattr(machine, "support_") else slice(None)] = machine.dual_coef_
        found.append(coef)
    return found


def separating_functions(K: Array, signs: Array) -> list[dict[str, float]]:
    """Length and sum of hinge losses of functions on the mistaken trials; those with a margin also scaled to 1."""
    facts = []
    for coef in machine_functions(K, signs):
        values, norm = K @ coef, math.sqrt(max(float(coef @ K @ coef), 0.0))
        margin = float((signs * values).min(initial=np.inf))
        for scale in (1.0, 1.0 / margin * SAFE if 0.0 < margin < np.inf else 1.0):
            losses = np.maximum(0.0, 1.0 - signs * values * scale)
            facts.append({"hinge": float(losses.sum()), "norm": norm * scale})
    return facts


def budget_line(
    mistakes: int, parts: Sequence[Mapping[str, float]], numbers: Mapping[str, Sequence[float]], unknown: float
) -> Line:
    """<u, f> is at least what kept rows add to it, less what shrinking and forgetting take, and at most |u| |f|."""
    facts: dict[str, Any] = {name: [part[name] for part in parts] for name in ("hinge", "norm")}
    facts |= {name: list(values) for name, values in numbers.items()}
    bounds = [
        hinge + forgotten + norm * (math.sqrt(max(square, 0.0)) + shrunk)
        for hinge, norm, square, forgotten, shrunk in zip(*_columns(facts), strict=True)
    ]
    return Line(
        quantity="mistakes",
        loss=float(mistakes),
        comparator=0.0,
        bound=float(sum(math.floor(bound * SAFE) for bound in bounds)) + unknown,
        rule=BUDGET,
        theorem="The potential of a perceptron that forgets (Dekel, Shalev-Shwartz, Singer 2008)",
        facts={**facts, "unknown": unknown},
    )


def _columns(facts: Mapping[str, Any]) -> list[Any]:
    return [facts[name] for name in ("hinge", "norm", "square", "forgotten", "shrunk")]


@rules.checker(BUDGET)
def _check_budget(certificate: Any, data: Any) -> Derivation:
    """The largest M with (M - losses - forgotten - |u| shrunk)^2 <= |u|^2 |f|^2, in exact numbers."""
    del data
    most = Fraction(certificate.witness["unknown"])
    for column in zip(*_columns(certificate.witness), strict=True):
        hinge, norm, square, forgotten, shrunk = map(Fraction, column)
        taken, reach = (hinge + forgotten + norm * shrunk) * Fraction(SAFE), norm**2 * max(square, Fraction(0))
        reach *= Fraction(SAFE) ** 2
        count = math.floor(taken) + math.isqrt(math.floor(reach))
        while count + 1 <= taken or (count + 1 - taken) ** 2 <= reach:
            count += 1
        most += count
    return Derivation(float(most), error=0.0, slack=1e-11, scale=1.0)


def ball_line(linear: float, lengths: Sequence[float], eta: float, radius: float, squares: float) -> Line:
    """All h with |h| <= radius: radius^2 / (2 eta) + (eta / 2) sum k(x_t, x_t) over the steps, per function."""
    problems = len(lengths)
    return Line(
        quantity="regret of the linearized losses",
        loss=linear,
        comparator=-radius * float(sum(lengths)) / eta,
        bound=(problems * radius**2 / (2.0 * eta) + eta * squares / 2.0) * SAFE,
        rule=BALL,
        theorem="Online gradient descent (Zinkevich 2003)",
        facts={"problems": problems, "radius": radius, "eta": eta, "squares": squares},
    )


@rules.checker(BALL)
def _check_ball(certificate: Any, data: Any) -> float:
    del data
    witness = {name: Decimal(value) for name, value in certificate.witness.items()}
    telescope = witness["problems"] * witness["radius"] ** 2 / witness["eta"]
    return float((telescope + witness["eta"] * witness["squares"]) / 2 * Decimal(SAFE))


def randomized_line(expected: float, hinge: float, linear: float, inner: float, unknown: float) -> Line:
    """A mistake is expected with half the hinge losses at most, whose tangents the step follows."""
    slack = 1e-9 * (abs(linear) + abs(inner))
    return Line(
        loss=expected,
        comparator=hinge / 2.0,
        bound=(linear - inner + slack) / 2.0 + unknown,
        rule=RANDOMIZED,
        theorem="Randomized predictions err at most with half the hinge loss, with observed gradients",
        facts={"linear": linear, "inner": inner, "unknown": unknown},
    )


@rules.checker(RANDOMIZED)
def _check_randomized(certificate: Any, data: Any) -> Derivation:
    del data
    linear, inner, unknown = (Decimal(certificate.witness[name]) for name in ("linear", "inner", "unknown"))
    size = float(abs(linear) + abs(inner))
    return Derivation(float((linear - inner) / 2 + unknown), error=1e-9 * size + 1e-12, scale=size + 1.0)
