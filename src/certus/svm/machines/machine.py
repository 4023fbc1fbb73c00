"""What the five machines share: parameters, checking of input, the kernel expansion and its evaluation."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags, check_array, check_consistent_length

from certus.base import Learner, resolve_threads, warn_user
from certus.base.inputs import TargetLike, WeightsLike, check_target, check_X, check_Xy
from certus.base.params import Boolean, Constraints, Exactly, Function, Interval, OneOf, RandomState, Rule, Verbosity
from certus.svm import _native_calls
from certus.svm._native_calls import Floats, Kernel, Options, Table
from certus.svm.evidence.machine_reports import Training
from certus.svm.machines.far_columns import far_center
from certus.svm.machines.kernel_argument import (
    NAMED,
    KernelLike,
    KernelObject,
    Objects,
    computes_gram,
    count,
    gram,
    refuse_asymmetric,
    resolve_gamma,
)
from certus.svm.solvers.verified_solution import Solution

DENSE_UP_TO = 4_000_000  # cells of a sparse table up to which it is cheaper to treat it as dense

FINE = 1e-9  # violation of the optimality conditions that a few more steps aim at, so that ties in data do not show

SHARED_CONSTRAINTS: Constraints = {
    "kernel": [OneOf(*NAMED), Function(), KernelObject()],
    "degree": [Interval(0, None, integer=True)],
    "gamma": [OneOf("scale", "auto"), Interval(0, None)],
    "coef0": [Interval(None, None)],
    "tol": [Interval(0, None, closed="neither")],
    "shrinking": [Boolean()],
    "cache_size": [Interval(0, None, closed="neither")],
    "verbose": [Verbosity()],
    "max_iter": [Interval(-1, None, integer=True)],
    "gap_tol": [Exactly(None), Interval(0, None, closed="neither")],
}
COST: list[Rule] = [Interval(0, None, closed="right")]
NU: list[Rule] = [Interval(0, 1, closed="right")]
RANDOM: list[Rule] = [RandomState()]

SHARED_STATE = (
    "n_features_in_",
    "support_",
    "support_vectors_",
    "dual_coef_",
    "intercept_",
    "n_iter_",
    "fit_status_",
    "shape_fit_",
    "gap_",
    "converged_",
    "withheld_",
    "_n_support",
    "_dual_coef_",
    "_intercept_",
    "_gamma",
    "_sparse",
    "_kept_rows",
    "_center",
)


@dataclass(frozen=True)
class SolverRows:
    """Training rows as they were read, and those with positive weight in the form that the solver takes."""

    X: Objects
    kept: NDArray[np.intp]  # which of them have positive weight
    table: Table
    kernel: Kernel


class Machine(Learner):
    """Shared part of all support vector machines; not a learner by itself.

    Parameters
    ----------
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"}, callable or kernel object
        The kernel k. "precomputed" takes kernel values instead of rows: between all pairs of training rows in ``fit``,
        with all training rows in ``predict``. A callable is called as ``kernel(X, Y)``, an object needs ``gram(X, Y)``
        and ``diag(X)``; X is then anything that they accept. "sigmoid" is not positive semi-definite in general: no
        optimality is then certified.
    degree : int
        Degree of "poly".
    gamma : {"scale", "auto"} or float
        Coefficient of "rbf", "poly" and "sigmoid"; "scale" is 1 / (n_features * X.var()), "auto" 1 / n_features.
    coef0 : float
        Constant of "poly" and "sigmoid".
    shrinking : bool
        Whether rows that are settled are set aside while a problem larger than the cache is solved.
    tol : float
        The optimality conditions hold at least to this.
    cache_size : float
        Memory for kernel values in MB.
    verbose : bool
        True prints the gap that was reached.
    max_iter : int
        Limit on the solver's steps; -1 sets only a generous one against running forever.
    gap_tol : float or None
        If given, stop only when the duality gap is at most this share of the objective at zero coefficients.

    Attributes
    ----------
    support_vectors_ : ndarray or sparse array of shape (n_SV, n_features)
        The support vectors; empty for a kernel that is given or computed outside.
    converged_ : bool
        Whether the stopping rule was reached.
    fit_status_ : int
        0 if it was, else 1.
    shape_fit_ : tuple of int
        Shape of the training table.
    report_ : Report
        Certificates that training alone supports.
    withheld_ : str
        Why the report has no compression bound; empty if it has one.
    """

    _takes_sparse = True  # unless the table holds kernel values
    _keeps_training_rows: ClassVar[bool] = True

    kernel: KernelLike
    degree: int
    gamma: str | float
    coef0: float
    tol: float
    shrinking: bool
    cache_size: float
    verbose: bool | int
    max_iter: int
    gap_tol: float | None

    support_: NDArray[np.int32]
    support_vectors_: Any
    dual_coef_: Any
    intercept_: Floats
    shape_fit_: tuple[int, ...]
    _kept_rows: Any  # the training rows, for a kernel that is computed outside
    _center: Floats | None = None  # what is taken off the columns before the linear kernel is computed
    n_iter_: Any
    withheld_: str

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = bool(self.kernel == "precomputed")
        tags.input_tags.sparse = not tags.input_tags.pairwise
        return tags

    # --- reading the training data ------------------------------------------------------------------------------

    def _read_training(
        self, X: Objects, y: TargetLike | None, *, with_target: bool = True, numeric: bool = False
    ) -> tuple[Objects, NDArray[Any]]:
        """Check X (and y, where there is a target) and remember what prediction needs to know about X."""
        if self.kernel == "precomputed" and sparse.issparse(X):
            raise TypeError(
                "Sparse precomputed kernels are not supported.\nHint: pass the kernel values as a dense array."
            )
        target = np.empty(0)
        if computes_gram(self.kernel):
            check_consistent_length(X, y)
            self._sparse = False
            return X, check_target(self, cast(TargetLike, y), numeric=numeric) if with_target else target
        if with_target:
            table, target = check_Xy(self, X, y, y_numeric=numeric, **_TABLE)
        else:
            table = check_X(self, X, reset=True, **_TABLE)
            check_consistent_length(table, y)
        self._sparse = bool(sparse.issparse(table))
        if self._sparse:
            table.sort_indices()
        if self.kernel == "precomputed" and table.shape[0] != table.shape[1]:
            raise ValueError(
                f"Precomputed matrix must be a square matrix. Input is a {table.shape[0]}x{table.shape[1]} matrix.\n"
                "Hint: fit takes the kernel values between all pairs of training rows."
            )
        return table, target

    def _weights(self, sample_weight: WeightsLike, rows: int) -> Floats:
        """One positive or zero weight per row."""
        name = type(self).__name__
        if sample_weight is None:
            return np.ones(rows)
        weights = np.asarray(check_array(sample_weight, ensure_2d=False, dtype=np.float64, input_name="sample_weight"))
        if weights.ndim == 0:
            weights = np.full(rows, float(weights))
        if weights.shape != (rows,):
            raise ValueError(
                f"sample_weight and X have incompatible shapes: {weights.shape} vs {(rows,)}.\n"
                f"Hint: {name} needs one weight per row of X."
            )
        none_left = bool((weights <= 0).all())
        lead = "Invalid input - all samples have zero or negative weights. " if none_left else ""
        if (weights < 0).any():
            row = int(np.flatnonzero(weights < 0)[0])
            raise ValueError(
                f"{lead}Negative values in data passed to `sample_weight`: row {row} has {weights[row]:g}; "
                f"{name} allows weights >= 0.\nHint: a weight of 0 removes the row."
            )
        if lead:
            raise ValueError(
                f"{lead}Sample weights must contain at least one non-zero number.\n"
                "Hint: give a positive weight to the rows to learn from."
            )
        return weights

    def _prepare(self, X: Objects, weights: Floats) -> SolverRows:
        """The table for the solver and the kernel in the solver's terms."""
        rows, owner = count(X), type(self).__name__
        self.shape_fit_ = tuple(getattr(X, "shape", (rows,)))
        self._gamma, self._kept_rows, self._center = 0.0, None, None
        if computes_gram(self.kernel):
            self._kept_rows = X
            table: Any = gram(self.kernel, X, X, owner=owner, shape=(rows, rows))
        else:
            table = X
            if self.kernel != "precomputed":
                self._gamma = resolve_gamma(self.gamma, table, weights)
        kernel = self._native_kernel()
        given = kernel[0] == _native_calls.GIVEN
        if given:
            refuse_asymmetric(table, owner)
        kept = np.flatnonzero(weights > 0)
        if len(kept) < rows:
            table = table[np.ix_(kept, kept)] if given else table[kept]
        if sparse.issparse(table) and table.shape[0] * table.shape[1] <= DENSE_UP_TO:
            table = table.toarray()
        return SolverRows(X, kept, table if sparse.issparse(table) else np.ascontiguousarray(table), kernel)

    def _shifts_freely(self) -> bool:
        """Whether an intercept takes up what is taken off the columns."""
        return bool(getattr(self, "fit_intercept", True))

    def _centered(self, rows: SolverRows) -> SolverRows:
        """The rows for the linear kernel, closer to 0 where the columns are far from it."""
        if self.kernel != "linear" or self._sparse or not self._shifts_freely():
            return rows
        table = cast(Floats, rows.table)
        self._center = far_center(table)
        return rows if self._center is None else replace(rows, table=table - self._center)

    def _native_kernel(self) -> Kernel:
        if not isinstance(self.kernel, str):
            return _native_calls.WHOLE
        return NAMED[self.kernel], float(self._gamma), float(self.coef0), int(self.degree)

    def _options(self) -> Options:
        return Options(
            tolerance=float(self.tol),
            fine_tolerance=min(float(self.tol), FINE),
            max_steps=int(self.max_iter),
            cache_bytes=float(self.cache_size) * 2**20,
            threads=resolve_threads(),
            shrinking=bool(self.shrinking),
        )

    def _declared(self) -> dict[str, Any]:
        """The problem in the certificates' terms."""
        raise NotImplementedError

    def _training(self, rows: SolverRows, *, weighted: bool) -> Training:
        """What the certificates need to know."""
        balanced = getattr(self, "class_weight", None) == "balanced"
        declared = self._declared()
        if self._center is not None:
            declared["center"] = self._center.tolist()
        return Training(rows.table, rows.kernel, declared, self.gamma == "scale", balanced, weighted)

    # --- storing the solution -----------------------------------------------------------------------------------

    def _warn_unfinished(self, solution: Solution, gap: float, scale: float, unit: float = 1.0) -> None:
        """Set ``fit_status_`` and ``converged_``; say it once if the stopping rule was not reached.

        ``unit`` is the size of scores to which ``tol`` is relative.
        """
        if not (np.isfinite(solution.middle).all() and np.isfinite(solution.alpha).all()):
            raise ValueError(
                "The dual coefficients or intercepts are not finite. The input data may contain large values and "
                "need to be preprocessed.\nHint: scale the columns first, for example with StandardScaler."
            )
        if solution.impossible:
            self._warn_impossible(solution)
            return
        reached = solution.violation <= self.tol * unit
        self.converged_ = bool(reached.all())
        self.fit_status_ = 0 if self.converged_ else 1
        if self.converged_:
            return
        worst = float(solution.violation[~reached].max()) / unit
        if self.max_iter >= 0 and (solution.reasons == _native_calls.OUT_OF_ITERATIONS).any():
            cause = f"Solver terminated early (max_iter={self.max_iter})."
        else:
            cause = "Solver terminated early: the numbers are too ill-scaled for further progress."
        warn_user(
            f"{cause}  Consider pre-processing your data with StandardScaler or MinMaxScaler. "
            f"The optimality conditions hold to {worst:.2g}, but tol={self.tol:g} was asked for; the duality gap is "
            f"{gap:.3g} ({gap / scale if scale > 0 else np.inf:.2g} of the objective at zero coefficients).\n"
            "Hint: scale the columns, or allow a larger max_iter or tol.",
            ConvergenceWarning,
        )

    def _warn_impossible(self, solution: Solution) -> None:
        """Say once that a hard margin or tube cannot be kept."""
        self.converged_, self.fit_status_ = False, 1
        found = solution.impossible.values()
        sure = "No function meets" if all(record.decided for record in found) else "No function was found that meets"
        missed, total = sum(record.violated for record in found), sum(record.violation for record in found)
        warn_user(
            f"{sure} all constraints of {type(self).__name__} with C=inf. The one of least total violation misses "
            f"{missed} of them, by {total:.4g} in sum; report_ holds the proof.\n"
            "Hint: use a finite C, or a kernel with more features.",
            ConvergenceWarning,
        )

    def _keep_support(self, X: Objects, support: NDArray[np.intp]) -> None:
        self.support_ = support.astype(np.int32)
        outside = computes_gram(self.kernel) or self.kernel == "precomputed"
        self.support_vectors_ = np.empty((0, 0)) if outside else cast(Table, X)[support]

    def _restored(self) -> None:
        """Refuse a file whose arrays do not fit together: compiled code trusts their shapes."""
        if not hasattr(self, "support_"):
            return
        number = len(self.support_)
        lines = self._dual_coef_.shape[0]
        outside = computes_gram(self.kernel) or self.kernel == "precomputed"
        rows = 0 if outside else number
        if self._dual_coef_.ndim != 2 or self._dual_coef_.shape != (lines, number) or self._n_support.sum() != number:
            raise ValueError("the coefficients do not fit the support vectors.")
        if self.support_vectors_.shape[0] != rows or (
            not outside and self.support_vectors_.shape[1] != self.n_features_in_
        ):
            raise ValueError(f"support_vectors_ has the shape {self.support_vectors_.shape}.")
        if (self._n_support < 0).any() or (
            number and not 0 <= self.support_.min() <= self.support_.max() < self.shape_fit_[0]
        ):
            raise ValueError("support_ names rows that do not exist.")
        if bool(sparse.issparse(self.support_vectors_)) != bool(self._sparse) and not outside:
            raise ValueError("support_vectors_ is not of the form that _sparse says.")
        if self._sparse:
            self.support_vectors_.check_format(full_check=True)
        if self._center is not None and (self._center.shape != (self.n_features_in_,) or self._sparse or outside):
            raise ValueError("_center does not fit the columns.")
        if isinstance(self._gamma, str) or not np.isfinite(self._gamma):
            raise ValueError("_gamma is not a number.")

    # --- prediction ---------------------------------------------------------------------------------------------

    def _expansion(self, X: Objects, groups: NDArray[np.int64]) -> Floats:
        """Kernel sums at the rows of X, shape (rows, groups, outputs)."""
        queries: Any = self._read_queries(X)
        coefficients = self._dual_coef_
        if sparse.issparse(coefficients):
            coefficients = coefficients.toarray()
        if computes_gram(self.kernel) or self.kernel == "precomputed":
            values = queries[:, self.support_]
            parts = [values[:, first:last] @ coefficients[:, first:last].T for first, last in pairwise(groups)]
            return np.stack(parts, axis=1)
        support: Any = self._kernel_rows()
        if self._center is not None:
            queries = queries - self._center
        if self._sparse and queries.shape[1] * (queries.shape[0] + support.shape[0]) <= DENSE_UP_TO:
            queries, support = queries.toarray(), support.toarray()
        return _native_calls.expand(queries, support, self._native_kernel(), groups, coefficients, resolve_threads())

    def _kernel_rows(self) -> Table:
        """The support vectors as the kernel takes them."""
        return self.support_vectors_ if self._center is None else self.support_vectors_ - self._center

    def _shift_intercepts(self) -> None:
        """Make ``intercept_`` that of the columns as they came, once ``dual_coef_`` is stored."""
        if self._center is not None:
            self.intercept_ = self.intercept_ - np.asarray(self._linear_weights()) @ self._center

    def _read_queries(self, X: Objects) -> Table:
        """Rows to predict for; of a kernel that is computed outside, its values with the training rows."""
        name = type(self).__name__
        if computes_gram(self.kernel):
            return gram(self.kernel, X, self._kept_rows, owner=name, shape=(count(X), self.shape_fit_[0]))
        if sparse.issparse(X) and not self._sparse:
            raise ValueError(
                f"cannot use sparse input in {name!r} trained on dense data.\n"
                "Hint: pass dense rows, or fit on sparse ones."
            )
        table: Any = check_X(self, X, **_TABLE)
        if self._sparse:
            table = table if sparse.issparse(table) else sparse.csr_array(table)
            table.sort_indices()
        if self.kernel == "precomputed" and table.shape[1] != self.shape_fit_[0]:
            raise ValueError(
                f"X.shape[1] = {table.shape[1]} should be equal to {self.shape_fit_[0]}, the number of samples at "
                "training time.\nHint: predict takes the kernel values of each row with all training rows."
            )
        vectors = self.support_vectors_
        if not self._sparse and vectors.size > 0 and self._n_support.sum() != vectors.shape[0]:
            raise ValueError(f"The internal representation of {name} was altered.\nHint: fit it again.")
        return table

    @property
    def coef_(self) -> Table:
        """Weights of the columns when ``kernel="linear"``; read-only."""
        if self.kernel != "linear":
            raise AttributeError("coef_ is only available when using a linear kernel.\nHint: use kernel='linear'.")
        coef = self._linear_weights()
        (coef if isinstance(coef, np.ndarray) else coef.data).flags.writeable = False
        return coef

    def _linear_weights(self) -> Table:
        return self.dual_coef_ @ self._kernel_rows()


_TABLE: dict[str, Any] = {
    "dtype": np.float64,
    "order": "C",
    "accept_sparse": "csr",
    "accept_large_sparse": False,
}
