"""How much a random projection can change the squared distances between rows, from the tails of every single pair.

A Gaussian projection onto k dimensions multiplies a squared distance by chi^2_k / k. So all pairs of n rows keep theirs
up to a factor within 1 - eps and 1 + eps but for a probability of at most

    n (n - 1) / 2 (P(chi^2_k > k (1 + eps)) + P(chi^2_k < k (1 - eps))).

For entries that are 0 with probability 2/3 and else of either sign, either tail is at most
exp(-k (eps^2 / 2 - eps^3 / 3) / 2) for eps below 1 (Achlioptas 2003).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special

from certus.guarantees.records import Certificate, CertificateError, Derivation, rules
from certus.guarantees.records.bases import Basis
from certus.guarantees.records.bound_arguments import check_count
from certus.guarantees.records.wording import count, number, percent
from certus.guarantees.training.risk_record import check_level

RULE = "projection-distortion"
ENTRIES = ("gaussian", "achlioptas")
THEOREMS = {
    "gaussian": "Tails of the chi-square distribution and the union bound over all pairs of rows",
    "achlioptas": "Database-friendly random projections (Achlioptas 2003), Lemmas 4.1 and 4.2",
}
SHORT = 1e5  # shapes up to which SciPy's power series, which ends after 2000 terms, is complete
MOST = 10**150  # rows: the number of pairs of more overflows
ROUNDED = 1.0 + 1e-9  # probabilities are rounded up by what their computation may be off


def projection_distortion(
    rows: int, dimensions: int, confidence: float = 0.95, *, entries: str = "gaussian"
) -> Certificate:
    """Bound by how much a random projection changes any squared distance between rows.

    Parameters
    ----------
    rows : int
        How many rows there are, fixed before the projection is drawn.
    dimensions : int
        Onto how many they are projected.
    confidence : float, default=0.95
        Probability, over the draw of the projection, with which the bound holds for all pairs at once.
    entries : {"gaussian", "achlioptas"}, default="gaussian"
        What the matrix is drawn from: normal entries, or 0 with probability 2/3 and else of either sign.

    Returns
    -------
    Certificate
        Of the ``"distance distortion"``: the largest relative change of a squared distance.

    Examples
    --------
    >>> from certus.guarantees import projection_distortion
    >>> round(projection_distortion(1000, 500).value, 5)
    0.36422
    """
    n, k = check_count(rows, "rows", minimum=2), check_count(dimensions, "dimensions", minimum=1)
    _check_pairs(n)
    level = check_level(confidence, 1)[0]
    value = smallest_distortion(n, k, 1.0 - level, _checked(entries))
    if not math.isfinite(value):
        raise ValueError(
            f"{k} dimensions bound no distance of {n} rows under entries={entries!r} at this confidence.\n"
            "Hint: project onto more dimensions, or draw normal entries."
        )
    return _record(value, n, k, level, entries)


def projection_dimensions(rows: int, distortion: float, confidence: float = 0.95, *, entries: str = "gaussian") -> int:
    """Onto how many dimensions rows can be projected so that no squared distance changes by more.

    Parameters
    ----------
    rows : int
        How many rows.
    distortion : float
        The largest allowed relative change of a squared distance.
    confidence : float, default=0.95
        Probability, over the draw of the projection, with which all pairs keep to it.
    entries : {"gaussian", "achlioptas"}, default="gaussian"
        What the matrix is drawn from.

    Returns
    -------
    int
        The number of dimensions.

    Examples
    --------
    >>> from certus.guarantees import projection_dimensions
    >>> projection_dimensions(1000, 0.1)
    5806
    """
    n, delta = check_count(rows, "rows", minimum=2), 1.0 - check_level(confidence, 1)[0]
    _check_pairs(n)
    limit = math.inf if _checked(entries) == "gaussian" else 1.0
    if isinstance(distortion, bool) or not (1e-6 <= distortion < limit):
        raise ValueError(f"distortion must be a number from 1e-6 and below {limit:g}, got {distortion!r}.")
    high = 1
    while failure(n, high, distortion, entries) > delta:
        high *= 2
    low = high // 2  # too few
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if failure(n, middle, distortion, entries) <= delta else (middle, high)
    return high


def _check_pairs(rows: int) -> None:
    if rows > MOST:
        raise ValueError("rows must be at most 1e150: the number of pairs of more overflows.")


def _checked(entries: str) -> str:
    if entries not in ENTRIES:
        raise ValueError(f"entries must be one of {', '.join(ENTRIES)}, got {entries!r}.")
    return entries


def failure(rows: int, dimensions: int, distortion: float, entries: str = "gaussian") -> float:
    """The most that the probability of a larger change can be, rounded up."""
    half, pairs = 0.5 * dimensions, 0.5 * rows * (rows - 1)
    if entries == "achlioptas":
        return ROUNDED * pairs * 2.0 * math.exp(-0.5 * half * distortion**2 * (1.0 - 2.0 / 3.0 * distortion))
    above = float(special.gammaincc(half, half * (1.0 + distortion)))
    if distortion >= 1.0:
        below = 0.0
    elif half <= SHORT:
        below = float(special.gammainc(half, half * (1.0 - distortion)))
    else:
        below = _long_series(half, distortion)
    return ROUNDED * pairs * (above + below)


def _long_series(shape: float, change: float) -> float:
    """At least P(Gamma(shape) < shape (1 - change)), by its power series and Stirling's formula for large shapes."""
    if change < 0.05:  # ln(1 - c) + c, without the digits that the sum would lose; every further term is negative
        exponent = -sum(change**power / power for power in range(2, 14))
    else:
        exponent = math.log1p(-change) + change
    front = math.sqrt(shape / (2.0 * math.pi)) * math.exp(shape * exponent) / shape
    at, terms = shape * (1.0 - change), min(int(math.sqrt(90.0 * shape)) + 2, 10**6)
    series = np.cumprod(at / (shape + np.arange(1.0, terms)))
    rest = float(series[-1]) * at / (shape + terms - at)  # at most, by a geometric series
    return front * (1.0 + float(series.sum()) + rest)


