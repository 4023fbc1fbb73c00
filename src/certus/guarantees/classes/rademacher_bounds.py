"""Empirical Rademacher complexity, how well a class fits noise on the given points, and the risk bound it gives."""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from certus.guarantees.records import packing, rules
from certus.guarantees.records.bound_arguments import check_count
from certus.guarantees.records.certificate import Certificate
from certus.guarantees.records.certificate_error import CertificateError
from certus.guarantees.records.confidence_levels import check_confidence, failure_of
from certus.guarantees.records.quantity import Quantity
from certus.guarantees.records.rules import Derivation
from certus.guarantees.records.wording import confidence_percent, number, plural
from certus.guarantees.training.additive_bounds import AdditiveBound
from certus.guarantees.training.risk_record import check_divergence, check_level, check_share

THEOREM = "Rademacher and Gaussian Complexities (Bartlett, Mendelson 2002); McDiarmid (1989) for sampled signs"
RULE = "rademacher"
QUANTITY = "Rademacher complexity"
LARGEST_EXACT = 16  # points up to which all signs are enumerated unless a number of draws is asked for
_MOST_EXACT = 24
_MOST_DRAWS = 10**7
_BLOCK = 4096


def rademacher(
    matrix: ArrayLike,
    *,
    draws: int | None = None,
    seed: int = 0,
    confidence: float = 0.95,
    quantity: Quantity | str = QUANTITY,
) -> Certificate:
    """Bound E_s max_h (1/n) sum_i s_i h(x_i) over random signs s, exactly or by drawing signs.

    Signs come in pairs s and -s, so every draw gives (max_h s.h - min_h s.h) / (2 n). Changing one of the draws'
    signs moves their mean by at most range_i / (n draws), so McDiarmid's inequality bounds the error of the mean
    over the draws by sqrt(log(1/delta) sum_i range_i^2 / (2 draws)) / n, range_i being the spread of column i.

    Parameters
    ----------
    matrix : array-like of shape (hypotheses, points)
        Values of the hypotheses (or of their losses) at the points.
    draws : int, optional
        Number of sign vectors to draw; by default all are enumerated up to 16 points, and 1000 drawn beyond.
    seed : int, default=0
        Seed of the draws.
    confidence : float, default=0.95
        Probability with which the bound holds over the draws; enumeration holds always.
    quantity : str, default="Rademacher complexity"
        Name of the complexity.

    Returns
    -------
    Certificate
        `value` is an upper bound; the mean over the signs is `witness["mean"]`.

    Examples
    --------
    >>> rademacher([[1, 1], [1, -1], [-1, 1], [-1, -1]]).value
    1.0
    >>> thresholds = [[1 if j >= i else -1 for j in range(40)] for i in range(41)]
    >>> round(rademacher(thresholds).witness["mean"], 2)
    0.23
    """
    table = _check_table(matrix)
    points = table.shape[1]
    chosen = 0 if draws is None and points <= LARGEST_EXACT else 1000 if draws is None else draws
    chosen, start = check_count(chosen, "draws"), check_count(seed, "seed")
    level = check_confidence(confidence)
    _check_effort(points, chosen)
    mean = _enumerated(table) if chosen == 0 else _sampled(table, chosen, start)
    largest = _largest(table)
    value = min(largest, (mean + _sampling_error(table, chosen, level)) * (1.0 + 1e-12))
    witness: dict[str, Any] = {"mean": mean, "largest": largest, "shape": list(table.shape)}
    if table.size <= packing.LARGEST:
        witness["values"] = packing.pack(table.ravel())
    else:
        witness["sha256"] = packing.digest(table.ravel())
    return _record(value, chosen, start, level, witness, quantity)


def _check_effort(points: int, draws: int) -> None:
    if draws == 0 and points > _MOST_EXACT:
        raise ValueError(
            f"draws=0 enumerates 2^{points - 1} signs; allowed are {_MOST_EXACT} points.\nHint: draws=1000."
        )
    if draws > _MOST_DRAWS:
        raise ValueError(f"draws must be at most {_MOST_DRAWS}, got {draws}.")


