"""Re-verify the certificates of a model or of a saved file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base import TableLike, TargetLike, persistence
from certus.guarantees import Certificate, CertificateError, Report
from certus.guarantees.holdout import Predictor, clopper_pearson
from certus.guarantees.records import (
    ERROR,
    LARGE_ERRORS,
    OUTSIDE_INTERVAL,
    OUTSIDE_SET,
    PRECISION,
    RECALL,
    Quantity,
    percent,
)

# Rows that did not make a certificate contradict it when its claim would explain them with at most this chance.
CONTRADICTION = 0.001


@dataclass(frozen=True)
class CheckedCertificate:
    """One certificate and what checking it found.

    Parameters
    ----------
    certificate : Certificate
        The certificate.
    holds : bool
        Whether deriving it again gave the same, and the data (if any) agree.
    recounted : bool
        Whether the data were the rows behind it and gave the same count.
    remark : str
        Why it does not hold, or what the data were used for.
    """

    certificate: Certificate
    holds: bool
    recounted: bool = False
    remark: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The finding as plain values."""
        record = self.certificate.to_dict()
        return {**record, "holds": self.holds, "recounted": self.recounted, "remark": self.remark}


@dataclass(frozen=True)
class Check:
    """The result of checking a model: true if every certificate holds.

    Parameters
    ----------
    certificates : tuple of CheckedCertificate
        In the order of the report.
    """

    certificates: tuple[CheckedCertificate, ...]

    @property
    def holds(self) -> bool:
        """Whether every certificate holds."""
        return all(item.holds for item in self.certificates)

    def __bool__(self) -> bool:
        return self.holds

    def to_dict(self) -> dict[str, Any]:
        """The result as plain values."""
        return {"holds": self.holds, "certificates": [item.to_dict() for item in self.certificates]}

    def __str__(self) -> str:
        if not self.certificates:
            return "No certificates to check."
        lines = []
        for item in self.certificates:
            remark = f" ({item.remark})" if item.remark else ""
            lines.append(f"{'holds' if item.holds else 'DOES NOT HOLD'}: {item.certificate.claim}{remark}")
        return "\n".join(lines)


def check(
    model: Predictor | str | PathLike[str], data: tuple[TableLike, TargetLike] | Mapping[str, object] | None = None
) -> Check:
    """Derive every certificate of a model again, by a second route, and compare.

    Parameters
    ----------
    model : learner, Pipeline, or path
        A fitted model, or a file that `certus.save` wrote.
    data : tuple (X, y) or mapping, optional
        ``(X, y)``: rows with their targets. If they are the rows behind a certificate of what the model gets
        wrong, its count is repeated; if they are other rows, it is looked whether they contradict the
        certificate (its claim would explain them with a chance of at most 0.1 %). Or a dictionary from the
        quantity of a certificate to the data that its rule documents. Without data, what a certificate says
        about its rows is trusted and the step from there to its value is checked.

    Returns
    -------
    Check
        True if all certificates hold; ``certificates`` has the single findings.

    Raises
    ------
    CertusFileError
        The file is damaged.

    Examples
    --------
    >>> import certus
    >>> from certus.bayes import GaussianNB
    >>> model = GaussianNB().fit([[-2.0], [-1.0], [1.0], [2.0]], ["low", "low", "high", "high"])
    >>> X, y = [[-3.0], [-0.5], [1.5], [4.0]], ["low", "low", "high", "high"]
    >>> model.report_ = certus.Report([model.certify(X, y)["error"]])
    >>> print(certus.check(model, (X, y)))
    holds: With confidence 95% the error is at most 52.72% (0 errors in 4 rows). (counted again)
    """
    checked: Any = persistence.load(model) if isinstance(model, str | PathLike) else model
    if data is None:
        return Check(tuple(_verified(item) for item in _certificates(checked)))
    if isinstance(data, Mapping):
        return Check(tuple(_verified(item, data.get(str(item.quantity))) for item in _certificates(checked)))
    if not isinstance(data, tuple) or len(data) != 2:
        raise ValueError(
            f"data must be a tuple (X, y) or a dictionary, got {type(data).__name__}.\n"
            "Hint: check(model, (X, y)) with the rows and their targets."
        )
    predicted, truth = np.asarray(checked.predict(data[0])), np.asarray(data[1])
    if predicted.shape != truth.shape:
        raise ValueError(f"data: X gives predictions of shape {predicted.shape}, but y has the shape {truth.shape}.")
    missed = np.asarray(checked.missed(*data)) if getattr(checked, "gives_sets", False) else None
    return Check(tuple(_verified_on(item, predicted, truth, missed) for item in _certificates(checked)))


