"""Ensembles are sequences of their members, as in scikit-learn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any


class MemberSequence:
    """``len``, indices and iteration over ``estimators_``."""

    estimators_: Sequence[Any]

    def __len__(self) -> int:
        return len(self.estimators_)

    def __getitem__(self, number: int) -> Any:
        return self.estimators_[number]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.estimators_)
