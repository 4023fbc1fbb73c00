"""Directions of two tables that belong together, by singular values instead of alternating steps.

Tables are centered, and rows are multiplied by the roots of their weights, so that plain products are weighted sums.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import linalg
from scipy.linalg import blas

Floats = NDArray[np.float64]
RANK = 1e-10  # singular values below this share of the largest are rounding
LEFT = 1e-13  # share of the covariance of two tables below which nothing of it is left


@dataclass(frozen=True)
class PairedDirections:
    """Weights, scores and loadings of two tables, a column per pair; pairs that were not found are 0.

    Scores are X times the rotations; the weights of a pair apply to what the pairs before it left of the table.
    """

    x_weights: Floats
    y_weights: Floats
    x_rotations: Floats
    y_rotations: Floats
    x_scores: Floats
    y_scores: Floats
    x_loadings: Floats
    y_loadings: Floats
    found: int


def leading_pair(covariance: Floats) -> tuple[Floats, Floats, float]:
    """The unit vectors with the largest product u' C v, u's entry of largest magnitude positive."""
    flipped = covariance.shape[0] < covariance.shape[1]
    tall = covariance.T if flipped else covariance
    if tall.shape[1] == 1:
        length = float(np.linalg.norm(tall))
        left, right = tall[:, 0] / (length or 1.0), np.ones(1)
    else:
        # The smaller side's eigenvector starts the pair; one product more gives it all its digits.
        _, vectors = np.linalg.eigh(tall.T @ tall)
        left = tall @ vectors[:, -1]
        left /= np.linalg.norm(left) or 1.0
        right = tall.T @ left
        right /= np.linalg.norm(right) or 1.0
        left = tall @ right
        length = float(np.linalg.norm(left))
        left /= length or 1.0
    left, right = (right, left) if flipped else (left, right)
    sign = -1.0 if left[np.abs(left).argmax()] < 0.0 else 1.0
    return sign * left, sign * right, length


def deflated_pairs(X: Floats, Y: Floats, count: int, *, canonical: bool) -> PairedDirections:
    """Pairs of largest covariance, one after the other; both tables are overwritten.

    After each pair X loses what its scores explain of it; Y what those scores explain, or if ``canonical`` its own.
    """
    (rows, width), targets = X.shape, Y.shape[1]
    parts = {name: np.zeros((size, count)) for name, size in (("xw", width), ("yw", targets), ("xl", width))}
    parts |= {"yl": np.zeros((targets, count)), "xs": np.zeros((rows, count)), "ys": np.zeros((rows, count))}
    start = float(np.linalg.norm(X)) * float(np.linalg.norm(Y))
    found = 0
    while found < count:
        w, v, strength = leading_pair(X.T @ Y)
        if strength <= LEFT * start:
            break
        t = X @ w
        u = Y @ v
        p = X.T @ t / (t @ t)
        if canonical:
            q = Y.T @ u / (u @ u)
        else:
            q = Y.T @ t / (t @ t)
            v = q  # the scale in which targets follow from the scores, as with scikit-learn
            u = Y @ v / (v @ v)
        _subtract(X, t, p)
        _subtract(Y, u if canonical else t, q)
        for name, column in zip(("xw", "yw", "xl", "yl", "xs", "ys"), (w, v, p, q, t, u), strict=True):
            parts[name][:, found] = column
        found += 1
    xr = parts["xw"] @ linalg.pinv(parts["xl"].T @ parts["xw"])
    yr = parts["yw"] @ linalg.pinv(parts["yl"].T @ parts["yw"])
    scores, loadings = (parts["xs"], parts["ys"]), (parts["xl"], parts["yl"])
    return PairedDirections(parts["xw"], parts["yw"], xr, yr, *scores, *loadings, found)


def _subtract(table: Floats, scores: Floats, loadings: Floats) -> None:
    """Table - scores loadings', in place."""
    blas.dger(-1.0, loadings, scores, a=table.T, overwrite_a=1)


