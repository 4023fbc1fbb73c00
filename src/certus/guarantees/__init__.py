"""Certificates and bounds: what can be promised about a model, and how to check it."""

from certus.guarantees import alarm_certificate, hypothesis_classes, mean_checks, paired, rules, selection
from certus.guarantees.adaptive_conformal import AdaptiveConformal
from certus.guarantees.certificate import Certificate
from certus.guarantees.combine import intersection, union
from certus.guarantees.complement import complement
from certus.guarantees.compression import compression_bound
from certus.guarantees.conformal_cross_certificate import cross_certificate
from certus.guarantees.conformal_ranks import ConformalRank, assured_rank, coverage_floor, split_rank
from certus.guarantees.conformal_split import Calibration, GroupCalibration, calibrate, calibrate_groups
from certus.guarantees.confusion import balanced_accuracy_bound, f_bound, macro_f_bound
from certus.guarantees.crowd import chernoff_lower_tail, condorcet
from certus.guarantees.error import error_bound
from certus.guarantees.errors import CertificateError
from certus.guarantees.estimate import as_estimate
from certus.guarantees.finite_class import excess_bound, finite_class_bound, uniform_convergence
from certus.guarantees.growth import cover, sauer
from certus.guarantees.hypothesis_classes import HypothesisClass
from certus.guarantees.leave_one_out import jaakkola_haussler, ridge_leave_one_out, support_leave_one_out, xi_alpha
from certus.guarantees.margin_bounds import kernel_margin_bound, voting_margin_bound
from certus.guarantees.mean import mean_bound
from certus.guarantees.monitor import Monitor
from certus.guarantees.oob_counts import out_of_bag_errors
from certus.guarantees.oob_votes import oob_vote_bounds
from certus.guarantees.optimality import strong_convexity_gap
from certus.guarantees.pac_bayes import pac_bayes_kl
from certus.guarantees.pac_bayes_margin import pac_bayes_margin
from certus.guarantees.pairwise_ranking import pairwise_auc_bound
from certus.guarantees.rademacher import rademacher
from certus.guarantees.rademacher_bound import rademacher_bound
from certus.guarantees.ranking import auc_bound
from certus.guarantees.report import Report
from certus.guarantees.risk_control import Guard, control_rates
from certus.guarantees.roles import DataRole
from certus.guarantees.sample_size import sample_size
from certus.guarantees.scenario import campi_garatti
from certus.guarantees.sequence import ConfidenceSequence
from certus.guarantees.shattering import growth_function, shattered_sets, vc_dimension
from certus.guarantees.stability import ridge_stability, sgd_stability, stability_bound, svm_stability
from certus.guarantees.testing import TestResult, holm, mcnemar, mcnemar_power, mcnemar_rows
from certus.guarantees.vc import vc_bound, vc_rows
from certus.guarantees.vote_c_bound import c_bound
from certus.guarantees.votes import cantelli_bound, first_order_bound, tandem_bound

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
    "HypothesisClass",
    "Monitor",
    "Report",
    "TestResult",
    "alarm_certificate",
    "assured_rank",
    "auc_bound",
    "balanced_accuracy_bound",
    "c_bound",
    "calibrate",
    "calibrate_groups",
    "campi_garatti",
    "cantelli_bound",
    "chernoff_lower_tail",
    "as_estimate",
    "complement",
    "compression_bound",
    "condorcet",
    "control_rates",
    "cover",
    "coverage_floor",
    "cross_certificate",
    "error_bound",
    "excess_bound",
    "f_bound",
    "finite_class_bound",
    "first_order_bound",
    "growth_function",
    "holm",
    "hypothesis_classes",
    "intersection",
    "jaakkola_haussler",
    "kernel_margin_bound",
    "macro_f_bound",
    "mcnemar",
    "mcnemar_power",
    "mcnemar_rows",
    "mean_bound",
    "mean_checks",
    "oob_vote_bounds",
    "out_of_bag_errors",
    "pac_bayes_kl",
    "pac_bayes_margin",
    "pairwise_auc_bound",
    "paired",
    "rademacher",
    "rademacher_bound",
    "ridge_leave_one_out",
    "ridge_stability",
    "rules",
    "sample_size",
    "sauer",
    "selection",
    "sgd_stability",
    "shattered_sets",
    "split_rank",
    "stability_bound",
    "strong_convexity_gap",
    "support_leave_one_out",
    "svm_stability",
    "tandem_bound",
    "uniform_convergence",
    "union",
    "vc_bound",
    "vc_dimension",
    "vc_rows",
    "voting_margin_bound",
    "xi_alpha",
]
