"""Exact leave-one-out: what a machine says about each row when it is trained without it.

A row that lies outside the margin by more than the solution's uncertainty has multiplier zero at the exact optimum:
leaving it out changes nothing. Only the others are left out one by one, each time starting from the solution with
all rows. Kernel and class weights stay those of the fit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from certus.base import blas_on_one_thread, resolve_threads
from certus.guarantees import Report
from certus.svm import _native_calls
from certus.svm._native_calls import GIVEN, NO_BIAS, Floats, Kernel, Options, Problems
from certus.svm.evidence.kernel_rounding import KernelFacts
from certus.svm.evidence.leave_one_out_certificate import absolute_error_certificate, error_certificate
from certus.svm.evidence.svm_labels import decision_reach, reach_at
from certus.svm.machines.classification_machine import votes
from certus.svm.machines.kernel_argument import computes_gram
from certus.svm.machines.whole_gram import whole_gram
from certus.svm.solvers.dual_problems import c_classification, class_pairs, epsilon_regression, fill
from certus.svm.solvers.verified_solution import Solution, as_solution
from certus.svm.svc import SVC
from certus.svm.svr import SVR

AT_ONCE = 4_000_000  # variables of the problems that are solved in one call
WHOLE: Kernel = (GIVEN, 0.0, 0.0, 0)


@dataclass(frozen=True, eq=False)
class LeaveOneOut:
    """What the machine says about each row when it is trained without it.

    Attributes
    ----------
    predictions : ndarray of shape (n_samples,)
        Labels or values; of rows with weight zero, what the machine itself predicts.
    error : float
        Share of wrong labels, or mean absolute error, over the rows with positive weight.
    retrained : ndarray of shape (n_samples,), dtype=bool
        Rows for which training again was necessary.
    report : Report
        The certificate of the error.
    """

    predictions: NDArray[Any]
    error: float
    retrained: NDArray[np.bool_]
    report: Report


@dataclass(frozen=True)
class _Setting:
    """The rows with positive weight, their kernel matrix, and the solution with all of them."""

    gram: Floats
    facts: KernelFacts
    solution: Solution
    options: Options


def leave_one_out(machine: Any, X: Any, y: Any, sample_weight: Any = None) -> LeaveOneOut:
    """Train a fitted machine without each of its rows in turn, where that can make a difference.

    Parameters
    ----------
    machine : SVC or SVR
        Fitted, with a finite C.
    X, y, sample_weight
        What it was fitted on. A row is left out with all its weight.

    Returns
    -------
    LeaveOneOut
        Predictions, error, and which rows needed training again.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.svm import SVC, leave_one_out
    >>> X = np.array([[-2.0], [-1.0], [0.5], [1.0], [2.0], [-0.5]])
    >>> y = [0, 0, 0, 1, 1, 1]
    >>> result = leave_one_out(SVC(kernel="linear").fit(X, y), X, y)
    >>> result.predictions.tolist(), result.error
    ([0, 0, 1, 1, 1, 0], 0.3333333333333333)
    """
    if not isinstance(machine, (SVC, SVR)):
        raise TypeError(
            f"leave_one_out is for SVC and SVR, got {type(machine).__name__}.\n"
            "Hint: with nu the regularization depends on the number of rows; use SVC or SVR."
        )
    check_is_fitted(machine)
    if not np.isfinite(machine.C):
        raise ValueError("leave_one_out needs a machine with a finite C, got C=inf.\nHint: fit it with a large C.")
    with blas_on_one_thread():
        reader = clone(machine)
        X, y = reader._read_training(X, y, **({"y_numeric": True} if isinstance(machine, SVR) else {}))
        weights = reader._weights(sample_weight, len(y))
        kept = np.flatnonzero(weights > 0)
        table, kernel = reader._prepare(X, weights, None if len(kept) == len(y) else kept)
        if reader.shape_fit_ != machine.shape_fit_:
            raise ValueError(
                f"X has the shape {reader.shape_fit_}, but the machine was fitted on {machine.shape_fit_}.\n"
                "Hint: leave_one_out takes the rows that the machine was fitted on."
            )
        if not computes_gram(machine.kernel) and machine.kernel != "precomputed":
            kernel = machine._native_kernel()
        if isinstance(machine, SVC):
            return _of_classifier(machine, X, np.asarray(y), weights, kept, table, kernel)
        return _of_regression(machine, X, np.asarray(y, dtype=np.float64), weights, kept, table, kernel)


def _setting(table: Any, kernel: Kernel, problems: Problems, start: Floats) -> _Setting:
    gram = whole_gram(kernel, table)
    facts = KernelFacts.of(kernel, table)
    if not facts.psd:
        raise ValueError(
            "leave_one_out needs a kernel that is proved to be positive semi-definite, which this one is not: without "
            "that, rows with multiplier zero may matter."
        )
    options = Options(1e-8, 1e-11, -1, 200e6, resolve_threads())
    solution = as_solution(problems, _native_calls.solve(gram, WHOLE, problems, start, options))
    return _Setting(gram, facts, solution, options)


def _of_classifier(
    machine: SVC, X: Any, y: Any, weights: Floats, kept: NDArray[np.intp], table: Any, kernel: Kernel
) -> LeaveOneOut:
    codes = np.searchsorted(machine.classes_, y[kept])
    if (codes >= len(machine.classes_)).any() or (machine.classes_[codes] != y[kept]).any():
        raise ValueError(
            "y holds labels that the machine was not fitted on.\n"
            "Hint: leave_one_out takes the rows that the machine was fitted on."
        )
    upper = machine.C * weights[kept] * machine.class_weight_[codes]
    count = len(machine.classes_)
    setting = _setting(table, kernel, *c_classification(codes, upper, count, bias=bool(machine.fit_intercept)))
    decisions, reach, retrained = _pair_decisions(setting, codes, count)
    label = votes(decisions > 0, count).argmax(axis=1)  # positive means the lower class, as in prediction
    wrong, unsure = label != codes, _unsure(decisions, reach, codes, count)
    predictions = machine.predict(X)
    predictions[kept] = machine.classes_[label]
    mask = np.zeros(len(y), dtype=bool)
    mask[kept] = retrained
    report = Report([error_certificate(int((wrong & ~unsure).sum()), int(unsure.sum()), int(mask.sum()), len(kept))])
    return LeaveOneOut(predictions, float(wrong.mean()), mask, report)


def _pair_decisions(setting: _Setting, codes: NDArray[np.intp], count: int) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Per row and pair of classes: the decision without the row, how uncertain it is, and whether it was retrained."""
    solution, rows = setting.solution, len(codes)
    lengths = np.sqrt(np.maximum(setting.facts.diagonal, 0.0))
    pairs = class_pairs(count)
    decisions, reach = np.empty((rows, len(pairs))), np.empty((rows, len(pairs)))
    retrained = np.zeros(rows, dtype=bool)
    for number in range(len(pairs)):
        members = solution.problems.members[solution.problems.rows(number)]
        own = setting.gram[:, members] @ solution.coefficients(number) + solution.middle[number]
        decisions[:, number] = -own
        reach[:, number] = reach_at(setting.facts, solution, number, lengths)
        near = np.flatnonzero(solution.slopes(number) <= decision_reach(setting.facts, solution, number))
        for place, value, uncertain in _without_each(setting, number, near):
            row = members[place]
            decisions[row, number], reach[row, number] = -value, uncertain
            retrained[row] = True
    return decisions, reach, retrained


