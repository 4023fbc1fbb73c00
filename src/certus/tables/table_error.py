"""The one error for tables that cannot be used, and for questions to them that cannot be answered."""

from __future__ import annotations

from collections.abc import Sequence


class TableError(ValueError):
    """What the user can fix, with a hint how.

    Parameters
    ----------
    message : str
        What is wrong. Parameters are named as in Python.
    options : sequence of str, default=()
        Which words of the message are parameters: the command line shows them as its options.
    """

    def __init__(self, message: str, options: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.options = tuple(options)
