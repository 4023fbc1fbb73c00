"""What the five machines share: parameters, checking of input, the kernel expansion and its evaluation."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags, check_array, check_consistent_length

from certus.base import (
    Boolean,
    Constraints,
    Exactly,
    Function,
    Interval,
    Learner,
    OneOf,
    RandomState,
    Rule,
    Verbosity,
    check_target,
    check_X,
    check_Xy,
    resolve_threads,
    warn_user,
)
from certus.svm import _native_calls
from certus.svm._native_calls import Floats, Kernel, Options
from certus.svm.machines.kernel_argument import (
    NAMED,
    KernelObject,
    computes_gram,
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
)


class Machine(Learner):
    """Shared part of all support vector machines; not a learner by itself."""

    _keeps_training_rows: ClassVar[bool] = True

    kernel: Any
    degree: int
    gamma: Any
    coef0: float
    tol: float
    shrinking: bool
    cache_size: float
    verbose: Any
    max_iter: int
    gap_tol: float | None

    support_: NDArray[np.int32]
    support_vectors_: Any
    dual_coef_: Any
    intercept_: Floats
    shape_fit_: tuple[int, ...]
    n_iter_: Any
    withheld_: str

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = isinstance(self.kernel, str) and self.kernel == "precomputed"
        tags.input_tags.sparse = not tags.input_tags.pairwise
        return tags

    # --- reading the training data ------------------------------------------------------------------------------

    def _read_training(self, X: Any, y: Any, *, with_target: bool = True, **options: Any) -> tuple[Any, Any]:
        """Check X (and y, where there is a target) and remember what prediction needs to know about X."""
        if isinstance(self.kernel, str) and self.kernel == "precomputed" and sparse.issparse(X):
            raise TypeError("Sparse precomputed kernels are not supported.")
        if computes_gram(self.kernel):
            check_consistent_length(X, y)
            self._sparse = False
            if with_target:
                y = check_target(self, y, numeric=bool(options.get("y_numeric")))
        elif not with_target:
            X = check_X(self, X, reset=True, **_TABLE)
            if y is not None:
                check_consistent_length(X, y)
        else:
            X, y = check_Xy(self, X, y, **_TABLE, **options)
        if not computes_gram(self.kernel):
            self._sparse = bool(sparse.issparse(X))
            if self._sparse:
                X.sort_indices()
            if self.kernel == "precomputed" and X.shape[0] != X.shape[1]:
                raise ValueError(
                    f"Precomputed matrix must be a square matrix. Input is a {X.shape[0]}x{X.shape[1]} matrix.\n"
                    "Hint: fit takes the kernel values between all pairs of training rows."
                )
        return X, y

    def _weights(self, sample_weight: Any, rows: int) -> Floats:
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
            raise ValueError(f"{lead}Sample weights must contain at least one non-zero number.")
        return weights

    def _prepare(self, X: Any, weights: Floats, kept: NDArray[np.intp] | None) -> tuple[Any, Kernel]:
        """The table for the solver (of the rows with positive weight) and the kernel in the solver's terms."""
        rows = X.shape[0] if hasattr(X, "shape") else len(X)
        self.shape_fit_ = tuple(X.shape) if hasattr(X, "shape") else (rows,)
        if computes_gram(self.kernel):
            self._kept_rows = X
            self._gamma = 0.0
            table: Any = gram(self.kernel, X, X, owner=type(self).__name__, shape=(rows, rows))
            kernel: Kernel = (_native_calls.GIVEN, 0.0, 0.0, 0)
        else:
            self._kept_rows = None
            self._gamma = 0.0 if self.kernel == "precomputed" else resolve_gamma(self.gamma, X, weights)
            kernel = self._native_kernel()
            table = X
        if kernel[0] == _native_calls.GIVEN:
            refuse_asymmetric(table, type(self).__name__)
        if kept is not None:
            table = table[np.ix_(kept, kept)] if kernel[0] == _native_calls.GIVEN else table[kept]
        if sparse.issparse(table) and table.shape[0] * table.shape[1] <= DENSE_UP_TO:
            table = table.toarray()
        return (table if sparse.issparse(table) else np.ascontiguousarray(table)), kernel

    def _native_kernel(self) -> Kernel:
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

    # --- storing the solution -----------------------------------------------------------------------------------

    def _warn_unfinished(self, solution: Solution, gap: float, scale: float) -> None:
        """Set ``fit_status_`` and ``converged_``; say it once if the stopping rule was not reached."""
        if not (np.isfinite(solution.middle).all() and np.isfinite(solution.alpha).all()):
            raise ValueError(
                "The dual coefficients or intercepts are not finite. The input data may contain large values and "
                "need to be preprocessed.\nHint: scale the columns first, for example with StandardScaler."
            )
        if solution.impossible:
            self._warn_impossible(solution)
            return
        reached = solution.violation <= self.tol
        self.converged_ = bool(reached.all())
        self.fit_status_ = 0 if self.converged_ else 1
        if self.converged_:
            return
        worst = float(solution.violation[~reached].max())
        if self.max_iter >= 0 and (solution.reasons == _native_calls.OUT_OF_ITERATIONS).any():
            cause = f"Solver terminated early (max_iter={self.max_iter})."
        else:
            cause = "Solver terminated early: the numbers are too ill-scaled for further progress."
        warn_user(
            f"{cause}  Consider pre-processing your data with StandardScaler or MinMaxScaler. "
            f"The optimality conditions hold to {worst:.2g}, asked for was tol={self.tol:g}; the duality gap is "
            f"{gap:.3g} ({gap / scale if scale > 0 else np.inf:.2g} of the objective at zero coefficients).",
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

    def _keep_support(self, X: Any, support: NDArray[np.intp]) -> None:
        self.support_ = support.astype(np.int32)
        if computes_gram(self.kernel) or self.kernel == "precomputed":
            self.support_vectors_ = np.empty((0, 0))
        else:
            self.support_vectors_ = X[support]

    def _restored(self) -> None:
        """Refuse a file whose arrays do not fit together: compiled code trusts their shapes."""
        if not hasattr(self, "support_"):
            return
        count = len(self.support_)
        lines = self._dual_coef_.shape[0]
        outside = computes_gram(self.kernel) or self.kernel == "precomputed"
        rows = 0 if outside else count
        if self._dual_coef_.ndim != 2 or self._dual_coef_.shape != (lines, count) or self._n_support.sum() != count:
            raise ValueError("the coefficients do not fit the support vectors")
        if self.support_vectors_.shape[0] != rows or (
            not outside and self.support_vectors_.shape[1] != self.n_features_in_
        ):
            raise ValueError(f"support_vectors_ has the shape {self.support_vectors_.shape}")
        if (self._n_support < 0).any() or (
            count and not 0 <= self.support_.min() <= self.support_.max() < self.shape_fit_[0]
        ):
            raise ValueError("support_ names rows that do not exist")
        if bool(sparse.issparse(self.support_vectors_)) != bool(self._sparse) and not outside:
            raise ValueError("support_vectors_ is not of the form that _sparse says")
        if self._sparse:
            self.support_vectors_.check_format(full_check=True)

    # --- prediction ---------------------------------------------------------------------------------------------

    def _expansion(self, X: Any, groups: NDArray[np.int64]) -> Floats:
        """Kernel sums at the rows of X, shape (rows, groups, outputs)."""
        X = self._read_queries(X)
        coefficients = self._dual_coef_
        if sparse.issparse(coefficients):
            coefficients = coefficients.toarray()
        if computes_gram(self.kernel) or self.kernel == "precomputed":
            values = X[:, self.support_]
            parts = [values[:, first:last] @ coefficients[:, first:last].T for first, last in pairwise(groups)]
            return np.stack(parts, axis=1)
        support = self.support_vectors_
        if self._sparse and X.shape[1] * (X.shape[0] + support.shape[0]) <= DENSE_UP_TO:
            X, support = X.toarray(), support.toarray()
        return _native_calls.expand(X, support, self._native_kernel(), groups, coefficients, resolve_threads())

    def _read_queries(self, X: Any) -> Any:
        name = type(self).__name__
        if computes_gram(self.kernel):
            rows = X.shape[0] if hasattr(X, "shape") else len(X)
            return gram(self.kernel, X, self._kept_rows, owner=name, shape=(rows, self.shape_fit_[0]))
        if sparse.issparse(X) and not self._sparse:
            raise ValueError(f"cannot use sparse input in {name!r} trained on dense data")
        X = check_X(self, X, **_TABLE)
        if self._sparse:
            X = X if sparse.issparse(X) else sparse.csr_array(X)
            X.sort_indices()
        if self.kernel == "precomputed" and X.shape[1] != self.shape_fit_[0]:
            raise ValueError(
                f"X.shape[1] = {X.shape[1]} should be equal to {self.shape_fit_[0]}, the number of samples at "
                "training time"
            )
        vectors = self.support_vectors_
        if not self._sparse and vectors.size > 0 and self._n_support.sum() != vectors.shape[0]:
            raise ValueError(f"The internal representation of {name} was altered")
        return X

    @property
    def coef_(self) -> Any:
        """Weights of the columns when ``kernel="linear"``; read-only."""
        if not (isinstance(self.kernel, str) and self.kernel == "linear"):
            raise AttributeError("coef_ is only available when using a linear kernel")
        coef = self._linear_weights()
        if sparse.issparse(coef):
            coef.data.flags.writeable = False
        else:
            coef.flags.writeable = False
        return coef

    def _linear_weights(self) -> Any:
        return self.dual_coef_ @ self.support_vectors_


_TABLE: dict[str, Any] = {
    "dtype": np.float64,
    "order": "C",
    "accept_sparse": "csr",
    "accept_large_sparse": False,
}
