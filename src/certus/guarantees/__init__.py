"""Certificates and bounds: what can be promised about a model, and how to check it."""

from certus.guarantees import alarm_certificate, mean_checks, paired, rules, selection
from certus.guarantees.adaptive_conformal import AdaptiveConformal
from certus.guarantees.certificate import Certificate
from certus.guarantees.combine import intersection, union
from certus.guarantees.conformal_cross_certificate import cross_certificate
from certus.guarantees.conformal_ranks import ConformalRank, assured_rank, coverage_floor, split_rank
from certus.guarantees.conformal_split import Calibration, GroupCalibration, calibrate, calibrate_groups
from certus.guarantees.confusion import balanced_accuracy_bound, f_bound
from certus.guarantees.error import error_bound
from certus.guarantees.errors import CertificateError
from certus.guarantees.mean import mean_bound
from certus.guarantees.monitor import Monitor
from certus.guarantees.optimality import strong_convexity_gap
from certus.guarantees.ranking import auc_bound
from certus.guarantees.report import Report
from certus.guarantees.risk_control import Guard, control_rates
from certus.guarantees.roles import DataRole
from certus.guarantees.sample_size import sample_size
from certus.guarantees.sequence import ConfidenceSequence
from certus.guarantees.testing import TestResult, holm, mcnemar, mcnemar_power, mcnemar_rows

__all__ = [
    "AdaptiveConformal",
    "Calibration",
    "Certificate",
    "CertificateError",
    "ConfidenceSequence",
    "ConformalRank",
    "DataRole",
    "GroupCalibration",
    "Guard",
    "Monitor",
    "Report",
    "TestResult",
    "alarm_certificate",
    "assured_rank",
    "auc_bound",
    "balanced_accuracy_bound",
    "calibrate",
    "calibrate_groups",
    "control_rates",
    "coverage_floor",
    "cross_certificate",
    "error_bound",
    "f_bound",
    "holm",
    "intersection",
    "mcnemar",
    "mcnemar_power",
    "mcnemar_rows",
    "mean_bound",
    "mean_checks",
    "paired",
    "rules",
    "sample_size",
    "selection",
    "split_rank",
    "strong_convexity_gap",
    "union",
]
