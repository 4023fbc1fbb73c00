"""Registered classes that exist only for these tests."""

from __future__ import annotations

from typing import Any

from sklearn.base import BaseEstimator

from certus.base import register_part


@register_part("bayes")
class Holder(BaseEstimator):
    """An estimator with one parameter and one fitted attribute of any kind."""

    _state = ("value_",)

    def __init__(self, value: Any = None) -> None:
        self.value = value

    def _restored(self) -> None:
        value = getattr(self, "value_", None)
        if isinstance(value, str) and value == "inconsistent":
            raise ValueError("value_ is inconsistent")


@register_part("bayes")
class Component:
    """A fitted component without parameters, made of its slots."""

    __slots__ = ("left", "right")
    _state = ("left", "right")

    def __init__(self, left: Any, right: Any) -> None:
        self.left, self.right = left, right


@register_part("bayes")
class RowKeeper(BaseEstimator):
    """An estimator whose state contains training rows."""

    _state = ("rows_",)
    _keeps_training_rows = True


def holding(value: Any) -> Holder:
    """A holder with the value both as parameter and as fitted state."""
    holder = Holder(value)
    holder.value_ = value
    return holder
