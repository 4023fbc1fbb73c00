"""The verb `select`: the best of r candidates, with the price of having looked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np

from certus.guarantees import error_bound, holm, mean_bound
from certus.guarantees.holdout import (
    LossFunction,
    Predictor,
    automatic_loss,
    check_loss,
    discordant_counts,
    mistakes,
    predictions,
    row_losses,
    shortlist_certificate,
    true_labels,
    worse_pvalues,
)
from certus.guarantees.records import Bounds, Certificate, DataRole, Report, check_confidence

if TYPE_CHECKING:
    from certus.base import TableLike, TargetLike


@dataclass(frozen=True)
class Selection:
    """The winner among several candidates, and what can be promised about it.

    Attributes
    ----------
    winner : str
        Candidate with the smallest loss on these rows (the first of equals).
    certificate : Certificate
        Upper bound on the winner's error or loss that pays for every candidate.
    shortlist : tuple of str
        Candidates that cannot be excluded as the best (all of them for losses other than 0/1).
    losses : dict
        Mean loss of every candidate on these rows: selection makes the winner's optimistic.
    adjusted : dict
        Holm-adjusted p-values of "the winner is no better than this one" over all ordered pairs.
    report : Report
        All certificates.
    bounds : Bounds
        The bound of every candidate, in their order; all hold together, whichever is chosen.
    """

    winner: str
    certificate: Certificate
    shortlist: tuple[str, ...]
    losses: Mapping[str, float]
    adjusted: Mapping[str, float]
    report: Report
    bounds: Bounds

    def __str__(self) -> str:
        lines = [f"{self.winner} is the best of {len(self.losses)} on these rows.", str(self.certificate)]
        if len(self.shortlist) > 1:
            lines.append("Cannot be excluded as the best: " + ", ".join(self.shortlist) + ".")
        return "\n".join(lines)


def select(
    candidates: Mapping[str, Predictor | TargetLike] | Sequence[Predictor | TargetLike],
    X: TableLike | None = None,
    y: TargetLike | None = None,
    *,
    y_true: TargetLike | None = None,
    loss: str | LossFunction = "auto",
    loss_range: tuple[float, float] | None = None,
    confidence: float = 0.95,
    tried: int | None = None,
    role: DataRole | None = None,
    seed: int = 0,
) -> Selection:
    """Choose the best candidate on validation rows and bound its error, paying for the choice.

    With r candidates the winner's bound is computed at failure probability (1 - confidence)/r: it then holds for
    all of them at once, hence for whichever one is chosen.

    Parameters
    ----------
    candidates : dict or list of fitted models or arrays of predictions
        Fixed before these rows were looked at.
    X, y, y_true : array-like
        Validation rows and labels; X is not needed for predictions.
    loss, loss_range, confidence, seed :
        As in `certify`.
    tried : int, optional
        How many candidates were ever scored on these rows, if more than are given here.
    role : DataRole, optional
        Where the rows come from; earlier uses are paid for, and these are recorded.

    Returns
    -------
    Selection

    Examples
    --------
    >>> import numpy as np
    >>> truth = np.zeros(500, dtype=int)
    >>> guesses = {f"model {k}": np.where(np.arange(500) < k, 1, 0) for k in (15, 40, 90)}
    >>> found = select(guesses, y=truth)
    >>> found.winner, round(found.certificate.value, 4), found.shortlist
    ('model 15', 0.0507, ('model 15',))
    """
    check_confidence(confidence)
    check_loss(loss)
    models = dict(candidates) if isinstance(candidates, Mapping) else {str(i): c for i, c in enumerate(candidates)}
    if not models:
        raise ValueError("candidates must not be empty.")
    if tried is not None and tried < len(models):
        raise ValueError(f"tried must be at least the number of candidates ({len(models)}), got {tried!r}.")
    if X is not None:  # bare predictions need the certificate engine only
        from certus.base.blocks import all_answered

        models, X, y = all_answered(models, X, y)
    truth = true_labels(y, y_true, "select(candidates, X, y)")
    predicted = {str(name): predictions(model, X, str(name)) for name, model in models.items()}
    if loss == "auto":
        loss = automatic_loss(next(iter(models.values())), truth, next(iter(predicted.values())))
    uses = max(tried or 0, len(models)) if role is None else role.use("select", max(tried or 0, len(models)))
    if loss == "error":
        return _by_mistakes(truth, predicted, confidence, uses)
    return _by_losses(truth, predicted, loss, loss_range, confidence, uses, seed)


def _by_mistakes(truth: np.ndarray, predicted: dict[str, np.ndarray], confidence: float, uses: int) -> Selection:
    names = list(predicted)
    wrong = np.array([mistakes(truth, predicted[name], name) for name in names])
    errors = wrong.sum(axis=1)
    best = int(np.argmin(errors))
    bounds = error_bound(errors, len(truth), confidence=confidence, uses=uses)
    bound = bounds[best]
    counts = discordant_counts(wrong)
    certificates = [bound]
    shortlist = tuple(names)
    adjusted: dict[str, float] = {}
    if len(names) > 1:
        listed = shortlist_certificate(names, counts, confidence=confidence)
        certificates.append(listed)
        shortlist = tuple(listed.inputs["shortlist"])
        adjusted = _adjusted(worse_pvalues(counts), names, best)
    means = {name: float(total) / len(truth) for name, total in zip(names, errors, strict=True)}
    return Selection(names[best], bound, shortlist, means, adjusted, Report(certificates), bounds)


def _adjusted(pvalues: np.ndarray, names: list[str], best: int) -> dict[str, float]:
    """Holm over all ordered pairs; the ones that say "this candidate is worse than the winner"."""
    pairs = [(i, j) for i in range(len(names)) for j in range(len(names)) if i != j]
    corrected = dict(zip(pairs, holm([float(pvalues[pair]) for pair in pairs]), strict=True))
    return {names[i]: corrected[i, best] for i in range(len(names)) if i != best}


def _by_losses(
    truth: np.ndarray,
    predicted: dict[str, np.ndarray],
    loss: str | LossFunction,
    loss_range: tuple[float, float] | None,
    confidence: float,
    uses: int,
    seed: int,
) -> Selection:
    rows = {name: row_losses(loss, truth, values, loss_range, name) for name, values in predicted.items()}
    means = {name: float(values.mean()) for name, (values, _, _) in rows.items()}
    winner = min(means, key=lambda name: means[name])
    _, low, high = rows[winner]
    losses = np.column_stack([values for values, _, _ in rows.values()])
    bounds = cast(Bounds, mean_bound(losses, low=low, high=high, confidence=confidence, seed=seed, uses=uses))
    bound = bounds[list(rows).index(winner)]
    return Selection(winner, bound, tuple(rows), means, {}, Report([bound]), bounds)
