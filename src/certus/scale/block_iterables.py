"""`blocks`: any iterable of pieces as a table."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from certus.base.blocks import BlockTable
from certus.scale.sources.iterable_source import IterableSource


def blocks(iterable: Iterable[Any] | Callable[[], Iterable[Any]]) -> BlockTable:
    """A table from pieces that follow each other: no cluster, and never more than one piece in memory.

    Parameters
    ----------
    iterable : iterable or callable
        Gives data frames, arrays, sparse matrices, or pairs ``(X, y)`` and triples ``(X, y, weights)`` of them. A
        generator can be read once, which suffices learners of one pass; for the others pass a list, an object that can
        be iterated again, or a function that returns a new iterator.

    Returns
    -------
    BlockTable
        Its ``xy("y")`` names the target's column; ``xy()`` is for pairs.

    Examples
    --------
    >>> import numpy as np, certus
    >>> from certus.bayes import GaussianNB
    >>> def pieces():
    ...     for k in range(3):
    ...         yield np.array([[-1.0 - k], [1.0 + k]]), np.array(["low", "high"])
    >>> model = GaussianNB().fit(*certus.scale.blocks(pieces()).xy())
    >>> model.class_count_.tolist(), model.predict([[0.7]]).tolist()
    ([3.0, 3.0], ['high'])
    """
    return BlockTable(IterableSource(iterable))
