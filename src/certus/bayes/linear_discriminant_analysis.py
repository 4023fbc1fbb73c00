"""Linear discriminant analysis. Hastie, Tibshirani, Friedman (2009), section 4.3."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin

from certus.base import Classifier, fit_method, predict_method, probabilities_of, register, warn_user
from certus.base.blocks import ScaledFit
from certus.base.inputs import LARGEST, TableLike, TargetLike, WeightsLike, check_weights, check_X, check_Xy
from certus.base.params import ArrayLike, Boolean, Exactly, HasMethods, Interval, OneOf
from certus.base.persistence import check_shapes
from certus.bayes.estimation.class_covariance import estimate_covariance
from certus.bayes.estimation.class_groups import ClassGroups, group_by_class
from certus.bayes.estimation.principal_axes import principal_axes
from certus.bayes.in_blocks.class_triangles import fit_discriminant, whole_table_needed
from certus.guarantees import Report

Array = NDArray[np.float64]


@register(
    family="bayes",
    tasks=("classification", "transformation"),
    guarantees=("held-out error bound",),
    cost="fit O(n p^2 + p^3), predict O(n p k) for k classes",
)
class LinearDiscriminantAnalysis(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Classifier):
    """Classifier with one normal distribution per class and a covariance that all classes share.

    Predicts argmax_c log P(c) + x' inv(S) mu_c - 1/2 mu_c' inv(S) mu_c, which is linear in x, with class means mu_c and
    the pooled covariance S = sum_c P(c) S_c. For two classes it is the logistic model with coefficients inv(S)(mu_1 -
    mu_0). As a transformer it projects on the directions that separate the class means best. With few rows per column,
    use ``shrinkage="auto"``.

    Parameters
    ----------
    solver : {"svd", "lsqr", "eigen"}, default="svd"
        "svd" drops directions in which the classes have no spread and never forms the covariance of dropped ones;
        "lsqr" and "eigen" allow shrinkage ("lsqr" cannot transform).
    shrinkage : "auto", float in [0, 1] or None, default=None
        Share of the identity in the covariance; "auto" estimates the best share (Ledoit and Wolf 2004).
    priors : array-like of shape (n_classes,), default=None
        Class probabilities; by default the share of each class (by weight) among the training rows.
    n_components : int, default=None
        Number of directions of `transform`, at most min(n_classes - 1, n_features).
    store_covariance : bool, default=False
        Whether solver="svd" also stores ``covariance_``.
    tol : float, default=1e-4
        Singular values of the within-class rows (scaled to unit spread) up to this count as zero, for "svd".
    covariance_estimator : object with fit and covariance_, default=None
        Estimates the covariance of each class instead, for "lsqr" and "eigen".

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Coefficients; two classes have one row.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Intercepts.
    priors_, means_ : ndarray of shape (n_classes,) and (n_classes, n_features)
        Class probabilities and means.
    covariance_ : ndarray of shape (n_features, n_features)
        The pooled covariance (for "svd" only if ``store_covariance``).
    scalings_ : ndarray of shape (n_features, rank)
        Directions of `transform` (not for "lsqr").
    explained_variance_ratio_ : ndarray of shape (n_components,)
        Share of the between-class variance per direction (not for "lsqr").
    xbar_ : ndarray of shape (n_features,)
        Overall mean ("svd" only).
    report_ : Report
        Empty: training rows alone bound nothing about this model. Use `certify`.

    Examples
    --------
    >>> from certus.bayes import LinearDiscriminantAnalysis
    >>> X = [[-1, -1], [-2, -1], [-3, -2], [1, 1], [2, 1], [3, 2]]
    >>> model = LinearDiscriminantAnalysis().fit(X, ["low"] * 3 + ["high"] * 3)
    >>> print(model.predict([[-0.8, -1]]))
    ['low']
    """

    _constraints = {
        "solver": [OneOf("svd", "lsqr", "eigen")],
        "shrinkage": [OneOf("auto"), Interval(0, 1), Exactly(None)],
        "n_components": [Interval(1, None, integer=True), Exactly(None)],
        "priors": [ArrayLike(), Exactly(None)],
        "store_covariance": [Boolean()],
        "tol": [Interval(0, None)],
        "covariance_estimator": [HasMethods("fit"), Exactly(None)],
    }
    _state = (
        "classes_",
        "coef_",
        "intercept_",
        "priors_",
        "means_",
        "covariance_",
        "scalings_",
        "explained_variance_ratio_",
        "xbar_",
        "n_features_in_",
        "feature_names_in_",
    )
    _scaled = ScaledFit("exact", fit_discriminant, {"largest": LARGEST}, whole_table_needed)

    def __init__(
        self,
        solver: str = "svd",
        shrinkage: float | str | None = None,
        priors: TargetLike | None = None,
        n_components: int | None = None,
        store_covariance: bool = False,
        tol: float = 1e-4,
        covariance_estimator: BaseEstimator | None = None,
    ) -> None:
        self._set_parameters(locals())

    @fit_method
    def fit(self, X: TableLike, y: TargetLike, sample_weight: WeightsLike = None) -> LinearDiscriminantAnalysis:
        """Estimate means, covariance and the linear scores from the rows."""
        self._check_options()
        table, y = check_Xy(self, X, y, min_rows=2, largest=LARGEST)
        weights = check_weights(self, sample_weight, table)
        codes = self._encode_labels(y if weights is None else y[weights > 0.0])
        if weights is not None:
            table, weights = table[weights > 0.0], weights[weights > 0.0]
        groups = group_by_class(table, codes, len(self.classes_), weights)
        self._from_groups(groups, np.diff(groups.ends), table.dtype)
        return self

    def _from_groups(self, groups: ClassGroups, counts: NDArray[np.intp], dtype: Any) -> None:
        """Everything from the rows of the classes; ``counts`` says how many there are."""
        if counts.sum() == len(self.classes_):
            raise ValueError(
                "The number of samples must be more than the number of classes.\n"
                "Hint: the spread within a class needs at least two rows in some class."
            )
        self.priors_ = self._checked_priors(groups)
        self._check_components()
        for name in ("covariance_", "scalings_", "explained_variance_ratio_", "xbar_"):
            self.__dict__.pop(name, None)
        solve = {"svd": self._solve_svd, "lsqr": self._solve_lsqr, "eigen": self._solve_eigen}[self.solver]
        self._store(*solve(groups), groups.means, dtype)

    def _check_options(self) -> None:
        if self.solver != "svd":
            return
        if self.shrinkage is not None:
            raise NotImplementedError(
                "shrinkage not supported with 'svd' solver.\nHint: use solver='lsqr' or solver='eigen'."
            )
        if self.covariance_estimator is not None:
            raise ValueError(
                "covariance estimator is not supported with svd solver.\nHint: use solver='lsqr' or solver='eigen'."
            )

    def _checked_priors(self, groups: ClassGroups) -> Array:
        if self.priors is None:
            return groups.totals / groups.total
        priors = np.array(self.priors, dtype=np.float64)
        if priors.shape != groups.totals.shape:
            raise ValueError(
                f"The 'priors' parameter of {type(self).__name__} has shape {priors.shape}, but the data have "
                f"{len(groups.totals)} classes."
            )
        if (priors < 0).any():
            raise ValueError("priors must be non-negative")
        if abs(priors.sum() - 1.0) > 1e-5:
            warn_user("The priors do not sum to 1. Renormalizing", UserWarning)
            priors = priors / priors.sum()
        return priors

    def _check_components(self) -> None:
        most = min(len(self.classes_) - 1, self.n_features_in_)
        if self.n_components is not None and self.n_components > most:
            raise ValueError(
                "n_components cannot be larger than min(n_features, n_classes - 1).\n"
                f"Hint: here that is {most}; got {self.n_components}."
            )

    @property
    def _n_features_out(self) -> int:
        if self.n_components is not None:
            return self.n_components
        return min(len(self.classes_) - 1, self.n_features_in_)

    def _solve_svd(self, groups: ClassGroups) -> tuple[Array, Array]:
        """Whiten the within-class rows, then find the axes of the class means there."""
        self.xbar_ = self.priors_ @ groups.means
        if self.store_covariance:
            self.covariance_ = self._pooled(groups)
        spread = np.sqrt(groups.weights @ groups.centered**2 / groups.total)
        spread[spread == 0.0] = 1.0
        rows = np.sqrt(groups.weights / groups.total)[:, np.newaxis] * (groups.centered / spread)
        values, axes = principal_axes(rows)
        rank = int((values > self.tol).sum())
        whitening = (axes[:rank] / spread).T / values[:rank]
        share = groups.total * self.priors_ / max(len(self.classes_) - 1, 1)
        between = (np.sqrt(share)[:, np.newaxis] * (groups.means - self.xbar_)) @ whitening
        _, values, axes = linalg.svd(between, full_matrices=False)
        total = np.sum(values**2)
        ratio = values**2 / total if total > 0.0 else np.zeros_like(values)
        self.explained_variance_ratio_ = ratio[: self._n_features_out]
        rank = int((values > self.tol * values.max(initial=0.0)).sum())
        self.scalings_ = whitening @ axes.T[:, :rank]
        projected = (groups.means - self.xbar_) @ self.scalings_
        coef = projected @ self.scalings_.T
        return coef, -0.5 * np.sum(projected**2, axis=1) - self.xbar_ @ coef.T

    def _solve_lsqr(self, groups: ClassGroups) -> tuple[Array, Array]:
        """Coefficients S^{-1} mu_c; of least norm where the covariance is singular."""
        self.covariance_ = self._pooled(groups)
        coef = linalg.lstsq(self.covariance_, groups.means.T)[0].T
        return coef, -0.5 * np.sum(groups.means * coef, axis=1)

    def _solve_eigen(self, groups: ClassGroups) -> tuple[Array, Array]:
        """Directions with the largest ratio of between- to within-class variance."""
        self.covariance_ = self._pooled(groups)
        overall = groups.totals @ groups.means / groups.total
        rows = groups.centered + np.repeat(groups.means - overall, np.diff(groups.ends), axis=0)
        total = estimate_covariance(rows, groups.weights, self.shrinkage, self.covariance_estimator)
        values, vectors = linalg.eigh(total - self.covariance_, self.covariance_)
        self.explained_variance_ratio_ = (values / values.sum())[::-1][: self._n_features_out]
        self.scalings_ = np.ascontiguousarray(vectors[:, ::-1])
        coef = groups.means @ self.scalings_ @ self.scalings_.T
        return coef, -0.5 * np.sum(groups.means * coef, axis=1)

    def _pooled(self, groups: ClassGroups) -> Array:
        pooled = np.zeros((self.n_features_in_, self.n_features_in_))
        for prior, (rows, weights) in zip(self.priors_, groups, strict=True):
            pooled += prior * estimate_covariance(rows, weights, self.shrinkage, self.covariance_estimator)
        return pooled

    def _store(self, coef: Array, intercept: Array, means: Array, dtype: Any) -> None:
        with np.errstate(divide="ignore"):  # a class with prior 0 is never predicted
            intercept = intercept + np.log(self.priors_)
        if len(self.classes_) == 2:
            coef, intercept = coef[1:] - coef[:1], intercept[1:] - intercept[:1]
        self.coef_, self.intercept_, self.means_ = coef.astype(dtype), intercept.astype(dtype), means.astype(dtype)
        self.priors_ = self.priors_.astype(dtype)
        for name in ("covariance_", "scalings_", "explained_variance_ratio_", "xbar_"):
            if hasattr(self, name):
                setattr(self, name, getattr(self, name).astype(dtype))
        self.report_ = Report()

    def _restored(self) -> None:
        if hasattr(self, "classes_"):
            outputs = 1 if len(self.classes_) == 2 else len(self.classes_)
            check_shapes(self, coef_=(outputs, self.n_features_in_), intercept_=(outputs,))
        if hasattr(self, "scalings_"):
            check_shapes(self, scalings_=(self.n_features_in_, None))
        if hasattr(self, "xbar_"):
            check_shapes(self, xbar_=(self.n_features_in_,))

    @predict_method
    def decision_function(self, X: TableLike) -> NDArray[Any]:
        """Logarithm of the posterior up to a constant per row; for two classes, the log odds of ``classes_[1]``."""
        scores = check_X(self, X) @ self.coef_.T + self.intercept_
        return scores.ravel() if scores.shape[1] == 1 else scores

    @predict_method
    def predict(self, X: TableLike) -> NDArray[Any]:
        """The most probable label of each row."""
        scores = self.decision_function(X)
        return self.classes_[(scores > 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)]

    @predict_method
    def predict_proba(self, X: TableLike) -> NDArray[Any]:
        """Probability of each class for each row, in the order of ``classes_``."""
        scores = self.decision_function(X)
        return np.ones((len(scores), 1), scores.dtype) if len(self.classes_) == 1 else probabilities_of(scores)

    @predict_method
    def predict_log_proba(self, X: TableLike) -> NDArray[Any]:
        """Logarithm of `predict_proba`; a probability of 0 counts as the smallest positive number."""
        probabilities = self.predict_proba(X)
        return np.log(np.maximum(probabilities, np.finfo(probabilities.dtype).smallest_normal))

    def transform(self, X: TableLike) -> NDArray[Any]:
        """Project rows on the directions that separate the classes best.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        if self.solver == "lsqr":
            raise NotImplementedError("transform not implemented for 'lsqr' solver (use 'svd' or 'eigen').")
        return self._transform(X)

    @predict_method
    def _transform(self, X: TableLike) -> NDArray[Any]:
        table = check_X(self, X)
        projected = (table - self.xbar_ if self.solver == "svd" else table) @ self.scalings_
        return projected[:, : self._n_features_out]
