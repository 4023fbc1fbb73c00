"""What all linear models do after fitting: scores, values, labels."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import check_is_fitted

from certus.base import TableLike, check_X, predict_method


def linear_scores(learner: BaseEstimator, X: TableLike) -> NDArray[Any]:
    """X coef' + intercept for a checked table."""
    X = check_X(learner, X, accept_sparse=["csr", "csc", "coo"])
    coef = learner.coef_
    return safe_sparse_dot(X, coef.T if coef.ndim == 2 else coef, dense_output=True) + learner.intercept_


class LinearPrediction:
    """``predict`` of linear regressors.

    Parameters
    ----------
    alpha : float
        Strength of the penalty, at least 0.
    fit_intercept : bool
        Whether to fit b; otherwise it is 0.
    copy_X : bool
        Whether X has to stay as it is. False allows `fit` to center a dense table of doubles in Fortran order in its
        own memory, which saves digits if means are large; the model and its certificate are those of the original
        table.
    warm_start : bool
        Whether to start from the coefficients of the last fit.
    positive : bool
        Whether to require w >= 0.
    gap_tol : float or None
        Largest certified gap that is accepted without a warning, relative to the objective at w = 0.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
        w.
    intercept_ : float or ndarray of shape (n_targets,)
        b.
    gap_ : float
        Certified bound on the objective minus its minimum.
    converged_ : bool
        Whether the solution is as accurate as asked for.
    report_ : Report
        The certificate of the gap.
    """

    @predict_method
    def predict(self, X: TableLike) -> NDArray[Any]:
        """Predicted values.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_targets)
            One value per row and target.
        """
        return linear_scores(self, X)


class SparseCoefficients:
    """``sparsify`` and ``densify`` of learners whose coefficients may be mostly 0."""

    coef_: Any

    def sparsify(self) -> Self:
        """Store ``coef_`` as a sparse matrix; worth it when most coefficients are 0."""
        check_is_fitted(self, msg="Estimator, %(name)s, must be fitted before sparsifying.")
        self.coef_ = sparse.csr_array(self.coef_)
        return self

    def densify(self) -> Self:
        """Store ``coef_`` as a dense array, which is the default."""
        check_is_fitted(self, msg="Estimator, %(name)s, must be fitted before densifying.")
        if sparse.issparse(self.coef_):
            self.coef_ = self.coef_.toarray()
        return self


class LinearClassification:
    """``decision_function`` and ``predict`` of linear classifiers.

    Parameters
    ----------
    fit_intercept : bool
        Whether to fit b; otherwise it is 0.
    class_weight : dict, "balanced" or None
        Weights of the classes, multiplied to those of the rows.
    verbose : int
        1 prints a table of the iterations, with ever fewer lines; 2 prints all of them. 0 prints nothing.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Coefficients; two classes have one row.
    """

    classes_: NDArray[Any]

    @predict_method
    def decision_function(self, X: TableLike) -> NDArray[Any]:
        """Scores of the classes."""
        scores = linear_scores(self, X)
        return scores.ravel() if scores.ndim == 2 and scores.shape[1] == 1 else scores

    @predict_method
    def predict(self, X: TableLike) -> NDArray[Any]:
        """Predicted labels."""
        scores = self.decision_function(X)
        positions = (scores > 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)
        return self.classes_[positions]
