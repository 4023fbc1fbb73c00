"""Classifiers of a stream over the functions that a kernel spans: rows are kept, one coefficient per label."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from certus.base import Classifier, TableLike, check_parameters, check_X, fit_method, predict_method
from certus.base.inputs import LARGEST, WeightsLike
from certus.base.params import ArrayLike, Constraints, Exactly, InstanceOf, Interval, OneOf
from certus.base.persistence import check_shapes
from certus.guarantees import Ledger, Report
from certus.kernels import Gaussian, Kernel, Linear, Polynomial
from certus.online.learning.stream_labels import StreamLabels
from certus.online.learning.stream_rows import as_table
from certus.online.learning.stream_weights import checked_weights, trials_of

Array = NDArray[np.float64]
KERNEL_STREAM_CONSTRAINTS: Constraints = {
    "kernel": [OneOf("linear", "poly", "rbf"), InstanceOf(Kernel)],
    "gamma": [Interval(0, None, closed="neither"), Exactly(None)],
    "degree": [Interval(1, None, integer=True)],
    "coef0": [Interval(0, None)],
    "classes": [Exactly(None), ArrayLike()],
}
KERNEL_STREAM_STATE = (
    *("rows_", "dual_coef_", "account_", "trials_", "mistakes_", "unknown_", "classes_", "told_classes_", "audited_"),
)


class KernelStream(StreamLabels, Classifier):
    """Classifier of a stream with the function f_c = sum_i a_ic k(x_i, .) for every label c.

    Two labels have functions of opposite signs. A label that comes for the first time counts as a mistake and joins.

    Parameters
    ----------
    kernel : {"rbf", "linear", "poly"} or Kernel
        Of rows of numbers.
    gamma : float, optional
        Of "rbf" and "poly"; by default 1 / n_features.
    degree : int
        Of "poly".
    coef0 : float
        Of "poly".
    classes : array-like, optional
        The labels, if no others may come.

    Attributes
    ----------
    rows_ : ndarray of shape (n_kept, n_features)
        The rows that the functions rest on, the oldest first.
    dual_coef_ : ndarray of shape (n_kept, n_classes)
        Their coefficients.
    trials_ : int
        Trials so far.
    mistakes_ : int
        How many of the predictions were wrong.
    ledger_ : Ledger
        The account so far.
    """

    _takes_sparse = True
    _takes_fractions: ClassVar[bool] = False
    _fields: ClassVar[tuple[str, ...]]  # what is kept per label, a row of account_ each

    kernel: str | Kernel
    gamma: float | None
    degree: int
    coef0: float
    classes: Sequence[Any] | None
    rows_: Array
    dual_coef_: Array
    account_: Array
    trials_: int
    mistakes_: int
    unknown_: int
    told_classes_: NDArray[Any]

    # What a rule adds.

    def _said(self, values: Array) -> int | None:
        """The place of the predicted label, before the next trial; None if none is ahead."""
        raise NotImplementedError

    def _step(self, row: Array, values: Array, signs: Array) -> None:
        """Learn a row with these values of the functions, and 1 for its label, -1 for the others."""
        raise NotImplementedError

    # The functions.

    def _kernel(self) -> Kernel:
        if isinstance(self.kernel, Kernel):
            return self.kernel
        scale = 1.0 / self.n_features_in_ if self.gamma is None else float(self.gamma)
        if self.kernel == "linear":
            return Linear()
        return Gaussian(scale) if self.kernel == "rbf" else Polynomial(int(self.degree), scale, float(self.coef0))

    def _with_kept(self, row: Array) -> Array:
        """Kernel values of one row with those that are kept; always one by one, for equal bits in batches."""
        return self._kernel().gram(row[None], self.rows_)[0] if len(self.rows_) else np.zeros(0)

    def _own(self, row: Array) -> float:
        return float(self._kernel().diag(row[None])[0])

    def _keep(self, row: Array, coefficients: Array) -> None:
        self.rows_ = np.vstack([self.rows_, row])
        self.dual_coef_ = np.vstack([self.dual_coef_, coefficients])

    def _number(self, name: str) -> Array:
        """One number of every label."""
        found: Array = self.account_[self._fields.index(name)]
        return found

    def _problems(self) -> list[int]:
        """The labels whose functions say everything: of two, the second."""
        return [1] if len(self.classes_) == 2 else list(range(len(self.classes_)))

    # Trials.

    def predict_one(self, x: Any) -> Any:
        """What the learner predicts for one row, before it is told; None if no label is ahead of the others.

        Parameters
        ----------
        x : vector or sparse row
            The row.

        Returns
        -------
        label
            The prediction.
        """
        if "rows_" not in vars(self) or not len(self.classes_):
            return None
        place = self._said(self._with_kept(self._read(as_table(x))[0]) @ self.dual_coef_)
        return None if place is None else self.classes_[place].item()

    def learn_one(self, x: Any, y: Any, sample_weight: float | None = None) -> Self:
        """Learn from one trial.

        Parameters
        ----------
        x : vector or sparse row
            The row.
        y : label
            What is true of it.
        sample_weight : float, optional
            How many trials it stands for.

        Returns
        -------
        self
            The learner.
        """
        if np.ndim(y) != 0 or isinstance(y, dict | set):
            raise ValueError(f"y must be one label, got {y!r}.\nHint: run(X, y) takes many rows.")
        check_parameters(type(self).__name__, self._constraints, self.get_params(deep=False))
        if sample_weight is None or sample_weight != 0:
            self._learn(as_table(x), np.array([y]), None if sample_weight is None else [sample_weight])
        return self

    def _read(self, X: Any) -> Array:
        table = check_X(self, X, accept_sparse="csr", largest=LARGEST, reset="rows_" not in vars(self))
        return np.ascontiguousarray(table.toarray() if hasattr(table, "toarray") else table, dtype=np.float64)

    def _learn(self, X: Any, y: Any, sample_weight: WeightsLike = None) -> list[Any]:
        """Learn rows in their order; returns what was predicted before each."""
        rows, labels = self._read(X), self._known_targets(y)
        if len(rows) != len(labels):
            raise ValueError(
                f"Found input variables with inconsistent numbers of samples: {[len(rows), len(labels)]}.\n"
                "Hint: y needs one label per row of X."
            )
        weights = checked_weights(self, sample_weight, rows)
        counts = np.ones(len(rows), dtype=np.int64) if weights is None else weights.astype(np.int64)
        if "rows_" not in vars(self):
            self.rows_, self.dual_coef_ = np.zeros((0, rows.shape[1])), np.zeros((0, len(self.classes_)))
            self.account_ = np.zeros((len(self._fields), len(self.classes_)))
            self.trials_ = self.mistakes_ = self.unknown_ = 0
        self.report_ = Report()
        return [self._trial(row, *pair) for row, *pair in zip(rows, labels, counts.tolist(), strict=True)]

    def _trial(self, row: Array, label: Any, count: int) -> Any:
        """As many trials of one row; returns what was predicted before the first."""
        values = self._with_kept(row) @ self.dual_coef_
        place = self._said(values) if len(self.classes_) else None
        told = None if place is None else self.classes_[place]
        for again in range(count):
            if again:
                values = self._with_kept(row) @ self.dual_coef_
                place = self._said(values)
            if label not in self._codes:
                self._join(label)
                self.unknown_ += 1
                self.mistakes_ += 1
                values = self._with_kept(row) @ self.dual_coef_
            elif place is None or self.classes_[place] != label:
                self.mistakes_ += 1
            self.trials_ += 1
            self._step(row, values, np.where(self.classes_ == label, 1.0, -1.0))
        return told

    def _join(self, label: Any) -> None:
        """Let a label join; the second one has had the first one's function with the other sign."""
        known = len(self.classes_)
        place = int(np.searchsorted(self.classes_, label)) if known else 0
        classes = np.insert(self.classes_.astype(np.result_type(self.classes_, np.asarray(label))), place, label)
        column = -self.dual_coef_[:, 0] if known == 1 else np.zeros(len(self.dual_coef_))
        self.dual_coef_ = np.insert(self.dual_coef_, place, column, axis=1)
        numbers = self.account_[:, 0] if known == 1 else np.zeros(len(self._fields))
        self.account_ = np.insert(self.account_, place, numbers, axis=1)
        self._set_classes(classes)

    @fit_method
    def fit(self, X: TableLike, y: Any, sample_weight: WeightsLike = None) -> Self:
        """Forget everything and go through the rows once, in their order."""
        self._forget()
        self._learn(X, y, sample_weight)
        self.report_ = self.ledger_.report()
        return self

    @fit_method
    def partial_fit(self, X: TableLike, y: Any, classes: Any = None, sample_weight: WeightsLike = None) -> Self:
        """Learn from a further batch of rows.

        Parameters
        ----------
        classes : array-like, optional
            Labels that are known to come; others may join.
        """
        if classes is not None and "classes_" not in vars(self):
            self.told_classes_ = np.unique(classes)
            self._set_classes(self.told_classes_)
        self._learn(X, y, sample_weight)
        return self

    @fit_method
    def run(self, X: TableLike, y: Any, sample_weight: WeightsLike = None) -> NDArray[Any]:
        """Go through the rows in their order: predict, be told, learn.

        Returns
        -------
        ndarray of shape (n_samples,)
            The predictions, each made before its row was learned; None where no label was ahead.
        """
        told = self._learn(X, y, sample_weight)
        return np.array(told, dtype=object if None in told else None)

    def audit(self, X: TableLike, y: Any, sample_weight: WeightsLike = None) -> Self:
        """Look for the competitors that bound the losses best, on the stream that was learned.

        Parameters
        ----------
        X, y : table and labels
            All trials since the learner was new, in their order.
        sample_weight : array-like of shape (n_samples,), optional
            Their weights.

        Returns
        -------
        self
            Its `ledger_` has their bound from now on.
        """
        again = type(self)(**self.get_params(deep=False))
        if "told_classes_" in vars(self):
            again._set_classes(self.told_classes_)
        again._learn(X, y, sample_weight)
        if again.trials_ != self.trials_ or any(
            not np.array_equal(vars(again)[name], vars(self)[name]) for name in ("rows_", "dual_coef_", "account_")
        ):
            raise ValueError(
                f"these {again.trials_} trials are not the stream that was learned.\n"
                "Hint: give all rows since the learner was new, in their order."
            )
        rows, labels = self._read(X), np.asarray(y)
        if sample_weight is not None:
            index, _ = trials_of(np.broadcast_to(np.asarray(sample_weight, dtype=np.float64), len(labels)))
            rows, labels = rows[index], labels[index]
        self.audited_ = {"trials": self.trials_, **self._best(rows, labels)}
        return self

    def _best(self, rows: Array, labels: NDArray[Any]) -> dict[str, Any]:
        """What is kept of the best competitors."""
        raise NotImplementedError

    audited_: dict[str, Any]

    # Afterwards.

    @predict_method
    def decision_function(self, X: TableLike) -> Array:
        """Values of the functions: of the second label for two labels, else one column per label."""
        rows = self._read(X)
        values = (
            self._kernel().gram(rows, self.rows_) @ self.dual_coef_
            if len(self.rows_)
            else np.zeros((len(rows), len(self.classes_)))
        )
        return values[:, 1] if len(self.classes_) == 2 else values

    @predict_method
    def predict(self, X: TableLike) -> NDArray[Any]:
        """Predicted labels: those whose functions are largest."""
        values = self.decision_function(X)
        return self.classes_[(values > 0.0).astype(np.intp) if values.ndim == 1 else values.argmax(axis=1)]

    @property
    def ledger_(self) -> Ledger:
        """The account so far."""
        raise NotImplementedError

    def _twin_settings(self) -> dict[str, Any]:
        given = {name: value for name, value in self.get_params(deep=False).items() if name != "kernel"}
        if given.get("classes") is not None:
            given["classes"] = np.asarray(given["classes"]).tolist()
        settings: dict[str, Any] = {"class": type(self).__name__, "parameters": given}
        for name in ("told_classes_", "audited_"):
            if name in vars(self):
                settings[name] = self.told_classes_.tolist() if name == "told_classes_" else self.audited_
        return settings

    def _restored(self) -> None:
        if "rows_" not in vars(self):
            return
        check_shapes(self, rows_=(None, self.n_features_in_))
        check_shapes(self, dual_coef_=(len(self.rows_), len(self.classes_)))
        check_shapes(self, account_=(len(self._fields), len(self.classes_)))
        if any(vars(self)[name].dtype != np.float64 for name in ("rows_", "dual_coef_", "account_")):
            raise ValueError("rows_, dual_coef_ and account_ must hold doubles.")
        if not all(type(vars(self)[name]) is int for name in ("trials_", "mistakes_", "unknown_")):
            raise ValueError("trials_, mistakes_ and unknown_ must be whole numbers.")
        self.account_ = self.account_.copy()
        self._set_classes(self.classes_)
