"""The letters by which parameters of a hidden Markov model are named."""

from __future__ import annotations

from typing import Any


class Letters:
    """A rule for ``params`` and ``init_params``: a string of some letters."""

    def __init__(self, known: str) -> None:
        self.known = known

    def allows(self, value: Any) -> bool:
        return isinstance(value, str) and not set(value) - set(self.known)

    def __str__(self) -> str:
        return f"a str of letters among {self.known!r}"
