"""Split likelihood ratios (Wasserman, Ramdas and Balakrishnan 2020): evidence against one Gaussian.

One half of the rows gives a mixture, by whatever means; on the other half its likelihood is divided by the largest that
a single Gaussian reaches there, which is known in closed form. Under a single Gaussian this ratio has an expectation of
at most 1 for any number of rows, and so has the mean over both ways of using the halves. By Markov's inequality, one
over it is a p-value.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from certus.guarantees import Certificate, CertificateError
from certus.guarantees.records import Derivation, number, plural, rules
from certus.mixture.evidence.plain_step import gaussian_rows

Floats = NDArray[np.float64]
RULE = "mixture/split-likelihood"
QUANTITY = "p-value of one Gaussian"


def largest_log_likelihood(rows: Floats) -> float:
    """The supremum over all Gaussians: infinite where the covariance is singular."""
    count, width = rows.shape
    moved = rows - rows.mean(axis=0)
    scale = np.abs(moved).max(axis=0)
    if not (scale > 0.0).all():
        return math.inf
    singular = np.linalg.svd(moved / scale, compute_uv=False)  # no squares of digits
    if len(singular) < width or singular[-1] <= 1e-12 * singular[0]:
        return math.inf
    half_determinant = float(np.log(singular).sum() + np.log(scale).sum()) - 0.5 * width * math.log(count)
    return -0.5 * count * width * (math.log(2.0 * math.pi) + 1.0) - count * half_determinant


def split_certificate(ratios: Sequence[float], halves: Sequence[Sequence[int]], models: Sequence[Any]) -> Certificate:
    """The certificate of the logarithms of two ratios, each of a model on the half that it has not seen."""
    inputs = {"rows": sum(len(half) for half in halves)}
    witness = {"ratios": list(ratios), "halves": [list(half) for half in halves], "models": list(models)}
    return _record(inputs, witness)


def log_evidence(ratios: Sequence[float]) -> float:
    """The logarithm of the mean of two ratios."""
    return float(logsumexp(np.array(ratios, dtype=float)) - math.log(2.0))


def _record(inputs: Any, witness: Any) -> Certificate:
    ratios = [float(one) for one in witness["ratios"]]
    if len(ratios) != 2 or any(math.isnan(one) or one == math.inf for one in ratios):
        raise CertificateError(f"{QUANTITY}: the witness holds a number that cannot occur")
    # Rounding of the two sums, which are as large as their logarithms.
    value = min(1.0, math.exp(min(0.0, -log_evidence(ratios) + 1e-9)))
    return Certificate(
        claim=(
            f"If all {plural(int(inputs['rows']), 'row')} were independent draws of one Gaussian, evidence as strong "
            f"as here would come up with probability at most {number(value, 'upper')}."
        ),
        quantity=QUANTITY,
        direction="upper",
        value=value,
        trivial=1.0,
        confidence=1.0,
        kind="exact",
        theorem="Universal inference (Wasserman, Ramdas and Balakrishnan 2020), Theorem 3",
        rule=RULE,
        assumptions=("iid", "floating-point-model"),
        inputs=inputs,
        witness=witness,
    )


@rules.checker(RULE)
def check_split(certificate: Certificate, data: Any = None) -> Derivation:
    """Divide again; with the rows compute both ratios again from densities in plain NumPy."""
    inputs, witness = certificate.inputs, certificate.witness
    record = _record(inputs, witness)
    if data is not None:
        rows = np.asarray(data, dtype=np.float64)
        first, second = (np.array(half, dtype=int) for half in witness["halves"])
        if sorted([*first, *second]) != list(range(len(rows))):
            raise CertificateError(f"{QUANTITY}: the halves are not those of these rows")
        for half, model, ratio in zip((first, second), witness["models"], witness["ratios"], strict=True):
            found = _ratio(model, rows[half])
            if not (found == ratio or abs(found - float(ratio)) <= 1e-8 * (1.0 + abs(found))):
                raise CertificateError(f"{QUANTITY}: on these rows the logarithm of a ratio is {found!r}")
    return Derivation(record.value, error=1e-9, record=record)


def _ratio(model: Mapping[str, Any], rows: Floats) -> float:
    largest = largest_log_likelihood(rows)
    found = float(logsumexp(gaussian_rows(model, rows), axis=1).sum()) - largest
    if not math.isfinite(largest):
        return -math.inf
    # The largest likelihood a second time, by the densities themselves.
    mean, covariance = rows.mean(axis=0), np.atleast_2d(np.cov(rows.T, bias=True))
    one = {"covariance_type": "full", "weights": [1.0], "means": [mean], "covariances": [covariance]}
    again = float(gaussian_rows(one, rows).sum())
    if abs(again - largest) > 1e-6 * (1.0 + abs(largest)):
        raise CertificateError(f"{QUANTITY}: one Gaussian reaches {again!r}, not {largest!r}")
    return found
