"""Certificates and bounds: what can be promised about a model, and how to check it."""

from certus.guarantees import rules
from certus.guarantees.certificate import Certificate
from certus.guarantees.combine import intersection, union
from certus.guarantees.conformal_cross_certificate import cross_certificate
from certus.guarantees.conformal_ranks import ConformalRank, assured_rank, coverage_floor, split_rank
from certus.guarantees.conformal_split import Calibration, GroupCalibration, calibrate, calibrate_groups
from certus.guarantees.error import error_bound
from certus.guarantees.errors import CertificateError
from certus.guarantees.optimality import strong_convexity_gap
from certus.guarantees.report import Report
from certus.guarantees.risk_control import Guard, control_rates

__all__ = [
    "Calibration",
    "ConformalRank",
    "GroupCalibration",
    "Guard",
    "assured_rank",
    "calibrate",
    "calibrate_groups",
    "control_rates",
    "coverage_floor",
    "cross_certificate",
    "split_rank",
    "Certificate",
    "CertificateError",
    "Report",
    "error_bound",
    "intersection",
    "rules",
    "strong_convexity_gap",
    "union",
]
