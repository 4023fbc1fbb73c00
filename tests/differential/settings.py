"""Parameters other than the defaults under which learners are tried, by name; those not listed have their defaults."""

from __future__ import annotations

from typing import Any

import numpy as np

from certus.linear import LogisticRegression, Ridge
from certus.trees import DecisionTreeClassifier, DecisionTreeRegressor

Settings = dict[str, Any]
BRIEF: Settings = {"max_iter": 30}
BOOSTED: list[Settings] = [
    {"learning_rate": 1.0, "max_leaf_nodes": 7},
    {**BRIEF, "l2_regularization": 10.0, "max_depth": 2},
    {**BRIEF, "min_samples_leaf": 1, "max_leaf_nodes": None},
    {**BRIEF, "max_bins": 8, "max_features": 0.5},
    {**BRIEF, "interaction_cst": "no_interactions"},
    {"early_stopping": True, "validation_fraction": 0.2},
]
STAGED: list[Settings] = [
    {"n_estimators": 20, "learning_rate": 1.0},
    {"n_estimators": 20, "subsample": 0.5, "max_features": "sqrt"},
    {"n_estimators": 20, "max_depth": None, "max_leaf_nodes": 8, "min_samples_leaf": 3},
    {"n_estimators": 40, "n_iter_no_change": 5},
]
TREES: list[Settings] = [
    {"max_depth": 4, "min_samples_leaf": 5},
    {"max_leaf_nodes": 12},
    {"min_weight_fraction_leaf": 0.05},
    {"min_impurity_decrease": 0.005},
    {"ccp_alpha": 0.01},
    {"max_features": "sqrt", "min_samples_split": 20},
]
FORESTS: list[Settings] = [
    {"n_estimators": 30, **TREES[0]},
    {"n_estimators": 30, "max_leaf_nodes": 12, "bootstrap": True, "max_samples": 0.5},
    {"n_estimators": 30, "max_features": None, "min_weight_fraction_leaf": 0.05},
    {"n_estimators": 30, "bootstrap": False, "ccp_alpha": 0.01},
]
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
    "LassoCV": [{}, {"alphas": 20, "positive": True, "cv": 3}],
    "ElasticNetCV": [{}, {"alphas": 20, "l1_ratio": [0.1, 0.9], "cv": 3}],
    "MultiTaskLassoCV": [{}, {"alphas": 20, "cv": 3, "fit_intercept": False}],
    "MultiTaskElasticNetCV": [{}, {"alphas": 20, "l1_ratio": [0.1, 0.9], "cv": 3}],
    "LogisticRegressionCV": [
        {},
        {"Cs": 4, "scoring": "accuracy", "class_weight": "balanced"},
        {"Cs": (1e-2, 1e4), "refit": False},
        {"Cs": 4, "solver": "saga", "l1_ratios": (0.5, 1.0)},
    ],
    "RidgeCV": [{}, {"alphas": (1e-6, 1e3), "alpha_per_target": True}, {"cv": 3}, {"fit_intercept": False}],
    "RidgeClassifierCV": [{}, {"class_weight": "balanced"}, {"cv": 3}],
    "Perceptron": [{}, {"penalty": "l2"}, {"class_weight": "balanced", "early_stopping": True}],
    "Nystroem": [{}, {"gamma": 0.5}],
    "HistGradientBoostingClassifier": [{}, *BOOSTED, {**BRIEF, "class_weight": "balanced"}],
    "HistGradientBoostingRegressor": [
        {},
        *BOOSTED,
        {**BRIEF, "loss": "absolute_error", "min_samples_leaf": 5},
        {**BRIEF, "loss": "quantile", "quantile": 0.8},
        {**BRIEF, "loss": "poisson"},
        {**BRIEF, "loss": "gamma", "max_depth": 2},
    ],
    "GradientBoostingClassifier": [{"n_estimators": 30}, *STAGED],
    "GradientBoostingRegressor": [
        {},
        *STAGED,
        {"n_estimators": 50, "loss": "absolute_error"},
        {"n_estimators": 50, "loss": "huber", "alpha": 0.7},
        {"n_estimators": 50, "loss": "quantile", "alpha": 0.2},
    ],
    "AdaBoostClassifier": [
        {},
        {"n_estimators": 20, "learning_rate": 0.3},
        {"estimator": DecisionTreeClassifier(max_depth=3), "n_estimators": 20},
    ],
    "AdaBoostRegressor": [
        {},
        {"loss": "square", "learning_rate": 0.3},
        {"loss": "exponential", "estimator": DecisionTreeRegressor(max_depth=6)},
    ],
    "BaggingClassifier": [
        {},
        {"estimator": LogisticRegression(), "max_samples": 0.5},
        {"bootstrap": False, "bootstrap_features": True, "max_features": 0.6},
    ],
    "BaggingRegressor": [
        {},
        {"estimator": Ridge(), "max_samples": 0.5},
        {"bootstrap": False, "bootstrap_features": True, "max_features": 0.6},
    ],
    "RandomForestClassifier": [{}, *FORESTS, {"criterion": "entropy", "class_weight": "balanced_subsample"}],
    "ExtraTreesClassifier": [{}, *FORESTS, {"criterion": "entropy", "class_weight": "balanced"}],
    "RandomForestRegressor": [{}, *FORESTS, {"n_estimators": 30, "criterion": "absolute_error"}],
    "ExtraTreesRegressor": [{}, *FORESTS, {"n_estimators": 30, "criterion": "absolute_error"}],
    "DecisionTreeClassifier": [{}, *TREES, {"criterion": "entropy", "class_weight": "balanced"}],
    "DecisionTreeRegressor": [{}, *TREES, {"criterion": "absolute_error"}, {"criterion": "poisson"}],
    "ExtraTreeClassifier": [{}, *TREES, {"criterion": "entropy", "class_weight": "balanced"}],
    "ExtraTreeRegressor": [{}, *TREES, {"criterion": "absolute_error"}, {"criterion": "poisson"}],
    "MultiOutputClassifier": [{"estimator": LogisticRegression()}, {"estimator": DecisionTreeClassifier(max_depth=4)}],
    "FeatureAgglomeration": [{"pooling_func": np.mean}],
}


def settings_of(name: str) -> list[Settings]:
    """All settings of a learner."""
    return SETTINGS.get(name, [{}])
