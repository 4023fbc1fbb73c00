"""The systems that are compared: each gets a data frame with its target, a time budget, and answers for new rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from benchmarks.study.tables import TARGET

Answers = tuple[np.ndarray, dict[str, Any]]


def _typed(*frames: pd.DataFrame) -> list[pd.DataFrame]:
    """Text columns as categories that all frames share."""
    whole = pd.concat(frames, ignore_index=True)
    names = [name for name in whole if not pd.api.types.is_numeric_dtype(whole[name])]
    kinds = {name: pd.CategoricalDtype(sorted(whole[name].dropna().astype(str).unique())) for name in names}
    return [frame.astype(dict.fromkeys(names, str)).astype(kinds) for frame in frames]


def certus_study(train: pd.DataFrame, new: pd.DataFrame, task: str, seconds: float, seed: int) -> Answers:
    """Our study, which sets rows aside by itself; also what it promises."""
    return _studied(train, new, task=task, time=seconds, seed=seed)


def certus_blend(train: pd.DataFrame, new: pd.DataFrame, task: str, seconds: float, seed: int) -> Answers:
    """The same with a blend of several models in any case."""
    return _studied(train, new, task=task, time=seconds, seed=seed, blend=True)


def _studied(train: pd.DataFrame, new: pd.DataFrame, **options: Any) -> Answers:
    import certus

    result = certus.study(train, target=TARGET, **options)
    answers = result.predict(new)
    told = {
        "winner": result.winner.name,
        "promised": result.certificate.value,
        "quantity": str(result.certificate.quantity),
        "confidence": result.certificate.confidence,
    }
    return np.asarray(answers), told


def flaml(train: pd.DataFrame, new: pd.DataFrame, task: str, seconds: float, seed: int) -> Answers:
    """FLAML's AutoML with the same budget."""
    from flaml import AutoML

    X, rows = _typed(train.drop(columns=TARGET), new)
    model = AutoML()
    metric = "accuracy" if task == "classification" else "rmse"
    model.fit(
        X,
        train[TARGET],
        task=task,
        metric=metric,
        time_budget=seconds,
        n_jobs=2,
        verbose=0,
        seed=seed,
        log_file_name="",
    )
    return np.asarray(model.predict(rows)), {"winner": str(model.best_estimator)}


def lightgbm(train: pd.DataFrame, new: pd.DataFrame, task: str, _seconds: float, seed: int) -> Answers:
    """LightGBM with its defaults."""
    from lightgbm import LGBMClassifier, LGBMRegressor

    kind = LGBMClassifier if task == "classification" else LGBMRegressor
    return _fitted(kind(verbose=-1, n_jobs=2, random_state=seed), train, new)


def hist_gradient_boosting(train: pd.DataFrame, new: pd.DataFrame, task: str, _seconds: float, seed: int) -> Answers:
    """scikit-learn's HistGradientBoosting with its defaults."""
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    kind = HistGradientBoostingClassifier if task == "classification" else HistGradientBoostingRegressor
    return _fitted(kind(categorical_features="from_dtype", random_state=seed), train, new)


def random_forest(train: pd.DataFrame, new: pd.DataFrame, task: str, _seconds: float, seed: int) -> Answers:
    """scikit-learn's RandomForest with its defaults; categories as numbers."""
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    kind = RandomForestClassifier if task == "classification" else RandomForestRegressor
    X, rows = _typed(train.drop(columns=TARGET), new)
    coded = [
        frame.apply(lambda column: column.cat.codes if isinstance(column.dtype, pd.CategoricalDtype) else column)
        for frame in (X, rows)
    ]
    model = kind(n_jobs=2, random_state=seed).fit(coded[0], train[TARGET])
    return np.asarray(model.predict(coded[1])), {}


def _fitted(model: Any, train: pd.DataFrame, new: pd.DataFrame) -> Answers:
    X, rows = _typed(train.drop(columns=TARGET), new)
    return np.asarray(model.fit(X, train[TARGET]).predict(rows)), {}


def autogluon(train: pd.DataFrame, new: pd.DataFrame, task: str, seconds: float, _seed: int) -> Answers:
    """AutoGluon's TabularPredictor with its default preset and the same budget."""
    return _by_autogluon(train, new, task, seconds, None)


def autogluon_best(train: pd.DataFrame, new: pd.DataFrame, task: str, seconds: float, _seed: int) -> Answers:
    """The same with its preset ``best_quality``."""
    return _by_autogluon(train, new, task, seconds, "best_quality")


def _by_autogluon(train: pd.DataFrame, new: pd.DataFrame, task: str, seconds: float, preset: str | None) -> Answers:
    import tempfile

    from autogluon.tabular import TabularPredictor

    kind = {"regression": "regression"}.get(task, "binary" if train[TARGET].nunique() == 2 else "multiclass")
    metric = "accuracy" if task == "classification" else "root_mean_squared_error"
    with tempfile.TemporaryDirectory() as folder:
        model = TabularPredictor(TARGET, problem_type=kind, eval_metric=metric, path=folder, verbosity=0)
        model.fit(train, time_limit=seconds, num_cpus=2, presets=preset)
        return np.asarray(model.predict(new)), {"winner": str(model.model_best)}


SYSTEMS = {
    "Certus": certus_study,
    "Certus --blend": certus_blend,
    "FLAML": flaml,
    "LightGBM defaults": lightgbm,
    "HistGradientBoosting defaults": hist_gradient_boosting,
    "RandomForest defaults": random_forest,
    "AutoGluon": autogluon,
    "AutoGluon best_quality": autogluon_best,
}
