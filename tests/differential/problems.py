"""Tables to learn from and unseen rows to be judged on, in a regime; targets that suit a learner; how good it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import mean_pinball_loss, mean_tweedie_deviance, roc_auc_score
from sklearn.neighbors import KNeighborsClassifier
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


def learns_from_labels(entry: Entry, model: Any) -> bool:
    """Whether columns are made that tell classes apart."""
    return bool(
        hasattr(model, "transform") and get_tags(model).target_tags.required and "regression" not in entry.tasks
    )


def suited(entry: Entry, model: Any, X: np.ndarray) -> np.ndarray:
    """The table as the learner takes it: no negative cells, or codes of categories."""
    if entry.name == "CategoricalNB":
        borders = np.quantile(X, np.arange(1, 5) / 5, axis=0)
        return (X[:, None, :] > borders[None]).sum(axis=1)
    if entry.family == "bayes" and get_tags(model).input_tags.positive_only:
        return X - X.min(axis=0)
    return X


def of_amounts(model: Any) -> bool:
    """Whether the learner is about positive numbers."""
    params = model.get_params(deep=False)
    return "power" in params or {params.get("loss"), params.get("criterion")} & {"poisson", "gamma"} != set()


def target(entry: Entry, model: Any, rng: np.random.Generator, score: np.ndarray, regime: str) -> np.ndarray:
    """Labels or numbers that suit the learner."""
    tags = get_tags(model).target_tags
    if "classification" in entry.tasks or learns_from_labels(entry, model):
        shares = CLASSES.get(regime, (1 / 3, 2 / 3))
        y = np.digitize(score + 0.3 * rng.normal(size=len(score)), np.quantile(score, shares))
        return y if tags.single_output else np.column_stack([y, y[::-1]])
    y = np.exp(np.clip(score, -3.0, 3.0)) if tags.positive_only or of_amounts(model) else score
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
    X = suited(entry, model, X)
    weights = WEIGHTS[regime](rng, rows) if regime in WEIGHTS else None
    return Problem(X[:rows], y[:rows], weights, X[rows:], y[rows:])


def loss(entry: Entry, model: Any, problem: Problem, regime: str) -> float:
    """How bad a fitted learner is on the unseen rows, relative to the best constant for numbers; NaN if none tells."""
    if "regression" in entry.tasks:
        return _error_of_numbers(entry, model, problem)
    if "classification" in entry.tasks:
        if regime == "2 % positives" and (scores := _scores(model, problem.new_X)) is not None:
            return 1.0 - float(roc_auc_score(problem.new_y, scores))
        return float(np.mean(model.predict(problem.new_X) != problem.new_y))
    if learns_from_labels(entry, model):
        voters = KNeighborsClassifier(3).fit(model.transform(problem.X), problem.y)
        return float(np.mean(voters.predict(model.transform(problem.new_X)) != problem.new_y))
    if hasattr(model, "inverse_transform"):
        back = np.asarray(model.inverse_transform(model.transform(problem.new_X)))
        return _share_of_spread(back - problem.new_X, problem)
    if "clustering" in entry.tasks:
        return _spread_in_clusters(model, problem)
    if hasattr(model, "score_samples") and hasattr(model, "predict"):  # regions: the share of new rows outside
        return abs(float(np.mean(model.predict(problem.new_X) == -1)) - 0.5)
    if hasattr(model, "gamma") and (hasattr(model, "components_") or hasattr(model, "random_weights_")):
        return _kernel_error(model, problem.new_X[:100])
    return _distances(model, problem)


DEVIANCES = {"poisson": 1.0, "gamma": 2.0}


def _error_of_numbers(entry: Entry, model: Any, problem: Problem) -> float:
    """Root mean square, or what the learner is about: a quantile or a deviance; 1 for the best constant."""
    predicted, constant = np.asarray(model.predict(problem.new_X)), problem.y.mean(axis=0)
    params = model.get_params(deep=False)
    if params.get("loss") == "quantile":
        level = params.get("quantile", params.get("alpha"))
        fixed = np.full(len(problem.new_y), np.quantile(problem.y, level))
        of_constant = mean_pinball_loss(problem.new_y, fixed, alpha=level)
        return float(mean_pinball_loss(problem.new_y, predicted, alpha=level) / of_constant)
    powers = {"PoissonRegressor": 1.0, "GammaRegressor": 2.0, "TweedieRegressor": getattr(model, "power", 0.0)}
    if entry.name in powers or params.get("loss") in DEVIANCES:
        fixed, power = np.full(len(problem.new_y), constant), powers.get(entry.name, DEVIANCES.get(params.get("loss")))
        of_constant = mean_tweedie_deviance(problem.new_y, fixed, power=power)
        return float(np.sqrt(mean_tweedie_deviance(problem.new_y, predicted, power=power) / of_constant))
    error = np.sqrt(np.mean((predicted - problem.new_y) ** 2))
    return float(error / np.sqrt(np.mean((problem.new_y - constant) ** 2)))


def _share_of_spread(differences: np.ndarray, problem: Problem) -> float:
    """Squares of differences, relative to those of the new rows to the mean of the others."""
    return float(np.mean(differences**2) / np.mean((problem.new_X - problem.X.mean(axis=0, dtype=float)) ** 2))


def _spread_in_clusters(model: Any, problem: Problem) -> float:
    """Of new rows around the nearest center, or without centers of the rows themselves around those of their labels."""
    if hasattr(model, "score"):
        reference = np.mean((problem.new_X - problem.X.mean(axis=0, dtype=float)) ** 2) * problem.X.shape[1]
        return float(-model.score(problem.new_X) / len(problem.new_X) / reference)
    X, total = np.asarray(problem.X, dtype=float), 0.0
    for label in np.unique(model.labels_):
        own = X[model.labels_ == label]
        center = X.mean(axis=0) if label == -1 else own.mean(axis=0)  # noise belongs to no cluster
        total += float(((own - center) ** 2).sum())
    return total / float(((X - X.mean(axis=0)) ** 2).sum())


def _distances(model: Any, problem: Problem) -> float:
    """Of what a search found, relative to the distances of all pairs: others are not nearer."""
    usual = np.sqrt(
        np.mean((problem.new_X[:, None] - np.asarray(problem.X, dtype=float)[None]) ** 2) * problem.X.shape[1]
    )
    if hasattr(model, "kneighbors"):
        found = (
            model.transform(problem.new_X).data if hasattr(model, "transform") else model.kneighbors(problem.new_X)[0]
        )
        return float(np.mean(found) / usual)
    if hasattr(model, "transform"):
        return -float(model.transform(problem.new_X).nnz) / len(problem.new_X)
    return float("nan")


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
