"""What applies to all of Certus in this process."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

_OFF = ("0", "false", "no", "off")


class Config:
    """Settings of this process: ``certus.config.training_rows = False``.

    Attributes
    ----------
    training_rows : bool
        Whether fitted learners remember hashes of their training rows (32 kB at most), by which `certus.certify` and
        its like recognize rows that were trained on. The environment variable ``CERTUS_TRAINING_ROWS=0``, which
        worker processes inherit, turns it off as well.

    Examples
    --------
    >>> import certus
    >>> with certus.config.using(training_rows=False):
    ...     certus.config.training_rows
    False
    >>> certus.config.training_rows
    True
    """

    __slots__ = ("_training_rows",)

    def __init__(self) -> None:
        self._training_rows = os.environ.get("CERTUS_TRAINING_ROWS", "1").strip().lower() not in _OFF

    @property
    def training_rows(self) -> bool:
        """Whether fitted learners remember hashes of their training rows."""
        return self._training_rows

    @training_rows.setter
    def training_rows(self, value: bool) -> None:
        if not isinstance(value, bool):
            raise ValueError(f"training_rows must be True or False, got {value!r}.")
        self._training_rows = value

    @contextlib.contextmanager
    def using(self, *, training_rows: bool) -> Iterator[None]:
        """Other settings for the body of a ``with`` statement."""
        before = self._training_rows
        self.training_rows = training_rows
        try:
            yield
        finally:
            self._training_rows = before

    def __repr__(self) -> str:
        return f"Config(training_rows={self._training_rows})"


config = Config()
