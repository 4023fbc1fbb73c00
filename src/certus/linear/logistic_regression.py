"""Logistic regression for two or more classes, with ridge, L1, elastic-net or no penalty."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags

from certus.base import (
    Classifier,
    Iterations,
    class_weights,
    fit_method,
    predict_method,
    probabilities_of,
    register,
    resolve_seed,
    resolve_threads,
    warn_deprecated,
    warn_not_converged,
    warn_user,
)
from certus.base.blocks import ScaledFit
from certus.base.inputs import (
    LARGEST,
    ClassWeightLike,
    RandomStateLike,
    Table,
    TableLike,
    TargetLike,
    WeightsLike,
    check_weights,
    check_Xy,
)
from certus.base.params import Boolean, Exactly, InstanceOf, Interval, OneOf, RandomState, Verbosity
from certus.guarantees import Report
from certus.guarantees.training import Decrement
from certus.linear.design.design_matrix import make_design
from certus.linear.evidence.kept_evidence import KeptEvidence
from certus.linear.evidence.linear_gap_rules import LOGISTIC
from certus.linear.evidence.linear_labels import label_certificate
from certus.linear.evidence.logistic_gap import LogisticEvidence
from certus.linear.evidence.rounding_warning import drowned, warn_drowned
from certus.linear.evidence.separation_message import separation_of_labels
from certus.linear.fitting.linear_prediction import LinearClassification, SparseCoefficients
from certus.linear.fitting.logistic_fit import DRAWN, DUAL, Accuracy, kept_evidence, logistic_problem, solve
from certus.linear.in_blocks.logistic_in_blocks import fit_logistic, whole_table_needed
from certus.linear.problems.logistic_penalty import resolve_penalty
from certus.linear.problems.smooth_problem import SmoothProblem
from certus.linear.solvers.newton import NewtonResult, Point
from certus.losses import ElasticNet

UNKNOWN = 0.01  # gap over the objective at zero from which on a penalized fit does not count as converged
# How a solver of this name says that the iterations did not suffice.
NOT_CONVERGED = {
    "lbfgs": "lbfgs failed to converge after {n} iteration(s)",
    "newton-cg": "newton-cg failed to converge after {n} iteration(s). Increase the number of iterations",
    "newton-cholesky": "Newton solver did not converge after {n} iterations",
    "liblinear": "The liblinear solver failed to converge",
    "sag": "The max_iter was reached which means the coef_ did not converge",
    "saga": "The max_iter was reached which means the coef_ did not converge",
}


@register(
    guarantees=("gap to the optimum", "training labels of the exact optimum"),
    cost="fit n p^2 per Newton step (n p per product if sparse, wide or multiclass), predict p per row and class",
)
class LogisticRegression(LinearClassification, SparseCoefficients, Classifier):
    """Linear classification with probabilities, for two or more classes.

    Minimizes, over coefficients W and intercepts b (not penalized) with weights s,

        C sum_i s_i l(y_i, W x_i + b) + (1 - l1_ratio)/2 |W|^2 + l1_ratio |W|_1

    with l = log(1 + exp(f)) - y f for two classes and l = log sum_k exp(f_k) - f_y for more. The first choice for
    classification: fast, well calibrated, easy to explain. Newton steps with an explicit Hessian for tall dense
    tables, by conjugate gradients for sparse or wide tables and several classes, proximal Newton with coordinate
    descent under L1. The report certifies how far the objective is from its minimum.

    Parameters
    ----------
    penalty : {"l1", "l2", "elasticnet", None}, default="deprecated"
        Deprecated, as in scikit-learn: use `C` and `l1_ratio`.
    C : float, default=1.0
        Weight of the losses against the penalty; infinity means no penalty.
    l1_ratio : float, default=0.0
        Share of the L1 penalty, from 0 (ridge) to 1.
    dual : bool, default=False
        With solver="liblinear" and the ridge penalty: dual coordinate descent in an order that ``random_state`` draws,
        with LIBLINEAR's stop rule. Primal and dual have the same solution.
    tol : float, default=1e-4
        Largest entry of the mean gradient at the end; iterations go on until the gap is far below what that asks.
        For "sag" and "saga": largest change of a coefficient in an epoch, relative to the largest coefficient.
    intercept_scaling : float, default=1
        With solver="liblinear" the intercept is penalized like the coefficient of a constant column of this value.
    random_state : int, RandomState or None, default=None
        The order of the rows with "sag", "saga" and dual=True; no other solver is random.
    solver : {"lbfgs", "liblinear", "newton-cg", "newton-cholesky", "sag", "saga"}, default="lbfgs"
        Which objectives are allowed is as in scikit-learn ("saga" takes all penalties, "liblinear" L1 and ridge for
        two classes, with a penalized intercept, the others ridge or none). "newton-cg", "newton-cholesky", "sag" and
        "saga" (stochastic average gradients: rough and, but for the first epochs, slow; "saga" only without L1)
        choose the method; for the other names and under L1 it is chosen by the shape of the table.
    max_iter : int, default=100
        Largest number of (proximal) Newton iterations, or of epochs of "sag" and "saga".
    warm_start : bool, default=False
        Whether to start from the last fit's coefficients (not with "liblinear").
    n_jobs : None, default=None
        Deprecated, as in scikit-learn. All cores are used; the result does not depend on their number.
    gap_tol : float or None, default=None
        Largest certified gap that is accepted without a warning, relative to the objective at zero coefficients.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        W; two classes have one row.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        b.
    n_iter_ : ndarray of shape (1,)
        Number of iterations.
    gap_ : float
        Certified bound on the objective (divided by C) minus its minimum.
    converged_ : bool
        Whether the solution is as accurate as asked for.
    history_ : ndarray
        Objective (divided by C) after every iteration.
    report_ : Report
        Certificates of the gap and, with a ridge part in the penalty, of the training labels.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from certus.linear import LogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LogisticRegression().fit(X, y)
    >>> model.predict(X[:2]).tolist(), round(model.score(X, y), 2), model.gap_ < 1e-6
    ([0, 0], 0.97, True)
    """

    _takes_sparse = True
    _constraints = {
        "penalty": [OneOf("l1", "l2", "elasticnet"), Exactly(None), Exactly("deprecated")],
        "C": [Interval(0, None, closed="right")],
        "l1_ratio": [Interval(0, 1), Exactly(None)],
        "dual": [Boolean()],
        "tol": [Interval(0, None)],
        "fit_intercept": [Boolean()],
        "intercept_scaling": [Interval(0, None, closed="neither")],
        "class_weight": [Exactly(None), OneOf("balanced"), InstanceOf(dict)],
        "random_state": [RandomState()],
        "solver": [OneOf("lbfgs", "liblinear", "newton-cg", "newton-cholesky", "sag", "saga")],
        "max_iter": [Interval(0, None, integer=True)],
        "verbose": [Verbosity()],
        "warm_start": [Boolean()],
        "n_jobs": [Exactly(None), Interval(None, None, integer=True)],
        "gap_tol": [Exactly(None), Interval(0, None, closed="neither")],
    }
    _scaled: ClassVar[ScaledFit | None] = ScaledFit(
        "exact", fit_logistic, {"order": "C", "largest": LARGEST}, whole_table_needed
    )
    _state: ClassVar[tuple[str, ...]] = (
        "classes_",
        "coef_",
        "intercept_",
        "n_iter_",
        "gap_",
        "converged_",
        "history_",
        "n_features_in_",
        "feature_names_in_",
    )

    def __init__(
        self,
        penalty: Any = "deprecated",
        *,
        C: float = 1.0,
        l1_ratio: float | None = 0.0,
        dual: bool = False,
        tol: float = 1e-4,
        fit_intercept: bool = True,
        intercept_scaling: float = 1,
        class_weight: ClassWeightLike = None,
        random_state: RandomStateLike = None,
        solver: str = "lbfgs",
        max_iter: int = 100,
        verbose: int = 0,
        warm_start: bool = False,
        n_jobs: int | None = None,
        gap_tol: float | None = None,
    ) -> None:
        self._set_parameters(locals())

    @fit_method
    def fit(self, X: TableLike, y: TargetLike, sample_weight: WeightsLike = None) -> LogisticRegression:
        """Find the best coefficients."""
        penalty = resolve_penalty(self)
        if self.n_jobs is not None:
            warn_deprecated("n_jobs")
        large = self.solver not in ("liblinear", "sag", "saga")
        limit = None if self.solver == "liblinear" else LARGEST  # liblinear refuses in its own words
        table, y = check_Xy(self, X, y, accept_sparse="csr", order="C", accept_large_sparse=large, largest=limit)
        codes = self._encode_labels(y)
        self._refuse_one_class()
        self._check_liblinear(table)
        weights, class_weights = self._weights(table, y, codes, sample_weight)
        problem = self._problem(table, codes, weights, penalty)
        with Iterations(self, self.max_iter, table, y, closing_task=self.solver == "lbfgs") as iterations:

            def watch(coef: NDArray[Any], center: NDArray[Any], facts: dict[str, float]) -> bool:
                if not iterations.watched:
                    return False
                names = dict(zip(("coef_", "intercept_"), self._as_stored(problem, coef, center), strict=True))
                return iterations.step(names, **facts)

            method = DUAL if self.solver == "liblinear" and self.dual and penalty.l2 > 0.0 else self.solver
            seed = resolve_seed(self.random_state) if method in DRAWN else 0
            accuracy = Accuracy(self.tol, self.max_iter, self.gap_tol, seed)
            evidence = kept_evidence(problem, penalty)
            result = solve(problem, penalty, method, self._start(problem), accuracy, watch, evidence)
        self._store(problem, penalty, result, class_weights, evidence)
        return self

    def _refuse_one_class(self) -> None:
        if len(self.classes_) < 2:
            raise ValueError(
                "This solver needs samples of at least 2 classes in the data, but the data contains only one class: "
                f"{self.classes_[0]!r}.\nHint: check the target column, or that a split did not leave a class out."
            )

    def _check_liblinear(self, X: Any) -> None:
        if self.solver != "liblinear":
            return
        if len(self.classes_) > 2:
            raise ValueError(
                "The 'liblinear' solver does not support multiclass classification (n_classes >= 3). Either use "
                "another solver or wrap the estimator in a OneVsRestClassifier to keep applying a one-versus-rest "
                "scheme."
            )
        if X.max() > 1e30:
            raise ValueError(
                "Using the 'liblinear' solver while X contains a maximum value > 1e30 results in a frozen fit. "
                "Please choose another solver or rescale the input X."
            )

    def _weights(
        self, X: Table, y: NDArray[Any], codes: Any, sample_weight: WeightsLike
    ) -> tuple[Any, NDArray[np.float64]]:
        """Weights of the rows with those of the classes multiplied in, and the latter."""
        weights = check_weights(self, sample_weight, X)
        if self.class_weight is None:
            return weights, np.ones(len(self.classes_))
        by_class = class_weights(self.class_weight, self.classes_, y, weights)
        rows = by_class[codes]
        return rows if weights is None else weights * rows, by_class

    def _penalizes_intercept(self) -> bool:
        return self.solver == "liblinear" and bool(self.fit_intercept)

    def _problem(self, X: Any, codes: Any, weights: NDArray[Any] | None, penalty: ElasticNet) -> SmoothProblem:
        if self._penalizes_intercept():
            constant = np.full((X.shape[0], 1), self.intercept_scaling, dtype=X.dtype)
            X = sparse.csr_array(sparse.hstack([X, constant])) if sparse.issparse(X) else np.hstack([X, constant])
        return logistic_problem(
            make_design(X, resolve_threads()),
            codes,
            weights,
            classes=len(self.classes_),
            penalty=penalty,
            fit_intercept=bool(self.fit_intercept) and not self._penalizes_intercept(),
        )

    def _start(self, problem: SmoothProblem) -> Point:
        coef, center = problem.zero()
        last = getattr(self, "coef_", None)
        if not self.warm_start or last is None or self.solver == "liblinear":
            return coef, center
        last = last.toarray() if sparse.issparse(last) else last
        if last.shape != coef.shape:
            raise ValueError(
                f"Initialization coef is of shape {last.shape}, expected shape {coef.shape}.\n"
                "Hint: set warm_start=False when the classes or the columns change."
            )
        coef = last.astype(np.float64)
        if problem.has_intercept:
            center = self.intercept_.astype(np.float64) + coef @ problem.mean
        return coef, center

    def _as_stored(self, problem: SmoothProblem, coef: NDArray[Any], center: NDArray[Any]) -> tuple[Any, Any]:
        """Coefficients and intercepts in the table's type and the user's coordinates."""
        dtype = np.float64 if self.solver == "liblinear" else problem.design.X.dtype
        if self._penalizes_intercept():
            return coef[:, :-1].astype(dtype), (self.intercept_scaling * coef[:, -1]).astype(dtype)
        intercept = problem.intercept(coef, center) if problem.has_intercept else np.zeros(len(coef))
        return coef.astype(dtype), intercept.astype(dtype)

    def _store(
        self,
        problem: SmoothProblem,
        penalty: ElasticNet,
        result: NewtonResult,
        class_weights: NDArray[np.float64],
        evidence_at: KeptEvidence[LogisticEvidence],
    ) -> None:
        self.coef_, self.intercept_ = self._as_stored(problem, result.coef, result.center)
        coef, intercept = self.coef_.astype(np.float64), self.intercept_.astype(np.float64)
        if self._penalizes_intercept():
            whole = np.hstack([coef, intercept[:, None] / self.intercept_scaling])
            evidence = evidence_at(whole, np.zeros(1))
        else:
            evidence = evidence_at(coef, intercept)
        self.n_iter_ = np.array([result.iterations], dtype=np.int32)
        self.history_ = np.array([facts["objective"] for facts in result.history])
        self.gap_ = evidence.gap
        limit = None if self.gap_tol is None else self.gap_tol * evidence.objective_at_zero
        self.converged_ = result.converged and (limit is None or evidence.gap <= limit)
        if max(penalty.l1, penalty.l2) > 0.0 and evidence.gap > UNKNOWN * evidence.objective_at_zero:
            self.converged_ = False  # whatever ended the iterations: nothing is known about where
        facts = {
            "l1": penalty.l1,
            "l2": penalty.l2,
            "classes": self.classes_.tolist(),
            "class_weights": class_weights.tolist(),
            "fit_intercept": bool(self.fit_intercept),
            "intercept_scaling": float(self.intercept_scaling) if self._penalizes_intercept() else None,
        }
        self.report_ = _report(evidence, facts, coef, intercept, problem.design.rows)
        unpenalized = penalty.l1 == 0.0 and penalty.l2 == 0.0
        proven = isinstance(evidence.bound, Decrement)
        separated = separation_of_labels(self, problem, coef, intercept) if unpenalized and not proven else None
        if separated is not None:
            self.report_ = Report([*self.report_, separated.certificate])
            self.converged_ = False
            warn_user(separated.message, ConvergenceWarning)
        elif drowned(evidence.gap, evidence.objective_at_zero, 0.0):
            self.converged_ = False
            warn_drowned(self, evidence.gap, evidence.objective_at_zero)
        elif not self.converged_:
            self._warn(evidence, limit, result.instead or self.solver)

    def _warn(self, evidence: LogisticEvidence, limit: float | None, solver: str) -> None:
        ended = limit is not None and self.n_iter_[0] < self.max_iter - (solver != self.solver)
        cause = f"{NOT_CONVERGED[solver].format(n=self.n_iter_[0])} (max_iter={self.max_iter})."
        at_zero = evidence.objective_at_zero
        warn_not_converged(self, None if ended else cause, gap=evidence.gap, at_zero=at_zero, limit=limit)

    @predict_method
    def predict_proba(self, X: TableLike) -> NDArray[Any]:
        """Probabilities of the classes."""
        return probabilities_of(self.decision_function(X))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        if self.solver == "liblinear":
            tags.classifier_tags.multi_class = False
        return tags


def _report(
    evidence: LogisticEvidence, facts: dict[str, Any], coef: NDArray[Any], intercept: NDArray[Any], rows: int
) -> Report:
    gap = LOGISTIC.certificate(evidence, facts, {"coef": coef, "intercept": intercept})
    if evidence.undecided is None:
        return Report([gap])
    return Report([gap, label_certificate(evidence.undecided, rows, evidence.distance)])
