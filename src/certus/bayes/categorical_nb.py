"""Naive Bayes of categories."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_non_negative

from certus.base import predict_method, register
from certus.base.blocks import ScaledFit
from certus.base.inputs import FLOATS, TableLike, TargetLike, check_X, check_Xy
from certus.base.params import ArrayLike, Exactly, Interval
from certus.base.persistence import check_shapes
from certus.bayes import _native_calls
from certus.bayes.counting.count_nb import CountNB, Floats
from certus.bayes.counting.linear_scores import check_log_probabilities, log_share
from certus.bayes.in_blocks.class_counts import fit_class_counts

NUMBERS = (*FLOATS, np.int64)  # kept as they are until they are known to be finite


@register(guarantees=("held-out error bound",), cost="fit O(n p), predict O(n p k) for k classes")
class CategoricalNB(CountNB):
    """Naive Bayes classifier of categories that are numbered 0, 1, 2, … in every column.

    Predicts argmax_c log P(c) + sum_j log P(x_j | c) with a table of probabilities per column and class, (N + alpha) /
    (N_c + alpha m) for m categories. For words instead of numbers, missing cells and categories that come later, use
    `MixedNB`.

    Parameters
    ----------
    alpha : float, default=1.0
        Added to every count, so that nothing has probability 0.
    min_categories : int or array-like of shape (n_features,), default=None
        Categories that a column has at least, if some do not occur among the rows.

    Attributes
    ----------
    category_count_ : list of ndarray of shape (n_classes, n_categories)
        Weight of every category in every class, per column.
    feature_log_prob_ : list of ndarray of shape (n_classes, n_categories)
        Logarithms of the probabilities, per column.
    n_categories_ : ndarray of shape (n_features,)
        Number of categories of every column.

    Examples
    --------
    >>> from certus.bayes import CategoricalNB
    >>> model = CategoricalNB().fit([[0, 2], [1, 0], [1, 1]], ["a", "b", "b"])
    >>> print(model.predict([[0, 1]]))
    ['b']
    """

    _takes_sparse = False
    _constraints = {
        **CountNB._constraints,
        "alpha": [Interval(0, None)],
        "min_categories": [Interval(1, None, integer=True), ArrayLike(), Exactly(None)],
    }
    _state = ("classes_", "class_count_", "class_log_prior_", "category_count_", "feature_log_prob_", "n_categories_")
    _scaled = ScaledFit("exact", fit_class_counts, {"dtype": NUMBERS})

    def __init__(
        self,
        *,
        alpha: float = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: Any = None,
        min_categories: Any = None,
    ) -> None:
        self._set_parameters(locals())

    def _read(self, X: TableLike, y: TargetLike, *, reset: bool) -> tuple[Any, NDArray[Any]]:
        table, labels = check_Xy(self, X, y, dtype=NUMBERS, reset=reset)
        return self._categories(table), labels

    def _read_rows(self, X: TableLike) -> Any:
        return self._categories(check_X(self, X, dtype=NUMBERS))

    def _categories(self, X: NDArray[Any]) -> NDArray[np.int64]:
        """The table as whole numbers; fractions are cut off, as scikit-learn does."""
        check_non_negative(X, "CategoricalNB (input X)")
        return np.ascontiguousarray(X, dtype=np.int64)

    def _start(self, X: Any) -> None:
        self.class_count_ = np.zeros(len(self.classes_))
        self.category_count_ = [np.zeros((len(self.classes_), 0)) for _ in range(X.shape[1])]

    def _count(self, X: NDArray[np.int64], codes: NDArray[np.int64], weights: Floats | None) -> None:
        self.n_categories_ = self._sizes(X)
        before = np.array([count.shape[1] for count in self.category_count_])
        sizes = np.maximum(self.n_categories_, before)
        offsets = np.append(0, np.cumsum(sizes)).astype(np.int64)
        if offsets[-1] * len(self.classes_) > 2**31:
            raise ValueError(
                f"X must not have more categories than memory allows, got columns with up to {sizes.max()}.\n"
                "Hint: categories must be numbered 0, 1, 2, …; OrdinalEncoder does that."
            )
        counts = np.zeros((int(offsets[-1]), len(self.classes_)))
        _native_calls.add_categories(X, codes, weights, offsets, counts)
        for column, old in enumerate(self.category_count_):
            new = np.ascontiguousarray(counts[offsets[column] : offsets[column + 1]].T)
            new[:, : old.shape[1]] += old
            self.category_count_[column] = new

    def _sizes(self, X: NDArray[np.int64]) -> NDArray[np.int64]:
        """How many categories every column has: one more than its largest number, or what the parameter demands."""
        sizes = X.max(axis=0) + 1
        if self.min_categories is None:
            return np.asarray(sizes, dtype=np.int64)
        least = np.array(self.min_categories)
        if not np.issubdtype(least.dtype, np.signedinteger):
            raise ValueError(f"'min_categories' should have integral type. Got {least.dtype} instead.")
        if least.ndim and least.shape != sizes.shape:
            raise ValueError(
                f"'min_categories' should have shape ({X.shape[1]},) when an array-like is provided. "
                f"Got {least.shape} instead."
            )
        return np.maximum(sizes, least, dtype=np.int64)

    def _smooth(self, alpha: Any) -> None:
        smoothed = [count + alpha for count in self.category_count_]
        self.feature_log_prob_ = [log_share(each, each.sum(axis=1, keepdims=True)) for each in smoothed]

    def _restored(self) -> None:
        if not hasattr(self, "classes_"):
            return
        if len(self.feature_log_prob_) != self.n_features_in_:
            raise ValueError(f"feature_log_prob_ must have {self.n_features_in_} tables.")
        classes = len(self.classes_)
        check_shapes(self, class_log_prior_=(classes,), n_categories_=(self.n_features_in_,))
        for table, categories in zip(self.feature_log_prob_, self.n_categories_, strict=True):
            if table.shape != (classes, categories):
                raise ValueError("feature_log_prob_ must have a row per class and a column per category.")
            check_log_probabilities(table)

    @predict_method
    def predict_joint_log_proba(self, X: TableLike) -> NDArray[Any]:
        """``log P(c) + sum_j log P(x_j | c)`` for every row and class, in the order of ``classes_``."""
        table = self._read_rows(X)
        sizes = np.array([each.shape[1] for each in self.feature_log_prob_])
        largest = table.max(axis=0)
        if (largest >= sizes).any():
            column = int(np.flatnonzero(largest >= sizes)[0])
            raise IndexError(
                f"index {largest[column]} is out of bounds for axis 1 with size {sizes[column]}: column {column} has a "
                "category that training did not see.\n"
                "Hint: set min_categories, or use MixedNB, which takes unseen categories as missing."
            )
        offsets = np.append(0, np.cumsum(sizes)).astype(np.int64)
        stacked = np.ascontiguousarray(np.hstack(self.feature_log_prob_).T)
        return _native_calls.category_log_joint(table, stacked, offsets, self.class_log_prior_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.positive_only = True
        return tags
