"""Classification by the nearest mean of a class. Rocchio (1971); shrunken: Tibshirani and others (2002)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.metaestimators import available_if

from certus.base import (
    Classifier,
    TableLike,
    TargetLike,
    WeightsLike,
    check_weights,
    check_X,
    check_Xy,
    distinct_labels,
    fit_method,
    predict_method,
    register,
    warn_user,
)
from certus.base.params import ArrayLike, Exactly, Interval, OneOf
from certus.base.persistence import check_shapes
from certus.geometry import pairwise_distances
from certus.guarantees import Report
from certus.neighbors.learning.weighted_median import weighted_median

Floats = NDArray[np.float64]


def _is_euclidean(learner: NearestCentroid) -> bool:
    return bool(learner.metric == "euclidean")


@register(
    family="neighbors",
    guarantees=("held-out error bound",),
    cost="fit O(n p), predict O(k p) per row",
)
class NearestCentroid(Classifier):
    """Classifier that chooses the class with the nearest center.

    The center of a class is the mean of its rows (Euclidean distance) or their median (Manhattan distance). With two
    classes and equal priors this is the rule of the class means: x goes to the side of the hyperplane that halves the
    way between them.

    Parameters
    ----------
    metric : {'euclidean', 'manhattan'}, default='euclidean'
        The distance, and with it the kind of center.
    shrink_threshold : float, default=None
        Moves the centers towards the common mean by so many standard errors in every column, columns in which none
        stays apart do not matter any more.
    priors : {'uniform', 'empirical'} or array-like of shape (n_classes,), default='uniform'
        Prior probabilities of the classes.

    Attributes
    ----------
    centroids_ : ndarray of shape (n_classes, n_features)
        The centers.
    class_prior_ : ndarray of shape (n_classes,)
        The priors.
    deviations_ : ndarray of shape (n_classes, n_features)
        How far the centers are from the common mean, in standard errors, after shrinking.
    within_class_std_dev_ : ndarray of shape (n_features,)
        Standard deviation of the rows around their centers.
    class_weight_sums_ : ndarray of shape (n_classes,)
        Number (weight) of the rows of each class.

    See Also
    --------
    KNeighborsClassifier : The vote of single rows.

    Examples
    --------
    >>> from certus.neighbors import NearestCentroid
    >>> model = NearestCentroid().fit([[0.0], [1.0], [5.0], [6.0]], ["a", "a", "b", "b"])
    >>> print(model.predict([[2.9], [3.1]]))
    ['a' 'b']
    """

    _takes_sparse = True
    _constraints = {
        "metric": [OneOf("euclidean", "manhattan")],
        "shrink_threshold": [Interval(0, None, "neither"), Exactly(None)],
        "priors": [OneOf("uniform", "empirical"), ArrayLike()],
    }
    _state = (
        "centroids_",
        "classes_",
        "class_prior_",
        "deviations_",
        "within_class_std_dev_",
        "class_weight_sums_",
        "_means",
        "_squares",
    )

    def __init__(
        self, metric: str = "euclidean", *, shrink_threshold: float | None = None, priors: Any = "uniform"
    ) -> None:
        self._set_parameters(locals())

    @fit_method
    def fit(self, X: TableLike, y: TargetLike, sample_weight: WeightsLike = None) -> NearestCentroid:
        """Find the centers of the classes."""
        rows, y = check_Xy(self, X, y, accept_sparse="csr")
        weights = check_weights(self, sample_weight, rows)
        if weights is not None:
            rows, y, weights = rows[weights > 0], y[weights > 0], weights[weights > 0]
        labels, codes = distinct_labels(y)
        if len(labels) < 2:
            raise ValueError(
                "The number of classes has to be greater than one; got 1 class: the data contains only one class, "
                f"{labels[0]!r}."
            )
        table = rows.toarray() if sparse.issparse(rows) else rows
        self._learn(table, labels, codes, np.ones(len(codes)) if weights is None else weights)
        return self

    def _learn(self, X: NDArray[Any], labels: NDArray[Any], codes: NDArray[np.intp], weights: Floats) -> None:
        """Moments of the classes: weights, means, and squares around the centers."""
        if (np.ptp(X, axis=0) == 0).all():
            raise ValueError("All features have zero variance. Division by zero.")
        count = len(labels)
        sums: Floats = np.bincount(codes, weights, minlength=count).astype(np.float64)
        members = sparse.csr_array((weights, (codes, np.arange(len(codes)))), shape=(count, len(codes)))
        means = (members @ X.astype(np.float64)) / np.where(sums > 0, sums, 1.0)[:, None]
        if self.metric == "manhattan":
            centers = np.array([weighted_median(X[codes == c], weights[codes == c]) for c in range(count)])
        else:
            centers = means
        squares = members @ (X - centers[codes]) ** 2
        self.classes_, self.class_weight_sums_ = labels, sums
        self._means, self._squares = means, np.asarray(squares)
        self._shrink(centers)
        self.report_ = Report()

    @fit_method
    def partial_fit(
        self, X: TableLike, y: TargetLike, classes: Any = None, sample_weight: WeightsLike = None
    ) -> NearestCentroid:
        """Move the centers by further rows, as if all rows had come at once; for the Euclidean distance.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Further rows.
        classes : array-like of shape (n_classes,), default=None
            Not needed: labels are learned when they come.
        """
        if self.metric != "euclidean":
            raise ValueError("partial_fit needs metric='euclidean', got 'manhattan': a median needs all rows.")
        if not hasattr(self, "centroids_"):
            return self.fit(X, y, sample_weight)
        rows, y = check_Xy(self, X, y, accept_sparse="csr", reset=False)
        weights = check_weights(self, sample_weight, rows)
        table = rows.toarray() if sparse.issparse(rows) else rows
        self._add(table, y, np.ones(len(y)) if weights is None else weights)
        return self

    def _add(self, X: NDArray[Any], y: NDArray[Any], weights: Floats) -> None:
        """Chan, Golub and LeVeque (1983): moments of a union from those of its parts."""
        labels = np.unique(np.concatenate([self.classes_, y]))
        codes = np.searchsorted(labels, y)
        places = np.searchsorted(labels, self.classes_)
        shape = (len(labels), X.shape[1])
        old_sums, old_means, old_squares = np.zeros(shape[0]), np.zeros(shape), np.zeros(shape)
        old_sums[places], old_means[places], old_squares[places] = self.class_weight_sums_, self._means, self._squares
        members = sparse.csr_array((weights, (codes, np.arange(len(codes)))), shape=(len(labels), len(codes)))
        new_sums = np.bincount(codes, weights, minlength=len(labels))
        new_means = (members @ X.astype(np.float64)) / np.where(new_sums > 0, new_sums, 1.0)[:, None]
        new_squares = members @ (X - new_means[codes]) ** 2
        sums = old_sums + new_sums
        share = np.divide(new_sums, sums, out=np.zeros_like(sums), where=sums > 0)[:, None]
        apart = new_means - old_means
        self.classes_, self.class_weight_sums_ = labels, sums
        self._means = old_means + share * apart
        self._squares = old_squares + new_squares + (old_sums[:, None] * share) * apart**2
        self._shrink(self._means)

    def _shrink(self, centers: Floats) -> None:
        """Everything that follows from the moments: priors, deviations and the centers that predict."""
        sums, total = self.class_weight_sums_, float(self.class_weight_sums_.sum())
        self.class_prior_ = self._checked_priors(sums / total)
        freedom = max(total - len(sums), np.finfo(float).tiny)  # fewer rows than classes: only the common mean is known
        self.within_class_std_dev_ = np.sqrt(self._squares.sum(axis=0) / freedom)
        if (self.within_class_std_dev_ == 0).any():
            warn_user(
                "self.within_class_std_dev_ has at least 1 zero standard deviation."
                "Inputs within the same classes for at least 1 feature are identical.",
                UserWarning,
            )
        common = (sums / total) @ self._means
        spread = self.within_class_std_dev_ + np.median(self.within_class_std_dev_)
        errors = np.sqrt(np.maximum(1.0 / np.where(sums > 0, sums, np.inf) - 1.0 / total, 0.0))[:, None] * spread
        with np.errstate(divide="ignore", invalid="ignore"):
            self.deviations_ = (centers - common) / errors
        self.centroids_ = centers.copy()
        if self.shrink_threshold:
            sizes = np.maximum(np.abs(self.deviations_) - self.shrink_threshold, 0.0)
            self.deviations_ = np.sign(self.deviations_) * sizes
            self.centroids_ = common + errors * self.deviations_

    def _checked_priors(self, empirical: Floats) -> Floats:
        if isinstance(self.priors, str):
            return empirical if self.priors == "empirical" else np.full(len(empirical), 1.0 / len(empirical))
        priors = np.asarray(self.priors, dtype=np.float64)
        if (priors < 0).any():
            raise ValueError("priors must be non-negative")
        if priors.shape != empirical.shape:
            raise ValueError(f"priors must be {len(empirical)} numbers, one per class, got the shape {priors.shape}.")
        if not np.isclose(priors.sum(), 1.0):
            warn_user("The priors do not sum to 1. Normalizing such that it sums to one.", UserWarning)
            priors = priors / priors.sum()
        return priors

    def _restored(self) -> None:
        if not hasattr(self, "centroids_"):
            return
        classes, columns = len(self.classes_), self.n_features_in_
        check_shapes(
            self,
            centroids_=(classes, columns),
            class_prior_=(classes,),
            within_class_std_dev_=(columns,),
            class_weight_sums_=(classes,),
            _means=(classes, columns),
            _squares=(classes, columns),
        )
        scale = np.where(self.within_class_std_dev_ != 0, self.within_class_std_dev_, 1.0)
        if not np.isfinite(self.centroids_ / scale).all() or (scale < 0).any():
            raise ValueError("the centers or the deviations around them are not finite.")

    @predict_method
    def predict(self, X: TableLike) -> NDArray[Any]:
        """The class with the nearest center; with unequal priors, the one with the highest score."""
        rows = check_X(self, X, accept_sparse="csr")
        if np.isclose(self.class_prior_, 1 / len(self.classes_)).all():
            table = rows.toarray() if sparse.issparse(rows) else rows
            distances = pairwise_distances(table, self.centroids_, metric=self.metric)
            return self.classes_[distances.argmin(axis=1)]
        return self.classes_[self._scores(rows).argmax(axis=1)]

    def _scores(self, rows: Any) -> Floats:
        """Discriminant scores: minus the squared distance in standard deviations plus twice the log prior."""
        table = rows.toarray() if sparse.issparse(rows) else rows
        scale = np.where(self.within_class_std_dev_ != 0, self.within_class_std_dev_, 1.0)
        distances = pairwise_distances(table / scale, self.centroids_ / scale, metric=self.metric)
        with np.errstate(divide="ignore"):
            return -(distances**2) + 2.0 * np.log(self.class_prior_)

    @available_if(_is_euclidean)  # type: ignore[untyped-decorator]
    @predict_method
    def decision_function(self, X: TableLike) -> Floats:
        """Scores of the classes: minus squared distances in standard deviations, plus twice the log priors."""
        scores = self._scores(check_X(self, X, accept_sparse="csr"))
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    @available_if(_is_euclidean)  # type: ignore[untyped-decorator]
    @predict_method
    def predict_proba(self, X: TableLike) -> Floats:
        """Probabilities of the classes if each were normal around its center with these deviations."""
        scores = self._scores(check_X(self, X, accept_sparse="csr"))
        likelihood = np.exp(scores - scores.max(axis=1, keepdims=True))
        return likelihood / likelihood.sum(axis=1, keepdims=True)