def _certificates(model: object) -> list[Certificate]:
    """The certificates of the model and, for a pipeline, of its steps, each once."""
    parts = [model, *(step for _, step in getattr(model, "steps", ()))]
    reports = [report for part in parts if isinstance(report := getattr(part, "report_", None), Report)]
    return list(dict.fromkeys(certificate for report in reports for certificate in report))


def _verified(certificate: Certificate, data: object = None) -> CheckedCertificate:
    try:
        certificate.check(data)
    except CertificateError as error:
        return CheckedCertificate(certificate, holds=False, remark=str(error))
    counted = data is not None
    return CheckedCertificate(certificate, True, counted, "counted again" if counted else "")


def _verified_on(
    certificate: Certificate, predicted: NDArray[Any], truth: NDArray[Any], missed: NDArray[np.bool_] | None
) -> CheckedCertificate:
    """Check with rows: count again if they are the certificate's, else look whether they contradict it."""
    alone = _verified(certificate)
    outside = certificate.quantity.matches(OUTSIDE_SET, OUTSIDE_INTERVAL)
    events = missed if outside else _events(certificate.quantity, predicted, truth)
    if not alone.holds or events is None or "rows" not in certificate.witness:
        return alone
    if len(events) == certificate.witness["rows"]:
        return _verified(certificate, events)
    if len(events) == 0:
        return CheckedCertificate(certificate, True, remark="none of these rows is of the kind that it is about")
    seen = f"{int(events.sum())} of {len(events)} rows"
    contradiction = _contradiction(certificate, int(events.sum()), len(events))
    if contradiction is not None:
        return CheckedCertificate(certificate, holds=False, remark=f"the data contradict it: {seen}, {contradiction}")
    return CheckedCertificate(certificate, True, remark=f"other rows than its own do not contradict it: {seen}")


def _events(quantity: Quantity, predicted: NDArray[Any], truth: NDArray[Any]) -> NDArray[np.bool_] | None:
    """What a certificate of this quantity counts, one truth value per row; None if such rows do not tell."""
    if quantity.matches(ERROR):  # of several labels per row, any
        return np.asarray(np.any((predicted != truth).reshape(len(truth), -1), axis=1))
    if quantity.matches(LARGE_ERRORS, having={"threshold"}):
        return np.asarray(np.abs(truth.astype(float) - predicted.astype(float)) > quantity.threshold)
    if quantity.matches(RECALL, PRECISION, having={"of"}):
        real, called = truth.astype(str) == quantity.of, predicted.astype(str) == quantity.of
        return called[real] if quantity.name == RECALL else real[called]
    return None


def _contradiction(certificate: Certificate, events: int, rows: int) -> str | None:
    """What the rows prove against the certificate, if they do."""
    promised = certificate.value
    if isinstance(promised, tuple):
        return None
    if certificate.direction == "upper":
        least = clopper_pearson.lower(events, rows, CONTRADICTION)
        return f"at least {percent(least, 'lower')} with confidence 99.9%" if least > promised else None
    if certificate.direction == "lower":
        most = clopper_pearson.upper(events, rows, CONTRADICTION)
        return f"at most {percent(most, 'upper')} with confidence 99.9%" if most < promised else None
    return None