def smallest_distortion(rows: int, dimensions: int, delta: float, entries: str = "gaussian") -> float:
    """The least change that fails with probability at most delta, rounded up; infinite where there is none."""
    low, high = 0.0, 1.0 - 2.0**-40
    while failure(rows, dimensions, high, entries) > delta:
        if entries == "achlioptas":
            return math.inf
        low, high = high, 2.0 * high
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if failure(rows, dimensions, middle, entries) <= delta else (middle, high)
    return high


def _record(value: float, rows: int, dimensions: int, confidence: float, entries: str) -> Certificate:
    claim = (
        f"Projected onto {count(dimensions)} random dimensions, no squared distance between any two of {count(rows)} "
        f"rows changes by more than {number(value, 'upper')} times itself, with probability {percent(confidence)} over "
        "the draw of the projection."
    )
    basis = Basis(RULE, THEOREMS[entries], ("independent-draws", "floating-point-model"))
    inputs = {"rows": rows, "dimensions": dimensions, "entries": entries}
    return basis.probable(confidence, claim, "distance distortion", "upper", value, math.inf, inputs, {})


@rules.checker(RULE)
def _check_distortion(certificate: Certificate, data: Any) -> Derivation:
    """The tails by a power series and a continued fraction; `data`, if given, are the rows."""
    inputs = certificate.inputs
    rows, dimensions, entries = int(inputs["rows"]), int(inputs["dimensions"]), str(inputs["entries"])
    if rows < 2 or dimensions < 1 or entries not in ENTRIES:
        raise CertificateError(f"{certificate.quantity}: there is no projection like this.")
    if data is not None and len(data) != rows:
        raise CertificateError(f"{certificate.quantity}: the data has {len(data)} rows, not {rows}.")
    delta, low, high = 1.0 - certificate.confidence, 0.0, 1.0 - 2.0**-30
    while entries == "gaussian" and _failure_again(rows, dimensions, high, entries) > delta and high < 2.0**40:
        low, high = high, 2.0 * high
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if _failure_again(rows, dimensions, middle, entries) <= delta else (middle, high)
    record = _record(certificate.single_value, rows, dimensions, certificate.confidence, entries)
    return Derivation(high, error=1e-7, record=record)


def _failure_again(rows: int, dimensions: int, distortion: float, entries: str) -> float:
    pairs = rows * (rows - 1) // 2
    if entries == "achlioptas":
        exponent = 0.5 * distortion * distortion - distortion**3 / 3.0
        return 2.0 * pairs * math.exp(-0.5 * dimensions * exponent) if distortion < 1.0 else math.inf
    half = 0.5 * dimensions
    below = _lower_tail(half, half * (1.0 - distortion)) if distortion < 1.0 else 0.0
    return pairs * (_upper_tail(half, half * (1.0 + distortion)) + below)


def _lower_tail(shape: float, at: float) -> float:
    """P(Gamma(shape) < at) by its power series."""
    term = total = 1.0 / shape
    place = shape
    while term > 1e-17 * total:
        place += 1.0
        term *= at / place
        total += term
    return total * math.exp(shape * math.log(at) - at - math.lgamma(shape)) if at > 0.0 else 0.0


def _upper_tail(shape: float, at: float) -> float:
    """P(Gamma(shape) > at) by Legendre's continued fraction (Lentz 1976)."""
    b, tiny = at + 1.0 - shape, 1e-300
    c, d = 1.0 / tiny, 1.0 / (b if b != 0.0 else tiny)
    found = d
    for step in range(1, 100_000):
        a = -step * (step - shape)
        b += 2.0
        d, c = a * d + b, b + a / c
        d, c = 1.0 / (d if d != 0.0 else tiny), c if c != 0.0 else tiny
        found *= d * c
        if abs(d * c - 1.0) < 1e-16:
            break
    return found * math.exp(shape * math.log(at) - at - math.lgamma(shape))
