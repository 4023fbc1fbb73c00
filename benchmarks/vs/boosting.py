"""Histogram boosting, 100 rounds of 31 leaves and 255 bins, against LightGBM, XGBoost, CatBoost and scikit-learn."""

from benchmarks.measure.task import THREADS, Competitor, Task
from benchmarks.problems import data, predictions, tree_data

_LIGHT = {"n_estimators": 100, "num_leaves": 31, "max_bin": 255, "n_jobs": THREADS, "verbose": -1}
_XGB = {
    "n_estimators": 100,
    "learning_rate": 0.1,
    "grow_policy": "lossguide",
    "max_leaves": 31,
    "max_depth": 0,
    "max_bin": 255,
    "tree_method": "hist",
    "n_jobs": THREADS,
}
_CAT = {
    "iterations": 100,
    "learning_rate": 0.1,
    "grow_policy": "Lossguide",
    "max_leaves": 31,
    "border_count": 254,
    "thread_count": THREADS,
    "verbose": False,
    "allow_writing_files": False,
}


def _competitors(kind):
    own = {"early_stopping": False, "random_state": 0}
    return (
        Competitor("certus", f"certus.ensemble.HistGradientBoosting{kind}", own),
        Competitor("lightgbm", f"lightgbm.LGBM{kind}", _LIGHT),
        Competitor("lightgbm-quantized", f"lightgbm.LGBM{kind}", {**_LIGHT, "use_quantized_grad": True}),
        Competitor("xgboost", f"xgboost.XGB{kind}", _XGB),
        Competitor("catboost", f"catboost.CatBoost{kind}", _CAT),
        Competitor("scikit-learn", f"sklearn.ensemble.HistGradientBoosting{kind}", own),
    )


_COLUMNS = list(range(10))
_CATEGORIES = (
    Competitor(
        "certus",
        "certus.ensemble.HistGradientBoostingClassifier",
        {"early_stopping": False, "random_state": 0, "categorical_features": _COLUMNS, "rare_categories": "group"},
    ),
    Competitor("lightgbm", "lightgbm.LGBMClassifier", {**_LIGHT, "categorical_feature": _COLUMNS}),
    Competitor("xgboost", "xgboost.XGBClassifier", {**_XGB, "enable_categorical": True, "feature_types": ["c"] * 10}),
    Competitor("catboost", "catboost.CatBoostClassifier", {**_CAT, "cat_features": _COLUMNS}),
)


def _task(name, about, action, make_data, size, quality, kind, competitors=None):
    return Task(
        name=name,
        about=about,
        action=action,
        make_data=make_data,
        size=size,
        quick_size={**size, "n": 3_000, "queries": 500},
        quality=quality,
        competitors=_competitors(kind) if competitors is None else competitors,
    )


# Exact trees of depth 3: every border of every column is tried, without bins.
_EXACT = {"n_estimators": 20, "max_depth": 3, "learning_rate": 0.1}


def _exact_competitors(kind):
    own = {**_EXACT, "random_state": 0}
    return (
        Competitor("certus", f"certus.ensemble.GradientBoosting{kind}", own),
        Competitor("scikit-learn", f"sklearn.ensemble.GradientBoosting{kind}", own),
        Competitor("xgboost", f"xgboost.XGB{kind}", {**_EXACT, "tree_method": "exact", "n_jobs": THREADS}),
    )


def _exact_task(name, about, make_data, size, quality, kind):
    return Task(
        name=name,
        about=about,
        action="fit_predict",
        make_data=make_data,
        size=size,
        quick_size={**size, "n": 2_000, "queries": 500},
        quality=quality,
        competitors=_exact_competitors(kind),
    )


_LARGE = {"n": 1_000_000, "d": 28, "queries": 50_000}
_MIDDLE = {"n": 200_000, "d": 41, "queries": 20_000}

TASKS = (
    _task(
        "classifier-million",
        "two classes, a million rows",
        "fit_predict",
        data.surface_classes,
        {**_LARGE, "classes": 2},
        predictions.accuracy(slack=0.005),
        "Classifier",
    ),
    _task(
        "classifier-mixed",
        "two classes, mixed columns, 6 % positive",
        "fit_predict",
        tree_data.mixed_classes,
        {"n": 199_523, "queries": 20_000},
        predictions.accuracy(slack=0.005),
        "Classifier",
    ),
    _task(
        "classifier-categories",
        "two classes, ten categorical columns of 1000 levels",
        "fit_predict",
        tree_data.category_classes,
        {"n": 200_000, "queries": 20_000},
        predictions.accuracy(slack=0.01),
        "Classifier",
        _CATEGORIES,
    ),
    _task(
        "regressor-middle",
        "a number, 200 000 rows, 41 columns",
        "fit_predict",
        data.smooth_surface,
        _MIDDLE,
        predictions.root_mean_square(slack=0.02),
        "Regressor",
    ),
    _task(
        "predict",
        "prediction of a million rows",
        "predict",
        data.surface_classes,
        {"n": 50_000, "d": 28, "queries": 1_000_000, "classes": 2},
        predictions.accuracy(slack=0.005),
        "Classifier",
    ),
    _task(
        "one-row",
        "prediction of a single row",
        "predict_one",
        data.surface_classes,
        {"n": 20_000, "d": 28, "queries": 1_000, "classes": 2},
        predictions.accuracy(slack=1.0),  # of a single row
        "Classifier",
    ),
    _exact_task(
        "exact-classifier",
        "20 rounds of exact trees of depth 3, two classes, 20 000 rows, 20 columns",
        data.surface_classes,
        {"n": 20_000, "d": 20, "queries": 5_000, "classes": 2},
        predictions.accuracy(slack=0.005),
        "Classifier",
    ),
    _exact_task(
        "exact-regressor",
        "20 rounds of exact trees of depth 3, a number, 20 000 rows, 20 columns",
        data.smooth_surface,
        {"n": 20_000, "d": 20, "queries": 5_000},
        predictions.root_mean_square(slack=0.02),
        "Regressor",
    ),
)
