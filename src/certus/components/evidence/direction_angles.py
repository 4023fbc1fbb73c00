"""How far every direction can be from an exact one: by an angle of sine |residual| / gap. Davis, Kahan (1970).

The eigenvalues of C other than the one of direction i are within |E| of the other T_jj, or at most s + |E| (the names
are those of `ritz_measures`), which bounds the gap from below. Where the gap does not exceed the residual the direction
is not determined: other directions explain as much, within what is known.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.components.evidence.explained_share import eigenvalue_shares
from certus.components.evidence.ritz_measures import RitzMeasures
from certus.guarantees import Certificate, CertificateError
from certus.guarantees.records import Basis, Derivation, number, plural, rules

Floats = NDArray[np.float64]
BASIS = Basis(
    "components/direction-angles",
    "The rotation of eigenvectors by a perturbation (Davis, Kahan 1970)",
    ("floating-point-model",),
)
QUANTITY = "sine of the angle of a determined direction"


def storage_error(components: NDArray[Any], vectors: Floats) -> float:
    """The most that any direction turned when it was stored, in single precision maybe."""
    return float(np.linalg.norm(np.asarray(components, dtype=np.float64) - vectors, axis=1).max(initial=0.0))


def direction_sines(measures: RitzMeasures, stored: float) -> Floats:
    """For every direction a bound on the sine of its angle to the exact one; 1 where it is not determined."""
    blur = measures.outside + measures.coupling + measures.rounding
    values = measures.values
    gaps = values - measures.rest
    if len(values) > 1:
        ordered = np.sort(values)
        places = np.searchsorted(ordered, values)
        below = np.where(places > 0, values - ordered[np.maximum(places - 1, 0)], math.inf)
        after = np.minimum(places + 1, len(values) - 1)
        above = np.where(places + 1 < len(values), ordered[after] - values, math.inf)
        gaps = np.minimum(gaps, np.minimum(below, above))
    gaps = gaps - blur
    residuals = measures.residuals + measures.rounding
    sines = np.divide(residuals, gaps, out=np.ones(len(values)), where=gaps > residuals)
    return np.minimum(sines + stored, 1.0)


def angle_certificate(measures: RitzMeasures, rows: int, columns: int, *, centered: bool, stored: float) -> Certificate:
    """The certificate of the directions that are determined."""
    witness = {
        "values": measures.values.tolist(),
        "residuals": measures.residuals.tolist(),
        "outside": measures.outside,
        "coupling": measures.coupling,
        "rest": measures.rest,
        "trace": measures.trace,
        "rounding": measures.rounding,
        "stored": stored,
    }
    inputs = {"rows": rows, "columns": columns, "components": len(measures.values), "centered": centered}
    return _record(inputs, witness, direction_sines(measures, stored))


def _record(inputs: Mapping[str, Any], witness: Mapping[str, Any], sines: Sequence[float] | Floats) -> Certificate:
    determined = [sine for sine in sines if sine < 1.0]
    value = float(max(determined, default=1.0))
    total, open_ones = len(sines), len(sines) - len(determined)
    text = f"Of {plural(total, 'direction')} found in {plural(int(inputs['rows']), 'row')}, {len(determined)} "
    text += "is" if len(determined) == 1 else "are"
    text += f" within an angle of sine {number(value, 'upper')} of the exact one"
    if open_ones:
        text += f"; {open_ones} {'is' if open_ones == 1 else 'are'} not determined: the gap is below the residual"
    return BASIS.exact(text + ".", QUANTITY, "upper", value, 1.0, inputs, witness)


@rules.checker(BASIS.rule)
def check_angles(certificate: Certificate, data: Any = None) -> Derivation:
    """Compare every pair of values again; with the rows (X, or X and sample_weight) also with their eigenvalues."""
    witness = certificate.witness
    names = ("outside", "coupling", "rest", "rounding", "trace", "stored")
    values, residuals = list(witness["values"]), list(witness["residuals"])
    sizes = [float(witness[name]) for name in names]
    if len(values) != len(residuals) or len(values) != int(certificate.inputs["components"]):
        raise CertificateError(f"{QUANTITY}: the witness needs a value and a residual per direction")
    if not all(math.isfinite(number) for number in (*values, *residuals, *sizes)) or min((*residuals, *sizes)) < 0.0:
        raise CertificateError(f"{QUANTITY}: the witness holds a number that cannot occur")
    outside, coupling, rest, rounding, trace, stored = sizes
    sines = []
    for place, value in enumerate(values):
        others = [abs(value - other) for j, other in enumerate(values) if j != place]
        gap = min([value - rest, *others]) - (outside + coupling + rounding)
        residual = residuals[place] + rounding
        sines.append(min(residual / gap + stored, 1.0) if gap > residual else 1.0)
    if data is not None:
        allowed = (outside + coupling + rounding) / trace + 1e-9
        exact = eigenvalue_shares(data, certificate.inputs, len(values) + 1)
        if np.abs(exact[: len(values)] - np.sort(values)[::-1] / trace).max() > allowed:
            raise CertificateError(f"{QUANTITY}: these rows have other eigenvalues")
        if exact[-1] > rest / trace + allowed:
            raise CertificateError(f"{QUANTITY}: these rows have a further eigenvalue above the rest")
    record = _record(certificate.inputs, witness, sines)
    return Derivation(record.value, error=1e-9, record=record)
