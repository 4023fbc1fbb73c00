"""The only caller of the native kernels of the linear machines: allocates the outputs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from certus import _native
from certus.losses import KnownLoss, native_loss, native_loss_named

Array = NDArray[np.float64]


def table_rows(X: Any) -> Any:
    """A table (C-contiguous or CSR, either float type) as the kernels take it."""
    if not sparse.issparse(X):
        return _native.dense_rows(X)
    starts, columns = X.indptr, X.indices
    if starts.dtype != columns.dtype:
        starts, columns = starts.astype(np.int64), columns.astype(np.int64)
    return _native.sparse_rows(starts, columns, X.data, X.shape[1])


@dataclass(frozen=True)
class BoxPass:
    """What one pass over the table gives: see ``cpp/linear/box_pass.hpp``."""

    loss: float
    dual: float
    envelope: float
    scores: Array
    b: Array
    curvature: Array
    image: Array


def box_pass(
    rows: Any,
    constant: float,
    box: tuple[Array, Array, Array, Array, float],
    prox: float,
    center: Array,
    w: Array,
    threads: int,
) -> BoxPass:
    """Scores, dual coefficients and X'b for the coefficients w (the last one belongs to the constant)."""
    n = len(box[0])
    scores, b, curvature, image = np.empty(n), np.empty(n), np.empty(n), np.empty(len(w))
    sums = _native.box_pass(
        rows, constant, _native.BoxDual(*box), prox, center, w, threads, scores, b, curvature, image
    )
    return BoxPass(*sums, scores, b, curvature, image)


def slope_along(
    box: tuple[Array, Array, Array, Array, float],
    prox: float,
    center: Array,
    scores: Array,
    change: Array,
    step: float,
) -> float:
    """sum_i b_i(scores + step change) change_i."""
    return float(_native.slope_along(_native.BoxDual(*box), prox, center, scores, change, step))


def box_chain(rows: int) -> int:
    """Longest chain of additions behind a sum of `box_pass`."""
    return int(_native.box_chain(rows))


def row_gram(X: NDArray[Any], constant: float, rows: NDArray[np.int64], weights: Array, threads: int) -> Array:
    """sum_i weight_i z_i z_i' over the listed rows of z = [x, constant] (without it if it is 0)."""
    size = X.shape[1] + (constant != 0.0)
    out = np.empty((size, size))
    _native.row_gram(X, constant, rows, weights, threads, out)
    return out


@dataclass(frozen=True)
class Descent:
    """When dual descent ends: see ``cpp/linear/dual_descent.hpp``."""

    tol: float
    relative: bool
    gap_tol: float
    max_passes: int
    seed: int


# Places of the numbers that dual descent keeps between calls (cpp/linear/dual_descent.hpp).
DESCENT_NUMBERS = ("first_sum", "tightening", "objective", "gap")


@dataclass(frozen=True)
class DescentState:
    """Several problems on their way: coefficients b and w, passes, success, and the numbers listed above."""

    b: Array
    w: Array
    passes: NDArray[np.int64]
    converged: NDArray[np.uint8]
    memory: Array

    @classmethod
    def at_zero(cls, problems: int, rows: int, width: int) -> DescentState:
        """Where every descent begins."""
        return cls(
            np.zeros((problems, rows)),
            np.zeros((problems, width + 1)),
            np.zeros(problems, dtype=np.int64),
            np.zeros(problems, dtype=np.uint8),
            np.zeros((problems, len(DESCENT_NUMBERS))),
        )

    def __getitem__(self, name: str) -> Array:
        """One number of all problems."""
        return self.memory[:, DESCENT_NUMBERS.index(name)]


def dual_descent(
    rows: Any,
    constant: float,
    box: tuple[Array, Array, Array, Array, float],
    rule: Descent,
    stage: int,
    numbers: NDArray[np.int64],
    threads: int,
    state: DescentState,
) -> None:
    """Improve every row of the (problems x rows) matrices in ``box``; ``numbers`` name the problems."""
    passes = np.zeros_like(state.passes)
    _native.dual_descent(
        rows,
        constant,
        _native.BoxDuals(*box),
        _native.DescentRule(**vars(rule), stage=stage),
        threads,
        numbers,
        state.b,
        state.w,
        passes,
        state.converged,
        state.memory,
    )
    state.passes[:] += passes


