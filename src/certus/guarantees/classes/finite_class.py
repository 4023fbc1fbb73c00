"""Finitely many hypotheses: bounds that hold for all of them at once, however one is picked, and the rows they need."""

import math

import numpy as np
from numpy.typing import ArrayLike

from certus.guarantees.holdout import concentration
from certus.guarantees.records import rules
from certus.guarantees.records.bound_arguments import check_choice, check_count, check_errors_and_rows
from certus.guarantees.records.certificate import Certificate
from certus.guarantees.records.certificate_error import CertificateError
from certus.guarantees.records.confidence_levels import check_confidence, failure_of
from certus.guarantees.records.quantity import Quantity
from certus.guarantees.records.rules import Derivation
from certus.guarantees.records.wording import count, plural
from certus.guarantees.training.log_tail import log_tail_inverse, summed_tail_inverse
from certus.guarantees.training.risk_record import check_level, compare_mean, failure_share, risk_record

OCCAM = "Tutorial on Practical Prediction Theory for Classification: Occam's razor bound (Langford 2005)"
UNIFORM = "Probability Inequalities for Sums of Bounded Random Variables (Hoeffding 1963), union bound"
GAPS = {"gap": "largest gap between training and true error", "excess": "excess error over the best hypothesis"}


def finite_class_bound(
    errors: int,
    rows: int,
    hypotheses: int,
    confidence: float = 0.95,
    *,
    uses: int = 1,
    quantity: Quantity | str = "error",
) -> Certificate:
    """Bound the error of a hypothesis that was picked from finitely many by looking at these very rows.

    Clopper-Pearson's limit at delta / hypotheses; without training errors it is 1 - (delta/N)^(1/rows), which is at
    most log(N/delta) / rows.

    Parameters
    ----------
    errors, rows : int
        Training errors of the picked hypothesis, and training rows.
    hypotheses : int
        How many there were to pick from; any number of digits.
    confidence : float, default=0.95
        Probability with which the bound holds for all hypotheses together.
    uses : int, default=1
        Number of classes that were tried on these rows, this one included.
    quantity : str, default="error"
        Name of the risk.

    Examples
    --------
    >>> round(finite_class_bound(0, 100, 1000).value, 3), round(finite_class_bound(3, 500, 2**20).value, 3)
    (0.094, 0.049)
    """
    wrong, total = check_errors_and_rows(errors, rows)
    size = check_count(hypotheses, "hypotheses", minimum=1)
    level, paid = check_level(confidence, uses)
    log_delta = math.log(failure_share(level, paid)) - math.log(size) * (1.0 + 1e-15)
    return _record(log_tail_inverse(wrong, total, log_delta), (wrong, total, size), level, paid, quantity)


def _record(
    value: float, given: tuple[int, int, int], confidence: float, uses: int, quantity: Quantity | str
) -> Certificate:
    errors, rows, size = given
    many = count(size) if size < 10**12 else f"10^{math.log10(size):.0f}"
    return risk_record(
        value,
        quantity=quantity,
        basis=f"{plural(errors, 'training error')} in {plural(rows, 'row')}, picked from {many} hypotheses",
        confidence=confidence,
        uses=uses,
        theorem=OCCAM,
        rule="finite-class",
        assumptions=("finite-class",),
        inputs={"hypotheses": str(size)},
        witness={"errors": errors, "rows": rows},
    )


@rules.checker("finite-class")
def _check_finite_class(certificate: Certificate, data: ArrayLike | None) -> Derivation:
    """The binomial tail added up; `data`, if given, has one truth value per row: did the hypothesis err."""
    errors, rows = check_errors_and_rows(certificate.witness["errors"], certificate.witness["rows"])
    size, uses = check_count(int(certificate.inputs["hypotheses"]), "hypotheses", 1), certificate.inputs["uses"]
    compare_mean(certificate, data, errors / rows, rows)
    goal = math.log(failure_share(certificate.confidence, uses)) - math.log(size)
    stated = certificate.single_value
    record = _record(stated, (errors, rows, size), certificate.confidence, uses, certificate.quantity)
    return Derivation(summed_tail_inverse(errors, rows, goal), error=1e-9, record=record)


def uniform_convergence(hypotheses: int, rows: int, confidence: float = 0.95) -> Certificate:
    """Bound how far training errors are from true errors, for all of finitely many hypotheses at once.

    sqrt(log(2 N / delta) / (2 rows)) for losses in [0, 1]: the sample is then e-representative.

    Examples
    --------
    >>> round(uniform_convergence(1000, 2442, 0.99).value, 4)
    0.05
    """
    return _uniform("gap", hypotheses, rows, confidence)


