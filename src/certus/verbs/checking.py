"""Re-verify the certificates of a model or of a saved file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from os import PathLike
from typing import Any

from certus.base import TableLike, TargetLike, persistence
from certus.base.blocks import answered
from certus.guarantees import Certificate, CertificateError, Report
from certus.guarantees.holdout import Predictor, clopper_pearson
from certus.guarantees.records import percent
from certus.guarantees.rows import Overlap, watch_rows
from certus.verbs.given_rows import GivenRows, is_counted

# Rows that did not make a certificate contradict it when its claim would explain them with at most this chance.
CONTRADICTION = 0.001


class Level(StrEnum):
    """What a check knew.

    Recounted: the rows behind the certificate were given, are its rows by fingerprint, and give the same counts.
    Consistent: the arithmetic holds; the counts are the author's. Contradicted: it does not hold.
    """

    RECOUNTED = "recounted"
    CONSISTENT = "consistent"
    CONTRADICTED = "contradicted"


_WORDS = {
    Level.RECOUNTED: "recounted",
    Level.CONSISTENT: "consistent (the arithmetic holds; the counts are the author's)",
    Level.CONTRADICTED: "CONTRADICTED",
}


@dataclass(frozen=True)
class CheckedCertificate:
    """One certificate and what checking it found.

    Parameters
    ----------
    certificate : Certificate
        The certificate.
    level : Level
        What the check knew: "recounted", "consistent" or "contradicted".
    remark : str
        Why it does not hold, or what the data were used for.
    """

    certificate: Certificate
    level: Level
    remark: str = ""

    @property
    def holds(self) -> bool:
        """Whether nothing speaks against it."""
        return self.level is not Level.CONTRADICTED

    @property
    def recounted(self) -> bool:
        """Whether the data were the rows behind it and gave the same count."""
        return self.level is Level.RECOUNTED

    def to_dict(self) -> dict[str, Any]:
        """The finding as plain values."""
        found = {"level": str(self.level), "holds": self.holds, "recounted": self.recounted, "remark": self.remark}
        return {**self.certificate.to_dict(), **found}

    def __str__(self) -> str:
        remark = f" ({self.remark})" if self.remark else ""
        return f"{_WORDS[self.level]}: {self.certificate.claim}{remark}"


@dataclass(frozen=True)
class Check:
    """The result of checking a model: true if nothing speaks against any certificate.

    Parameters
    ----------
    certificates : tuple of CheckedCertificate
        In the order of the report.
    training_overlap : Overlap, optional
        What the given rows have in common with those that the model was trained on, if it remembers them.
    """

    certificates: tuple[CheckedCertificate, ...]
    training_overlap: Overlap | None = None

    @property
    def holds(self) -> bool:
        """Whether nothing speaks against any certificate."""
        return all(item.holds for item in self.certificates)

    @property
    def level(self) -> Level:
        """Contradicted if any certificate is; recounted if all were that rows can recount; else consistent."""
        if not self.holds:
            return Level.CONTRADICTED
        about_rows = [item for item in self.certificates if _counts_rows(item.certificate)]
        all_counted = bool(about_rows) and all(item.recounted for item in about_rows)
        return Level.RECOUNTED if all_counted else Level.CONSISTENT

    def __bool__(self) -> bool:
        return self.holds

    def to_dict(self) -> dict[str, Any]:
        """The result as plain values."""
        overlap = self.training_overlap
        return {
            "level": str(self.level),
            "holds": self.holds,
            "training_overlap": None if overlap is None else overlap.to_dict(),
            "certificates": [item.to_dict() for item in self.certificates],
        }

    def __str__(self) -> str:
        if not self.certificates:
            return "No certificates to check."
        lines = [str(item) for item in self.certificates]
        if self.training_overlap is not None:
            lines.append(str(self.training_overlap))
        return "\n".join(lines)


def check(
    model: Predictor | str | PathLike[str],
    data: tuple[TableLike, TargetLike] | Mapping[str, object] | None = None,
    *,
    allow_training_rows: bool = False,
) -> Check:
    """Derive every certificate of a model again, by a second route, and say how much of it is known.

    Parameters
    ----------
    model : learner, Pipeline, or path
        A fitted model, or a file that `certus.save` wrote.
    data : tuple (X, y) or mapping, optional
        ``(X, y)``: rows with their targets. If they are the rows behind a certificate, by its fingerprint, its count is
        repeated; if they are other rows, it is looked whether they contradict the certificate (its claim would
        explain them with a chance of at most 0.1 %). Or a dictionary from the quantity of a certificate to the
        data that its rule documents. Without data, what a certificate says about its rows is the word of its
        author, and the step from there to its value is checked.
    allow_training_rows : bool, default=False
        Take rows that the model was trained on. They can contradict a certificate, but not support it.

    Returns
    -------
    Check
        True if nothing speaks against any certificate; ``level`` is "recounted", "consistent" or "contradicted", and
        ``certificates`` has the single findings.

    Raises
    ------
    CertusFileError
        The file is damaged.
    TrainingRowsError
        The rows are rows that the model was trained on.

    Examples
    --------
    >>> import certus
    >>> from certus.bayes import GaussianNB
    >>> model = GaussianNB().fit([[-2.0], [-1.0], [1.0], [2.0]], ["low", "low", "high", "high"])
    >>> X, y = [[-3.0], [-0.5], [1.5], [4.0]], ["low", "low", "high", "high"]
    >>> model.report_ = certus.Report([model.certify(X, y)["error"]])
    >>> certus.check(model).level, certus.check(model, (X, y)).level
    (<Level.CONSISTENT: 'consistent'>, <Level.RECOUNTED: 'recounted'>)
    >>> print(certus.check(model, (X, y)).certificates[0])
    recounted: With confidence 95% the error is at most 52.72% (0 errors in 4 rows).
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
    judged = answered(checked, *data)
    with watch_rows() as watch:
        rows = GivenRows(*judged)
    overlap = watch.overlap(allow=allow_training_rows)
    return Check(tuple(verified_on(item, rows) for item in _certificates(checked)), overlap)


