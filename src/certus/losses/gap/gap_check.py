"""Whether a stated gap holds on given data, for any loss and penalty."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from certus.guarantees import Certificate, CertificateError
from certus.losses.gap.convex_problem import ConvexProblem, Point
from certus.losses.gap.proximal_descent import better_solution

SEARCHES = (40, 400)  # steps of searches for a better solution


def check_solution(certificate: Certificate, gap: float, parts: Sequence[tuple[ConvexProblem, Point]]) -> None:
    """Raise unless the sum of the objectives is within ``gap`` of its minimum, for all that these data tell.

    Dual points that belong to the stored solution prove the gap in most cases. Otherwise better solutions are looked
    for: either one refutes the gap, or its dual points prove it, or nothing speaks against it.
    """
    problems, points = [problem for problem, _ in parts], [at for _, at in parts]
    reached = math.fsum(problem.value(at) for problem, at in parts)
    noise = _noise(certificate, parts, reached)

    def proved(bounds: list[float]) -> bool:
        return reached - math.fsum(bounds) <= gap * (1.0 + 1e-9) + noise

    lowest = [max(problem.lower_bound(at), 0.0) for problem, at in parts]
    if not proved(lowest):
        found = [problem.lower_bound(at, newton=True) for problem, at in parts]
        lowest = [max(pair) for pair in zip(lowest, found, strict=True)]
    for steps in SEARCHES:
        if proved(lowest):
            break
        points = [better_solution(problem, at, steps) for problem, at in zip(problems, points, strict=True)]
        better = reached - math.fsum(problem.value(at) for problem, at in zip(problems, points, strict=True))
        if better > gap + noise:
            raise CertificateError(
                f"{certificate.quantity}: on these data another solution is better by {better!r}, more than the "
                f"certificate's {gap!r}."
            )
        found = [problem.lower_bound(at) for problem, at in zip(problems, points, strict=True)]
        lowest = [max(pair) for pair in zip(lowest, found, strict=True)]
    _compare_objectives(certificate, reached, noise)


def check_dual_points(certificate: Certificate, gap: float, parts: Sequence[tuple[ConvexProblem, Point, Any]]) -> None:
    """Raise unless stored dual points (rows x outputs) prove that the objectives are within ``gap`` of the minimum."""
    reached = math.fsum(problem.value(at) for problem, at, _ in parts)
    lowest = math.fsum(problem.feasible_value(u[problem.counted], at) for problem, at, u in parts)
    if not math.isfinite(lowest):
        raise CertificateError(f"{certificate.quantity}: the dual point is not feasible on these data.")
    noise = _noise(certificate, [part[:2] for part in parts], reached)
    compare_values(certificate, gap, reached, lowest, noise)
    _compare_objectives(certificate, reached, noise)


def compare_values(certificate: Certificate, gap: float, reached: float, lowest: float, noise: float) -> None:
    """Raise if an objective is farther above a lower bound on its minimum than a certificate says."""
    if min(reached - lowest, reached) > gap * (1.0 + 1e-9) + noise:
        raise CertificateError(
            f"{certificate.quantity}: on these data the gap is {reached - lowest!r}, more than the certificate's "
            f"{gap!r}."
        )


def _noise(certificate: Certificate, parts: Sequence[tuple[ConvexProblem, Point]], reached: float) -> float:
    """What rounding errors of this route may hide."""
    rows = max(len(problem.s) for problem, _ in parts)
    sizes = math.fsum(problem.magnitude(at) for problem, at in parts)
    return 1e-15 * (rows + 8) * (abs(reached) + sizes + abs(float(certificate.witness["objective_at_zero"])))


def _compare_objectives(certificate: Certificate, reached: float, noise: float) -> None:
    """The objective in the witness, an upper bound up to rounding, must be one on these data too."""
    witness = certificate.witness
    stated = float(witness["objective"]) + float(witness.get("rounding", 0.0))
    if reached > stated * (1.0 + 1e-9) + noise + 1e-12:
        raise CertificateError(
            f"{certificate.quantity}: the objective on these data is {reached!r}, the witness has {stated!r}."
        )
