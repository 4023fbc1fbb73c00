"""What RidgeClassifier and its cross-validated form share: labels as -1 and 1, and what is certified about them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import LabelBinarizer
from sklearn.utils import Tags, column_or_1d, compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets, type_of_target

from certus.base import TableLike, class_weights, predict_method
from certus.guarantees import Report
from certus.linear.design.design_matrix import make_design
from certus.linear.design.moments import gamma
from certus.linear.evidence.linear_labels import LabelLimits, label_certificate
from certus.linear.evidence.quadratic_gap import QuadraticEvidence
from certus.linear.fitting.linear_prediction import LinearClassification
from certus.linear.solvers.least_squares import Problem, Solution


class RidgeLabels(LinearClassification):
    """Coding, certificate and prediction of labels.

    Parameters
    ----------
    fit_intercept : bool
        Whether to fit intercepts; otherwise they are 0.
    class_weight : dict, "balanced" or None
        Weights of the classes, multiplied to those of the rows; "balanced" makes all classes count alike.
    gap_tol : float or None
        Largest certified gap that is accepted without a warning, relative to the objective at zero coefficients.

    Attributes
    ----------
    intercept_ : ndarray of shape (1,) or (n_classes,), or 0.0
        Intercepts.
    gap_ : float
        Certified bound on the objective minus its minimum.
    converged_ : bool
        Whether the solution is as accurate as asked for.
    report_ : Report
        Certificates of the gap and of the training labels.
    """

    class_weight: Any
    coef_: NDArray[Any]
    intercept_: Any
    report_: Report
    multilabel_: bool

    def _with_class_weights(self, weights: NDArray[Any] | None, y: NDArray[Any]) -> NDArray[Any] | None:
        if not self.class_weight:
            return weights
        by_class = np.asarray(compute_sample_weight(self.class_weight, y))
        return by_class if weights is None else weights * by_class

    def _declared(self, y: NDArray[Any]) -> dict[str, Any]:
        """The labels in the certificate's terms; weights of the classes of several labels are left to the rows'."""
        if self.multilabel_:
            return {"multilabel": True}
        by_class = class_weights(self.class_weight or None, self.classes_, column_or_1d(y))
        return {"classes": self.classes_.tolist(), "class_weights": by_class.tolist()}

    def _coded(self, y: NDArray[Any]) -> NDArray[np.float64]:
        """Targets -1 and 1, one column per class or label (one column for two classes)."""
        check_classification_targets(y)
        self.multilabel_ = type_of_target(y, input_name="y") == "multilabel-indicator"
        y = y if self.multilabel_ else column_or_1d(y, warn=True)
        binarizer = LabelBinarizer(pos_label=1, neg_label=-1)
        coded = binarizer.fit_transform(y)
        self.classes_ = binarizer.classes_
        return np.ascontiguousarray(coded, dtype=np.float64)

    def _certify_labels(self, problem: Problem, solution: Solution, evidence: QuadraticEvidence) -> None:
        """Add how many training labels are those of the exact optimum, where the distance to it is known."""
        design = make_design(problem.X, problem.threads)
        weight = float(design.rows if problem.weights is None else problem.weights.sum())
        limits = self._label_limits(solution, evidence, weight)
        if limits is not None:
            undecided = limits.undecided(design)
            self.report_ = self.report_.with_([label_certificate(undecided, design.rows, evidence.distance)])

    def _label_limits(self, solution: Solution, evidence: QuadraticEvidence, weight: float) -> LabelLimits | None:
        """How near its border a row must be for its label to be undecided; None if that is not known."""
        if evidence.metric is None:
            return None
        coef = np.atleast_2d(self.coef_).astype(np.float64)
        intercept = np.broadcast_to(np.asarray(self.intercept_, dtype=np.float64), (len(coef),)).copy()
        metric = evidence.metric.min(axis=0)
        size = float(np.abs(coef * metric).max(initial=0.0)) * np.sqrt(coef.shape[1])
        fixed = float(
            np.abs(coef @ solution.mean_x).max(initial=0.0)
            + np.abs(coef).max(initial=0.0) * np.abs(solution.mean_x).sum()
            + np.abs(intercept).max(initial=0.0)
        )
        rounding = gamma(coef.shape[1] + 8)
        return LabelLimits(
            coef,
            intercept,
            solution.mean_x,
            metric,
            per_length=evidence.distance * (1.0 + 1e-12) + rounding * size,
            anyway=float(np.sqrt(evidence.bound.intercept_gap / weight)) + rounding * fixed,
            several=self.multilabel_,
        )

    @predict_method
    def predict(self, X: TableLike) -> NDArray[Any]:
        """Predicted labels.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_labels)
            One label per row, or a 0/1 matrix if several labels were learned.
        """
        if self.multilabel_:
            scores = self.decision_function(X)
            return (scores.reshape(len(scores), -1) > 0).astype(int)
        return super().predict(X)

    def __sklearn_tags__(self) -> Tags:
        tags: Tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.classifier_tags.multi_label = True
        return tags
