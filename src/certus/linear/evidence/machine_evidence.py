"""How far a linear machine is from its optimum: primal value, dual value, and the rounding error of both.

P(w) - D(b) bounds P(w) - min P for every b in its box (weak duality). P is strongly convex with modulus 1, so
|w - w*| <= sqrt(2 gap), and no score changes by more than |x| sqrt(2 gap) on the way to the optimum.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.guarantees import Certificate
from certus.guarantees.training import DualValue, GapEvidence
from certus.linear.design.moments import gamma
from certus.linear.evidence.linear_gap_rules import MACHINE
from certus.linear.problems.box_problem import BoxProblem

Array = NDArray[np.float64]


@dataclass(frozen=True)
class MachineEvidence(GapEvidence):
    """Evidence for the problems together, each one's distance, and the dual variables (rows x problems)."""

    bound: DualValue
    distances: Array | None
    scores: Array
    dual: Array


def machine_certificate(
    evidence: MachineEvidence, inputs: dict[str, Any], coef: Array, intercept: Array
) -> Certificate:
    """The certificate that the stored coefficients are within the gap of the optimum.

    ``inputs`` holds loss, penalty, multi_class, C, epsilon, intercept_scaling (None without intercept), and for
    classifiers the classes and their weights. The dual variables of a loss or penalty with kinks do not follow from
    the scores; they are kept.
    """
    smooth = inputs["multi_class"] == "ovr" and inputs["loss"].startswith("squared") and inputs["penalty"] == "l2"
    dual = {} if smooth else {"dual_point": evidence.dual}
    return MACHINE.certificate(evidence, inputs, {"coef": coef, "intercept": intercept, **dual})


def box_evidence(problems: list[BoxProblem], w: Array, b: Array) -> MachineEvidence:
    """Evidence for the machines ``problems`` (one-versus-rest), one row of w and b each."""
    parts = [_one(problem, *both) for problem, both in zip(problems, zip(w, b, strict=True), strict=True)]
    return combine(parts)


def combine(parts: list[MachineEvidence]) -> MachineEvidence:
    """The evidence for the sum of independent problems."""
    return MachineEvidence(
        objective=sum(part.objective for part in parts),
        objective_at_zero=sum(part.objective_at_zero for part in parts),
        bound=DualValue(sum(part.bound.dual for part in parts), sum(part.bound.rounding for part in parts)),
        distances=np.array([np.sqrt(2.0 * part.gap) * (1.0 + 1e-12) for part in parts]),
        scores=np.hstack([part.scores for part in parts]),
        dual=np.hstack([part.dual for part in parts]),
    )


@dataclass(frozen=True)
class MachineSums:
    """What rows contribute to the values of a machine and to their rounding; the sums of parts are those of all."""

    losses: float
    at_zero: float
    terms: float  # of the dual value
    image: Array
    primal_error: float
    pull: float  # of the dual variables on the image
    size: float  # of the terms

    def joined(self, other: MachineSums) -> MachineSums:
        """The sums over the rows of both."""
        return MachineSums(**{name: value + getattr(other, name) for name, value in vars(self).items()})


def _one(problem: BoxProblem, w: Array, b: Array) -> MachineEvidence:
    scores = problem.table.scores(w)
    sums = machine_sums(problem, w, b, scores, problem.table.chain)
    return evidence_of_sums(sums, w, problem.table.chain, scores[:, None], b[:, None])


def machine_sums(problem: BoxProblem, w: Array, b: Array, scores: Array, chain: int) -> MachineSums:
    """The sums over the rows of a problem, which may be part of a larger one with this chain of additions."""
    table = problem.table
    terms = problem.target * b - problem.epsilon * np.abs(b) - 0.5 * problem.ridge * b * b
    width, lengths = table.width + 8, table.lengths * (1.0 + 1e-12)
    residual = np.abs(problem.target) + np.abs(scores)
    score_error = gamma(width) * (lengths * np.linalg.norm(w) + residual)
    with np.errstate(invalid="ignore"):
        steep = np.where(problem.ridge > 0.0, residual / np.where(problem.ridge > 0.0, problem.ridge, 1.0), np.inf)
    steep = np.minimum(steep, np.maximum(problem.upper, -problem.lower))  # bounds |b| at these scores
    curved = np.where(problem.ridge > 0.0, score_error**2 / np.where(problem.ridge > 0.0, problem.ridge, 1.0), 0.0)
    primal = steep @ score_error + curved.sum() + gamma(chain + 8) * (steep @ (residual + problem.epsilon))
    return MachineSums(
        losses=float(problem.losses(scores).sum()),
        at_zero=problem.at_zero,
        terms=float(terms.sum()),
        image=table.image(b),
        primal_error=float(primal),
        pull=float(np.abs(b) @ lengths),
        size=float(np.abs(b) @ (np.abs(problem.target) + problem.epsilon) + problem.ridge @ b**2),
    )


def evidence_of_sums(sums: MachineSums, w: Array, chain: int, scores: Array, dual: Array) -> MachineEvidence:
    """The evidence from the sums over all rows, rounding errors included (Higham 2002, section 3.1)."""
    width, squares = gamma(len(w) + 7), float(sums.image @ sums.image)
    image_error = gamma(chain + 8) * sums.pull
    rounding = sums.primal_error + width * float(w @ w)
    rounding += np.sqrt(squares) * image_error + image_error**2 + width * squares + gamma(chain + 8) * sums.size
    return MachineEvidence(
        objective=float(0.5 * w @ w + sums.losses),
        objective_at_zero=sums.at_zero,
        bound=DualValue(sums.terms - 0.5 * squares, float(1.01 * rounding)),
        distances=None,
        scores=scores,
        dual=dual,
    )
