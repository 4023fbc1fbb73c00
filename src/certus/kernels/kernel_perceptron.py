"""The kernel perceptron, with its voted and averaged variants (Freund, Schapire 1999) and its mistake bound."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base import Iterations, fit_method, register, resolve_seed, resolve_threads
from certus.base.inputs import RandomStateLike, TargetLike
from certus.base.params import Boolean, Interval, OneOf, RandomState
from certus.base.persistence import check_shapes
from certus.guarantees import Report
from certus.kernels import _native_calls
from certus.kernels._native_calls import Array
from certus.kernels.evidence.perceptron_certificate import mistake_certificate
from certus.kernels.functions.kernel import Objects, count
from certus.kernels.learning.gram_data import one_against_rest
from certus.kernels.learning.kernel_labels import KernelLabels
from certus.kernels.learning.kernel_learner import PREDICTED_AT_ONCE, blocks, take
from certus.kernels.learning.kernel_parameter import KERNEL_CONSTRAINTS, KernelLike
from certus.kernels.solvers.kernel_ridge_solver import is_semidefinite

Integers = NDArray[np.int64]
BLOCK = 512  # rows of a pass whose scores are computed together
WHOLE = 4096  # rows up to which all kernel values are kept


@register(
    guarantees=("bound on the number of mistakes, on separable rows",),
    cost="fit n p per mistake, predict p per row ever mistaken",
    draws_rows=True,
)
class KernelPerceptron(KernelLabels):
    """Classifier over the functions that a kernel spans which moves only on mistakes.

    Passes over the rows; for every row that it gets wrong, y_i f(x_i) <= 0 with y_i = -1 or 1,

        f <- f + y_i k(x_i, .)

    until a pass makes no mistake. On rows that a function of norm 1 separates with a margin, it makes at most
    max_i k(x_i, x_i) / margin^2 mistakes; the report certifies the number. Several classes are learned one against the
    rest. There is no intercept; an object ``kernel + 1.0`` gives one.

    Parameters
    ----------
    variant : {"batch", "voted", "averaged"}, default="batch"
        Which function decides: the last one; the majority of all functions along the way, each with as many votes as
        it survived rows; or their average.
    max_iter : int, default=100
        Largest number of passes.
    shuffle : bool, default=False
        Whether to take the rows in a new random order in every pass.
    random_state : int, RandomState or None, default=None
        Seed of the orders.

    Attributes
    ----------
    dual_coef_ : ndarray of shape (n_support,) or (n_support, n_classes)
        Coefficients of the rows that were ever mistaken; of the average function, if that decides.
    support_ : ndarray of shape (n_support,)
        Which rows these are.
    X_fit_ : ndarray, sparse matrix or list
        These rows.
    mistakes_ : ndarray of shape (1,) or (n_classes,)
        How many mistakes were made, per problem.
    voters_ : ndarray of shape (4, n_voters)
        Only for votes: problem, row (a position in `support_`), label and number of votes of every function.
    n_iter_ : int
        Passes.
    converged_ : bool
        Whether the last pass made no mistake.
    report_ : Report
        The mistake bound, if the last pass made no mistake and there are at most 4096 rows.

    Examples
    --------
    >>> from certus.kernels import KernelPerceptron, Polynomial
    >>> X, y = [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]], [-1, 1, 1, -1]
    >>> model = KernelPerceptron(kernel=Polynomial(2)).fit(X, y)
    >>> print(model.predict(X), model.mistakes_.sum() <= model.report_["mistakes"].value)
    [-1  1  1 -1] True
    """

    _constraints = {
        **KERNEL_CONSTRAINTS,
        "variant": [OneOf("averaged", "batch", "voted")],
        "max_iter": [Interval(1, None, integer=True)],
        "shuffle": [Boolean()],
        "random_state": [RandomState()],
    }
    _state = ("classes_", "dual_coef_", "support_", "X_fit_", "mistakes_", "voters_", "n_iter_", "converged_")

    def __init__(
        self,
        *,
        kernel: KernelLike = "rbf",
        gamma: float | None = None,
        degree: float = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        variant: str = "batch",
        max_iter: int = 100,
        shuffle: bool = False,
        random_state: RandomStateLike = None,
    ) -> None:
        self._set_parameters(locals())

    voters_: Array

    @fit_method
    def fit(self, X: Objects, y: TargetLike) -> KernelPerceptron:
        """Pass over the rows until no mistake is made."""
        X, labels = self._read_training(X, y)
        codes = self._encode_labels(labels, min_classes=2)
        targets = one_against_rest(codes, len(self.classes_))
        values = _Values(self, X)
        passes = _Passes(targets)
        seed = resolve_seed(self.random_state) if self.shuffle else 0
        orders = np.random.default_rng(seed)
        self.n_iter_, self.converged_ = 0, False
        with Iterations(self, self.max_iter, X, labels) as iterations:
            while self.n_iter_ < self.max_iter and not self.converged_:
                order = orders.permutation(len(targets)) if self.shuffle else np.arange(len(targets))
                made = sum(passes.block(values, order[i : i + BLOCK]) for i in range(0, len(order), BLOCK))
                self.n_iter_ += 1
                self.converged_ = made == 0
                if iterations.step(mistakes=made):
                    break
        self._store(X, passes)
        self.report_ = self._bound(values, targets, passes)
        return self

    def _store(self, X: Objects, passes: _Passes) -> None:
        self.support_ = np.flatnonzero((passes.seen > 0).any(axis=1))
        coef = passes.average() if self.variant == "averaged" else passes.coef
        kept = coef[self.support_]
        self.dual_coef_ = np.ascontiguousarray(kept[:, 0] if kept.shape[1] == 1 else kept)
        self.X_fit_ = take(X, self.support_)
        self.mistakes_ = passes.seen.sum(axis=0)
        if hasattr(self, "voters_"):
            del self.voters_
        if self.variant == "voted":
            self.voters_ = passes.voters(self.support_)

    def _bound(self, values: _Values, targets: Array, passes: _Passes) -> Report:
        if len(targets) > WHOLE or not self.converged_:
            return Report()
        K = values.all()
        if not values.proved and not is_semidefinite(K, resolve_threads()):
            return Report()
        bound = mistake_certificate(K, targets, passes.coef, self.mistakes_)
        return Report() if bound is None else Report([bound])

    def _values(self, X: Objects) -> Array:
        X = self._read_new(X)
        outputs = 1 if len(self.classes_) == 2 else len(self.classes_)
        out = [np.zeros((0, outputs))]
        at_once = PREDICTED_AT_ONCE if self.variant != "voted" else max(1, 2**24 // max(1, self.voters_.shape[1]))
        for block in blocks(X, at_once):
            K = self._matrix(block, self.X_fit_)
            K = K[:, self.support_] if self._precomputed() else K
            if self.variant == "voted":
                out.append(_votes(K, self.voters_, outputs))
            else:
                out.append((K @ self.dual_coef_).reshape(len(K), -1))
        return np.concatenate(out)

    def _restored(self) -> None:
        if not hasattr(self, "dual_coef_"):
            return
        outputs = 1 if len(self.classes_) == 2 else len(self.classes_)
        check_shapes(self, dual_coef_=(None,) if outputs == 1 else (None, outputs))
        check_shapes(self, support_=(len(self.dual_coef_),))
        self._check_expansion(self.dual_coef_)
        if self.variant == "voted":
            check_shapes(self, voters_=(4, None))
            indices = self.voters_[:2].astype(np.int64)
            limits = np.array([[outputs], [len(self.dual_coef_)]])
            if ((indices < 0) | (indices >= limits)).any():
                raise ValueError("voters_ names problems or rows that are not there.")


class _Values:
    """Kernel values of the training rows, all kept if there are few rows."""

    def __init__(self, learner: KernelPerceptron, X: Objects) -> None:
        self._learner, self._X = learner, X
        self.proved = learner._is_proved(X)
        small = learner._precomputed() or count(X) <= WHOLE
        self._K: Array | None = learner._matrix(X) if small else None

    def all(self) -> Array:
        """The whole matrix."""
        return self._learner._matrix(self._X) if self._K is None else self._K

    def own(self, rows: Integers) -> Array:
        """Values of rows with themselves."""
        if self._K is not None:
            return np.ascontiguousarray(self._K[np.ix_(rows, rows)])
        return self._learner._matrix(take(self._X, rows))

    def columns(self, rows: Integers) -> Array:
        """Values of all rows with some."""
        if self._K is not None:
            return self._K[:, rows]
        return self._learner._matrix(self._X, take(self._X, rows))


@dataclass
class _Passes:
    """Scores, coefficients, mistakes so far; ``late`` sums labels times the number of rows passed before."""

    targets: Array
    passed: int = 0
    scores: Array = field(init=False)
    coef: Array = field(init=False)
    late: Array = field(init=False)
    seen: Integers = field(init=False)
    _log: list[Integers] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.scores, self.coef, self.late = (np.zeros_like(self.targets) for _ in range(3))
        self.seen = np.zeros(self.targets.shape, dtype=np.int64)

    def block(self, values: _Values, rows: Integers) -> int:
        """Pass over some rows; returns the number of mistakes."""
        y, scores = self.targets[rows], self.scores[rows]
        if ((y * scores) > 0.0).all():
            self.passed += len(rows)
            return 0
        changes, wrong = np.zeros_like(y), np.zeros(y.shape, dtype=np.int64)
        made = _native_calls.perceptron_block(values.own(rows), y, scores, changes, wrong)
        moved = np.flatnonzero(wrong.any(axis=1))
        self.scores += values.columns(rows[moved]) @ changes[moved]
        self.coef[rows] += changes
        self.late[rows] += changes * (self.passed + np.arange(len(rows)))[:, None]
        self.seen[rows] += wrong
        index, problem = np.nonzero(wrong)
        self._log.append(np.array([problem, rows[index], self.passed + index], dtype=np.int64))
        self.passed += len(rows)
        return made

    def average(self) -> Array:
        """The coefficients of the average of the functions after each row."""
        return np.asarray(self.coef - self.late / self.passed)

    def voters(self, support: Integers) -> Array:
        """Problem, position in the support, label and number of votes of the functions after each mistake."""
        problem, row, time = np.concatenate([np.empty((3, 0), dtype=np.int64), *self._log], axis=1)
        order = np.lexsort((time, problem))
        problem, row, time = problem[order], row[order], time[order]
        following = np.append(time[1:], self.passed)
        ends = np.append(problem[1:] != problem[:-1], True) if len(problem) else np.empty(0, dtype=bool)
        votes = np.where(ends, self.passed, following[: len(time)]) - time
        labels = self.targets[row, problem]
        return np.array([problem, np.searchsorted(support, row), labels, votes], dtype=np.float64)


def _votes(K: Array, voters: Array, outputs: int) -> Array:
    """The surplus of votes of every problem, as a share of all its votes; K holds values with the support."""
    out = np.zeros((len(K), outputs))
    problem, row = voters[0].astype(np.intp), voters[1].astype(np.intp)
    for t in range(outputs):
        mine = problem == t
        total = float(voters[3, mine].sum())
        if total > 0.0:
            functions = np.cumsum(K[:, row[mine]] * voters[2, mine], axis=1)
            out[:, t] = np.sign(functions) @ voters[3, mine] / total
    return out