def _unsure(decisions: Floats, reach: Floats, codes: NDArray[np.intp], count: int) -> NDArray[np.bool_]:
    """Rows whose winning class could be another one at the exact optimum."""
    certain = np.abs(decisions) > reach
    wins = np.zeros(len(codes), dtype=np.intp)
    for number, (a, b) in enumerate(class_pairs(count)):
        for label, won in ((a, decisions[:, number] > 0), (b, decisions[:, number] < 0)):
            wins += (codes == label) & won & certain[:, number]
    return ~(certain.all(axis=1) | (wins == count - 1))


def _of_regression(
    machine: SVR, X: Any, y: Floats, weights: Floats, kept: NDArray[np.intp], table: Any, kernel: Kernel
) -> LeaveOneOut:
    target = y[kept]
    setting = _setting(table, kernel, *epsilon_regression(target, machine.C * weights[kept], machine.epsilon))
    solution = setting.solution
    values = solution.scores + solution.middle[0]
    reach = decision_reach(setting.facts, solution, 0)
    nearest = solution.slopes(0).reshape(2, -1).min(axis=0)
    retrained = np.zeros(len(y), dtype=bool)
    for place, value, uncertain in _without_each(setting, 0, np.flatnonzero(nearest <= reach)):
        values[place], reach[place] = value, uncertain
        retrained[kept[place]] = True
    predictions = machine.predict(X)
    predictions[kept] = values
    missed = np.abs(target - values)
    report = Report(
        [absolute_error_certificate(float(missed.mean()), float(reach.mean()), int(retrained.sum()), len(kept))]
    )
    return LeaveOneOut(predictions, float(missed.mean()), retrained, report)


