"""What rows that training never saw support: rates, means, rankings, comparisons, and how many rows it takes."""

from certus.guarantees.holdout import classical_tests as classical_tests
from certus.guarantees.holdout.complements import complement
from certus.guarantees.holdout.confusion_measures import balanced_accuracy_bound, f_bound, macro_f_bound
from certus.guarantees.holdout.exact_tests import TestResult, holm, mcnemar, mcnemar_power, mcnemar_rows
from certus.guarantees.holdout.losses_by_row import (
    LossFunction,
    Predictor,
    automatic_loss,
    check_loss,
    is_regression,
    labels,
    mistakes,
    predictions,
    row_losses,
    true_labels,
)
from certus.guarantees.holdout.mean_loss import mean_bound
from certus.guarantees.holdout.model_certificates import certify
from certus.guarantees.holdout.paired import Pair, Verdict, compare_losses, compare_mistakes
from certus.guarantees.holdout.pairwise_ranking import pairwise_auc_bound, won_pairs_table
from certus.guarantees.holdout.ranking import auc_bound
from certus.guarantees.holdout.rate import RateSetting, error_bound, rate_bound
from certus.guarantees.holdout.selection import discordant_counts, shortlist_certificate, worse_pvalues

__all__ = [
    "LossFunction",
    "Pair",
    "Predictor",
    "RateSetting",
    "TestResult",
    "Verdict",
    "auc_bound",
    "automatic_loss",
    "balanced_accuracy_bound",
    "certify",
    "check_loss",
    "compare_losses",
    "compare_mistakes",
    "complement",
    "discordant_counts",
    "error_bound",
    "f_bound",
    "holm",
    "is_regression",
    "labels",
    "macro_f_bound",
    "mcnemar",
    "mcnemar_power",
    "mcnemar_rows",
    "mean_bound",
    "mistakes",
    "pairwise_auc_bound",
    "predictions",
    "rate_bound",
    "row_losses",
    "shortlist_certificate",
    "true_labels",
    "won_pairs_table",
    "worse_pvalues",
]
