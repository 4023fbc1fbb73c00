"""Parameters other than the defaults under which learners are tried, by name; those not listed have their defaults."""

from __future__ import annotations

from typing import Any

import numpy as np

from certus.linear import LogisticRegression
from certus.trees import DecisionTreeClassifier

Settings = dict[str, Any]
SETTINGS: dict[str, list[Settings]] = {
    "HuberRegressor": [{}, {"alpha": 1.0}, {"alpha": 0.0}, {"fit_intercept": False}, {"epsilon": 1.0}],
    "QuantileRegressor": [{"alpha": 0.0}, {"alpha": 0.01}, {"quantile": 0.9}, {"fit_intercept": False, "alpha": 0.01}],
    "LinearRegression": [{}, {"positive": True}, {"fit_intercept": False}],
    "Ridge": [{}, {"alpha": 1e-6}, {"positive": True}, {"fit_intercept": False}, {"solver": "lsqr"}],
    "RidgeClassifier": [{}, {"class_weight": "balanced"}, {"alpha": 1e-6}],
    "Lasso": [{"alpha": 0.01}, {"positive": True, "alpha": 0.01}],
    "ElasticNet": [{"alpha": 0.01}, {"alpha": 0.01, "l1_ratio": 0.1}],
    "MultiTaskLasso": [{"alpha": 0.01}],
    "MultiTaskElasticNet": [{"alpha": 0.01}],
    "GroupLasso": [{"alpha": 0.01}],
    "GroupLassoClassifier": [{"alpha": 0.01}],
    "LogisticRegression": [
        {},
        {"C": 1e6},
        {"C": np.inf},
        {"l1_ratio": 1.0, "solver": "saga"},
        {"l1_ratio": 0.5, "solver": "saga"},
        {"class_weight": "balanced", "fit_intercept": False},
    ],
    "LinearSVC": [{}, {"loss": "hinge", "C": 0.01}, {"multi_class": "crammer_singer"}, {"dual": False}],
    "LinearSVR": [{}, {"epsilon": 0.1, "C": 100.0}, {"loss": "squared_epsilon_insensitive", "dual": False}],
    "PoissonRegressor": [{}, {"alpha": 0.0}],
    "GammaRegressor": [{}, {"alpha": 0.0}],
    "TweedieRegressor": [{"power": 1.5}, {"power": 3.0}],
    "SGDClassifier": [{}, {"loss": "log_loss"}, {"loss": "squared_hinge", "penalty": "elasticnet"}],
    "SGDRegressor": [{}, {"loss": "huber"}, {"loss": "epsilon_insensitive", "penalty": "elasticnet"}],
    "SVC": [{}, {"kernel": "linear", "C": 100.0}, {"kernel": "poly", "coef0": 1.0, "gamma": 0.1}],
    "NuSVC": [{"nu": 0.1}, {"nu": 0.1, "kernel": "linear"}],
    "SVR": [{}, {"kernel": "linear", "C": 100.0}],
    "NuSVR": [{}, {"kernel": "linear"}],
    # Not the linear kernel: rows around the origin have the optimum w = 0 there, and rounding decides on their side.
    "OneClassSVM": [{}, {"nu": 0.1}],
    "OneVsRestSVC": [{}, {"kernel": "linear"}],
    "KernelRidge": [{"kernel": "rbf"}, {"kernel": "rbf", "alpha": 1e-6}, {"kernel": "poly"}],
    "KernelLogistic": [{}, {"kernel": "linear"}],
    "MultiOutputClassifier": [{"estimator": LogisticRegression()}, {"estimator": DecisionTreeClassifier(max_depth=4)}],
    "FeatureAgglomeration": [{"pooling_func": np.mean}],
}


def settings_of(name: str) -> list[Settings]:
    """All settings of a learner."""
    return SETTINGS.get(name, [{}])
