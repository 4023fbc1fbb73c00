"""Linear and bilinear functions, tried on samples: a failure names the vectors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from certus.geometry.linear_algebra.matrix_inputs import Floats
from certus.geometry.linear_algebra.trial_vectors import SCALARS, differ, shown, trial_pairs, trial_vectors
from certus.geometry.metrics.axiom_checks import AxiomCheck, first_contradiction

Form = Callable[[Floats, Floats], Any]


def check_linear(function: Callable[[Floats], Any], dimension: int, *, tries: int = 100, seed: int = 0) -> AxiomCheck:
    """Try to contradict that a function is linear: f(u + v) = f(u) + f(v) and f(kv) = k f(v).

    Parameters
    ----------
    function : callable
        A function of a vector; its values are numbers or arrays.
    dimension : int
        Number of entries of the vectors.
    tries : int, default=100
        How many vectors are drawn, beside unit vectors.
    seed : int, default=0
        Seed of the draws.

    Returns
    -------
    AxiomCheck
        ``axiom`` is ``'additivity'``, ``'homogeneity'`` or None; ``witness`` two vectors, or a scalar and a vector.

    Examples
    --------
    >>> from certus.geometry import check_linear
    >>> check_linear(lambda v: [v[0] - v[1], 2 * v[1]], 2).holds
    True
    >>> check_linear(lambda v: v[0] + 1, 1).axiom
    'additivity'
    """
    vectors = [np.zeros(dimension), *trial_vectors(dimension, tries, seed)]
    return first_contradiction(linearity(function, vectors))


def check_bilinear(
    form: Form, dimension: int, *, symmetric: bool = False, tries: int = 30, seed: int = 0
) -> AxiomCheck:
    """Try to contradict that a function of two vectors is linear in each of them, and symmetric if asked for.

    Parameters
    ----------
    form : callable
        A function of two vectors.
    dimension : int
        Number of entries of the vectors.
    symmetric : bool, default=False
        Whether form(u, v) = form(v, u) is asked for too.
    tries : int, default=30
        How many vectors are drawn, beside unit vectors.
    seed : int, default=0
        Seed of the draws.

    Returns
    -------
    AxiomCheck
        ``axiom`` is ``'symmetry'``, ``'left additivity'``, ``'left homogeneity'``, ``'right additivity'``,
        ``'right homogeneity'`` or None. The last vector of ``witness`` is the one that stays.

    Examples
    --------
    >>> from certus.geometry import check_bilinear
    >>> check_bilinear(lambda u, v: u[0] * v[1], 2).holds
    True
    >>> check_bilinear(lambda u, v: u[0] * v[1], 2, symmetric=True).axiom
    'symmetry'
    """
    vectors = trial_vectors(dimension, tries, seed)
    if symmetric:
        for u, v in trial_pairs(vectors):
            one, other = form(u, v), form(v, u)
            if differ(one, other):
                return AxiomCheck(False, "symmetry", (u, v), f"{shown(one)} one way, {shown(other)} the other")
    for fixed in vectors[:: max(1, len(vectors) // 12)]:
        for side, function in (("left", _left(form, fixed)), ("right", _right(form, fixed))):
            found = linearity(function, vectors)
            if found is not None:
                return AxiomCheck(False, f"{side} {found.axiom}", (*found.witness, fixed), found.reason)
    return AxiomCheck(True)


def linearity(function: Callable[[Floats], Any], vectors: list[Floats]) -> AxiomCheck | None:
    """A contradiction to linearity among some vectors, if there is one."""
    for u, v in trial_pairs(vectors):
        one, other, both = function(u), function(v), function(u + v)
        together = np.add(one, other)
        if differ(both, together, one, other):
            return AxiomCheck(False, "additivity", (u, v), f"f(u + v) = {shown(both)}, f(u) + f(v) = {shown(together)}")
    for v in vectors:
        for k in SCALARS:
            scaled, multiple = function(k * v), np.multiply(k, function(v))
            if differ(scaled, multiple):
                return AxiomCheck(False, "homogeneity", (k, v), f"f(kv) = {shown(scaled)}, k f(v) = {shown(multiple)}")
    return None


def _left(form: Form, fixed: Floats) -> Callable[[Floats], Any]:
    return lambda u: form(u, fixed)


def _right(form: Form, fixed: Floats) -> Callable[[Floats], Any]:
    return lambda u: form(fixed, u)
