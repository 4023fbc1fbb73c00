"""Tables to learn from and unseen rows to be judged on, in a regime; targets that suit a learner; how good it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score
from sklearn.utils import get_tags

from certus.base.catalogue import Entry
from tests.differential.regimes import COLUMNS, WEIGHTS

LEARN, UNSEEN = 200, 600


@dataclass(frozen=True)
class Problem:
    """Rows to learn from, with weights or None, and unseen ones."""

    X: Any
    y: Any
    weights: Any
    new_X: Any
    new_y: Any


def numbers(rng: np.random.Generator, X: np.ndarray) -> np.ndarray:
    """A signal with a bend, and noise."""
    columns = X[:, : min(4, X.shape[1])]
    way = np.array([1.0, -1.0, 0.7, 0.4])[: columns.shape[1]]
    return columns @ way + 0.5 * np.abs(columns[:, 0]) + 0.5 * rng.normal(size=len(X))


def target(entry: Entry, model: Any, rng: np.random.Generator, score: np.ndarray, regime: str) -> np.ndarray:
    """Labels or numbers that suit the learner."""
    tags = get_tags(model).target_tags
    if "classification" in entry.tasks:
        shares = CLASSES.get(regime, (1 / 3, 2 / 3))
        y = np.digitize(score + 0.3 * rng.normal(size=len(score)), np.quantile(score, shares))
        return y if tags.single_output else np.column_stack([y, y[::-1]])
    y = np.exp(np.clip(score, -3.0, 3.0)) if tags.positive_only or "power" in model.get_params() else score
    return y if tags.single_output and not entry.name.startswith("MultiTask") else np.column_stack([y, y[::-1]])


# Shares of the rows below the borders of the classes.
CLASSES: dict[str, tuple[float, ...]] = {
    "rare classes": (0.02, 0.5, 0.96, 0.98),
    "100 classes": tuple(np.arange(1, 100) / 100),
    "2 % positives": (0.98,),
}
SHAPES = {"more columns than rows": (40, 120), "100 classes": (400, 5), "2 % positives": (400, 5)}
REGIMES = (*COLUMNS, *(name for name in WEIGHTS if name != "no weights"), *CLASSES, "more columns than rows")


def problem_in(regime: str, entry: Entry, model: Any, seed: int) -> Problem:
    """A problem of the regime; the signal is that of the table before the regime changed it, where it can be."""
    rng = np.random.default_rng(seed)
    rows, columns = SHAPES.get(regime, (LEARN, 5))
    plain = rng.normal(size=(rows + UNSEEN, columns))
    changed = COLUMNS.get(regime, COLUMNS["plain"])
    kept_rows = regime in ("duplicates", "near-collinear", "copied column", "constant columns")
    X = changed(rng, plain)
    y = target(entry, model, rng, numbers(rng, np.asarray(X if kept_rows else plain, dtype=float)), regime)
    weights = WEIGHTS[regime](rng, rows) if regime in WEIGHTS else None
    return Problem(X[:rows], y[:rows], weights, X[rows:], y[rows:])


def loss(entry: Entry, model: Any, problem: Problem, regime: str) -> float:
    """How bad a fitted learner is on the unseen rows, relative to the best constant for numbers."""
    if "regression" in entry.tasks:
        error = np.sqrt(np.mean((np.asarray(model.predict(problem.new_X)) - problem.new_y) ** 2))
        return float(error / np.sqrt(np.mean((problem.new_y - problem.y.mean(axis=0)) ** 2)))
    if "classification" in entry.tasks:
        if regime == "2 % positives" and (scores := _scores(model, problem.new_X)) is not None:
            return 1.0 - float(roc_auc_score(problem.new_y, scores))
        return float(np.mean(model.predict(problem.new_X) != problem.new_y))
    if "clustering" in entry.tasks:
        if not hasattr(model, "score"):
            return float("nan")
        reference = np.mean((problem.new_X - problem.X.mean(axis=0, dtype=float)) ** 2) * problem.X.shape[1]
        return float(-model.score(problem.new_X) / len(problem.new_X) / reference)
    if hasattr(model, "score_samples") and hasattr(model, "predict"):  # regions: the share of new rows outside
        return abs(float(np.mean(model.predict(problem.new_X) == -1)) - 0.5)
    if hasattr(model, "components_") and hasattr(model, "gamma"):
        return _kernel_error(model, problem.new_X[:100])
    return float("nan")  # nothing that unseen rows could tell


def _scores(model: Any, X: Any) -> np.ndarray | None:
    if hasattr(model, "predict_proba"):
        return np.asarray(model.predict_proba(X))[:, -1] if not isinstance(model.predict_proba(X), list) else None
    return np.asarray(model.decision_function(X)) if hasattr(model, "decision_function") else None


def _kernel_error(model: Any, X: Any) -> float:
    """Of approximated values of the Gaussian kernel with the model's gamma."""
    features = model.transform(X)
    squares = ((X[:, None, :] - X[None, :, :]) ** 2).sum(axis=2)
    gamma = 1.0 / X.shape[1] if model.gamma is None else float(model.gamma)
    return float(np.sqrt(np.mean((features @ features.T - np.exp(-gamma * squares)) ** 2)))
