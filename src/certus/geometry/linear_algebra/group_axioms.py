"""The axioms of a group on a finite set, tried exhaustively."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any

import numpy as np

from certus.geometry.metrics.axiom_checks import AxiomCheck


def check_group(
    elements: Iterable[Hashable], operation: Callable[[Any, Any], Any], *, commutative: bool = False
) -> AxiomCheck:
    """Whether a finite set with an operation is a group: all products are looked at, so that the answer is a proof.

    Parameters
    ----------
    elements : iterable of hashable
        The elements, each once; at most 500.
    operation : callable
        The product of two elements.
    commutative : bool, default=False
        Whether ab = ba is asked for too.

    Returns
    -------
    AxiomCheck
        ``axiom`` is ``'closure'`` (ab is no element), ``'associativity'``, ``'identity'`` (there is none: no witness),
        ``'inverse'`` (of which element), ``'commutativity'`` or None; ``witness`` holds the elements.

    Examples
    --------
    >>> from certus.geometry import check_group
    >>> check_group(range(4), lambda a, b: (a + b) % 4).holds
    True
    >>> check_group(range(4), lambda a, b: (a * b) % 4)
    AxiomCheck(holds=False, axiom='inverse', witness=(0,), reason='no element times 0 gives 1')
    """
    names = list(elements)
    places = {name: place for place, name in enumerate(names)}
    if not 1 <= len(names) <= 500 or len(places) < len(names):
        raise ValueError(f"elements must be 1 to 500 different ones, got {len(names)}, of which {len(places)} differ.")
    table = np.empty((len(names), len(names)), dtype=np.intp)
    for i, a in enumerate(names):
        for j, b in enumerate(names):
            product = operation(a, b)
            if product not in places:
                return AxiomCheck(False, "closure", (a, b), f"{a!r} times {b!r} is {product!r}, which is no element")
            table[i, j] = places[product]
    return _of_table(table, names, commutative)


def _of_table(table: np.ndarray, names: list[Any], commutative: bool) -> AxiomCheck:
    numbers = np.arange(len(names))
    for i, a in enumerate(names):  # (a b) c and a (b c) for all b and c
        wrong = table[table[i]] != table[i][table]
        if wrong.any():
            b, c = (names[int(place)] for place in np.argwhere(wrong)[0])
            return AxiomCheck(False, "associativity", (a, b, c), f"({a!r} {b!r}) {c!r} is not {a!r} ({b!r} {c!r})")
    neutral = [i for i in numbers if (table[i] == numbers).all() and (table[:, i] == numbers).all()]
    if not neutral:
        return AxiomCheck(False, "identity", (), "no element leaves all others as they are")
    unit = table == neutral[0]
    lonely = np.flatnonzero(~(unit & unit.T).any(axis=1))
    if lonely.size:
        a = names[int(lonely[0])]
        return AxiomCheck(False, "inverse", (a,), f"no element times {a!r} gives {names[neutral[0]]!r}")
    if commutative and (table != table.T).any():
        a, b = (names[int(place)] for place in np.argwhere(table != table.T)[0])
        return AxiomCheck(False, "commutativity", (a, b), f"{a!r} {b!r} is not {b!r} {a!r}")
    return AxiomCheck(True)