def _check_table(matrix: ArrayLike) -> np.ndarray:
    try:
        table = np.ascontiguousarray(matrix, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"matrix must hold numbers, got {type(matrix).__name__}.") from None
    if table.ndim != 2 or 0 in table.shape or not np.isfinite(table).all():
        raise ValueError(f"matrix must be a non-empty finite (hypotheses, points) table, got shape {table.shape}.")
    return table


def _largest(table: np.ndarray) -> float:
    """What a class reaches that fits all signs: half the average spread of the columns."""
    return math.fsum(table.max(axis=0) - table.min(axis=0)) / (2.0 * table.shape[1])


def _spread(products: np.ndarray) -> np.ndarray:
    return np.asarray(products.max(axis=1) - products.min(axis=1))


def _enumerated(table: np.ndarray) -> float:
    """Mean over all signs with a plus first: the others are their mirror images."""
    points = table.shape[1]
    codes = np.arange(1 << (points - 1), dtype=np.int64)
    total = 0.0
    for start in range(0, len(codes), _BLOCK):
        bits = (codes[start : start + _BLOCK, None] >> np.arange(points)) & 1
        total += math.fsum(_spread((1.0 - 2.0 * bits) @ table.T))
    return total / len(codes) / (2.0 * points)


def _sampled(table: np.ndarray, draws: int, seed: int) -> float:
    rng, total, left = np.random.default_rng(seed), 0.0, draws
    while left:
        signs = 2.0 * rng.integers(0, 2, size=(min(left, _BLOCK), table.shape[1])) - 1.0
        total += math.fsum(_spread(signs @ table.T))
        left -= len(signs)
    return total / draws / (2.0 * table.shape[1])


def _sampling_error(table: np.ndarray, draws: int, confidence: float) -> float:
    if draws == 0:
        return 0.0
    ranges = table.max(axis=0) - table.min(axis=0)
    return math.sqrt(-math.log(failure_of(confidence)) * float(ranges @ ranges) / (2.0 * draws)) / table.shape[1]


def _record(
    value: float, draws: int, seed: int, confidence: float, witness: dict[str, Any], quantity: Quantity | str
) -> Certificate:
    points = int(witness["shape"][1])
    if draws:
        phrase = f"With confidence {confidence_percent(confidence)} the {quantity}"
        how = f"{plural(draws, 'draw')} of signs, seed {seed}"
    else:
        phrase, how = f"The {quantity}", "all signs"
    return Certificate(
        claim=f"{phrase} is at most {number(value, 'upper')} ({plural(points, 'point')}, {how}).",
        quantity=quantity,
        direction="upper",
        value=value,
        trivial=float(witness["largest"]),
        confidence=confidence if draws else 1.0,
        kind="probable" if draws else "exact",
        theorem=THEOREM,
        rule=RULE,
        assumptions=(),
        inputs={"draws": draws, "seed": seed, "level": confidence},
        witness=witness,
    )


@rules.checker(RULE)
def _check_rademacher(certificate: Certificate, data: ArrayLike | None) -> Derivation:
    """Sign by sign with running sums (one flip a step when all are enumerated); `data` is the table if given."""
    witness, inputs = certificate.witness, certificate.inputs
    shape = tuple(check_count(size, "shape", minimum=1) for size in witness["shape"])
    if "values" in witness:
        table = packing.unpack(witness["values"], shape[0] * shape[1]).reshape(shape)
    elif data is None:
        raise CertificateError(f"{certificate.quantity}: too large to carry its table.\nHint: check(matrix).")
    else:
        table = _check_table(data)
    given = table if data is None else _check_table(data)
    if given.shape != shape or not np.array_equal(given, table):
        raise CertificateError(f"{certificate.quantity}: the table is not that of the witness.")
    if "sha256" in witness and packing.digest(table.ravel()) != witness["sha256"]:
        raise CertificateError(f"{certificate.quantity}: the table has another digest than the witness.")
    draws, seed = check_count(inputs["draws"], "draws"), check_count(inputs["seed"], "seed")
    level = check_confidence(inputs["level"])
    _check_effort(shape[1], draws)
    mean = _flipped(table) if draws == 0 else _drawn_again(table, draws, seed)
    if abs(mean - witness["mean"]) > 1e-10 * max(1.0, abs(mean)):
        raise CertificateError(f"{certificate.quantity}: the second route gives the mean {mean!r}.")
    if witness["largest"] != _largest(table):
        raise CertificateError(f"{certificate.quantity}: the witness has another largest value than the table.")
    record = _record(certificate.single_value, draws, seed, level, dict(witness), certificate.quantity)
    return Derivation(min(witness["largest"], mean + _sampling_error(table, draws, level)), record=record)


