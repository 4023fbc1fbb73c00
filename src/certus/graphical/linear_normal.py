"""The distribution of a continuous node given its parents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LinearNormal:
    """Normal with a mean that is linear in the continuous parents.

    ``N(intercept[u] + coefficients[u] @ x, variance[u])`` with the states ``u`` of the discrete parents and the values
    ``x`` of the continuous ones, each in the order in which the network names them.

    Parameters
    ----------
    intercept : array-like
        An axis per discrete parent; a number if there is none, or if it is the same for all their states.
    coefficients : array-like, default=()
        The same with a last axis over the continuous parents.
    variance : array-like, default=1.0
        Larger than 0, with the axes of ``intercept``.

    Examples
    --------
    >>> from certus.graphical import LinearNormal
    >>> LinearNormal(1.5, [0.5], 2.0).variance
    2.0
    """

    intercept: Any
    coefficients: Any = ()
    variance: Any = 1.0

    def spread(self, name: str, cards: Sequence[int], continuous: int) -> LinearNormal:
        """The same with all axes written out, checked.

        Parameters
        ----------
        name : str
            Of the node, for messages.
        cards : sequence of int
            States of its discrete parents.
        continuous : int
            How many continuous parents it has.
        """
        shape = tuple(cards)
        found = LinearNormal(
            _spread(name, "intercept", self.intercept, shape),
            _spread(name, "coefficients", self.coefficients, (*shape, continuous)),
            _spread(name, "variance", self.variance, shape),
        )
        if not (found.variance > 0.0).all():
            raise ValueError(
                f"The variance of {name!r} must be larger than 0, got {float(found.variance.min())!r}.\n"
                "Hint: a node that follows from its parents without noise needs a small variance."
            )
        return found

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LinearNormal):
            return NotImplemented
        return all(
            np.array_equal(getattr(self, field), getattr(other, field))
            for field in ("intercept", "coefficients", "variance")
        )

    __hash__ = None  # type: ignore[assignment]


def _spread(name: str, what: str, given: Any, shape: tuple[int, ...]) -> Floats:
    try:
        found = np.array(given, dtype=np.float64)
        spread = np.array(np.broadcast_to(found, shape))
    except (TypeError, ValueError):
        raise ValueError(
            f"The {what} of {name!r} must be numbers of shape {shape}, got {np.shape(given)}.\n"
            "Hint: an axis per discrete parent in their order; coefficients have the continuous parents last."
        ) from None
    if what == "coefficients" and (found.shape[-1:] or (0,)) != shape[-1:]:
        raise ValueError(f"The coefficients of {name!r} must be {shape[-1]} per configuration, got {found.shape}.")
    if not np.isfinite(spread).all():
        raise ValueError(f"The {what} of {name!r} must be finite, got {float(spread[~np.isfinite(spread)][0])!r}.")
    spread.flags.writeable = False
    return spread
