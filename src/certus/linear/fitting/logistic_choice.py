"""What LogisticRegressionCV has to resolve: parameters with scikit-learn's warnings, scorers, old attribute forms."""

from __future__ import annotations

import numbers
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.metrics import brier_score_loss, get_scorer, log_loss, make_scorer

from certus.base import warn_deprecated, warn_user
from certus.linear.problems.logistic_penalty import check_combination

# Scorers that need every class named, because a fold may lack one.
NEED_LABELS = {"neg_log_loss": log_loss, "neg_brier_score": brier_score_loss}


@dataclass(frozen=True)
class Settings:
    """What is tried and how it is told."""

    strengths: NDArray[np.float64]  # values of C
    ratios: list[float]  # shares of L1, as numbers
    given_ratios: Any  # as the user gave them; None if not
    scoring: Any
    legacy: bool


def resolve_settings(learner: BaseEstimator) -> Settings:
    """Read the parameters, with the warnings that scikit-learn gives for them."""
    given = _given_ratios(learner)
    kind = _kind(learner, given)
    scoring, legacy = _scoring(learner), _legacy(learner)
    check_combination(learner.solver, kind, learner.dual)
    if kind == "elasticnet":
        bad = given is None or len(given) == 0
        if bad or any(not isinstance(r, numbers.Number) or not 0 <= r <= 1 for r in given):  # type: ignore[operator]
            raise ValueError(f"l1_ratios must be an array-like of numbers between 0 and 1; got (l1_ratios={given!r}).")
    elif given is not None and learner.penalty != "deprecated":
        warn_user(f"l1_ratios parameter is only used when penalty is 'elasticnet'. Got (penalty={kind})")
    fixed = {"l1": 1.0, "l2": 0.0}
    ratios = [fixed[kind]] * (1 if given is None else len(given)) if kind in fixed else [float(r) for r in given]
    strengths = np.logspace(-4, 4, learner.Cs) if isinstance(learner.Cs, numbers.Integral) else np.asarray(learner.Cs)
    if strengths.ndim != 1 or len(strengths) == 0 or not (strengths > 0).all():
        raise ValueError(f"The values of Cs must be greater than 0 and at least one. Got {learner.Cs!r} instead.")
    return Settings(strengths.astype(np.float64), ratios, given, scoring, legacy)


def _given_ratios(learner: BaseEstimator) -> Any:
    if not (isinstance(learner.l1_ratios, str) and learner.l1_ratios == "warn"):
        return learner.l1_ratios
    warn_deprecated("default of l1_ratios")
    return None


def _kind(learner: BaseEstimator, ratios: Any) -> str:
    """One of "l1", "l2", "elasticnet"."""
    if learner.penalty != "deprecated":
        warn_deprecated("penalty of a search")
        return str(learner.penalty)
    if learner.l1_ratios is None:
        warn_deprecated("l1_ratios")
    if ratios is None or np.all(np.asarray(ratios) == 0):
        return "l2"
    return "l1" if np.all(np.asarray(ratios) == 1) else "elasticnet"


def _scoring(learner: BaseEstimator) -> Any:
    if not (isinstance(learner.scoring, str) and learner.scoring == "warn"):
        return learner.scoring
    warn_deprecated("default of scoring")
    return None


def _legacy(learner: BaseEstimator) -> bool:
    if not isinstance(learner.use_legacy_attributes, str):
        return bool(learner.use_legacy_attributes)
    warn_deprecated("use_legacy_attributes")
    return True


def fold_scorer(scoring: str | Callable[..., float] | None, classes: NDArray[Any]) -> Any:
    """The scorer for rows of one fold, in which a class may be missing."""
    if isinstance(scoring, str) and scoring in NEED_LABELS:
        options = {"pos_label": classes[-1]} if scoring == "neg_brier_score" and len(classes) == 2 else {}
        return make_scorer(
            NEED_LABELS[scoring],
            greater_is_better=False,
            response_method="predict_proba",
            labels=classes,
            **options,
        )
    return get_scorer("accuracy" if scoring is None else scoring)


def part_of(params: dict[str, Any], rows: NDArray[Any], count: int) -> dict[str, Any]:
    """The parameters with those that have one entry per row cut to some rows."""
    return {
        name: np.asarray(value)[rows] if np.ndim(value) == 1 and len(value) == count else value
        for name, value in params.items()
    }


def as_attributes(learner: BaseEstimator, settings: Settings) -> None:
    """Bring the attributes, set in their new form, to the form that was asked for."""
    learner.Cs_ = settings.strengths
    given = settings.given_ratios
    learner.l1_ratios_ = np.asarray([None] if given is None else given)
    if not settings.legacy:
        return
    classes = learner.classes_[1:] if len(learner.classes_) == 2 else learner.classes_
    # (folds, ratios, Cs, outputs, columns) -> per class (folds, Cs, ratios, columns)
    paths = np.moveaxis(learner.coefs_paths_, (3, 1), (0, 3))
    scores, iterations = learner.scores_.swapaxes(1, 2), learner.n_iter_.swapaxes(1, 2)[None]
    if given is None:
        paths, scores, iterations = paths[:, :, :, 0], scores[:, :, 0], iterations[:, :, :, 0]
    learner.coefs_paths_ = dict(zip(classes, paths, strict=True))
    learner.scores_ = dict.fromkeys(classes, scores)
    learner.n_iter_ = iterations
    ratio = None if given is None and learner.refit else learner.l1_ratio_
    learner.C_ = np.tile(learner.C_, len(classes))
    learner.l1_ratio_ = np.array([ratio] * len(classes))
