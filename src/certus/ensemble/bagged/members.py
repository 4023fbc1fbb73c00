"""Fitting the members of a bagged ensemble, in this process or another."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from certus.base import Table


def set_seeds(learner: BaseEstimator, seed: int) -> Any:
    """Give every ``random_state`` among the parameters its own draw from the seed."""
    random = np.random.RandomState(seed)
    names = [name for name in sorted(learner.get_params(deep=True)) if name.split("__")[-1] == "random_state"]
    return learner.set_params(**{name: int(random.randint(np.iinfo(np.int32).max)) for name in names})


def fit_members(
    members: list[Any],
    X: Table,
    y: NDArray[Any],
    rows: list[NDArray[Any]],
    columns: list[NDArray[np.int64]],
    *,
    by_weight: bool,
    parameters: dict[str, Any],
) -> list[Any]:
    """Fit each member to its rows and columns; as weights if it takes them, else as rows of their own."""
    for member, drawn, own in zip(members, rows, columns, strict=True):
        every = len(own) == X.shape[1] and (own == np.arange(X.shape[1])).all()
        table = X if every else X[:, own]
        if not every:
            _rename_categorical(member, own, X.shape[1])
        options = dict(parameters)
        if by_weight:
            options["sample_weight"] = np.bincount(drawn, minlength=X.shape[0]).astype(np.float64)
            member.fit(table, y, **options)
        else:
            per_row = {name: value for name, value in options.items() if _one_per_row(value, X.shape[0])}
            options.update({name: np.asarray(value)[drawn] for name, value in per_row.items()})
            member.fit(table[drawn], y[drawn], **options)
    return members


def _rename_categorical(member: BaseEstimator, own: NDArray[np.int64], columns: int) -> None:
    """Tell a member that sees some columns which of them are categorical, if that was said by numbers or a mask."""
    chosen = member.get_params(deep=False).get("categorical_features")
    if chosen is None or np.asarray(chosen).dtype.kind not in "ib":
        return
    mask = np.zeros(columns, dtype=bool)
    mask[np.asarray(chosen)] = True
    member.set_params(categorical_features=mask[own])


def _one_per_row(value: Any, rows: int) -> bool:
    return hasattr(value, "__len__") and not isinstance(value, str | dict) and len(value) == rows
