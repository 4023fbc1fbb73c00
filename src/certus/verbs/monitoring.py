"""The verb `monitor`: watch a deployed model, with a known chance of a false alarm."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from certus.guarantees import AdaptiveConformal, Monitor, error_bound, mean_bound
from certus.guarantees.holdout import LossFunction, Predictor, labels, mistakes, predictions, row_losses
from certus.guarantees.monitoring import AlarmSetting, MonitorSetting, alarm_reference
from certus.guarantees.records import (
    Certificate,
    Report,
    check_choice,
    check_confidence,
    check_count,
    check_losses,
    check_range,
    failure_of,
)

if TYPE_CHECKING:
    from certus.base import TableLike, TargetLike

LOSSES = ("error", "absolute", "squared")


def monitor(
    model: Predictor | ArrayLike | None = None,
    X: TableLike | None = None,
    y: TargetLike | None = None,
    *,
    y_true: TargetLike | None = None,
    y_pred: TargetLike | None = None,
    losses: TargetLike | None = None,
    errors: int | None = None,
    rows: int | None = None,
    threshold: float | None = None,
    loss: str | LossFunction = "error",
    loss_range: tuple[float, float] | None = None,
    tolerance: float = 0.0,
    confidence: float = 0.95,
    window: int = 1000,
    coverage: float | None = None,
    step: float = 0.02,
    report: Report | Iterable[Certificate] | None = None,
    quantity: str | None = None,
    seed: int = 0,
) -> Monitor:
    """Watch the loss of a deployed model and sound an alarm when it has risen.

    The stream is compared with a reference: held-out rows from before deployment, or a threshold. The alarm sounds
    when, for every bound t_j of the reference risk, a test martingale against "the risk never exceeds t_j",

        sum over q > t of w(q) prod_i (q/t)^x_i ((1-q)/(1-t))^(1-x_i),

    has reached what the bound asks for. Over the whole stream, however long and however often one looks, it is
    false with probability at most 1 - confidence.

    Parameters
    ----------
    model : fitted model or array-like, optional
        Anything with `predict`, or predictions for the reference rows. Its `report_` is watched.
    X, y : array-like, optional
        Reference rows, which the model has not seen, and their labels.
    y_true, y_pred : array-like, optional
        Instead: labels and predictions of the reference rows.
    losses : array-like, optional
        Instead: the losses of the reference rows.
    errors, rows : int, optional
        Instead: how many of how many reference rows were wrong.
    threshold : float, optional
        Instead of any reference: a risk that must not be exceeded.
    loss : {"error", "absolute", "squared", "given"} or callable, default="error"
        What is watched. A function gets (y_true, y_pred) for the reference; the stream then gives losses, as
        with "given".
    loss_range : (low, high), optional
        Range of any loss but "error", known without looking. A loss outside voids alarm and averages, visibly.
    tolerance : float, default=0.0
        Increase over the reference that is tolerated.
    confidence : float, default=0.95
        One minus the chance of a false alarm over the whole stream; also of each bound on an average.
    window : int, default=1000
        What "recent" means, in rows. Evidence starts anew, beside the old, after every tenth of it, so that a late
        drift is noticed soon.
    coverage : float, optional
        Also keep adaptive conformal prediction sets with this share of covered rows.
    step : float, default=0.02
        Step of the adaptive sets.
    report : Report or certificates, optional
        Promises to be watched, besides those of the model.
    quantity : str, optional
        Name of what is watched.
    seed : int, default=0
        Order in which betting goes through reference losses.

    Returns
    -------
    Monitor
        With `update`, `alarm`, `report`, `voided`; `to_json` keeps its state.

    Examples
    --------
    >>> import numpy as np, certus
    >>> watch = certus.monitor(errors=50, rows=1000)
    >>> drifted = np.random.default_rng(1).random(300) < 0.15
    >>> watch.update(losses=drifted).alarm_row
    116
    >>> [str(item.quantity) for item, why in watch.voided]
    ['error']
    """
    check_confidence(confidence)
    window = check_count(window, "window", minimum=1)
    name, low, high = _range(loss, loss_range)
    if not 0.0 <= tolerance < high - low:
        raise ValueError(f"tolerance must lie between 0 and the width of range ({high - low:g}), got {tolerance!r}.")
    unit = None
    _check_source(model, y=y, y_true=y_true, losses=losses, errors=errors, threshold=threshold)
    if threshold is not None:
        found = alarm_reference.of_threshold(_unit_threshold(threshold, low, high))
    elif errors is not None:
        if name != "error":
            raise ValueError(f"errors and rows go with loss='error', got loss={loss!r}.\nHint: give losses instead.")
        found = alarm_reference.of_counts(errors, rows)
    else:
        if losses is None:
            losses = _losses(model, X, y, y_true, y_pred, loss, (low, high))
        unit = (check_losses(losses, low, high) - low) / (high - low)
        if name == "error":
            found = alarm_reference.of_counts(_events(unit), len(unit))
        else:
            found = alarm_reference.of_losses(unit, check_count(seed, "seed"))
    watched = quantity or ("error" if name == "error" else "mean loss" if name == "given" else f"mean {name} loss")
    alarm = AlarmSetting(watched, low, high, confidence, tolerance / (high - low), max(1, window // 10), found)
    rungs = alarm_reference.ladder(found, failure_of(confidence), alarm.tolerance, unit)
    return Monitor(
        MonitorSetting(alarm, name, window),
        rungs,
        [*_promises(model, report), *_own_promise(alarm, unit, seed)],
        adaptive=None if coverage is None else AdaptiveConformal(coverage, step=step, memory=window),
    )


def _range(loss: str | LossFunction, loss_range: tuple[float, float] | None) -> tuple[str, float, float]:
    """Name of the loss, and its range."""
    name = "given" if callable(loss) else check_choice(loss, "loss", (*LOSSES, "given"))
    if name == "error":
        if loss_range is not None and tuple(loss_range) != (0, 1):
            raise ValueError(f"loss='error' has the range (0, 1), got loss_range={loss_range!r}.")
        return name, 0.0, 1.0
    try:
        low, high = () if loss_range is None else tuple(loss_range)
    except (TypeError, ValueError):
        raise ValueError(
            f"loss_range must be a pair (low, high), got {loss_range!r}: a loss without a finite range cannot be "
            "watched, since one row could outweigh all others.\nHint: loss_range=(0.0, largest possible loss)."
        ) from None
    return name, *check_range(low, high)


def _check_source(model: object, **sources: object) -> None:
    """Exactly one source of the reference must be given. A model may come along with any."""
    given = [name for name, value in sources.items() if value is not None]
    if len(given) != 1:
        got = ", ".join(given) or "none"
        raise ValueError(
            "exactly one of y, y_true, losses, errors and threshold must be given, "
            f"got {got}.\nHint: certus.monitor(errors=50, rows=1000)."
        )
    if given == ["y"] and model is None:
        raise ValueError("y must come with a model or predictions, got none.\nHint: certus.monitor(model, X, y).")


def _unit_threshold(threshold: float, low: float, high: float) -> float:
    if isinstance(threshold, bool) or not low < float(threshold) < high:
        raise ValueError(f"threshold must lie strictly between {low:g} and {high:g}, got {threshold!r}.")
    return (float(threshold) - low) / (high - low)


def _losses(
    model: object,
    X: object,
    y: object,
    y_true: object,
    y_pred: object,
    loss: str | LossFunction,
    ends: tuple[float, float],
) -> np.ndarray:
    """Losses of the reference rows."""
    if y is not None:
        truth, predicted = labels(y, "y"), predictions(model, X)
    elif y_pred is None:
        raise ValueError("y_true must come with y_pred, got none.\nHint: certus.monitor(y_true=..., y_pred=...).")
    else:
        truth, predicted = labels(y_true, "y_true"), labels(y_pred, "y_pred")
    if loss == "error":
        return mistakes(truth, predicted).astype(float)
    return row_losses(loss, truth, predicted, ends, "predictions")[0]


def _events(unit: np.ndarray) -> int:
    if not np.isin(unit, (0.0, 1.0)).all():
        raise ValueError("losses must be 0 or 1 for loss='error'.\nHint: loss='given', loss_range=(low, high).")
    return int(unit.sum())


def _promises(model: object, report: Iterable[Certificate] | None) -> list[Certificate]:
    """Certificates of the model, of the steps of a pipeline, and those given."""
    parts = [model, *(step for _, step in getattr(model, "steps", ()))]
    reports = [found for part in parts if isinstance(found := getattr(part, "report_", None), Report)]
    return [item for group in (*reports, report or ()) for item in group]


def _own_promise(alarm: AlarmSetting, unit: np.ndarray | None, seed: int) -> list[Certificate]:
    """What the reference itself promised about the risk before deployment."""
    found, level = alarm.reference, alarm.confidence
    if "errors" in found:
        return [error_bound(found["errors"], found["rows"], confidence=level)]
    if unit is None:
        return []
    values = np.clip(alarm.low + alarm.width * unit, alarm.low, alarm.high)
    made = mean_bound(values, low=alarm.low, high=alarm.high, confidence=level, seed=seed, quantity=alarm.quantity)
    return [made]