def correlated_pairs(X: Floats, Y: Floats, count: int, tau: float, total: float) -> tuple[PairedDirections, Floats]:
    """Pairs of largest correlation, all at once, and these correlations.

    With M_x = (1 - tau) C_xx + tau I and the same for Y, maximizes w' C_xy v with w' M_x w = v' M_y v = 1.
    """
    (x_base, x_left), (y_base, y_left) = _whitened(X, tau, total), _whitened(Y, tau, total)
    left, values, right = linalg.svd(x_left.T @ y_left, full_matrices=False, check_finite=False)
    _settle_ties(values, left, right, x_left.T @ X)
    found = min(count, len(values))
    x_raw, y_raw = x_base @ left[:, :found], y_base @ right[:found].T
    if tau == 0.0:  # weights of a pair apply to what the earlier ones left: no part of earlier rotations
        x_weights, y_weights = _successive(x_raw), _successive(y_raw)
    else:
        x_weights, y_weights = (raw / np.linalg.norm(raw, axis=0) for raw in (x_raw, y_raw))
    largest = x_weights[np.abs(x_weights).argmax(axis=0), np.arange(found)]
    signs = np.where(largest < 0.0, -1.0, 1.0)
    parts = []
    for table, weights, raw in ((X, x_weights * signs, x_raw), (Y, y_weights * signs, y_raw)):
        rotations = raw * ((weights * raw).sum(axis=0) / (raw * raw).sum(axis=0)) if tau else _scaled_to(raw, weights)
        scores = table @ rotations
        loadings = linalg.lstsq(scores, table, check_finite=False)[0].T
        parts.append([_padded(part, count) for part in (weights, rotations, scores, loadings)])
    (xw, xr, xs, xl), (yw, yr, ys, yl) = parts
    correlations = _padded(np.minimum(values[None, :found], 1.0), count)[0]
    return PairedDirections(xw, yw, xr, yr, xs, ys, xl, yl, found), correlations


def _settle_ties(values: Floats, left: Floats, right: Floats, seen: Floats) -> None:
    """Of equally correlated pairs, first the one whose score explains most of X; in place."""
    ends = [*np.flatnonzero(np.diff(values) < -1e-9) + 1, len(values)]
    for first, last in zip([0, *ends], ends, strict=False):
        if last - first > 1:
            turn = linalg.svd(left[:, first:last].T @ seen, full_matrices=False)[0]
            left[:, first:last] = left[:, first:last] @ turn
            right[first:last] = turn.T @ right[first:last]


def _whitened(table: Floats, tau: float, total: float) -> tuple[Floats, Floats]:
    """B with B' M B = I on the table's row space times the weight of all rows, and the table times B."""
    left, values, right = linalg.svd(table, full_matrices=False, check_finite=False)
    kept = values > RANK * values.max(initial=0.0)
    values, scale = values[kept], np.sqrt((1.0 - tau) * values[kept] ** 2 + tau * total)
    return right[kept].T / scale, left[:, kept] * (values / scale)


def _successive(rotations: Floats) -> Floats:
    """Each rotation without its part along earlier ones, with length 1."""
    basis, triangle = np.linalg.qr(rotations)
    return basis * np.where(np.diag(triangle) < 0.0, -1.0, 1.0)


def _scaled_to(rotations: Floats, weights: Floats) -> Floats:
    """Rotations in the length in which they are the weights plus a part along earlier rotations."""
    own = (weights * rotations).sum(axis=0)
    return rotations / own


def _padded(part: Floats, count: int) -> Floats:
    return np.hstack([part, np.zeros((len(part), count - part.shape[1]))])


def explained_shares(table: Floats, scores: Floats) -> Floats:
    """The share of the squares of a centered table that each score explains beyond those before it."""
    whole = float((table**2).sum())
    used = (scores**2).sum(axis=0) > 0.0
    found = np.zeros(scores.shape[1])
    if whole > 0.0 and used.any():
        basis = np.linalg.qr(scores[:, used])[0]
        found[used] = ((basis.T @ table) ** 2).sum(axis=1) / whole
    return found
