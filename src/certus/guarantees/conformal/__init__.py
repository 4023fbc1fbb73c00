"""Conformal prediction: thresholds from scores of calibration rows, and the coverage that they promise.

* `conformal_ranks`: which score is the threshold; `rank_certificate`: what it promises, and its checkers.
* `split_calibration`: thresholds for all rows, or for every group.
* `cross_conformal`: CV+, jackknife+ and minmax sets, their certificate and its checker.
"""

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
