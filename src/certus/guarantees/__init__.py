"""Certificates and bounds: what can be promised about a model, and how to check it."""

from certus.guarantees import mean_checks, rules
from certus.guarantees.certificate import Certificate
from certus.guarantees.combine import intersection, union
from certus.guarantees.confusion import balanced_accuracy_bound, f_bound
from certus.guarantees.error import error_bound
from certus.guarantees.errors import CertificateError
from certus.guarantees.mean import mean_bound
from certus.guarantees.optimality import strong_convexity_gap
from certus.guarantees.ranking import auc_bound
from certus.guarantees.report import Report
from certus.guarantees.roles import DataRole
from certus.guarantees.sample_size import sample_size
from certus.guarantees.testing import TestResult, holm, mcnemar, mcnemar_power, mcnemar_rows

__all__ = [
    "Certificate",
    "CertificateError",
    "DataRole",
    "Report",
    "TestResult",
    "auc_bound",
    "balanced_accuracy_bound",
    "error_bound",
    "f_bound",
    "holm",
    "intersection",
    "mcnemar",
    "mcnemar_power",
    "mcnemar_rows",
    "mean_bound",
    "mean_checks",
    "rules",
    "sample_size",
    "strong_convexity_gap",
    "union",
]
