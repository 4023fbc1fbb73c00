"""Logistic regression that chooses its own penalty by cross-validation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import get_scorer, get_scorer_names
from sklearn.model_selection import check_cv
from sklearn.utils import compute_class_weight
from sklearn.utils.metadata_routing import UNUSED, MetadataRouter, MethodMapping, process_routing

from certus.base import fit_method, register, warn_user
from certus.base.inputs import (
    LARGEST,
    ClassWeightLike,
    FoldsLike,
    RandomStateLike,
    Table,
    TableLike,
    TargetLike,
    WeightsLike,
    check_weights,
    check_Xy,
)
from certus.base.params import ArrayLike, Boolean, Exactly, Folds, Function, Interval, OneOf
from certus.guarantees import Report
from certus.linear.design.fold_weights import refuse_empty_fold
from certus.linear.fitting.logistic_choice import Settings, as_attributes, fold_scorer, part_of, resolve_settings
from certus.linear.logistic_regression import LogisticRegression
from certus.linear.solvers.logistic_path import fit_path, penalty_at

REPLACED = ("C", "l1_ratio", "warm_start", "penalty")
FOUND = ("coef_", "intercept_", "gap_", "converged_", "history_", "report_")


@register(
    guarantees=("gap to the optimum", "training labels of the exact optimum"),
    cost="(folds x penalties + 1) fits of LogisticRegression, each started from the last",
)
class LogisticRegressionCV(LogisticRegression):
    """`LogisticRegression` with C (and the share of L1) chosen by cross-validation.

    Minimizes, for the C in ``Cs`` and the l1_ratio in ``l1_ratios`` with the best mean score over the folds,

        C sum_i s_i l(y_i, W x_i + b) + (1 - l1_ratio)/2 |W|^2 + l1_ratio |W|_1

    Every fold follows the path of penalties, each fit started from the last; the final fit is on all rows and certified
    like that of `LogisticRegression`.

    Parameters
    ----------
    Cs : int or array-like, default=10
        Values of C to try; a number means so many between 1e-4 and 1e4 on a logarithmic scale.
    l1_ratios : array-like or None, default="warn"
        Shares of the L1 penalty to try. The default means None, that is ridge only, and warns as in scikit-learn.
    cv : int, splitter, iterable or None, default=None
        The folds; None means 5, stratified.
    dual : bool, default=False
        As for `LogisticRegression`.
    penalty : {"l1", "l2", "elasticnet"}, default="deprecated"
        Deprecated, as in scikit-learn: use `l1_ratios`.
    scoring : str, callable or None, default="warn"
        What to choose by. The default means None, that is accuracy, and warns as in scikit-learn.
    solver : {"lbfgs", "liblinear", "newton-cg", "newton-cholesky", "sag", "saga"}, default="lbfgs"
        As for `LogisticRegression`.
    tol : float, default=1e-4
        As for `LogisticRegression`.
    max_iter : int, default=100
        Largest number of iterations of every fit.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, multiplied to those of the rows; "balanced" is taken from all rows.
    n_jobs : int or None, default=None
        Accepted for compatibility. All cores are used; the result does not depend on their number.
    verbose : int, default=0
        Accepted for compatibility.
    refit : bool, default=True
        Whether to fit all rows with the best penalty. Otherwise the coefficients are the mean of those of the folds'
        best fits, about which nothing is certified.
    intercept_scaling : float, default=1.0
        As for `LogisticRegression`.
    random_state : int, RandomState or None, default=None
        As for `LogisticRegression`.
    use_legacy_attributes : bool, default="warn"
        True: ``C_``, ``l1_ratio_``, ``coefs_paths_``, ``scores_`` and ``n_iter_`` have scikit-learn's old forms (one
        entry per class). The default means True and warns as in scikit-learn.
    gap_tol : float or None, default=None
        Largest certified gap of the final fit that is accepted without a warning, relative to the objective at zero.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        W.
    Cs_, l1_ratios_ : ndarray
        What was tried.
    C_, l1_ratio_ : float, or ndarray in the old form
        What was chosen.
    coefs_paths_ : ndarray of shape (n_folds, n_l1_ratios, n_Cs, n_outputs, n_features + 1), or dict in the old form
        Coefficients and intercepts of all fits.
    scores_ : ndarray of shape (n_folds, n_l1_ratios, n_Cs), or dict in the old form
        Scores of all fits.
    n_iter_ : ndarray of shape (n_folds, n_l1_ratios, n_Cs), or with a leading axis in the old form
        Iterations of all fits.
    gap_, converged_, history_ : float, bool, ndarray
        As for `LogisticRegression`; of the final fit.
    report_ : Report
        Certificates of the final fit.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from certus.linear import LogisticRegressionCV
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LogisticRegressionCV(
    ...     cv=5, l1_ratios=(0,), scoring="neg_log_loss", use_legacy_attributes=False
    ... ).fit(X, y)
    >>> round(model.score(X, y), 3), model.converged_
    (-0.041, True)
    """

    __metadata_request__score = {"sample_weight": UNUSED}  # it is the scorer that asks for weights

    _constraints = {
        **{name: rules for name, rules in LogisticRegression._constraints.items() if name not in REPLACED},
        "Cs": [Interval(1, None, integer=True), ArrayLike()],
        "l1_ratios": [ArrayLike(), Exactly(None), Exactly("warn")],
        "cv": [Folds()],
        "scoring": [OneOf(*get_scorer_names()), Function(), Exactly(None), Exactly("warn")],
        "refit": [Boolean()],
        "penalty": [OneOf("l1", "l2", "elasticnet"), Exactly("deprecated")],
        "use_legacy_attributes": [Boolean(), Exactly("warn")],
    }
    _takes_sparse = True
    _scaled: ClassVar[Any] = None
    _state: ClassVar[tuple[str, ...]] = (
        "classes_",
        "coef_",
        "intercept_",
        "Cs_",
        "l1_ratios_",
        "C_",
        "l1_ratio_",
        "coefs_paths_",
        "scores_",
        "n_iter_",
        "gap_",
        "converged_",
        "history_",
        "n_features_in_",
        "feature_names_in_",
    )

    def __init__(
        self,
        *,
        Cs: int | TargetLike = 10,
        l1_ratios: Any = "warn",
        fit_intercept: bool = True,
        cv: FoldsLike = None,
        dual: bool = False,
        penalty: Any = "deprecated",
        scoring: str | Callable[..., float] | None = "warn",
        solver: str = "lbfgs",
        tol: float = 1e-4,
        max_iter: int = 100,
        class_weight: ClassWeightLike = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        refit: bool = True,
        intercept_scaling: float = 1.0,
        random_state: RandomStateLike = None,
        use_legacy_attributes: Any = "warn",
        gap_tol: float | None = None,
    ) -> None:
        self._set_parameters(locals())

    @fit_method
    def fit(
        self, X: TableLike, y: TargetLike, sample_weight: WeightsLike = None, **params: Any
    ) -> LogisticRegressionCV:
        """Choose the penalty and find the best coefficients for it.

        Parameters
        ----------
        sample_weight : array-like of shape (n_samples,), optional
            Weight of every row, in the fits and in the scores.
        **params : dict
            For the splitter and the scorer, if metadata routing is enabled.
        """
        _refuse_parameters(self, params)
        settings = resolve_settings(self)
        large = self.solver not in ("liblinear", "sag", "saga")
        table, y = check_Xy(
            self,
            X,
            y,
            accept_sparse="csr",
            order="C",
            dtype=np.float64,
            accept_large_sparse=large,
            largest=None if self.solver == "liblinear" else LARGEST,
        )
        codes = self._encode_labels(y)
        self._refuse_one_class()
        self._check_liblinear(table)
        sample_weight = check_weights(self, sample_weight, table)
        split, score = self._routed(sample_weight, params)
        folds = list(check_cv(self.cv, y, classifier=True).split(table, y, **split))
        class_weight = self._fixed_class_weight(y, sample_weight)
        converged = self._follow_paths(table, y, codes, sample_weight, class_weight, folds, settings, score)
        self._choose(table, y, sample_weight, class_weight, settings, converged)
        as_attributes(self, settings)
        return self

    def _routed(self, sample_weight: WeightsLike, params: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """What the splitter and what the scorer get."""
        if get_config()["enable_metadata_routing"]:
            routed = process_routing(self, "fit", sample_weight=sample_weight, **params)
            return dict(routed.splitter.split), dict(routed.scorer.score)
        return {}, {} if sample_weight is None else {"sample_weight": sample_weight}

    def _fixed_class_weight(self, y: NDArray[Any], sample_weight: WeightsLike) -> Any:
        """Weights of the classes from all rows, so that they are the same in every fold."""
        if isinstance(self.class_weight, dict) and not set(self.class_weight) <= set(self.classes_):
            raise ValueError(
                "The given class_weight dict must have the class labels as keys; "
                f"classes={self.classes_} but key={self.class_weight.keys()}."
            )
        if self.class_weight != "balanced":
            return self.class_weight
        weights = np.ones(len(y)) if sample_weight is None else sample_weight
        balanced = compute_class_weight("balanced", classes=self.classes_, y=y, sample_weight=weights)
        return dict(zip(self.classes_, balanced, strict=True))

    def _member(self, class_weight: ClassWeightLike, **settings: Any) -> LogisticRegression:
        """A LogisticRegression with this learner's settings, for one fit or one path."""
        member = LogisticRegression(
            dual=self.dual,
            tol=self.tol,
            fit_intercept=self.fit_intercept,
            intercept_scaling=self.intercept_scaling,
            class_weight=class_weight,
            random_state=self.random_state,
            solver=self.solver,
            max_iter=self.max_iter,
            **settings,
        )
        member.classes_ = self.classes_
        member.n_features_in_ = self.n_features_in_
        return member

    def _follow_paths(
        self,
        X: Table,
        y: NDArray[Any],
        codes: NDArray[Any],
        sample_weight: WeightsLike,
        class_weight: ClassWeightLike,
        folds: list[Any],
        settings: Settings,
        score_params: dict[str, Any],
    ) -> bool:
        """Fit and score all folds; sets the attributes with a first axis of folds. Whether all fits converged."""
        member = self._member(class_weight)
        weights, _ = member._weights(X, y, codes, sample_weight)
        scorer = fold_scorer(settings.scoring, self.classes_)
        outputs = 1 if len(self.classes_) == 2 else len(self.classes_)
        shape = (len(folds), len(settings.ratios), len(settings.strengths))
        width = X.shape[1] + int(self.fit_intercept)
        self.coefs_paths_, self.scores_ = np.empty((*shape, outputs, width)), np.empty(shape)
        self.n_iter_, converged = np.empty(shape, dtype=np.int32), True
        for i, (train, test) in enumerate(folds):
            refuse_empty_fold(self, weights, i, train, test)
            train_weights = None if weights is None else np.ascontiguousarray(weights[train])
            test_params = part_of(score_params, test, len(y))
            for j, ratio in enumerate(settings.ratios):
                penalties = [penalty_at(C, ratio) for C in settings.strengths]
                path = fit_path(member, X[train], codes[train], train_weights, penalties)
                converged = converged and path.converged
                self.n_iter_[i, j] = path.iterations
                for k, (coef, intercept) in enumerate(zip(path.coefs, path.intercepts, strict=True)):
                    member.coef_, member.intercept_ = coef, intercept
                    member.C = settings.strengths[k]
                    whole = np.column_stack([coef, intercept]) if self.fit_intercept else coef
                    self.coefs_paths_[i, j, k] = whole
                    self.scores_[i, j, k] = scorer(member, X[test], y[test], **test_params)
        return converged

    def _choose(
        self,
        X: Table,
        y: TargetLike,
        sample_weight: WeightsLike,
        class_weight: ClassWeightLike,
        settings: Settings,
        converged: bool,
    ) -> None:
        """Set C_, l1_ratio_ and the coefficients."""
        columns = X.shape[1]
        if self.refit:
            total = self.scores_.sum(axis=0).T
            k, j = np.unravel_index(int(total.argmax()), total.shape)
            self.C_, self.l1_ratio_ = float(settings.strengths[k]), settings.ratios[j]
            # Started anew, so that the result is exactly that of LogisticRegression with the chosen penalty.
            final = self._member(class_weight, C=self.C_, l1_ratio=self.l1_ratio_, gap_tol=self.gap_tol)
            final.fit(X, y, sample_weight)
            for name in FOUND:
                setattr(self, name, getattr(final, name))
            return
        best = self.scores_.swapaxes(1, 2).reshape(len(self.scores_), -1).argmax(axis=1)
        k, j = np.unravel_index(best, self.scores_.shape[:0:-1])
        mean = np.mean([self.coefs_paths_[i, j[i], k[i]] for i in range(len(best))], axis=0)
        self.coef_ = mean[:, :columns]
        self.intercept_ = mean[:, columns] if self.fit_intercept else np.zeros(len(mean))
        self.C_ = float(settings.strengths[k].mean())
        self.l1_ratio_ = float(np.mean(np.array(settings.ratios)[j]))
        self._without_certificate(converged)

    def _without_certificate(self, converged: bool) -> None:
        self.gap_, self.converged_, self.history_, self.report_ = np.inf, converged, np.empty(0), Report()
        if not converged:
            warn_user(
                f"Some fits of LogisticRegressionCV did not converge within max_iter={self.max_iter}.\n"
                "Hint: raise max_iter, or scale the data (StandardScaler).",
                ConvergenceWarning,
            )

    def score(self, X: TableLike, y: TargetLike, *, sample_weight: WeightsLike = None, **params: Any) -> float:
        """The score by which the penalty was chosen, on other rows.

        Parameters
        ----------
        **params : dict
            For the scorer, if metadata routing is enabled.

        Returns
        -------
        float
            By `scoring`; accuracy if that is None.
        """
        _refuse_parameters(self, params)
        given = params if sample_weight is None else {**params, "sample_weight": sample_weight}
        if get_config()["enable_metadata_routing"]:
            given = dict(process_routing(self, "score", **given).scorer.score)
        return float(self._get_scorer()(self, X, y, **given))

    def _get_scorer(self) -> Any:
        """The scorer that ``scoring`` names; accuracy if it names none."""
        unnamed = self.scoring is None or (isinstance(self.scoring, str) and self.scoring == "warn")
        return get_scorer("accuracy" if unnamed else self.scoring)

    def get_metadata_routing(self) -> MetadataRouter:
        """How metadata reach the splitter and the scorer."""
        to_scorer = MethodMapping().add(caller="score", callee="score").add(caller="fit", callee="score")
        return (
            MetadataRouter(owner=self)
            .add_self_request(self)
            .add(splitter=self.cv, method_mapping=MethodMapping().add(caller="fit", callee="split"))
            .add(scorer=self._get_scorer(), method_mapping=to_scorer)
        )


def _refuse_parameters(learner: BaseEstimator, params: dict[str, Any]) -> None:
    if params and not get_config()["enable_metadata_routing"]:
        raise ValueError(
            f"Passing extra keyword arguments ({', '.join(params)}) to {type(learner).__name__} is only supported if "
            "enable_metadata_routing=True, which sklearn.set_config sets."
        )
