"""The axioms of vector spaces and subspaces, tried on samples: a failure names the vectors."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from certus.geometry.linear_algebra.matrix_inputs import Floats, check_matrix
from certus.geometry.linear_algebra.trial_vectors import SCALARS, differ, shown, small_grid, trial_vectors
from certus.geometry.metrics.axiom_checks import AxiomCheck

Add = Callable[[Any, Any], Any]
Scale = Callable[[float, Any], Any]


def check_vector_space(
    add: Add, scale: Scale, dimension: int, *, modulus: int | None = None, tries: int = 50, seed: int = 0
) -> AxiomCheck:
    """Try to contradict the axioms of a vector space, for an addition and a product with scalars.

    They are u + v = v + u; (u + v) + w = u + (v + w); v + 0v = v; 1v = v; v + (-1)v = 0v; k(u + v) = ku + kv;
    (k + l)v = kv + lv; (kl)v = k(lv).

    Parameters
    ----------
    add : callable
        The sum of two vectors.
    scale : callable
        The product of a scalar and a vector, in this order.
    dimension : int
        Number of entries of the vectors that are tried.
    modulus : int, default=None
        A prime p for the field of the numbers modulo p, such as 2 for bits: entries and scalars are then 0 to p - 1.
        Without it they are real numbers.
    tries : int, default=50
        How many vectors are drawn; small spaces over a finite field are tried whole.
    seed : int, default=0
        Seed of the draws.

    Returns
    -------
    AxiomCheck
        ``axiom`` is ``'commutativity'``, ``'associativity'``, ``'zero'``, ``'unit'``, ``'inverse'``,
        ``'vector distributivity'``, ``'scalar distributivity'``, ``'scalar associativity'`` or None; ``witness`` the
        scalars and vectors.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.geometry import check_vector_space
    >>> check_vector_space(np.add, np.multiply, 3).holds
    True
    >>> check_vector_space(np.bitwise_xor, np.bitwise_and, 3, modulus=2).holds
    True
    >>> check_vector_space(np.add, lambda k, v: k * v * [1, 0], 2).axiom
    'unit'
    """
    vectors, scalars = _samples(dimension, modulus, tries, seed)
    minus_one = -1 if modulus is None else modulus - 1

    def field(value: float) -> Any:
        return value if modulus is None else int(value) % modulus

    for u, v, w in _triples(vectors):
        zero, together = scale(0, v), add(u, v)
        laws = [
            ("commutativity", (u, v), together, add(v, u)),
            ("associativity", (u, v, w), add(together, w), add(u, add(v, w))),
            ("zero", (v,), add(v, zero), v),
            ("unit", (v,), scale(1, v), v),
            ("inverse", (v,), add(v, scale(minus_one, v)), zero),
        ]
        for k, j in itertools.product(scalars, repeat=2):
            one, other = scale(k, v), scale(j, v)
            laws += [
                ("vector distributivity", (k, u, v), scale(k, together), add(scale(k, u), one)),
                ("scalar distributivity", (k, j, v), scale(field(k + j), v), add(one, other)),
                ("scalar associativity", (k, j, v), scale(field(k * j), v), scale(k, other)),
            ]
        for axiom, witness, left, right in laws:
            if differ(left, right, u, v, w, together):
                return AxiomCheck(False, axiom, witness, f"{shown(left)} on one side, {shown(right)} on the other")
    return AxiomCheck(True)


def is_subspace(
    contains: Callable[[Floats], bool], dimension: int, *, members: Any = None, tries: int = 2000, seed: int = 0
) -> AxiomCheck:
    """Try to contradict that a set of vectors is a subspace: zero, all sums and all multiples of members are in it.

    Parameters
    ----------
    contains : callable
        Whether a vector is in the set.
    dimension : int
        Number of entries of the vectors.
    members : array-like of shape (n, dimension), default=None
        Vectors of the set, as rows. Without them they are looked for among vectors with entries -2, -1, 0, 1 and 2.
    tries : int, default=2000
        How many vectors, sums and multiples are tried.
    seed : int, default=0
        Seed of the draws.

    Returns
    -------
    AxiomCheck
        ``axiom`` is ``'zero'``, ``'addition'``, ``'multiples'`` or None; ``witness`` the vectors, after the
        scalar if there is one.

    Examples
    --------
    >>> from certus.geometry import is_subspace
    >>> is_subspace(lambda v: v[0] + v[1] == 0, 2).holds
    True
    >>> is_subspace(lambda v: v[0] >= 0, 2).axiom
    'multiples'
    """
    if not contains(np.zeros(dimension)):
        return AxiomCheck(False, "zero", (np.zeros(dimension),), "the vector of zeros is not in the set")
    if members is None:
        inside = [vector for vector in small_grid(dimension, range(-2, 3), tries, seed) if contains(vector)]
    else:
        inside = list(check_matrix(members, "members"))
        for number, vector in enumerate(inside):
            if vector.size != dimension or not contains(vector):
                raise ValueError(f"members must be vectors of the set, got row {number}, {shown(vector)}.")
    for k, vector in itertools.islice(itertools.product(SCALARS, inside), tries * len(SCALARS)):
        if not contains(k * vector):
            return AxiomCheck(False, "multiples", (k, vector), f"{k:g} {shown(vector)} is not in the set")
    rng = np.random.default_rng(seed)
    for i, j in _index_pairs(len(inside), tries, rng):
        if not contains(inside[i] + inside[j]):
            reason = f"{shown(inside[i])} + {shown(inside[j])} is not in the set"
            return AxiomCheck(False, "addition", (inside[i], inside[j]), reason)
    return AxiomCheck(True)


def _samples(dimension: int, modulus: int | None, tries: int, seed: int) -> tuple[list[Any], tuple[Any, ...]]:
    if modulus is None:
        return trial_vectors(dimension, tries, seed), SCALARS
    if (
        not isinstance(modulus, int)
        or modulus < 2
        or any(modulus % divisor == 0 for divisor in range(2, int(modulus**0.5) + 1))
    ):
        raise ValueError(
            f"modulus must be a prime, got {modulus!r}.\n"
            "Hint: modulo other numbers not every scalar has an inverse, so that they are no field."
        )
    grid = small_grid(dimension, range(modulus), tries, seed)
    return [vector.astype(np.int64) for vector in grid], tuple(range(min(modulus, 7)))


def _triples(vectors: list[Any]) -> list[tuple[Any, Any, Any]]:
    """All triples of the first vectors, and every vector with the next two."""
    neighbors = zip(vectors, vectors[1:] + vectors[:1], vectors[2:] + vectors[:2], strict=False)
    return [*itertools.product(vectors[:6], repeat=3), *neighbors]


def _index_pairs(count: int, tries: int, rng: np.random.Generator) -> Any:
    if count * count <= tries:
        return itertools.product(range(count), repeat=2)
    return rng.integers(0, count, size=(tries, 2)).tolist()