def _without_each(setting: _Setting, number: int, places: NDArray[np.intp]) -> Iterator[tuple[int, float, float]]:
    """Solve one problem without each of the named members: its place, the value there, and how uncertain that is."""
    problems = setting.solution.problems
    members = problems.members[problems.rows(number)]
    size = (len(members) - 1) * problems.copies
    chunk = max(1, AT_ONCE // max(size, 1))
    for first in range(0, len(places), chunk):
        chosen = places[first : first + chunk]
        batch, start = _left_out(setting.solution, number, chosen)
        solution = as_solution(batch, _native_calls.solve(setting.gram, WHOLE, batch, start, setting.options))
        for index, place in enumerate(chosen):
            row = members[place]
            rest = batch.members[batch.rows(index)]
            lengths = np.sqrt(np.maximum(setting.facts.diagonal[[row]], 0.0))
            value = float(setting.gram[row, rest] @ solution.coefficients(index) + solution.middle[index])
            uncertain = float(reach_at(setting.facts, solution, index, lengths)[0])
            sign = batch.sign[batch.variables(index)]
            if problems.copies == 1 and problems.bias != NO_BIAS and (sign == sign[0]).all():
                value, uncertain = float(sign[0]), 0.0  # only the other class is left
            yield int(place), value, uncertain


def _left_out(solution: Solution, number: int, places: NDArray[np.intp]) -> tuple[Problems, Floats]:
    """One problem per place, without the member there, and feasible starts close to the solution."""
    problems = solution.problems
    rows, variables = problems.rows(number), problems.variables(number)
    copies, count = problems.copies, rows.stop - rows.start
    sign, upper = problems.sign[variables], problems.upper[variables]
    alpha = solution.alpha[variables]
    keep = np.array([np.delete(np.arange(count), place) for place in places], dtype=np.intp)
    keep = keep.reshape(len(places), count - 1)
    inside = (keep[:, None, :] + count * np.arange(copies)[None, :, None]).reshape(len(places), -1)
    start = alpha[inside]
    if problems.bias != NO_BIAS:
        gone = (sign * alpha).reshape(copies, count).sum(axis=0)[places]
        for line, missing in enumerate(gone):
            start[line] = _rebalanced(start[line], sign[inside[line]], upper[inside[line]], float(missing))
    batch = replace(
        problems,
        members=problems.members[rows][keep].ravel(),
        starts=np.arange(len(places) + 1, dtype=np.int64) * (count - 1),
        sign=sign[inside].ravel(),
        linear=problems.linear[variables][inside].ravel(),
        upper=upper[inside].ravel(),
        parts=None,
    )
    return batch, start.ravel()


def _rebalanced(alpha: Floats, sign: NDArray[np.int8], upper: Floats, missing: float) -> Floats:
    """Multipliers changed so that their signed sum grows by what is missing; free ones change first."""
    rises = sign == np.sign(missing)
    room = np.where(rises, upper - alpha, alpha)
    order = np.argsort((alpha <= 0.0) | (alpha >= upper), kind="stable")
    change = np.empty_like(alpha)
    change[order] = fill(room[order], abs(missing))
    return np.clip(alpha + np.where(rises, change, -change), 0.0, upper)
