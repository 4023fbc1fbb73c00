"""Norms and inner products: contradictions to their axioms."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from certus.geometry.linear_algebra.definiteness import is_positive_semidefinite
from certus.geometry.linear_algebra.map_axioms import Form, check_bilinear
from certus.geometry.linear_algebra.matrix_inputs import Floats
from certus.geometry.linear_algebra.trial_vectors import SCALARS, differ, shown, trial_pairs, trial_vectors
from certus.geometry.metrics.axiom_checks import ROUNDING, AxiomCheck


def check_norm(norm: Callable[[Floats], float], dimension: int, *, tries: int = 200, seed: int = 0) -> AxiomCheck:
    """Try to contradict the axioms of a norm.

    They are |v| > 0 for all v but 0, whose norm is 0; |kv| = |k| |v|; |u + v| <= |u| + |v|. A norm gives a metric
    |u - v|, but not every metric comes from one: the discrete metric is not homogeneous.

    Parameters
    ----------
    norm : callable
        A function of a vector, with numbers as values.
    dimension : int
        Number of entries of the vectors.
    tries : int, default=200
        How many vectors are drawn, beside unit vectors.
    seed : int, default=0
        Seed of the draws.

    Returns
    -------
    AxiomCheck
        ``axiom`` is ``'positivity'``, ``'homogeneity'``, ``'triangle'`` or None; ``witness`` a vector, a scalar and a
        vector, or two vectors.

    Examples
    --------
    >>> from certus.geometry import check_norm
    >>> check_norm(lambda v: abs(v).max(), 3).holds
    True
    >>> found = check_norm(lambda v: float(v.any()), 2)  # the discrete metric's distance from 0
    >>> found.axiom, found.reason
    ('homogeneity', '|kv| = 1, |k| |v| = 2')
    """
    vectors = trial_vectors(dimension, tries, seed)
    for v in [np.zeros(dimension), *vectors]:
        size = float(norm(v))
        if not (size > 0 if v.any() else size == 0):
            return AxiomCheck(False, "positivity", (v,), f"|v| = {size:.10g} for v = {shown(v)}")
    for v in vectors:
        for k in SCALARS:
            scaled, multiple = float(norm(k * v)), abs(k) * float(norm(v))
            if differ(scaled, multiple):
                return AxiomCheck(False, "homogeneity", (k, v), f"|kv| = {scaled:.10g}, |k| |v| = {multiple:.10g}")
    for u, v in trial_pairs(vectors):
        both, one, other = float(norm(u + v)), float(norm(u)), float(norm(v))
        if both > (one + other) * (1 + ROUNDING):
            return AxiomCheck(False, "triangle", (u, v), f"{both:.10g} > {one:.10g} + {other:.10g}")
    return AxiomCheck(True)


def check_inner_product(form: Form, dimension: int, *, tries: int = 30, seed: int = 0) -> AxiomCheck:
    """Try to contradict the axioms of an inner product: symmetric, linear in each vector, <v, v> > 0 for v not 0.

    The last one needs no sample: a bilinear form is known from its values at pairs of unit vectors, and is positive
    exactly if their matrix is positive definite.

    Parameters
    ----------
    form : callable
        A function of two vectors, with numbers as values.
    dimension : int
        Number of entries of the vectors.
    tries : int, default=30
        How many vectors are drawn, beside unit vectors.
    seed : int, default=0
        Seed of the draws.

    Returns
    -------
    AxiomCheck
        ``axiom`` is one of `check_bilinear` or ``'positivity'``, whose ``witness`` is a vector v with <v, v> <= 0, to
        rounding.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.geometry import check_inner_product
    >>> check_inner_product(np.dot, 3).holds
    True
    >>> check_inner_product(lambda u, v: u[0] * v[0] - u[1] * v[1], 2).reason
    '<v, v> = -1 for v = [0, 1]'
    """
    found = check_bilinear(form, dimension, symmetric=True, tries=tries, seed=seed)
    if not found:
        return found
    units = np.eye(dimension)
    gram = np.array([[float(form(u, v)) for v in units] for u in units])
    sizes = np.diag(gram)
    if (sizes > 0).all():  # the lengths of the unit vectors do not matter
        scales = 1 / np.sqrt(sizes)
        answer = is_positive_semidefinite(scales[:, None] * gram * scales)
        if answer.definite:
            return AxiomCheck(True)
        witness = scales * np.linalg.eigh(scales[:, None] * gram * scales)[1][:, 0]
    else:
        witness = units[int(np.argmin(sizes))]
    value = float(form(witness, witness))
    return AxiomCheck(False, "positivity", (witness,), f"<v, v> = {value:.10g} for v = {shown(witness)}")
