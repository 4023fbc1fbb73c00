"""The kit of whoever writes a certificate.

* `certificate`, `report`, `quantity`, `bases`: the record, many of them, what is bounded, and on what it rests.
* `rules`: the registry of checkers; `combine`, `estimates`: certificates made of certificates.
* `assumptions`, `confidence_levels`, `wording`, `bound_arguments`, `data_roles`: what all bounds share.
* `plain_values`, `packing`, `first_schema`: how a record is written and read.
"""

from certus.guarantees.records import rules
from certus.guarantees.records.assumptions import ASSUMPTIONS
from certus.guarantees.records.bases import Basis
from certus.guarantees.records.bound_arguments import (
    check_choice,
    check_count,
    check_errors_and_rows,
    check_losses,
    check_range,
)
from certus.guarantees.records.bounds import Bounds
from certus.guarantees.records.certificate import Certificate
from certus.guarantees.records.certificate_error import CertificateError
from certus.guarantees.records.combine import intersection, union
from certus.guarantees.records.confidence_levels import check_confidence, failure_of, share
from certus.guarantees.records.data_roles import DataRole
from certus.guarantees.records.estimates import as_estimate, without_promise
from certus.guarantees.records.file_error import CertusFileError
from certus.guarantees.records.quantity import (
    ERROR,
    LARGE_ERRORS,
    OUTSIDE_INTERVAL,
    OUTSIDE_SET,
    PRECISION,
    RECALL,
    Quantity,
)
from certus.guarantees.records.report import Report
from certus.guarantees.records.rules import Derivation
from certus.guarantees.records.wording import confidence_percent, count, number, ordinal, percent, plural

__all__ = [
    "ASSUMPTIONS",
    "ERROR",
    "LARGE_ERRORS",
    "OUTSIDE_INTERVAL",
    "OUTSIDE_SET",
    "PRECISION",
    "RECALL",
    "Basis",
    "Bounds",
    "Certificate",
    "CertificateError",
    "CertusFileError",
    "DataRole",
    "Derivation",
    "Quantity",
    "Report",
    "as_estimate",
    "check_choice",
    "check_confidence",
    "check_count",
    "check_errors_and_rows",
    "check_losses",
    "check_range",
    "confidence_percent",
    "count",
    "failure_of",
    "intersection",
    "number",
    "ordinal",
    "percent",
    "plural",
    "rules",
    "share",
    "union",
    "without_promise",
]


def __dir__() -> list[str]:
    return __all__