def _certificates(model: object) -> list[Certificate]:
    """The certificates of the model and, for a pipeline, of its steps, each once."""
    parts = [model, *(step for _, step in getattr(model, "steps", ()))]
    reports = [report for part in parts if isinstance(report := getattr(part, "report_", None), Report)]
    return list(dict.fromkeys(certificate for report in reports for certificate in report))


def _counts_rows(certificate: Certificate) -> bool:
    """Whether rows can say something about the certificate: it names its rows, or is a count of such rows."""
    return certificate.guaranteed and (certificate.fingerprint is not None or is_counted(certificate.quantity))


def _verified(certificate: Certificate, data: object = None) -> CheckedCertificate:
    try:
        certificate.check(data)
    except CertificateError as error:
        return CheckedCertificate(certificate, Level.CONTRADICTED, str(error))
    return CheckedCertificate(certificate, Level.CONSISTENT if data is None else Level.RECOUNTED)


def verified_on(certificate: Certificate, rows: GivenRows) -> CheckedCertificate:
    """Check with rows: count again if they are the certificate's, else look whether they contradict it."""
    alone = _verified(certificate)
    if not alone.holds:
        return alone
    events = rows.events(certificate)
    if certificate.fingerprint is not None and certificate.fingerprint == rows.fingerprint:
        if events is not None and "rows" in certificate.witness:
            return _verified(certificate, events)
        same = rows.certified_again(certificate)
        return alone if same is None else _verified_as(certificate, same)
    if events is None or "rows" not in certificate.witness:
        return alone
    if len(events) == 0:
        return replace(alone, remark="none of these rows is of the kind that it is about")
    seen = f"{int(events.sum())} of {len(events)} rows"
    contradiction = _contradiction(certificate, int(events.sum()), len(events))
    if contradiction is not None:
        return CheckedCertificate(
            certificate, Level.CONTRADICTED, f"the data contradict it: {seen}, {contradiction}"
        )  # fmt: skip
    whose = "other rows than its own do" if certificate.fingerprint else "these rows, its own or not, do"
    return replace(alone, remark=f"{whose} not contradict it: {seen}")


def _verified_as(certificate: Certificate, again: Certificate) -> CheckedCertificate:
    """The certificate beside the one that its rows give now."""
    if certificate.witness == again.witness:
        return CheckedCertificate(certificate, Level.RECOUNTED)
    return CheckedCertificate(certificate, Level.CONTRADICTED, f"its rows give another count: {again.claim}")


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
