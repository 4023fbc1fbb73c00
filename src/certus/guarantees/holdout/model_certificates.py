"""From held-out rows to certificates: of any fitted model, or of bare predictions."""

from collections.abc import Callable
from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from certus.guarantees.holdout.count_ladder import count_ladder, step_above
from certus.guarantees.holdout.label_certificates import certify_labels
from certus.guarantees.holdout.losses_by_row import (
    Predictor,
    check_loss,
    is_regression,
    labels,
    mistakes,
    predictions,
    row_losses,
    true_labels,
)
from certus.guarantees.holdout.mean_loss import mean_bound
from certus.guarantees.holdout.model_responses import class_response
from certus.guarantees.holdout.rate import RateSetting, rate_bound
from certus.guarantees.records.certificate import Certificate
from certus.guarantees.records.confidence_levels import check_confidence
from certus.guarantees.records.data_roles import DataRole
from certus.guarantees.records.quantity import Quantity
from certus.guarantees.records.report import Report
from certus.guarantees.records.wording import plural
from certus.guarantees.rows import LookStore, fingerprint, judged_report, look_at, table_hashes, watch_rows


def certify(
    model: Predictor | ArrayLike | None = None,
    X: object = None,
    y: ArrayLike | None = None,
    *,
    y_true: ArrayLike | None = None,
    y_pred: ArrayLike | None = None,
    y_score: ArrayLike | None = None,
    loss: str | Callable[..., Any] = "auto",
    loss_range: tuple[float, float] | None = None,
    confidence: float = 0.95,
    jointly: bool = False,
    positive: object = None,
    quantity: Quantity | str | None = None,
    role: DataRole | None = None,
    seed: int = 0,
    allow_training_rows: bool = False,
    looks: LookStore | str | PathLike[str] | None = None,
    sealed: bool = False,
    sealed_steps: int | None = None,
    not_adapted: bool = False,
    rows: object = None,
) -> Report:
    """Bound what a model gets wrong, from rows that it has never seen.

    Classification: the error, recall and precision of every class, balanced accuracy, F1, and with scores the
    area under the ROC curve; counts are bounded exactly (Clopper-Pearson). Bounded losses: betting. Unbounded
    losses are refused, with the reason.

    Parameters
    ----------
    model : fitted model or array-like, optional
        Anything with `predict` (also of other libraries), or predictions.
    X, y : array-like, optional
        Held-out rows and their labels. They must have served neither training nor any choice.
    y_true, y_pred, y_score : array-like, optional
        Instead of model, X and y: labels, predictions, and scores that are higher for the positive class.
    loss : {"auto", "error", "absolute", "squared"} or callable, default="auto"
        "auto" is "error" for classification. A function gets (y_true, y_pred) and gives one loss per row.
    loss_range : (low, high), optional
        Range of any loss but "error", known without looking at these rows.
    confidence : float, default=0.95
        Of each certificate, or of all together if `jointly`.
    jointly : bool, default=False
        Split the failure probability evenly over all certificates.
    positive : label, optional
        With two classes, the one that F1 and scores are about; by default the larger label.
    quantity : Quantity or str, optional
        What the mean of a loss other than "error" is called in its certificate.
    role : DataRole, optional
        Where the rows come from; its earlier uses are paid for, and this one is recorded.
    seed : int, default=0
        Order in which betting goes through the rows.
    allow_training_rows : bool, default=False
        Take rows that the model was trained on; all certificates are then of the kind "estimate".

    looks : LookStore or path, optional
        A SQLite file that counts looks at rows across runs. A later look at the same rows is an estimate, because
        its model may have been chosen by the result of an earlier one, unless one of the next two is given.
    sealed : bool, default=False
        Give the bound on the error and nothing else; later sealed looks pay for every outcome that this one could
        have shown. All looks at the rows must be sealed.
    sealed_steps : int, optional
        Show the count of errors of a sealed look rounded up to one of so many steps, so that later looks pay less.
    not_adapted : bool, default=False
        Declare that nothing was chosen after an earlier result on these rows.
    rows : table, optional
        What the rows are known by in the store; by default X.

    Returns
    -------
    Report
        Its `training_overlap` says what these rows have in common with the training rows, as far as the model
        remembers them.

    Raises
    ------
    TrainingRowsError
        The rows are rows that the model was trained on.

    Examples
    --------
    >>> report = certify(y_true=[0, 1] * 50, y_pred=[0, 1] * 49 + [1, 0])
    >>> report["error"].claim
    'With confidence 95% the error is at most 6.162% (2 errors in 100 rows).'
    """
    check_confidence(confidence)
    check_loss(loss)
    with watch_rows() as watch:
        truth, predicted = _truth_and_predictions(model, X, y, y_true, y_pred)
    overlap = watch.overlap(allow=allow_training_rows)
    if loss == "auto":
        if is_regression(model, truth, predicted):
            raise ValueError(
                "the labels are real numbers, and the mean of an unbounded loss cannot be bounded from a sample.\n"
                "Hint: loss='absolute' and loss_range=(low, high) if the loss cannot leave that range, or "
                "certus.conformal for prediction intervals, which need no range."
            )
        loss = "error"
    if sealed and loss != "error":
        raise ValueError(f"sealed must come with loss='error', whose outcomes can be counted, got loss={loss!r}.")
    if sealed_steps is not None and not sealed:
        raise ValueError("sealed_steps must come with sealed=True, got sealed=False.")
    ladder = count_ladder(len(truth), sealed_steps) if sealed else []
    known = X if rows is None else rows
    look = look_at(
        looks,
        known,
        truth,
        predicted,
        by="certify",
        sealed=sealed,
        not_adapted=not_adapted,
        outcomes=len(ladder) if sealed else None,
    )
    uses = (role.use("certify") if role is not None else 1) * (1 if look is None else look.uses)
    if sealed:
        setting = RateSetting(confidence=confidence, uses=uses, rounded=sealed_steps is not None)
        bound = rate_bound(step_above(int(mistakes(truth, predicted).sum()), ladder), len(truth), setting)
        told = overlap if overlap is not None and overlap.recognized else None  # more would be shown than the bound
        return judged_report(_of_rows([bound], model, X, truth), told, look)
    if loss == "error":
        mistakes(truth, predicted)  # refuses what can never be compared
        scores = _scores(model, X, y_score, truth, positive)
        classes = _classes(model, truth)
        certificates = certify_labels(
            truth,
            predicted,
            confidence=confidence,
            uses=uses,
            positive=positive,
            scores=scores,
            jointly=jointly,
            classes=classes,
        )
        return judged_report(_of_rows(certificates, model, X, truth), overlap, look)
    losses, low, high = row_losses(loss, truth, predicted, loss_range, "predictions")
    name = loss if isinstance(loss, str) else getattr(loss, "__name__", "given")
    called = quantity or f"mean {name} loss"
    bound = mean_bound(losses, low=low, high=high, confidence=confidence, seed=seed, uses=uses, quantity=called)
    return judged_report(_of_rows([bound], model, X, truth), overlap, look)


