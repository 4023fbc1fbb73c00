"""Classification that uses whole groups of columns or leaves them out."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from certus.base import Classifier, Iterations, fit_method, predict_method, register, resolve_threads
from certus.base.inputs import LARGEST, check_weights, check_Xy
from certus.linear.design.design_matrix import make_design
from certus.linear.fitting.group_fit import GroupFit
from certus.linear.fitting.linear_prediction import LinearClassification
from certus.losses import Logistic


@register(
    guarantees=("gap to the optimum",),
    cost="fit n k^2 per step for a working set of k columns and n p for all, times classes; predict p per row",
)
class GroupLassoClassifier(GroupFit, LinearClassification, Classifier):
    """Logistic regression with a penalty on the lengths of groups of coefficients (Meier, van de Geer, Bühlmann 2008).

    Minimizes, over coefficients w and intercept b (not penalized) with labels y = -1 or 1 and weights s,

        sum_i s_i log(1 + exp(-y_i (x_i'w + b))) / sum_i s_i + alpha sum_g sqrt(p_g) |w_g|

    for groups g of p_g columns: all coefficients of a group are used, or none. Of more than two classes, each is told
    from all others.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        w; one row for two classes.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        b.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.linear import GroupLassoClassifier
    >>> X = np.random.default_rng(0).normal(size=(200, 6))
    >>> model = GroupLassoClassifier(2, alpha=0.05).fit(X, X[:, 0] > X[:, 1])
    >>> (model.coef_ != 0).tolist(), model.gap_ < 1e-8
    ([[True, True, False, False, False, False]], True)
    """

    _state = (*GroupFit._state, "classes_")

    def __init__(
        self,
        groups: Any = None,
        *,
        alpha: float = 0.01,
        fit_intercept: bool = True,
        max_iter: int = 100,
        tol: float = 1e-8,
        verbose: int = 0,
    ) -> None:
        self._set_parameters(locals())

    @fit_method
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> GroupLassoClassifier:
        """Find the best coefficients."""
        X, y = check_Xy(self, X, y, accept_sparse="csr", largest=LARGEST)
        codes = self._encode_labels(y)
        weights = check_weights(self, sample_weight, X)
        self._refuse_one_class(codes, weights)
        design = make_design(X, resolve_threads())
        positive = [1] if len(self.classes_) == 2 else range(len(self.classes_))
        problems = [self._problem(design, Logistic(), (codes == k).astype(np.float64), weights) for k in positive]
        penalty = self._penalty(problems[0].total_weight, design.columns)
        with Iterations(self, self.max_iter, X, y) as iterations:
            results = [self._solve(problem, penalty, iterations) for problem in problems]
        self.coef_ = np.vstack([found.coef for found, _ in results]).astype(X.dtype)
        intercepts = [p.intercept(found.coef, found.center)[0] for p, (found, _) in zip(problems, results, strict=True)]
        self.intercept_ = np.array(intercepts if self.fit_intercept else np.zeros(len(results)), dtype=X.dtype)
        self._store(problems[0], penalty, results, self.coef_, self.intercept_, self.classes_.tolist())
        return self

    def _refuse_one_class(self, codes: Any, weights: Any) -> None:
        counted = np.unique(codes if weights is None else codes[weights > 0.0])
        if len(counted) < max(2, len(self.classes_)):
            missing = "the data contains only one class" if len(self.classes_) < 2 else "some have no row with a weight"
            raise ValueError(
                f"GroupLassoClassifier needs rows of at least 2 classes in the data, but {missing}: "
                f"{self.classes_[0]!r}.\nHint: check the target column, or that a split did not leave a class out."
            )

    @predict_method
    def predict_proba(self, X: Any) -> NDArray[Any]:
        """Probabilities of the classes; of several, those of each against the rest, made to sum to 1."""
        scores = self.decision_function(X)
        if scores.ndim == 1:
            return np.stack([expit(-scores), expit(scores)], axis=1)
        single = expit(scores)
        return np.asarray(single / single.sum(axis=1, keepdims=True))
