"""The verb `compare`: is A really better than B on these rows, and if nobody can tell, how many rows would."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, TypeAlias, overload

import numpy as np
from numpy.typing import ArrayLike

from certus.guarantees import holm
from certus.guarantees.holdout import (
    LossFunction,
    Pair,
    Predictor,
    Verdict,
    automatic_loss,
    check_loss,
    compare_losses,
    compare_mistakes,
    mistakes,
    predictions,
    row_losses,
    true_labels,
)
from certus.guarantees.records import Certificate, DataRole, Report, check_confidence
from certus.guarantees.rows import Overlap, unpromised, watch_rows
from certus.verbs.score_comparing import ScoreComparison, compare_scores

if TYPE_CHECKING:
    from certus.base import TableLike, TargetLike

# A fitted model, or its predictions; with a test, scores of folds.
Model: TypeAlias = Predictor | ArrayLike
Models: TypeAlias = Model | Mapping[str, Model] | Sequence[Model]


@dataclass(frozen=True)
class Comparison:
    """Every pair of models, compared on the same rows.

    Attributes
    ----------
    pairs : tuple of Pair
        In the order of the models; with more than one pair each pays for all.
    adjusted : tuple of float or None
        Holm-adjusted p-values of the pairs, for 0/1 losses.
    report : Report
        All certificates.
    """

    names: tuple[str, ...]
    pairs: tuple[Pair, ...]
    adjusted: tuple[float, ...] | None
    report: Report

    @property
    def verdict(self) -> str:
        """For two models: "<name> is better" or "cannot tell"; for more, the pairs that differ."""
        decided = [pair for pair in self.pairs if pair.better is not None]
        if len(self.pairs) == 1 and decided:
            return f"{decided[0].better} is better"
        return "; ".join(pair.outcome for pair in decided) or str(Verdict.CANNOT_TELL)

    @property
    def pvalue(self) -> float | None:
        """For two models: p-value of the exact test."""
        return self.pairs[0].pvalue if len(self.pairs) == 1 else None

    @property
    def difference(self) -> Certificate:
        """For two models: the interval of the difference."""
        return self._only().difference

    @property
    def power(self) -> float | None:
        """For two models: chance of a verdict on as many new rows, at the observed rates."""
        return self._only().power

    @property
    def rows_needed(self) -> int | None:
        """For two models: about how many rows would give a verdict with probability 0.8."""
        return self._only().rows_needed

    def _only(self) -> Pair:
        if len(self.pairs) != 1:
            raise ValueError(f"there are {len(self.pairs)} pairs.\nHint: look at .pairs.")
        return self.pairs[0]

    def __str__(self) -> str:
        return "\n".join(map(str, self.pairs))


@overload
def compare(
    first: Models,
    second: Model | None = None,
    *,
    names: Sequence[str] | None = None,
    confidence: float = 0.95,
    test: str,
    test_share: float | None = None,
    deviation: float | None = None,
) -> ScoreComparison: ...


@overload
def compare(
    first: Models,
    second: Model | None = None,
    X: TableLike | None = None,
    y: TargetLike | None = None,
    *,
    y_true: TargetLike | None = None,
    names: Sequence[str] | None = None,
    loss: str | LossFunction = "auto",
    loss_range: tuple[float, float] | None = None,
    confidence: float = 0.95,
    role: DataRole | None = None,
    seed: int = 0,
    allow_training_rows: bool = False,
) -> Comparison: ...


def compare(
    first: Models,
    second: Model | None = None,
    X: TableLike | None = None,
    y: TargetLike | None = None,
    *,
    y_true: TargetLike | None = None,
    names: Sequence[str] | None = None,
    loss: str | LossFunction = "auto",
    loss_range: tuple[float, float] | None = None,
    confidence: float = 0.95,
    role: DataRole | None = None,
    seed: int = 0,
    allow_training_rows: bool = False,
    test: str | None = None,
    test_share: float | None = None,
    deviation: float | None = None,
) -> Comparison | ScoreComparison:
    """Compare models on the same held-out rows, or learners by their scores in cross-validation.

    0/1 losses: exact McNemar test for the verdict, a betting interval for the size of the difference, power, and
    the rows that would be needed. Other losses: a betting interval for the paired difference. Scores of folds
    overlap, so that no exact test exists: with `test` a classical one is made and called an estimate.

    Parameters
    ----------
    first, second : fitted models or arrays of predictions (with `test`: arrays of scores)
        Or `first` alone: a dictionary or list of two or more of them.
    X, y : array-like
        Held-out rows and labels; X is not needed for predictions.
    y_true : array-like, optional
        The labels, instead of y.
    names : sequence of str, optional
        Names of the models; default A, B, ... or the keys of the dictionary.
    loss : {"auto", "error", "absolute", "squared"} or callable, default="auto"
        As in `certify`; a bounded difference needs `loss_range` for any loss but "error".
    loss_range : (low, high), optional
        Range of the loss.
    confidence : float, default=0.95
        Of every certificate; with several pairs each pays for all pairs.
    role : DataRole, optional
        Where the rows come from; earlier uses are paid for.
    seed : int, default=0
        Order in which betting goes through the rows.
    allow_training_rows : bool, default=False
        Take rows that the model was trained on; the certificates are then of the kind "estimate".
    test, test_share, deviation :
        As in `certus.verbs.score_comparing.compare_scores`, for scores of folds, the higher the better.

    Returns
    -------
    Comparison, or ScoreComparison if `test` is given

    Examples
    --------
    >>> import numpy as np
    >>> truth = np.zeros(500, dtype=int)
    >>> a, b = truth.copy(), truth.copy()
    >>> a[:30], b[30:45] = 1, 1
    >>> found = compare(a, b, y=truth)
    >>> found.verdict, round(found.pvalue, 4)
    ('B is better', 0.0357)
    """
    check_confidence(confidence)
    check_loss(loss)
    models = _named(first, second, names)
    if test is not None:
        if X is not None or y is not None or y_true is not None:
            raise ValueError("X, y and y_true must not be given with test: scores need no labels.")
        return compare_scores(models, test, confidence=confidence, test_share=test_share, deviation=deviation)
    if X is not None:  # bare predictions need the certificate engine only
        from certus.base.blocks import all_answered

        models, X, y = all_answered(models, X, y)
    truth = true_labels(y, y_true, "compare(a, b, X, y)")
    with watch_rows() as watch:
        predicted = {name: predictions(model, X, name) for name, model in models.items()}
    overlap = watch.overlap(allow=allow_training_rows)
    if loss == "auto":
        loss = automatic_loss(next(iter(models.values())), truth, next(iter(predicted.values())))
    pairs_of = list(combinations(models, 2))
    uses = len(pairs_of) if role is None else role.use("compare", len(pairs_of))
    pairs = []
    for one, other in pairs_of:
        shared: dict[str, Any] = {"names": (one, other), "confidence": confidence, "uses": uses, "seed": seed}
        if loss == "error":
            flags = (mistakes(truth, predicted[name], name) for name in (one, other))
            pairs.append(compare_mistakes(*flags, **shared))
        else:
            (a, low, high), (b, _, _) = (
                row_losses(loss, truth, predicted[name], loss_range, name) for name in (one, other)
            )
            pairs.append(compare_losses(a, b, low=low, high=high, loss=_loss_name(loss), **shared))
    pairs = [_judged(pair, overlap) for pair in pairs]
    tests = [pair.pvalue for pair in pairs if pair.pvalue is not None]
    certificates = [c for pair in pairs for c in (pair.sign, pair.difference) if c is not None]
    return Comparison(tuple(models), tuple(pairs), tuple(holm(tests)) if tests else None, Report(certificates, overlap))


def _judged(pair: Pair, overlap: Overlap | None) -> Pair:
    """The pair; its certificates are estimates if a model was trained on the rows."""
    sign = None if pair.sign is None else unpromised(pair.sign, overlap)
    return replace(pair, sign=sign, difference=unpromised(pair.difference, overlap))


def _loss_name(loss: str | LossFunction) -> str:
    return f"mean {loss if isinstance(loss, str) else getattr(loss, '__name__', 'given')} loss"


def _named(first: Models, second: Model | None, names: Sequence[str] | None) -> dict[str, Any]:
    """Models by name, in order."""
    if isinstance(first, Mapping):
        if second is not None or names is not None:
            raise ValueError("a dictionary names all models; give neither a second model nor names with it.")
        models = {str(key): model for key, model in first.items()}
    else:
        several = second is None and isinstance(first, (list, tuple)) and not np.isscalar(first[0] if first else 0)
        parts: list[Any] = [*first] if several else [first, second]  # type: ignore[misc]
        titles = [chr(ord("A") + i) for i in range(len(parts))] if names is None else [str(name) for name in names]
        if len(set(titles)) != len(parts):
            raise ValueError(f"names must be {len(parts)} different names, got {titles}.")
        models = dict(zip(titles, parts, strict=True))
    if len(models) < 2 or any(model is None for model in models.values()):
        raise ValueError("at least two models or arrays of predictions must be given.\nHint: compare(a, b, X, y).")
    return models
