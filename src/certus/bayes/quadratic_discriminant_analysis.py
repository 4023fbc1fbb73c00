"""Quadratic discriminant analysis. Hastie, Tibshirani, Friedman (2009), section 4.3, eq. 4.12."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg
from sklearn.base import BaseEstimator

from certus.base import Classifier, fit_method, predict_method, probabilities_of, register
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
    tasks=("classification",),
    guarantees=("held-out error bound",),
    cost="fit O(n p^2 + k p^3), predict O(n p^2 k) for k classes",
    known_failures=dict.fromkeys(
        (
            "check_sample_weights_shape",
            "check_sample_weights_not_overwritten",
            "check_sample_weight_equivalence_on_dense_data",
        ),
        "the class covariances of the check's table are not of full rank, which is refused with and without weights, "
        "as in scikit-learn",
    ),
)
class QuadraticDiscriminantAnalysis(Classifier):
    """Classifier with one normal distribution per class, each with its own covariance.

    Predicts argmax_c log P(c) - 1/2 log|S_c| - 1/2 (x - mu_c)' inv(S_c) (x - mu_c) with the means mu_c and covariances
    S_c of the classes. The boundaries are quadratic; every class needs more rows than columns, or regularization
    (``reg_param``, or ``solver="eigen"`` with ``shrinkage``).

    Parameters
    ----------
    solver : {"svd", "eigen"}, default="svd"
        "svd" takes the axes from the rows themselves, "eigen" from a covariance that may be shrunk.
    shrinkage : "auto", float in [0, 1] or None, default=None
        Share of the identity in each covariance, for "eigen"; "auto" estimates it (Ledoit and Wolf 2004).
    priors : array-like of shape (n_classes,), default=None
        Class probabilities; by default the share of each class (by weight) among the training rows.
    reg_param : float in [0, 1], default=0.0
        The variances s along the axes become (1 - reg_param) s + reg_param, for "svd".
    store_covariance : bool, default=False
        Whether to store ``covariance_``.
    tol : float, default=1e-4
        A variance up to this along some axis means that the covariance is not of full rank, which is refused.
    covariance_estimator : object with fit and covariance_, default=None
        Estimates the covariance of each class instead, for "eigen".

    Attributes
    ----------
    priors_, means_ : ndarray of shape (n_classes,) and (n_classes, n_features)
        Class probabilities and means.
    rotations_ : list of ndarray of shape (n_features, n_features)
        Principal axes of each class, as columns.
    scalings_ : list of ndarray of shape (n_features,)
        Variances of each class along its axes, largest first.
    covariance_ : list of ndarray of shape (n_features, n_features)
        Covariances, if ``store_covariance``.
    report_ : Report
        Empty: training rows alone bound nothing about this model. Use `certify`.

    Examples
    --------
    >>> from certus.bayes import QuadraticDiscriminantAnalysis
    >>> X = [[-1, -1], [-2, -1], [-3, -2], [1, 1], [2, 1], [3, 2]]
    >>> model = QuadraticDiscriminantAnalysis().fit(X, ["low"] * 3 + ["high"] * 3)
    >>> print(model.predict([[-0.8, -1]]))
    ['low']
    """

    _constraints = {
        "solver": [OneOf("svd", "eigen")],
        "shrinkage": [OneOf("auto"), Interval(0, 1), Exactly(None)],
        "priors": [ArrayLike(), Exactly(None)],
        "reg_param": [Interval(0, 1)],
        "store_covariance": [Boolean()],
        "tol": [Interval(0, None)],
        "covariance_estimator": [HasMethods("fit"), Exactly(None)],
    }
    _state = (
        "classes_",
        "priors_",
        "means_",
        "rotations_",
        "scalings_",
        "covariance_",
        "n_features_in_",
        "feature_names_in_",
    )
    _scaled = ScaledFit("exact", fit_discriminant, {"largest": LARGEST}, whole_table_needed)

    def __init__(
        self,
        *,
        solver: str = "svd",
        shrinkage: float | str | None = None,
        priors: TargetLike | None = None,
        reg_param: float = 0.0,
        store_covariance: bool = False,
        tol: float = 1e-4,
        covariance_estimator: BaseEstimator | None = None,
    ) -> None:
        self._set_parameters(locals())

    @fit_method
    def fit(self, X: TableLike, y: TargetLike, sample_weight: WeightsLike = None) -> QuadraticDiscriminantAnalysis:
        """Estimate the mean and the covariance of every class."""
        self._check_options()
        table, y = check_Xy(self, X, y, largest=LARGEST)
        weights = check_weights(self, sample_weight, table)
        if weights is not None:
            table, y, weights = table[weights > 0.0], y[weights > 0.0], weights[weights > 0.0]
        codes = self._encode_labels(y)
        groups = group_by_class(table, codes, len(self.classes_), weights)
        self._from_groups(groups, np.diff(groups.ends), table.dtype)
        return self

    def _from_groups(self, groups: ClassGroups, counts: NDArray[np.intp], dtype: Any) -> None:
        """Everything from the rows of the classes; ``counts`` says how many there are."""
        del dtype
        if len(self.classes_) < 2:
            raise ValueError(
                "The number of classes has to be greater than one. Got 1 class.\n"
                f"Hint: the target holds only one class, {self.classes_[0]!r}; check it and the split."
            )
        self.priors_ = self._checked_priors(groups.totals / groups.total)
        self.__dict__.pop("covariance_", None)
        scalings, rotations, covariances = [], [], []
        for label, count, (rows, weight) in zip(self.classes_, counts, groups, strict=True):
            if count == 1:
                raise ValueError(f"y has only 1 sample in class {label}, covariance is ill defined.")
            scaling, rotation, covariance = self._axes(rows, weight)
            self._check_rank(label, scaling, int(count))
            scalings.append(scaling)
            rotations.append(rotation)
            covariances.append(covariance)
        self.means_, self.scalings_, self.rotations_ = groups.means, scalings, rotations
        if self.store_covariance:
            self.covariance_ = covariances
        self.report_ = Report()

    def _check_options(self) -> None:
        if self.solver != "svd":
            return
        if self.shrinkage is not None:
            raise NotImplementedError("shrinkage not supported with 'svd' solver.\nHint: use solver='eigen'.")
        if self.covariance_estimator is not None:
            raise ValueError("covariance_estimator is not supported with solver='svd'.\nHint: use solver='eigen'.")

    def _checked_priors(self, shares: Array) -> NDArray[Any]:
        if self.priors is None:
            return shares
        priors = np.array(self.priors)
        if priors.shape != shares.shape:
            raise ValueError(
                f"The 'priors' parameter of {type(self).__name__} has shape {priors.shape}, but the data have "
                f"{len(shares)} classes."
            )
        return priors

    def _axes(self, rows: Array, weights: Array) -> tuple[Array, Array, Array]:
        """Variances along the principal axes (largest first), the axes as columns, the covariance."""
        if self.solver == "eigen":
            covariance = estimate_covariance(rows, weights, self.shrinkage, self.covariance_estimator)
            variances, vectors = linalg.eigh(covariance)
            return variances[::-1].copy(), np.ascontiguousarray(vectors[:, ::-1]), covariance
        values, axes = principal_axes(np.sqrt(weights)[:, np.newaxis] * rows)
        variances = (1.0 - self.reg_param) * values**2 / weights.sum() + self.reg_param
        return variances, np.ascontiguousarray(axes.T), (variances * axes.T) @ axes

    def _check_rank(self, label: Any, variances: Array, rows: int) -> None:
        columns = self.n_features_in_
        if int((variances > self.tol).sum()) == columns:
            return
        start = f"The covariance matrix of class {label} is not full rank. "
        if self.solver == "svd" and rows <= columns:
            raise linalg.LinAlgError(
                f"{start}When using `solver='svd'` the number of samples in each class should be more than the number "
                f"of features, but class {label} has {rows} samples and {columns} features. Try using "
                "`solver='eigen'` and setting the parameter `shrinkage` for regularization."
            )
        parameter = "shrinkage" if self.solver == "eigen" else "reg_param"
        raise linalg.LinAlgError(f"{start}Increase the value of `{parameter}` to reduce the collinearity.")

    def _restored(self) -> None:
        if not hasattr(self, "classes_"):
            return
        classes, columns = len(self.classes_), self.n_features_in_
        check_shapes(self, means_=(classes, columns), priors_=(classes,))
        if len(self.rotations_) != classes or len(self.scalings_) != classes:
            raise ValueError("there is not one rotation and one scaling per class")
        if any(r.shape != (columns, columns) for r in self.rotations_):
            raise ValueError("a rotation has another shape than the table's width asks for")
        if any(s.shape != (columns,) or s.dtype.kind not in "biuf" for s in self.scalings_):
            raise ValueError("a scaling has another shape than the table's width asks for")

    def _log_posteriors(self, X: TableLike) -> Array:
        """Log P(c) + log density of class c, up to a constant per row."""
        table = check_X(self, X)
        scores = np.empty((len(table), len(self.classes_)))
        for c, (rotation, scaling) in enumerate(zip(self.rotations_, self.scalings_, strict=True)):
            whitened = (table - self.means_[c]) @ (rotation / np.sqrt(scaling))
            scores[:, c] = -0.5 * (np.sum(whitened**2, axis=1) + np.sum(np.log(scaling)))
        with np.errstate(divide="ignore"):  # a class with prior 0 is never predicted
            return scores + np.log(self.priors_)

    @predict_method
    def decision_function(self, X: TableLike) -> Array:
        """Logarithm of the posterior up to a constant per row; for two classes, the log odds of ``classes_[1]``."""
        scores = self._log_posteriors(X)
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    @predict_method
    def predict(self, X: TableLike) -> NDArray[Any]:
        """The most probable label of each row."""
        return self.classes_[self._log_posteriors(X).argmax(axis=1)]

    @predict_method
    def predict_proba(self, X: TableLike) -> Array:
        """Probability of each class for each row, in the order of ``classes_``."""
        return probabilities_of(self._log_posteriors(X))

    @predict_method
    def predict_log_proba(self, X: TableLike) -> Array:
        """Logarithm of `predict_proba`; a probability of 0 counts as the smallest positive number."""
        return np.log(np.maximum(self.predict_proba(X), np.finfo(np.float64).smallest_normal))
