"""The verb `compare`: is A really better than B on these rows, and if nobody can tell, how many rows would."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from certus.guarantees import holm
from certus.guarantees.holdout import (
    Pair,
    Verdict,
    check_loss,
    compare_losses,
    compare_mistakes,
    is_regression,
    labels,
    mistakes,
    predictions,
    row_losses,
)
from certus.guarantees.records import DataRole, Report, check_confidence


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
    def difference(self) -> Any:
        """For two models: the interval of the difference, a Certificate."""
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
            raise ValueError(f"there are {len(self.pairs)} pairs. Hint: look at .pairs.")
        return self.pairs[0]

    def __str__(self) -> str:
        return "\n".join(map(str, self.pairs))


def compare(
    first: Any,
    second: Any = None,
    X: Any = None,
    y: Any = None,
    *,
    y_true: Any = None,
    names: Sequence[str] | None = None,
    loss: str | Callable[..., Any] = "auto",
    loss_range: tuple[float, float] | None = None,
    confidence: float = 0.95,
    role: DataRole | None = None,
    seed: int = 0,
) -> Comparison:
    """Compare models on the same held-out rows.

    0/1 losses: exact McNemar test for the verdict, a betting interval for the size of the difference, power, and
    the rows that would be needed. Other losses: a betting interval for the paired difference.

    Parameters
    ----------
    first, second : fitted models or arrays of predictions
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

    Returns
    -------
    Comparison

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
    if (y is None) == (y_true is None):
        raise ValueError("the true labels are needed once: as y or as y_true. Hint: compare(a, b, X, y).")
    truth = labels(y if y is not None else y_true, "y")
    predicted = {name: predictions(model, X, name) for name, model in models.items()}
    if loss == "auto":
        loss = (
            "absolute" if is_regression(next(iter(models.values())), truth, next(iter(predicted.values()))) else "error"
        )
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
    tests = [pair.pvalue for pair in pairs if pair.pvalue is not None]
    certificates = [c for pair in pairs for c in (pair.sign, pair.difference) if c is not None]
    return Comparison(tuple(models), tuple(pairs), tuple(holm(tests)) if tests else None, Report(certificates))


def _loss_name(loss: str | Callable[..., Any]) -> str:
    return f"mean {loss if isinstance(loss, str) else getattr(loss, '__name__', 'given')} loss"


def _named(first: Any, second: Any, names: Sequence[str] | None) -> dict[str, Any]:
    """Models by name, in order."""
    if isinstance(first, Mapping):
        if second is not None or names is not None:
            raise ValueError("a dictionary names all models; give neither a second model nor names with it")
        models = {str(key): model for key, model in first.items()}
    else:
        several = second is None and isinstance(first, (list, tuple)) and not np.isscalar(first[0] if first else 0)
        parts = list(first) if several else [first, second]
        titles = [chr(ord("A") + i) for i in range(len(parts))] if names is None else [str(name) for name in names]
        if len(set(titles)) != len(parts):
            raise ValueError(f"names must be {len(parts)} different names, got {titles}")
        models = dict(zip(titles, parts, strict=True))
    if len(models) < 2 or any(model is None for model in models.values()):
        raise ValueError("at least two models or arrays of predictions are needed. Hint: compare(a, b, X, y).")
    return models
