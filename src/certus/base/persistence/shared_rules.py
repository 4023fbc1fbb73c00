"""What must hold of the fitted attributes that many learners share, before anything is computed with them.

Attributes that only some learners have are checked by these in ``_restored``.
"""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral
from typing import Any

import numpy as np

_LARGEST_LOG = 710.0  # of a double


def check_shared_state(learner: Any) -> None:
    """Raise a ValueError if an attribute that all learners name alike is not what its name says.

    A learner for which such a name means something else lists it in ``_means_otherwise`` and checks it in
    ``_restored``.
    """
    state = vars(learner) if hasattr(learner, "__dict__") else {}
    otherwise = getattr(learner, "_means_otherwise", ())
    for name, rule in RULES.items():
        if name in state and name not in otherwise:
            rule(state[name], state)


def _width(value: Any, _state: dict[str, Any]) -> None:
    if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
        raise ValueError(f"n_features_in_ must be a positive whole number, got {value!r}")


def _names(value: Any, state: dict[str, Any]) -> None:
    if not isinstance(value, np.ndarray) or value.ndim != 1 or not all(isinstance(name, str) for name in value):
        raise ValueError("feature_names_in_ must be a vector of names")
    if "n_features_in_" in state and len(value) != state["n_features_in_"]:
        raise ValueError(f"there are {len(value)} names of {state['n_features_in_']} columns")


def _classes(value: Any, _state: dict[str, Any]) -> None:
    parts = value if isinstance(value, list | tuple) else [value]
    for part in parts:
        if not isinstance(part, np.ndarray) or part.ndim not in (1, 2) or not part.size:
            raise ValueError("classes_ must be labels")
        if part.ndim == 1 and part.dtype.kind in "biufUS" and len(np.unique(part)) != len(part):
            raise ValueError("classes_ must be distinct")


def _coefficients(value: Any, state: dict[str, Any]) -> None:
    """One coefficient per column; a row of them per target, or per class unless there are two."""
    shape, dtype = getattr(value, "shape", None), getattr(value, "dtype", None)
    if shape is None or dtype is None or dtype.kind not in "biuf" or len(shape) not in (1, 2):
        raise ValueError("coef_ must be a vector or a matrix of numbers")
    if shape[-1] != state.get("n_features_in_"):
        raise ValueError(f"coef_ has the shape {shape} for {state.get('n_features_in_')} columns")
    classes = state.get("classes_")
    if isinstance(classes, np.ndarray):
        if classes.ndim != 1:
            raise ValueError("classes_ must be a vector of labels")
        rows = 1 if len(classes) == 2 else len(classes)
        if len(classes) < 2 or (1 if len(shape) == 1 else shape[0]) != rows:
            raise ValueError(f"coef_ has the shape {shape} for {len(classes)} classes")


def _intercepts(value: Any, state: dict[str, Any]) -> None:
    if not isinstance(value, int | float | np.number | np.ndarray) or np.asarray(value).dtype.kind not in "biuf":
        raise ValueError("intercept_ must be numbers")
    shape = getattr(state.get("coef_"), "shape", None)
    outputs = None if shape is None else 1 if len(shape) == 1 else shape[0]
    if np.ndim(value) > 1 or (np.ndim(value) == 1 and outputs is not None and np.shape(value)[0] not in (1, outputs)):
        raise ValueError(f"intercept_ has the shape {np.shape(value)} for {outputs} rows of coefficients")


def _kept_rows(value: Any, _state: dict[str, Any]) -> None:
    if isinstance(value, np.ndarray) and value.dtype.kind in "SVMmc":
        raise ValueError("rows that were kept are neither numbers nor objects of the user's")
    if isinstance(value, np.ndarray) and value.dtype.kind == "f" and not np.isfinite(value).all():
        raise ValueError("rows that were kept are not finite")


def _categorical(value: Any, state: dict[str, Any]) -> None:
    """Which columns are categorical, and their categories (None of those that are not): one entry per column."""
    width = state.get("n_features_in_")
    if value is not None and (not isinstance(value, np.ndarray) or value.dtype != np.bool_ or value.shape != (width,)):
        raise ValueError("is_categorical_ must be one truth value per column")
    categories = state.get("categories_")
    if (categories is None) != (value is None) or (categories is not None and len(categories) != width):
        raise ValueError("categories_ must have one entry per column")
    if categories is not None and not all(one is None or hasattr(one, "__len__") for one in categories):
        raise ValueError("categories_ must be lists of categories, or None")


def _log_prior(value: Any, _state: dict[str, Any]) -> None:
    if not isinstance(value, np.ndarray) or value.dtype.kind != "f" or not (value < _LARGEST_LOG).all():
        raise ValueError("class_log_prior_ must be logarithms of probabilities")


def _threads(value: Any, _state: dict[str, Any]) -> None:
    if value is not None and (isinstance(value, bool) or not isinstance(value, Integral) or value == 0):
        raise ValueError(f"n_jobs must be None or a whole number other than 0, got {value!r}")


RULES: dict[str, Callable[[Any, dict[str, Any]], None]] = {
    "n_features_in_": _width,
    "feature_names_in_": _names,
    "classes_": _classes,
    "coef_": _coefficients,
    "intercept_": _intercepts,
    "is_categorical_": _categorical,
    "X_fit_": _kept_rows,
    "components_": _kept_rows,
    "cluster_centers_": _kept_rows,
    "rows_": _kept_rows,
    "n_jobs": _threads,
    "class_log_prior_": _log_prior,
}
