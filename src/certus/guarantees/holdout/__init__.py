"""What rows that training never saw support.

* `rate`, `mean_loss` (by betting or by formula), `confusion_measures`, `ranking`, `pairwise_ranking`, `complements`:
  the bounds, each with its record and its checker.
* `paired`, `exact_tests`, `classical_tests`, `selection`: models and learners compared.
* `model_certificates`, `label_certificates`, `losses_by_row`: from models and labels to certificates.
* `sampled_mean`: what a sample of the rows says about all of them.
* `row_planning`: how many rows a promise takes.
* `binomial_tail`, `clopper_pearson`, `concentration`, `exact_tails`: the inequalities, by two routes.
"""

from certus.guarantees.holdout.classical_tests import (
    corrected_t,
    five_by_two,
    friedman,
    nemenyi,
    paired_t,
    wilcoxon,
    z_test,
)
from certus.guarantees.holdout.complements import complement
from certus.guarantees.holdout.confusion_measures import balanced_accuracy_bound, f_bound, macro_f_bound
from certus.guarantees.holdout.count_ladder import count_ladder, step_above
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
from certus.guarantees.holdout.mean_bounds import MeanBounds
from certus.guarantees.holdout.mean_loss import mean_bound
from certus.guarantees.holdout.model_certificates import certify
from certus.guarantees.holdout.model_responses import class_response
from certus.guarantees.holdout.paired import Pair, Verdict, compare_losses, compare_mistakes
from certus.guarantees.holdout.pairwise_ranking import pairwise_auc_bound, won_pairs_table
from certus.guarantees.holdout.ranking import auc_bound
from certus.guarantees.holdout.rate import RateBounds, RateSetting, error_bound, rate_bound
from certus.guarantees.holdout.sampled_mean import sampled_mean_bound
from certus.guarantees.holdout.selection import discordant_counts, shortlist_certificate, worse_pvalues

__all__ = [
    "LossFunction",
    "MeanBounds",
    "Pair",
    "Predictor",
    "RateBounds",
    "RateSetting",
    "TestResult",
    "Verdict",
    "auc_bound",
    "automatic_loss",
    "balanced_accuracy_bound",
    "certify",
    "check_loss",
    "class_response",
    "compare_losses",
    "compare_mistakes",
    "complement",
    "corrected_t",
    "count_ladder",
    "discordant_counts",
    "error_bound",
    "f_bound",
    "five_by_two",
    "friedman",
    "holm",
    "is_regression",
    "labels",
    "macro_f_bound",
    "mcnemar",
    "mcnemar_power",
    "mcnemar_rows",
    "mean_bound",
    "mistakes",
    "nemenyi",
    "paired_t",
    "pairwise_auc_bound",
    "predictions",
    "rate_bound",
    "row_losses",
    "sampled_mean_bound",
    "shortlist_certificate",
    "step_above",
    "true_labels",
    "wilcoxon",
    "won_pairs_table",
    "worse_pvalues",
    "z_test",
]
