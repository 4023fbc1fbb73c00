"""Exact leave-one-out: what a machine says about each row when it is trained without it.

A row that lies outside the margin by more than the solution's uncertainty has multiplier zero at the exact optimum:
leaving it out changes nothing. Only the others are left out one by one, each time starting from the solution with
all rows. Kernel and class weights stay those of the fit.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from certus.base import TargetLike, WeightsLike, blas_on_one_thread
from certus.guarantees import Report
from certus.svm._native_calls import Floats
from certus.svm.evidence.leave_one_out_certificate import absolute_error_certificate, error_certificate
from certus.svm.evidence.svm_labels import decision_reach, reach_at
from certus.svm.machines.classification_machine import votes
from certus.svm.machines.kernel_argument import Objects
from certus.svm.machines.machine import SolverRows
from certus.svm.solvers.dual_problems import c_classification, class_pairs, epsilon_regression
from certus.svm.solvers.left_out_rows import Setting, with_all_rows, without_each
from certus.svm.svc import SVC
from certus.svm.svr import SVR


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


def leave_one_out(machine: SVC | SVR, X: Objects, y: TargetLike, sample_weight: WeightsLike = None) -> LeaveOneOut:
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
        X, target = reader._read_training(X, y, numeric=isinstance(machine, SVR))
        weights = reader._weights(sample_weight, len(target))
        rows = reader._centered(reader._prepare(X, weights))
        if reader.shape_fit_ != machine.shape_fit_:
            raise ValueError(
                f"X has the shape {reader.shape_fit_}, but the machine was fitted on {machine.shape_fit_}.\n"
                "Hint: leave_one_out takes the rows that the machine was fitted on."
            )
        rows = replace(rows, kernel=machine._native_kernel())  # with the gamma of the fit
        of_kind = _of_classifier if isinstance(machine, SVC) else _of_regression
        return of_kind(machine, rows, target, weights[rows.kept])


def _of_classifier(machine: SVC, rows: SolverRows, y: NDArray[Any], weights: Floats) -> LeaveOneOut:
    kept = rows.kept
    codes = np.searchsorted(machine.classes_, y[kept])
    if (codes >= len(machine.classes_)).any() or (machine.classes_[codes] != y[kept]).any():
        raise ValueError(
            "y holds labels that the machine was not fitted on.\n"
            "Hint: leave_one_out takes the rows that the machine was fitted on."
        )
    upper = machine.C * weights * machine.class_weight_[codes]
    count = len(machine.classes_)
    setting = with_all_rows(
        rows.table, rows.kernel, *c_classification(codes, upper, count, bias=bool(machine.fit_intercept))
    )
    decisions, reach, retrained = _pair_decisions(setting, codes, count)
    label = votes(decisions > 0, count).argmax(axis=1)  # positive means the lower class, as in prediction
    wrong, unsure = label != codes, _unsure(decisions, reach, codes, count)
    predictions = machine.predict(rows.X)
    predictions[kept] = machine.classes_[label]
    mask = np.zeros(len(y), dtype=bool)
    mask[kept] = retrained
    report = Report([error_certificate(int((wrong & ~unsure).sum()), int(unsure.sum()), int(mask.sum()), len(kept))])
    return LeaveOneOut(predictions, float(wrong.mean()), mask, report)


def _pair_decisions(setting: Setting, codes: NDArray[np.intp], count: int) -> tuple[Floats, Floats, NDArray[np.bool_]]:
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
        for index, value, uncertain in without_each(setting, number, near):
            row = members[index]
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


def _of_regression(machine: SVR, rows: SolverRows, y: NDArray[Any], weights: Floats) -> LeaveOneOut:
    kept, target = rows.kept, np.asarray(y[rows.kept], dtype=np.float64)
    setting = with_all_rows(rows.table, rows.kernel, *epsilon_regression(target, machine.C * weights, machine.epsilon))
    solution = setting.solution
    values = solution.scores + solution.middle[0]
    reach = decision_reach(setting.facts, solution, 0)
    nearest = solution.slopes(0).reshape(2, -1).min(axis=0)
    retrained = np.zeros(len(y), dtype=bool)
    for index, value, uncertain in without_each(setting, 0, np.flatnonzero(nearest <= reach)):
        values[index], reach[index] = value, uncertain
        retrained[kept[index]] = True
    predictions = machine.predict(rows.X)
    predictions[kept] = values
    missed = np.abs(target - values)
    report = Report(
        [absolute_error_certificate(float(missed.mean()), float(reach.mean()), int(retrained.sum()), len(kept))]
    )
    return LeaveOneOut(predictions, float(missed.mean()), retrained, report)
