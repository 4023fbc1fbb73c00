"""What a check of axioms says, and contradictions to those of a metric in a table of distances."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

ROUNDING = 1e-9  # what a distance may be wrong by, relative to the numbers that are compared


@dataclass(frozen=True)
class AxiomCheck:
    """What a check found: the first axiom that fails and the rows or vectors that show it.

    Attributes
    ----------
    holds : bool
        Whether no contradiction was found.
    axiom : str or None
        The axiom that fails.
    witness : tuple
        What contradicts it: numbers of rows, or the elements, scalars and vectors themselves.
    reason : str
        The contradiction in numbers.
    """

    holds: bool
    axiom: str | None = None
    witness: tuple[Any, ...] = ()
    reason: str = ""

    def __bool__(self) -> bool:
        return self.holds


def first_contradiction(*found: AxiomCheck | None) -> AxiomCheck:
    """The first contradiction, if there is one."""
    return next((check for check in found if check is not None), AxiomCheck(True))


def signs(table: Floats, chosen: NDArray[np.intp]) -> AxiomCheck | None:
    """Two rows at a negative distance, if there are any."""
    wrong = ~(table >= 0)
    if not wrong.any():
        return None
    x, y = np.unravel_index(int(np.argmax(wrong)), table.shape)
    return AxiomCheck(False, "nonnegativity", (int(chosen[x]), int(chosen[y])), f"d(x, y) = {table[x, y]:.10g}")


def symmetry(table: Floats, chosen: NDArray[np.intp]) -> AxiomCheck | None:
    """Two rows whose distance depends on their order, if there are any."""
    wrong = ~(np.abs(table - table.T) <= ROUNDING * np.maximum(np.abs(table), np.abs(table.T)))
    if not wrong.any():
        return None
    x, y = np.unravel_index(int(np.argmax(wrong)), table.shape)
    reason = f"{table[x, y]:.10g} one way, {table[y, x]:.10g} the other"
    return AxiomCheck(False, "symmetry", (int(chosen[x]), int(chosen[y])), reason)


def triangle(table: Floats, chosen: NDArray[np.intp], triples: int, rng: np.random.Generator) -> AxiomCheck | None:
    """Three rows with a detour shorter than the direct way, among all triples or as many drawn ones as asked for."""
    count = len(table)
    if count**3 <= max(triples, 30**3):
        x, y, z = (place.ravel() for place in np.indices((count, count, count)))
    else:
        x, y, z = rng.integers(0, count, size=(3, triples))
    straight, first, second = table[x, z], table[x, y], table[y, z]
    wrong = straight > (first + second) * (1 + ROUNDING)
    if not wrong.any():
        return None
    at = int(np.argmax(wrong))
    reason = f"{straight[at]:.10g} > {first[at]:.10g} + {second[at]:.10g}"
    return AxiomCheck(False, "triangle", (int(chosen[x[at]]), int(chosen[y[at]]), int(chosen[z[at]])), reason)
