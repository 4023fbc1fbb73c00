"""Small problems on which every learner of the catalogue is tried."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.datasets import make_classification, make_regression
from sklearn.utils import get_tags

from certus.base import catalogue
from certus.base.catalogue import Entry
from certus.bayes import BernoulliNB
from certus.linear import SGDRegressor
from certus.online import Halving


def learners() -> list[Any]:
    """One pytest parameter per learner of the catalogue that learns from tables and needs no extra of the package."""
    import pytest

    # The tests of an extra ask its learners the same (tests/deep/test_contract_of_deep.py).
    found = [entry for entry in catalogue.entries() if entry.takes == "tables" and entry.needs is None]
    return [pytest.param(entry, id=entry.path) for entry in found]


WORDS = ("spring", "summer", "autumn", "winter", "rain", "sun", "snow", "wind", "été", "雪")


def _sequence(entry: Entry, rows: int, columns: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """One sequence that stays in a state for some rows: symbols, counts or numbers, and its states."""
    rng = np.random.default_rng(seed)
    states = np.repeat(rng.integers(0, 2, rows // 10 + 1), 10)[:rows]
    tags = get_tags(entry.learner()).input_tags
    if tags.categorical:
        return (3 * states + rng.integers(0, 3, rows))[:, None], states
    if tags.positive_only:
        return rng.poisson(3.0 + 4.0 * states[:, None], (rows, columns)).astype(float), states
    return rng.normal(3.0 * states[:, None], 1.0, (rows, columns)), states


def problem(entry: Entry, *, rows: int = 120, columns: int = 5, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """A table (or texts, a sequence, votes of experts, rewards of arms) and a target for the learner's first task."""
    if entry.takes in ("advice", "arms"):
        votes = np.random.default_rng(seed).integers(0, 2, (rows, columns)).astype(float)
        return votes, votes[:, 0] if entry.takes == "advice" else votes
    if entry.takes == "sequences":
        return _sequence(entry, rows, columns, seed)
    if entry.takes == "texts":
        drawn = np.random.default_rng(seed).integers(0, len(WORDS), (rows, columns))
        return np.array([" ".join(WORDS[word] for word in row) for row in drawn]), drawn[:, 0] % 2
    if entry.takes == "bits":
        bits = np.random.default_rng(seed).integers(0, 2, (rows, columns)).astype(float)
        return bits, bits[:, :2].any(axis=1).astype(int)
    tags = get_tags(entry.learner()).target_tags
    if "classification" in entry.tasks or ("transformation" in entry.tasks and tags.required):
        X, y = make_classification(
            rows, columns, n_informative=3, n_redundant=0, n_classes=3, n_clusters_per_class=1, random_state=seed
        )
        if get_tags(entry.learner()).input_tags.positive_only:  # counts
            X = np.floor(30 * np.abs(X))
        return X, y if tags.single_output else np.column_stack([y, y[::-1]])
    X, y = make_regression(rows, columns, noise=5.0, random_state=seed)
    if tags.positive_only:
        y = np.exp(y / y.std())
    if not tags.single_output:
        y = np.column_stack([y, y[::-1]])
    return X, y


