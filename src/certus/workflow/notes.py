"""What a study notes on its way: sentences that know which of their words are parameters."""

from __future__ import annotations

from collections.abc import Sequence


class Note(str):
    """A sentence for the user.

    Parameters
    ----------
    text : str
        The sentence. Parameters are named as in Python.
    options : sequence of str, default=()
        Which words of it are parameters: the command line shows them as its options.
    """

    __slots__ = ("options",)
    options: tuple[str, ...]

    def __new__(cls, text: str, options: Sequence[str] = ()) -> Note:
        note = super().__new__(cls, text)
        note.options = tuple(options)
        return note
