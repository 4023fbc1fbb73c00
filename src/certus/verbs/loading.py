"""Read a model from a file."""

from __future__ import annotations

from os import PathLike
from typing import Any

from certus.base import persistence


def load(path: str | PathLike[str]) -> Any:
    """Read a model that `certus.save` wrote.

    Safe for files from anywhere: nothing in a file is executed, only known classes are built, and sizes are
    checked before memory is taken.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    learner or Pipeline
        Equal to the one that was saved, with its ``report_``.

    Raises
    ------
    CertusFileError
        The file is damaged, was changed, or was not written by Certus.
    """
    return persistence.load(path)