def joint_descent(
    rows: Any,
    constant: float,
    labels: NDArray[np.int64],
    costs: Array,
    rule: Descent,
    stage: int,
    a: Array,
    w: Array,
) -> tuple[int, bool, float, float]:
    """Improve the dual coefficients a (rows x classes) and W (classes x (width + 1)) in place.

    Returns passes, success, and where there was none the objective and the gap.
    """
    passes, converged, objective, gap = _native.joint_descent(
        rows, constant, labels, costs, _native.DescentRule(**vars(replace(rule, relative=False)), stage=stage), a, w
    )
    return int(passes), bool(converged), float(objective), float(gap)


# Places of the numbers that stochastic descent keeps between calls (cpp/linear/stochastic_descent.hpp).
NUMBERS = (
    "intercept",
    "average_intercept",
    "steps",
    "step_size",
    "l1_total",
    "best",
    "waited",
    "epochs",
    "finished",
    "updates",
    "objective",
    "overflow",
)


@dataclass(frozen=True)
class StochasticState:
    """Coefficients of all problems (the last column unused) and the numbers listed in ``NUMBERS``."""

    coef: Array
    average: Array
    l1_taken: Array
    numbers: Array

    def __getitem__(self, name: str) -> Array:
        """One number of all problems."""
        return self.numbers[:, NUMBERS.index(name)]


def stochastic_options(**values: Any) -> Any:
    """Options of stochastic descent; ``loss`` and ``rule`` by name."""
    options = _native.StochasticOptions()
    options.loss = native_loss_named(values.pop("loss"), values.pop("epsilon"))
    options.rule = getattr(_native.StepRule, values.pop("rule"))
    for name, value in values.items():
        setattr(options, name, value)
    return options


def stochastic_descent(
    rows: Any,
    targets: Array,
    weights: Array | None,
    held: NDArray[np.uint8] | None,
    options: Any,
    epochs: int,
    threads: int,
    state: StochasticState,
) -> None:
    """Run up to ``epochs`` epochs for every row of ``targets``, updating the state in place."""
    weights = np.empty((0, 0)) if weights is None else weights
    held = np.empty(0, dtype=np.uint8) if held is None else held
    _native.stochastic_descent(
        rows,
        targets,
        weights,
        held,
        options,
        epochs,
        threads,
        state.coef,
        state.average,
        state.l1_taken,
        state.numbers,
    )


@dataclass(frozen=True)
class AverageGradientState:
    """What stochastic average gradient keeps between epochs: see ``cpp/linear/sag.hpp``."""

    coef: Array  # columns x outputs
    intercept: Array
    sums: Array
    intercept_sums: Array
    slopes: Array  # rows x outputs
    seen: NDArray[np.uint8]

    @classmethod
    def at(cls, coef: Array, intercept: Array, rows: int) -> AverageGradientState:
        """No row seen yet; ``coef`` is outputs x columns."""
        outputs, columns = coef.shape
        return cls(
            np.array(coef.T, order="C"),
            intercept.copy(),
            np.zeros((columns, outputs)),
            np.zeros(outputs),
            np.zeros((rows, outputs)),
            np.zeros(rows, dtype=np.uint8),
        )


@dataclass(frozen=True)
class LogisticDual:
    """A logistic problem on its way: see ``cpp/linear/logistic_descent.hpp``. Improved in place."""

    signs: Array
    weights: Array
    multipliers: Array
    w: Array


def logistic_descent(
    table: Any, dual: LogisticDual, *, strength: float, tol: float, max_passes: int, seed: int, stage: int
) -> tuple[int, bool]:
    """Passes of dual coordinate descent; how many were made, and whether the rule was met."""
    passes, converged = _native.logistic_descent(
        table, dual.signs, dual.weights, strength, tol, max_passes, seed, stage, dual.multipliers, dual.w
    )
    return int(passes), bool(converged)


def sag_epoch(
    table: Any,
    loss: KnownLoss,
    target: Array,
    weights: Array | None,
    *,
    strength: float,
    step: float,
    intercept_decay: float,
    unbiased: bool,
    seed: int,
    epoch: int,
    state: AverageGradientState,
) -> None:
    """One epoch of SAG, or of SAGA (``unbiased``), updating the state in place."""
    weights = np.empty(0) if weights is None else weights
    _native.sag_epoch(
        table,
        _native.SagProblem(native_loss(loss), target, weights, strength, step, intercept_decay, unbiased),
        seed,
        epoch,
        state.coef,
        state.intercept,
        state.sums,
        state.intercept_sums,
        state.slopes,
        state.seen,
    )