def _of_rows(certificates: list[Certificate], model: object, X: object, truth: np.ndarray) -> list[Certificate]:
    """The certificates with the fingerprint of the rows behind them, if rows were given."""
    if X is None:
        return certificates
    rows = fingerprint(table_hashes(X, truth, getattr(model, "feature_names_in_", None)))
    return [replace(item, fingerprint=rows) for item in certificates]


def _truth_and_predictions(
    model: object,
    X: object,
    y: ArrayLike | None,
    y_true: ArrayLike | None,
    y_pred: ArrayLike | None,
) -> tuple[np.ndarray, np.ndarray]:
    if model is not None and y_pred is not None:
        raise ValueError("exactly one of model and y_pred must be given, got both.")
    truth = true_labels(y, y_true, "certify(model, X, y)")
    if model is None and y_pred is None:
        raise ValueError(
            "exactly one of model and y_pred must be given, got none.\n"
            "Hint: certify(model, X, y) or certify(y_true=..., y_pred=...)."
        )
    predicted = predictions(model, X) if model is not None else labels(y_pred, "y_pred")
    if len(truth) != len(predicted):
        found = f"{plural(len(predicted), 'prediction')} for {plural(len(truth), 'label')}"
        raise ValueError(f"y_pred must have one entry per label, got {found}.")
    return truth, predicted


def _classes(model: object, truth: np.ndarray) -> Any:
    """The labels that a fitted classifier knows, if they are of the kind of these labels."""
    known = np.asarray(getattr(model, "classes_", ()))
    return known if known.ndim == 1 and (known.dtype.kind in "US") == (truth.dtype.kind in "US") else ()


def _scores(
    model: object, X: object, y_score: ArrayLike | None, truth: np.ndarray, positive: object
) -> np.ndarray | None:
    """Scores of the positive class where there are two classes and a way to get them."""
    if y_score is not None:
        scores = np.asarray(y_score, dtype=float)
        if scores.shape != truth.shape or np.isnan(scores).any():
            raise ValueError(f"y_score must have one number per row, without NaN; got shape {scores.shape}.")
        return scores
    classes = getattr(model, "classes_", None)
    if X is None or classes is None or len(classes) != 2 or not set(np.unique(truth)) <= set(np.asarray(classes)):
        return None
    chosen = classes[1] if positive is None else positive
    column = int(np.flatnonzero(np.asarray(classes) == chosen)[0]) if chosen in classes else 1
    known = hasattr(model, "predict_proba") or hasattr(model, "decision_function")
    return class_response(model, X)[:, column] if known else None
