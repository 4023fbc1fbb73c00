"""What scikit-learn deprecates in the namesakes of our learners: it still works here, with a warning from this list.

The versions are scikit-learn's. When its oldest release that we support no longer takes a form, the form leaves the
learner and its line leaves this list.
"""

from __future__ import annotations

from certus.base.user_warnings import warn_user

DEPRECATED = {
    "criterion of trees": '`criterion="friedman_mse"` is deprecated by scikit-learn and means the same as '
    '"squared_error": both choose the same splits.\nHint: use `criterion="squared_error"`.',
    "criterion of boosting": "The parameter `criterion` is deprecated by scikit-learn and has no effect.\n"
    "Hint: leave it out.",
    "penalty": "'penalty' was deprecated by scikit-learn.\nHint: leave it out and use l1_ratio=0 instead of "
    "penalty='l2', l1_ratio=1 instead of penalty='l1', an l1_ratio between 0 and 1 instead of penalty='elasticnet', "
    "and C=np.inf instead of penalty=None.",
    "penalty of a search": "'penalty' was deprecated by scikit-learn.\nHint: leave it out and use l1_ratios=(0,) "
    "instead of penalty='l2', l1_ratios=(1,) instead of penalty='l1', l1_ratios between 0 and 1 instead of "
    "penalty='elasticnet', and Cs=(np.inf,) instead of penalty=None.",
    "l1_ratio": "'l1_ratio=None' was deprecated by scikit-learn.\nHint: use a number from 0 to 1.",
    "l1_ratios": "'l1_ratios=None' was deprecated by scikit-learn.\nHint: use numbers from 0 to 1.",
    "default of l1_ratios": "The default value for l1_ratios will change from None to (0.0,), as in scikit-learn.\n"
    "Hint: set it, for example l1_ratios=(0,).",
    "default of scoring": "The default value of the parameter 'scoring' will change from None, i.e. accuracy, to "
    "'neg_log_loss', as in scikit-learn.\nHint: set it: scoring='neg_log_loss' for the new default, "
    "scoring='accuracy' for the old one.",
    "use_legacy_attributes": "The default value of use_legacy_attributes will change from True to False, as in "
    "scikit-learn; the fitted attributes are then simpler.\nHint: set it to False now, or to True to keep the old "
    "form for the time being.",
    "n_jobs": "'n_jobs' has no effect and is deprecated by scikit-learn.\nHint: leave it out.",
    "n_alphas": "'n_alphas' was deprecated in 1.9 and will be removed in 1.11 of scikit-learn.\n"
    "Hint: pass the number of alphas as 'alphas' and leave 'n_alphas' out.",
    "alphas": "'alphas=None' is deprecated and will be removed in 1.11 of scikit-learn.\nHint: use alphas=100.",
    "power_t": "Negative values for `power_t` are deprecated by scikit-learn.\nHint: use a value of at least 0.",
    "gcv_mode": "The 'svd' mode is not supported for sparse X, 'eigen' is used instead; scikit-learn deprecated this.\n"
    "Hint: set gcv_mode='eigen'.",
    "probability": "The `probability` parameter was deprecated by scikit-learn.\nHint: instead of probability=True "
    "use CalibratedClassifierCV with ensemble=False.",
    "probA_": "Attribute `probA_` was deprecated by scikit-learn.",
    "probB_": "Attribute `probB_` was deprecated by scikit-learn.",
}


def warn_deprecated(form: str) -> None:
    """Warn that a form, by its key in the list, is deprecated."""
    warn_user(DEPRECATED[form], FutureWarning)


def present_criterion(criterion: str) -> str:
    """The criterion of a regression tree under its present name; scikit-learn replaces it in the constructor too."""
    if not (isinstance(criterion, str) and criterion == "friedman_mse"):
        return criterion
    warn_deprecated("criterion of trees")
    return "squared_error"
