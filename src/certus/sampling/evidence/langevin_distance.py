"""How far the law of a draw of the unadjusted Langevin algorithm can be from the target.

For a potential U that is m-strongly convex with an L-Lipschitz gradient and steps h <= 2 / (m + L), the Wasserstein-2
distance after k steps is at most ``(1 - m h)^k W + 1.65 (L / m) sqrt(h dim)``, W the distance of the start from the
target (Dalalyan, Karagulyan 2019, theorem 1). From a point, W <= |grad U(start)| / m + sqrt(dim / m): strong convexity
bounds the way to the mode, and the target's own spread around it (Durmus, Moulines 2019, proposition 1).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.guarantees import Certificate, CertificateError
from certus.guarantees.records import Derivation, number, rules
from certus.sampling.discretization import langevin_distance
from certus.sampling.target import Target

Floats = NDArray[np.float64]
RULE = "sampling/langevin-distance"
QUANTITY = "Wasserstein distance of the law of a draw from the target"
UNIT = 1e-9  # relative, for rounding in the gradient at the start


def distance_certificates(
    target: Target, runs: Sequence[tuple[float, Floats]], first: int, last: int
) -> list[Certificate]:
    """The certificate of the draws from step ``first`` to step ``last`` of chains, each a step size and a start.

    There is none where the theorem does not apply.
    """
    m, smooth = target.strong_convexity, target.smoothness
    if m is None or smooth is None or not target.has_gradient or max(step for step, _ in runs) > 2 / (m + smooth):
        return []
    inputs = {
        "strong_convexity": float(m),
        "smoothness": float(smooth),
        "step_sizes": [float(step) for step, _ in runs],
        "dim": target.dim,
        "first": first,
        "last": last,
    }
    slopes = [float(np.linalg.norm(target.gradient(start))) for _, start in runs]
    if not np.isfinite(slopes).all():
        return []
    return [_record(inputs, {"slopes": slopes, "starts": [start.tolist() for _, start in runs]})]


def _bound(inputs: Mapping[str, Any], slopes: Sequence[float], draw: int) -> float:
    m, smooth, dim = float(inputs["strong_convexity"]), float(inputs["smoothness"]), int(inputs["dim"])
    chains = zip(inputs["step_sizes"], slopes, strict=True)
    spread = math.sqrt(dim / m)
    return (1 + UNIT) * max(langevin_distance(m, smooth, h, dim, draw, slope / m + spread) for h, slope in chains)


def _record(inputs: Mapping[str, Any], witness: Mapping[str, Any]) -> Certificate:
    slopes, first, last = [float(slope) for slope in witness["slopes"]], int(inputs["first"]), int(inputs["last"])
    if not all(math.isfinite(slope) and slope >= 0 for slope in slopes) or not 0 <= first <= last:
        raise CertificateError(f"{QUANTITY}: the witness holds a number that cannot occur")
    value = _bound(inputs, slopes, first)
    return Certificate(
        claim=(
            f"The law of every draw that was kept is within {number(value, 'upper')} of the target in the "
            f"Wasserstein-2 distance, and that of the last one (step {last}) within "
            f"{number(_bound(inputs, slopes, last), 'upper')}."
        ),
        quantity=QUANTITY,
        direction="upper",
        value=value,
        trivial=math.inf,
        confidence=1.0,
        kind="exact",
        theorem=(
            "User-friendly guarantees for the Langevin Monte Carlo with inaccurate gradient "
            "(Dalalyan and Karagulyan 2019)"
        ),
        rule=RULE,
        assumptions=("strongly-convex", "known-smoothness", "independent-draws", "floating-point-model"),
        inputs=inputs,
        witness=witness,
    )


@rules.checker(RULE)
def check_distance(certificate: Certificate, data: Any = None) -> Derivation:
    """Add up the theorem's recursion; with the `Target` as ``data``, look at its gradients again.

    Gradients at the starts must be no longer than stated, and must not contradict the declared convexity and smoothness
    between any two starts.
    """
    inputs, witness = certificate.inputs, certificate.witness
    m, smooth = float(inputs["strong_convexity"]), float(inputs["smoothness"])
    steps, slopes = [float(h) for h in inputs["step_sizes"]], [float(slope) for slope in witness["slopes"]]
    if not 0 < m <= smooth or not 0 < min(steps) <= max(steps) <= 2 / (m + smooth):
        raise CertificateError(f"{QUANTITY}: the theorem does not hold for these constants")
    chains = zip(steps, slopes, strict=True)
    value = max(_added_up(m, smooth, h, int(inputs["dim"]), int(inputs["first"]), slope) for h, slope in chains)
    if data is not None:
        _compare_gradients(data, m, smooth, np.array(slopes), np.asarray(witness["starts"], dtype=np.float64))
    return Derivation((1 + UNIT) * value, error=1e-9, record=_record(inputs, witness))


def _added_up(m: float, smooth: float, h: float, dim: int, draw: int, slope: float) -> float:
    """What shrinks and what all additions come to, by W_(k+1) <= (1 - m h) W_k + 1.65 L h^(3/2) dim^(1/2)."""
    shrunk = math.exp(draw * math.log1p(-m * h)) if m * h < 1 else float(draw == 0)
    added = 1.65 * smooth * h**1.5 * math.sqrt(dim) / (m * h)
    return shrunk * (slope + math.sqrt(m * dim)) / m + added


def _compare_gradients(target: Target, m: float, smooth: float, stated: Floats, starts: Floats) -> None:
    slopes = np.array([-target.gradient(start) for start in starts])
    if (np.linalg.norm(slopes, axis=1) > stated * (1 + 1e-6) + 1e-300).any():
        raise CertificateError(f"{QUANTITY}: the gradient at a start is longer than stated")
    for i in range(len(starts)):
        apart, change = starts[i] - starts[:i], slopes[i] - slopes[:i]
        squares = (apart**2).sum(axis=1)
        lowest, highest = (apart * change).sum(axis=1), np.linalg.norm(change, axis=1)
        if (lowest < (m - 1e-6 * smooth) * squares).any() or (highest > smooth * (1 + 1e-6) * np.sqrt(squares)).any():
            raise CertificateError(f"{QUANTITY}: between two starts the gradient contradicts the declared constants")