# Learners whose defaults warn, as their scikit-learn namesakes' do, or take long, with settings that do not.
SETTINGS: dict[str, dict[str, Any]] = {
    "AdaHedge": {"n_experts": 5},
    "BayesianLogisticRegression": {"draws": 50, "tune": 50, "chains": 2},  # long chains only cost time here
    "CategoricalNB": {"min_categories": 300},  # a part of the rows may lack some
    **{name: {"n_components": 1} for name in ("CCA", "PLSCanonical", "PLSRegression", "PLSSVD")},  # one target
    "GaussianRandomProjection": {"n_components": 2},  # for small tables "auto" asks for more columns than they have
    "SparseRandomProjection": {"n_components": 2},
    **{key: {"alpha": 0.1} for key in ("FixedShare", "FlooredWeights", "MixingPastPosteriors", "VariableShare")},
    **{key: {"n_arms": 5} for key in ("EpsilonGreedy", "KLUCB", "LinUCB", "SuccessiveElimination", "UCB1")},
    **{key: {"n_arms": 5, "horizon": 120} for key in ("Exp3", "Exp3IX")},
    "ExpertsClassifier": {"experts": [("one", BernoulliNB()), ("two", BernoulliNB(alpha=9.0))]},
    "ExpertsRegressor": {
        "experts": [("one", SGDRegressor(random_state=0)), ("two", SGDRegressor(alpha=9.0, random_state=0))]
    },
    "Hedge": {"n_experts": 5, "horizon": 120},
    "OnlineToBatch": {"learner": Halving(), "method": "random-stop", "mistake_bound": 2},
    "ThompsonSampling": {"n_arms": 5},
    "Squint": {"n_experts": 5},
    "LogisticRegressionCV": {
        "Cs": (0.1, 1.0),
        "cv": 3,
        "l1_ratios": (0,),
        "scoring": "neg_log_loss",
        "use_legacy_attributes": False,
    },
    # Networks: 42 epochs without a warning.
    "MLPClassifier": {"hidden_layer_sizes": 16, "learning_rate_init": 0.02, "tol": 1e9, "n_iter_no_change": 40},
    "MLPRegressor": {"hidden_layer_sizes": 16, "learning_rate_init": 0.02, "tol": 1e9, "n_iter_no_change": 40},
    "TabularMLPClassifier": {"hidden_layer_sizes": 16, "members": 2, "max_iter": 20, "learning_rate_init": 0.02},
    "TabularMLPRegressor": {"hidden_layer_sizes": 16, "members": 2, "max_iter": 20, "learning_rate_init": 0.02},
    "Autoencoder": {"hidden_layer_sizes": 4, "tol": 1e9, "n_iter_no_change": 40},
    "StackedAutoencoder": {"hidden_layer_sizes": (6, 4), "tol": 1e9, "n_iter_no_change": 40},
    "LocalOutlierFactor": {"novelty": True, "n_neighbors": 5},  # else there is nothing to ask about new rows
}


# Learners whose defaults find no answer for some rows of the problems above.
WIDER: dict[str, dict[str, Any]] = {
    "RadiusNeighborsClassifier": {"radius": 8.0},
    "RadiusNeighborsRegressor": {"radius": 8.0},
}


def make(entry: Entry) -> Any:
    """A fresh learner with a fixed seed where it has one, and with few members where it is an ensemble."""
    learner = entry.learner(**SETTINGS.get(entry.name, {}), **WIDER.get(entry.name, {}))
    if entry.takes == "sequences":
        learner.set_params(n_components=2, tol=0.0)
    members = "max_iter" if entry.name.startswith("HistGradientBoosting") else "n_estimators"
    if members in learner.get_params():
        learner.set_params(**{members: 10})
    if "random_state" in learner.get_params():
        learner.set_params(random_state=0)
    return learner


def answer(learner: Any, X: Any) -> Any:
    """What the learner says about rows: its predictions or, if it makes none, the features it turns them into,
    the log-densities that it gives them, or the distances of the rows that it finds.
    """
    if hasattr(learner, "predict"):
        return learner.predict(X)
    if not hasattr(learner, "transform") and hasattr(learner, "score_samples"):
        return learner.score_samples(X)
    if hasattr(learner, "select"):  # of a bandit: the arm that it plays next
        return np.array([learner.select()])
    found = learner.transform(X) if hasattr(learner, "transform") else learner.kneighbors(X)[0]
    return np.sort(found.toarray(), axis=1) if sparse.issparse(found) else found  # a graph: its columns are rows


def outputs(learner: Any, X: np.ndarray) -> list[np.ndarray]:
    """Everything that the learner says about rows, as arrays of numbers where possible."""
    found = [np.asarray(answer(learner, X))]
    for method in ("decision_function", "predict_proba"):
        if hasattr(learner, method):
            said = getattr(learner, method)(X)
            found.append(np.hstack(said) if isinstance(said, list) else np.asarray(said))
    return found