def _flipped(table: np.ndarray) -> float:
    """Walk through all signs in Gray code, one flip at a time."""
    points = table.shape[1]
    signs, sums = np.ones(points), table.sum(axis=1)
    spreads = [float(sums.max() - sums.min())]
    for step in range(1, 1 << (points - 1)):
        flipped = (step & -step).bit_length() - 1
        sums = sums - 2.0 * signs[flipped] * table[:, flipped]
        signs[flipped] = -signs[flipped]
        spreads.append(float(sums.max() - sums.min()))
    return math.fsum(spreads) / len(spreads) / (2.0 * points)


def _drawn_again(table: np.ndarray, draws: int, seed: int) -> float:
    rng, spreads, points = np.random.default_rng(seed), [], table.shape[1]
    for start in range(0, draws, _BLOCK):
        for signs in rng.integers(0, 2, size=(min(_BLOCK, draws - start), points)):
            plus, minus = table[:, signs == 1].sum(axis=1), table[:, signs == 0].sum(axis=1)
            spreads.append(float((plus - minus).max() - (plus - minus).min()))
    return math.fsum(spreads) / draws / (2.0 * points)


RISK_THEOREM = "Rademacher and Gaussian Complexities: Risk Bounds and Structural Results (Bartlett, Mendelson 2002)"
RISK_RULE = "rademacher-bound"


def rademacher_bound(
    risk: float,
    complexity: float,
    rows: int,
    confidence: float = 0.95,
    *,
    uses: int = 1,
    quantity: Quantity | str = "error",
) -> Certificate:
    """Bound the risk of any hypothesis of a class by its training risk and the complexity of its losses.

    risk + 2 complexity + 3 sqrt(log(2/delta) / (2 rows)) for losses in [0, 1]. A reference value.

    Parameters
    ----------
    risk : float
        Training risk.
    complexity : float
        Empirical Rademacher complexity of the losses on these rows; for the 0/1 loss half that of predictions -1, 1.
    rows : int
        Training rows.
    confidence : float, default=0.95
        Probability with which the bound holds, given the complexity.
    uses : int, default=1
        Number of classes that were tried on these rows, this one included.
    quantity : str, default="error"
        Name of the risk.

    Examples
    --------
    >>> round(rademacher_bound(0.1, 0.02, 5000).value, 3)
    0.198
    """
    level, paid = check_level(confidence, uses)
    return _risk_bound(risk, complexity, rows, quantity).certificate(level, paid)


def _risk_bound(risk: object, complexity: object, rows: object, quantity: Quantity | str) -> AdditiveBound:
    noise = check_divergence(complexity, "complexity")
    return AdditiveBound(
        risk=check_share(risk, "risk"),
        rows=check_count(rows, "rows", minimum=1),
        capacity=2.0 * noise,
        factor=3.0,
        parts=2,
        theorem=RISK_THEOREM,
        rule=RISK_RULE,
        assumptions=("class-fixed", "bounded-range"),
        quantity=quantity,
        basis="training risk",
        extra={"complexity": noise},
    )


@rules.checker(RISK_RULE)
def _check(certificate: Certificate, data: ArrayLike | None) -> Derivation:
    witness = certificate.witness
    bound = _risk_bound(witness["risk"], certificate.inputs["complexity"], witness["rows"], certificate.quantity)
    return bound.derivation(certificate, data)
