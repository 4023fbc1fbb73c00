"""How far a quantile regression can be from the best one.

With r = y - X w - b, weights s, the pinball loss of the quantile q and the penalty A |w|_1,

    min P >= u'y     for every u with  -(1 - q) s_i <= u_i <= q s_i,   |X'u|_j <= A,   sum u = 0

(the last only with an intercept). The linear program's multipliers are such a u up to rounding; they are clipped,
balanced and shrunk until they are (without a penalty replaced by 0 if rounding is not all that is left). What rounding
leaves, |X'u| above A by h and sum u = g, costs h |w*|_1 + |g| |b*|, for which P bounds both: A |w*|_1 <= P, and b* lies
among the values of y - X w*. Without a penalty |w*|_1 has no such bound; then the claim assumes an optimum at most a
thousand times as large as the solution found (bounded-solution).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from certus.guarantees.training import DualValue, GapEvidence
from certus.linear.design.moments import gamma

Array = NDArray[np.float64]
LEFT = 1e-10  # share of its terms that a sum may have left and still count as 0 up to rounding
LARGER = 1000.0  # without a penalty: how much larger, in |w|_1, the solutions are that are compared with


def pinball(residual: Any, q: float) -> Any:
    """The loss of y - f."""
    return np.maximum(q * residual, (q - 1.0) * residual)


def feasible_dual(u: Array, X: Any, s: Array, q: float, strength: float, fit_intercept: bool) -> Array:
    """The multipliers, clipped to their box, balanced, and shrunk to the penalty's dual ball."""
    low, high = -(1.0 - q) * s, q * s
    u = np.clip(u, low, high)
    if fit_intercept:
        for _ in range(3):  # spread what is missing over the room that rows have
            excess = math.fsum(u)
            room = u - low if excess > 0.0 else high - u
            total = float(room.sum())
            if excess == 0.0 or total <= abs(excess):
                break
            u = np.clip(u - excess * room / total, low, high)
    products = np.abs(X.T @ u)
    if strength == 0.0:  # nothing can be shrunk to 0 but the point itself
        return u if (products <= LEFT * (np.abs(X).T @ np.abs(u))).all() else np.zeros_like(u)
    largest = float(products.max(initial=0.0))
    return u * (strength / largest) if strength < largest else u


def quantile_evidence(
    X: Any,
    y: Array,
    s: Array,
    w: Array,
    b: float,
    u: Array,
    *,
    q: float,
    strength: float,
    fit_intercept: bool,
    slip: float = 0.0,
) -> GapEvidence:
    """Evidence for the stored coefficients and a dual point from `feasible_dual`; ``slip`` bounds the error of b.

    Without a penalty the unit of a column does not matter: it is then its largest entry.
    """
    if strength == 0.0:
        units = _largest_entries(X)
        X, w = X / units if not sparse.issparse(X) else X @ sparse.diags_array(1.0 / units), w * units
    residual = y - X @ w - b
    objective = float(s @ pinball(residual, q)) + strength * float(np.abs(w).sum())
    largest = float(_largest_entries(X).max(initial=0.0))
    chain = gamma(len(y) + X.shape[1] + 16)
    mass = float(np.abs(u).sum())
    length = objective / strength if strength > 0.0 else LARGER * (float(np.abs(w).sum()) + 1.0)
    over = max(float(np.abs(X.T @ u).max(initial=0.0)) - strength, 0.0) + chain * mass * largest
    height = (float(np.abs(y).max(initial=0.0)) + largest * length) if fit_intercept else 0.0
    off = abs(math.fsum(u)) if fit_intercept else 0.0
    size = np.abs(y) + np.abs(X) @ np.abs(w) + abs(b) + slip / chain
    rounding = over * length + off * height + chain * (float(s @ size) + float(np.abs(u) @ np.abs(y)) + objective)
    constant = best_intercept(y, s, q) if fit_intercept else 0.0
    return GapEvidence(
        objective=objective * (1.0 + chain),
        objective_at_zero=float(s @ pinball(y - constant, q)),
        bound=DualValue(float(u @ y), float(rounding)),
    )


def _largest_entries(X: Any) -> Array:
    """Of every column; 1 for columns of zeros."""
    found = np.abs(X).max(axis=0)
    sizes = np.asarray(found.toarray() if sparse.issparse(found) else found, dtype=np.float64).ravel()
    return np.where(sizes > 0.0, sizes, 1.0)


def best_intercept(residual: Array, s: Array, q: float) -> float:
    """The quantile of given residuals; the middle where every value between two of them is one."""
    order = np.argsort(residual, kind="stable")
    reached = np.cumsum(s[order])
    wanted = q * reached[-1]
    slack = 1e-12 * reached[-1]
    low = min(int(np.searchsorted(reached, wanted - slack)), len(order) - 1)
    high = min(int(np.searchsorted(reached, wanted + slack)), len(order) - 1)
    return float(0.5 * (residual[order[low]] + residual[order[high]]))