def excess_bound(hypotheses: int, rows: int, confidence: float = 0.95) -> Certificate:
    """Bound how much worse the hypothesis with the fewest training errors is than the best one there is.

    Twice the largest gap of `uniform_convergence`: 2 sqrt(log(2 N / delta) / (2 rows)).

    Examples
    --------
    >>> round(excess_bound(1000, 9765, 0.99).value, 4)
    0.05
    """
    return _uniform("excess", hypotheses, rows, confidence)


def _uniform(which: str, hypotheses: object, rows: object, confidence: object) -> Certificate:
    size = check_count(hypotheses, "hypotheses", minimum=1)
    total, level = check_count(rows, "rows", minimum=1), check_confidence(confidence)
    log_level = math.log(2 * size) - math.log(failure_share(level, 1))
    width = math.sqrt(log_level / (2.0 * total)) * (2.0 if which == "excess" else 1.0)
    return _uniform_record(min(1.0, width * (1.0 + 1e-13)), which, size, total, level)


def _uniform_record(value: float, which: str, size: int, rows: int, confidence: float) -> Certificate:
    many = count(size) if size < 10**12 else f"10^{math.log10(size):.0f}"
    return risk_record(
        value,
        quantity=GAPS[which],
        basis=f"{many} hypotheses, {plural(rows, 'row')}",
        confidence=confidence,
        uses=1,
        theorem=UNIFORM,
        rule=f"uniform-{which}",
        assumptions=("finite-class", "bounded-range"),
        inputs={"hypotheses": str(size)},
        witness={"rows": rows},
    )


def _check_uniform(certificate: Certificate, data: tuple[ArrayLike, ArrayLike] | None) -> Derivation:
    """The formula in 50 digits. `data`, if given, are (training errors, true errors) of all hypotheses."""
    which = certificate.rule.removeprefix("uniform-")
    size = check_count(int(certificate.inputs["hypotheses"]), "hypotheses", 1)
    rows = check_count(certificate.witness["rows"], "rows", minimum=1)
    factor = 2.0 if which == "excess" else 1.0
    if data is not None:
        trained, true = (np.asarray(column, dtype=float).tolist() for column in data)
        if which == "excess":
            seen = true[trained.index(min(trained))] - min(true)
        else:
            seen = max(abs(a - b) for a, b in zip(trained, true, strict=True))
        if len(trained) != size or seen > certificate.value:
            raise CertificateError(f"{certificate.quantity}: the data show {seen!r} for {len(trained)} hypotheses.")
    level = concentration.log_level_decimal(certificate.confidence, 2 * size)
    value = min(1.0, factor * concentration.hoeffding_in_decimals(0.0, rows, level, float(rows)))
    stated = certificate.single_value
    return Derivation(value, record=_uniform_record(stated, which, size, rows, certificate.confidence))


for _which in GAPS:
    rules.checker(f"uniform-{_which}")(_check_uniform)


SETTINGS = ("realizable", "uniform", "agnostic")
_OLD_SPELLING = {"realisable": "realizable"}


def sample_size(hypotheses: int, error: float, confidence: float, setting: str = "realizable") -> int:
    """Rows after which a finite class is learned to within `error` with probability `confidence`.

    With N hypotheses, accuracy e and delta = 1 - confidence (losses in [0, 1])::

        realizable   log(N/delta)/e            every hypothesis without training errors has error at most e
        uniform      log(2N/delta)/(2 e^2)     all training errors are within e of the true ones
        agnostic     2 log(2N/delta)/e^2       the best on the training rows is within e of the best there is

    Parameters
    ----------
    hypotheses : int
        Size of the class.
    error : float
        Accuracy e, strictly between 0 and 1.
    confidence : float
        Strictly between 0 and 1.
    setting : {"realizable", "uniform", "agnostic"}, default="realizable"
        Which of the three statements.

    Examples
    --------
    >>> [sample_size(1000, 0.05, 0.99, setting) for setting in ("realizable", "uniform", "agnostic")]
    [231, 2442, 9765]
    """
    count = check_count(hypotheses, "hypotheses", minimum=1)
    accuracy = check_confidence(error, "error")
    delta = failure_of(check_confidence(confidence))
    if check_choice(_OLD_SPELLING.get(setting, setting), "setting", SETTINGS) == "realizable":
        exact = (math.log(count) - math.log(delta)) / accuracy
    else:
        exact = (math.log(2 * count) - math.log(delta)) / accuracy**2 * (0.5 if setting == "uniform" else 2.0)
    return math.ceil(exact * (1.0 - 1e-14))
