"""Conformal prediction: thresholds from held-out scores, and what they promise."""

from certus.guarantees.conformal.conformal_ranks import ConformalRank, assured_rank, coverage_floor, split_rank
from certus.guarantees.conformal.cross_conformal import (
    METHODS,
    cross_certificate,
    cross_interval,
    cross_set,
    equal_folds,
    outward,
)
from certus.guarantees.conformal.split_calibration import Calibration, GroupCalibration, calibrate, calibrate_groups

__all__ = [
    "Calibration",
    "ConformalRank",
    "GroupCalibration",
    "METHODS",
    "assured_rank",
    "calibrate",
    "calibrate_groups",
    "coverage_floor",
    "cross_certificate",
    "cross_interval",
    "cross_set",
    "equal_folds",
    "outward",
    "split_rank",
]
