"""VC dimension and growth function of a finite class, by search over its table of signs."""

import math

import numpy as np
from numpy.typing import ArrayLike

from certus.guarantees.classes.growth_sums import sauer
from certus.guarantees.records.bound_arguments import check_count

MOST_POINTS = 26  # beyond it the number of sets of points to look at is out of reach


def vc_dimension(matrix: ArrayLike) -> int:
    """Size of the largest set of points that a finite class shatters.

    Parameters
    ----------
    matrix : array-like of shape (hypotheses, points)
        What each hypothesis says about each point; at most two different values.

    Returns
    -------
    int
        The largest m such that some m columns show all 2^m patterns; at most log2(hypotheses).

    Notes
    -----
    Every part of a shattered set is shattered, so only shattered sets are extended, by all further points at once.

    Examples
    --------
    >>> intervals = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [0, 1, 1], [1, 1, 1]]
    >>> vc_dimension(intervals)
    2
    """
    signs = _check_signs(matrix)
    return len(_deepest(signs, np.zeros(len(signs), dtype=np.int64), (), ()))


def shattered_sets(matrix: ArrayLike, size: int) -> list[tuple[int, ...]]:
    """All sets of `size` columns on which every pattern occurs.

    Examples
    --------
    >>> shattered_sets([[0, 0, 1], [0, 1, 1], [1, 0, 1], [1, 1, 1]], 2)
    [(0, 1)]
    """
    signs = _check_signs(matrix)
    wanted = check_count(size, "size")
    found: list[tuple[int, ...]] = []
    stack: list[tuple[tuple[int, ...], np.ndarray]] = [((), np.zeros(len(signs), dtype=np.int64))]
    while stack:
        columns, codes = stack.pop()
        if len(columns) == wanted:
            found.append(columns)
            continue
        for j in _extensions(signs, codes, columns):
            stack.append(((*columns, int(j)), 2 * codes + signs[:, j]))
    return sorted(found)


def growth_function(matrix: ArrayLike, largest: int | None = None) -> list[int]:
    """Largest number of patterns that a finite class shows on 1, 2, 3 ... points.

    Parameters
    ----------
    matrix : array-like of shape (hypotheses, points)
        What each hypothesis says about each point; at most two different values.
    largest : int, optional
        The largest number of points to answer for; all columns by default.

    Returns
    -------
    list of int
        Entry m - 1 is the growth function at m points.

    Notes
    -----
    A search over sets of points that leaves a branch when even doubling with every further point could not beat
    the best found, and stops at Sauer's bound.

    Examples
    --------
    >>> growth_function([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [0, 1, 1], [1, 1, 1]])
    [2, 4, 7]
    """
    signs = _check_signs(matrix)
    points = signs.shape[1]
    most = points if largest is None else min(points, check_count(largest, "largest", minimum=1))
    if points > MOST_POINTS and most > 3:
        raise ValueError(
            f"matrix must have at most {MOST_POINTS} columns, got {points}.\nHint: pass fewer points, or largest=3."
        )
    vc = len(_deepest(signs, np.zeros(len(signs), dtype=np.int64), (), ()))
    caps = [min(len(signs), sauer(m, vc)) for m in range(1, most + 1)]
    best = _greedy(signs, most)
    _search(signs, np.zeros(len(signs), dtype=np.int64), 0, 0, best, caps)
    return best


def _check_signs(matrix: ArrayLike) -> np.ndarray:
    """Distinct rows as zeros and ones."""
    table = np.asarray(matrix)
    if table.ndim != 2 or 0 in table.shape:
        raise ValueError(f"matrix must be a non-empty (hypotheses, points) table, got shape {table.shape}.")
    values = np.unique(table)
    if len(values) > 2 or values.dtype.kind not in "biufUS":
        raise ValueError(f"matrix must hold at most two different values, got {len(values)}.")
    return np.unique((table == values[-1]).astype(np.int64), axis=0)


def _extensions(signs: np.ndarray, codes: np.ndarray, columns: tuple[int, ...]) -> np.ndarray:
    """Later columns that keep the set shattered: every code must occur with both signs."""
    start, patterns = (columns[-1] + 1 if columns else 0), 2 << len(columns)
    rest = signs[:, start:]
    if patterns > len(signs) or rest.shape[1] == 0:
        return np.empty(0, dtype=np.int64)
    seen = np.zeros((patterns, rest.shape[1]), dtype=bool)
    seen[2 * codes[:, None] + rest, np.arange(rest.shape[1])] = True
    return start + np.flatnonzero(seen.all(axis=0))


def _deepest(signs: np.ndarray, codes: np.ndarray, columns: tuple[int, ...], best: tuple[int, ...]) -> tuple[int, ...]:
    """A largest shattered set that begins with `columns`, or `best` if none is larger."""
    best = max(columns, best, key=len)
    limit = int(math.log2(len(signs)))
    for j in _extensions(signs, codes, columns):
        if len(best) >= limit or len(columns) + signs.shape[1] - j <= len(best):
            break
        best = _deepest(signs, 2 * codes + signs[:, j], (*columns, int(j)), best)
    return best


def _refine(classes: np.ndarray, column: np.ndarray) -> tuple[np.ndarray, int]:
    """Number the patterns after one more point."""
    _, fine = np.unique(2 * classes + column, return_inverse=True)
    return fine, int(fine.max()) + 1


def _greedy(signs: np.ndarray, most: int) -> list[int]:
    """A first answer: always add the point that splits the most patterns."""
    classes, best, left = np.zeros(len(signs), dtype=np.int64), [], list(range(signs.shape[1]))
    for _ in range(most):
        refined = [_refine(classes, signs[:, j]) for j in left]
        index = max(range(len(left)), key=lambda i: refined[i][1])
        classes, count = refined[index]
        best.append(count)
        left.pop(index)
    return best


def _search(signs: np.ndarray, classes: np.ndarray, start: int, size: int, best: list[int], caps: list[int]) -> None:
    """Improve `best` by all sets that extend the current one, as long as one of them could."""
    for j in range(start, signs.shape[1]):
        fine, count = _refine(classes, signs[:, j])
        best[size] = max(best[size], count)
        last = min(len(best), size + signs.shape[1] - j)
        if any(min(caps[m], count << (m - size)) > best[m] for m in range(size + 1, last)):
            _search(signs, fine, j + 1, size + 1, best, caps)
