"""Entropy and its kin, of finite distributions. In bits unless another ``base`` is asked for."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.special import entr, rel_entr

from certus.distributions.factor import Factor
from certus.distributions.probability_input import Floats, probabilities


def entropy(p: Any, base: float = 2) -> float:
    """``H(p) = -sum p log p``: the mean length of the best code, with 0 log 0 = 0.

    Parameters
    ----------
    p : array-like or Factor
        Probabilities, of any shape.
    base : float, default=2
        Base of the logarithm: 2 gives bits, ``math.e`` nats.

    Examples
    --------
    >>> from certus.distributions import entropy
    >>> entropy([0.5, 0.25, 0.25])
    1.5
    """
    return float(entr(_given(p, "p")).sum()) / _log_base(base)


def cross_entropy(p: Any, q: Any, base: float = 2) -> float:
    """``H(p; q) = -sum p log q``: the mean length under p of the code that is best for q.

    It is the expected log loss of predicting q when p is true, infinite if q excludes what p allows.
    """
    p, q = _pair(p, q)
    seen = p > 0
    with np.errstate(divide="ignore"):
        return float(-(p[seen] * np.log(q[seen])).sum() + 0.0) / _log_base(base)


def kl_divergence(p: Any, q: Any, base: float = 2) -> float:
    """``KL(p || q) = sum p log(p / q) = H(p; q) - H(p) >= 0``: what coding p by q's code costs in addition.

    Zero only for p = q, not symmetric, infinite if q excludes what p allows.

    Examples
    --------
    >>> import math
    >>> from certus.distributions import kl_divergence
    >>> round(kl_divergence([0.3, 0.7], [0.45, 0.55], base=math.e), 7)
    0.0471739
    """
    p, q = _pair(p, q)
    return max(float(rel_entr(p, q).sum()), 0.0) / _log_base(base)


def conditional_entropy(joint: Any, base: float = 2) -> float:
    """``H(W | V) = -sum_v P(v) sum_w P(w | v) log P(w | v)`` of a table with V as first and W as second axis."""
    table = _table(joint)
    return max(float(entr(table).sum() - entr(table.sum(axis=1)).sum()), 0.0) / _log_base(base)


def mutual_information(joint: Any, base: float = 2) -> float:
    """``I(V; W) = H(W) - H(W | V) = KL(P(v, w) || P(v) P(w))`` of a table: what one variable tells of the other.

    The information gain of a split of a decision tree is this quantity, for labels and the attribute.
    """
    table = _table(joint)
    apart = table.sum(axis=1, keepdims=True) * table.sum(axis=0, keepdims=True)
    return max(float(rel_entr(table, apart).sum()), 0.0) / _log_base(base)


def _given(p: Any, name: str) -> Floats:
    return probabilities(p.values if isinstance(p, Factor) else p, name)


def _pair(p: Any, q: Any) -> tuple[Floats, Floats]:
    if isinstance(p, Factor) and isinstance(q, Factor):
        q = q.aligned(p)
    first, second = _given(p, "p"), _given(q, "q")
    if first.shape != second.shape:
        raise ValueError(f"p and q must have the same shape, got {first.shape} and {second.shape}.")
    return first, second


def _table(joint: Any) -> Floats:
    table = _given(joint, "joint")
    if table.ndim != 2:
        raise ValueError(
            f"joint must be a table with two axes, got {table.ndim}.\n"
            "Hint: of a Factor with more variables take marginal(a, b) first."
        )
    return table


def _log_base(base: float) -> float:
    if not base > 1 or not math.isfinite(base):
        raise ValueError(f"base must be a number above 1, got {base!r}.")
    return math.log(base)
