"""Every misuse gets one error that names the argument, what was allowed and what was given."""

import numpy as np
import pytest

from certus.guarantees import (
    DataRole,
    auc_bound,
    balanced_accuracy_bound,
    error_bound,
    f_bound,
    holm,
    mcnemar,
    mcnemar_power,
    mean_bound,
    sample_size,
    strong_convexity_gap,
)
from certus.guarantees.holdout import classical_tests as tests_of
from certus.verbs.planning import plan


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: error_bound(7, 5), r"errors must be at most rows \(5\), got 7"),
        (lambda: error_bound(-1, 5), "errors must be a whole number of at least 0, got -1"),
        (lambda: error_bound(1.5, 5), "errors must be a whole number"),
        (lambda: error_bound(True, 5), "errors must be a whole number"),
        (lambda: error_bound(0, 0), "rows must be a whole number of at least 1, got 0"),
        (lambda: error_bound("3", 5), "errors must be a whole number"),
        (
            lambda: error_bound(1, 5, confidence=1.0),
            "confidence must be a number strictly between 0 and 1, got 1.0",
        ),
        (lambda: error_bound(1, 5, confidence=95), "confidence must be a number strictly between 0 and 1, got 95"),
        (lambda: error_bound(1, 5, confidence="0.9"), "confidence must be"),
        (lambda: error_bound(1, 5, confidence=float("nan")), "confidence must be"),
        (lambda: error_bound(1, 5, side="top"), "side must be one of 'upper', 'lower', 'both', got 'top'"),
        (lambda: error_bound(1, 5, method="wald"), "method must be one of 'clopper-pearson', 'kl', 'hoeffding'"),
        (lambda: error_bound(1, 5, uses=0), "uses must be a whole number of at least 1"),
        (lambda: mean_bound([]), "non-empty one-dimensional"),
        (lambda: mean_bound([[[0.1]]]), "non-empty"),
        (lambda: mean_bound(["a"]), "losses must be numbers"),
        (lambda: mean_bound([0.5, 1.5, 2.0]), r"row 1 is .*1\.5.* \(2 of 3 rows are outside\)"),
        (lambda: mean_bound([0.5, float("nan")]), "row 1 is .*nan"),
        (lambda: mean_bound([0.5], low=1, high=0), "low must be less than high"),
        (lambda: mean_bound([0.5], high=np.inf), "Hint: a loss without a finite range"),
        (lambda: mean_bound([0.5], low="x"), "low and high must be numbers"),
        (lambda: mean_bound([0.5], method="wald"), "method must be one of"),
        (lambda: mean_bound([0.5], method="bernstein"), "needs a known variance"),
        (lambda: mean_bound([0.5], variance=0.1), "does not go with method='betting'"),
        (lambda: mean_bound([0.5], method="bernstein", variance=-1.0), "variance must be a finite number"),
        (lambda: mean_bound([0.5], seed=-1), "seed must be a whole number"),
        (lambda: mean_bound([0.5, 3.0], high=[1.0, 2.0], method="hoeffding"), "row 1 is .*outside its range"),
        (lambda: mean_bound([0.5], high=[1.0]), "one range per row needs method='hoeffding'"),
        (lambda: sample_size(0, 0.1, 0.9), "hypotheses must be a whole number of at least 1"),
        (lambda: sample_size(10, 1.5, 0.9), "error must be a number strictly between 0 and 1"),
        (lambda: sample_size(10, 0.1, 0.9, "hopeful"), "setting must be one of"),
        (lambda: mcnemar(-1, 3), "only_a_wrong must be a whole number"),
        (lambda: mcnemar(1, 3, alternative="both"), "alternative must be one of"),
        (lambda: mcnemar_power(10, 0.7, 0.7), "add up to at most 1"),
        (lambda: holm([0.5, 1.5]), "between 0 and 1"),
        (lambda: f_bound(0, 0, 0), "nothing to bound"),
        (lambda: f_bound(1, 1, 1, beta=0), "beta must be greater than 0"),
        (lambda: f_bound(-1, 1, 1), "true_positives must be a whole number"),
        (lambda: balanced_accuracy_bound([5], [4]), "correct <= rows"),
        (lambda: balanced_accuracy_bound([], []), "one entry per class"),
        (lambda: auc_bound([], [1.0]), "positive_scores must be a non-empty"),
        (lambda: auc_bound([1.0], [float("nan")]), "negative_scores must be a non-empty"),
        (lambda: strong_convexity_gap(-1.0, 1.0, 1.0), "gradient_norm must be at least 0"),
        (lambda: strong_convexity_gap(1.0, 0.0, 1.0), "strength must be finite and greater than 0"),
        (lambda: DataRole("exam", 10), "purpose must be one of"),
        (lambda: DataRole("training", 10).use("certify"), "training rows cannot certify"),
        (lambda: plan(error=0.0), "error must be a number strictly between 0 and 1"),
        (lambda: plan(error=0.1, confidence=2), "confidence must be"),
        (lambda: plan(error=0.1, true_error=2), "true_error must be"),
        (lambda: plan(error=0.1, pilot=(7, 5)), "errors must be at most rows"),
        (lambda: plan(error=0.1, pilot=3), "pilot must be a pair"),
        (lambda: plan(error=0.1, pilot=(1, 5), true_error=0.1), "at most one of true_error and pilot"),
        (lambda: plan(error=0.1).chance(10), "Hint: plan"),
        (lambda: plan(error=0.1).rows[3:], "must have an end"),
        (lambda: plan(error=0.1).rows[-1], "errors must be a whole number"),
        (lambda: tests_of.paired_t([1.0], [1.0]), "at least 2 finite scores"),
        (lambda: tests_of.paired_t([1.0, 2.0], [1.0]), "equally long"),
        (lambda: tests_of.corrected_t([1.0, 2.0], [1.0, 3.0], test_share=0), "test_share must be greater than 0"),
        (lambda: tests_of.five_by_two(np.zeros((2, 5))), r"shape \(5, 2\)"),
        (lambda: tests_of.z_test([1.0, 2.0], 0.0), "deviation must be a finite number greater than 0"),
        (lambda: tests_of.friedman([[1.0, 2.0]]), "at least 2 x 2"),
    ],
)
def test_error_names_the_argument(call, message):
    with pytest.raises(ValueError, match=message):
        call()
