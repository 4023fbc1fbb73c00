"""How far a Nystrom approximation of a kernel matrix can be from it, and the second route by which it is checked.

The features are inner products with v_l = sum_j A_lj k(z_j, .). If no eigenvalue of A K_zz A' exceeds 1 + delta, then
(1 + delta) K - F F' is positive semidefinite, so that the trace norm of K - F F' is at most

    sum_i (k(x_i, x_i) - |F_i|^2) + 2 delta sum_i k(x_i, x_i)

and |K_ij - F_i.F_j| <= sqrt(r_i r_j) + delta sqrt(k_ii k_jj) with r_i = (1 + delta) k(x_i, x_i) - |F_i|^2. What
rounding errors of the features, of length e_i, add to the trace norm is at most 2 |F| |e| + |e|^2.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.guarantees import Certificate, CertificateError
from certus.guarantees.records import Basis, Derivation, number, percent, rules

Array = NDArray[np.float64]
RULE = "kernels/nystroem-error"
THEOREM = "The residual of a projection is positive semidefinite (Williams, Seeger 2001)"
UNIT = float(np.finfo(np.float64).eps) / 2.0
PARTS = ("left", "excess", "trace", "noise", "entry")


@dataclass(frozen=True)
class NystroemEvidence:
    """What the certificate rests on: bound = left + 2 excess trace + noise; ``entry`` bounds every single entry."""

    left: float
    excess: float
    trace: float
    noise: float
    entry: float

    @property
    def bound(self) -> float:
        """Bound on the trace norm of the difference."""
        return (self.left + 2.0 * self.excess * self.trace + self.noise) * (1.0 + 8.0 * UNIT)


def nystroem_evidence(
    diagonal: Array, across: Array, own: Array, normalization: Array, features: Array
) -> NystroemEvidence:
    """Evidence from k(x_i, x_i), the values with the landmarks (``across``), theirs (``own``), A, and the features."""
    size = len(own)
    image = normalization @ own @ normalization.T
    chain = (2 * size + 16) * UNIT
    sizes = (np.linalg.norm(normalization, 2), np.linalg.norm(own), np.linalg.norm(normalization))
    blur = chain * float(np.prod(sizes))  # |A fl(K A') - A K A'| and the like, by norms
    excess = max(float(np.linalg.eigvalsh(0.5 * (image + image.T))[-1]) - 1.0, 0.0) + blur
    lengths = np.einsum("ij,ij->i", features, features)
    values = np.sqrt(np.einsum("ij,ij->i", across, across))
    widths = (size + 64) * UNIT * values * float(np.linalg.norm(normalization)) + 4.0 * UNIT * np.sqrt(lengths)
    if features.dtype == np.float32:
        widths = widths + float(np.finfo(np.float32).eps) * np.sqrt(lengths)
    left = np.maximum(diagonal - lengths, 0.0) + chain * (diagonal + lengths)
    remaining = left + excess * diagonal
    largest = float(np.sqrt(lengths.max(initial=0.0)))
    spread = float(np.linalg.norm(widths))
    entry = float(remaining.max(initial=0.0)) + excess * float(diagonal.max(initial=0.0))
    entry += 2.0 * largest * float(widths.max(initial=0.0)) + float(widths.max(initial=0.0)) ** 2
    return NystroemEvidence(
        float(left.sum()) * (1.0 + len(diagonal) * UNIT),
        excess,
        float(diagonal.sum()),
        2.0 * math.sqrt(float(lengths.sum())) * spread + spread**2,
        entry * (1.0 + 8.0 * UNIT),
    )


def nystroem_certificate(evidence: NystroemEvidence, rows: int, components: int) -> Certificate:
    """The certificate of the error on the training rows."""
    witness = {name: getattr(evidence, name) for name in PARTS}
    return _record(evidence.bound, {"rows": rows, "components": components}, witness)


def _record(value: float, inputs: Any, witness: Any) -> Certificate:
    share = f" ({percent(value / witness['trace'], 'upper')} of its trace)" if witness["trace"] > 0.0 else ""
    claim = (
        f"On the {inputs['rows']} training rows the kernel matrix and its approximation differ by at most "
        f"{number(value, 'upper')}{share} in trace norm and so in spectral norm, and no entry by more than "
        f"{number(witness['entry'], 'upper')}."
    )
    return Basis(RULE, THEOREM, ("floating-point-model",)).exact(
        claim, "error of the kernel matrix", "upper", value, witness["trace"], inputs, witness
    )


@rules.checker(RULE)
def check_nystroem_error(certificate: Certificate, data: Any = None) -> Derivation:
    """Derive the bound again in rational arithmetic.

    With ``(K, features)`` of the training rows, the singular values of K - F F' are computed and compared.
    """
    witness = certificate.witness
    parts = {name: float(witness[name]) for name in PARTS}
    if not all(value >= 0.0 and math.isfinite(value) for value in parts.values()):
        raise CertificateError(f"{certificate.quantity}: the witness holds a number that cannot occur.")
    derived = Fraction(parts["left"]) + 2 * Fraction(parts["excess"]) * Fraction(parts["trace"])
    derived += Fraction(parts["noise"])
    if not isinstance(certificate.value, float):
        raise CertificateError(f"{certificate.quantity}: the bound must be one number.")
    if data is not None:
        K, features = (np.asarray(given, dtype=np.float64) for given in data)
        difference = K - features @ features.T
        rounding = 1e-14 * len(K) * float(np.abs(K).max(initial=0.0))
        norm = float(np.linalg.svd(difference, compute_uv=False).sum())
        if norm > certificate.value + len(K) * rounding or np.abs(difference).max() > parts["entry"] + rounding:
            raise CertificateError(
                f"{certificate.quantity}: on these data the trace norm is {norm!r} and the largest entry "
                f"{float(np.abs(difference).max())!r}, more than the certificate says."
            )
    record = _record(certificate.value, certificate.inputs, witness)
    return Derivation(float(derived), error=1e-15, slack=1e-6, record=record)
