"""Tables whose spectra are unpleasant, and their exact spectra."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

Table = np.ndarray


def hostile_tables() -> dict[str, Table]:
    """Equal, tiny, zero and clustered eigenvalues, wide and tall, far from the origin, of extreme scales."""
    rng = np.random.default_rng(7)

    def with_values(rows: int, columns: int, values: list[float]) -> Table:
        centered = rng.normal(size=(rows, len(values)))
        centered -= centered.mean(axis=0)
        left = np.linalg.qr(centered)[0]
        right = np.linalg.qr(rng.normal(size=(columns, len(values))))[0]
        return (left * np.array(values)) @ right.T

    plain = rng.normal(size=(40, 6))
    return {
        "plain": plain,
        "equal": with_values(30, 6, [2.0] * 6),
        "equal-at-the-cut": with_values(30, 6, [3.0, 2.0, 2.0, 2.0, 1.0, 0.5]),
        "tiny": with_values(30, 6, [1.0, 1e-3, 1e-6, 1e-9, 1e-12, 1e-15]),
        "zero": with_values(30, 6, [1.0, 0.5]),
        "cluster": with_values(30, 6, [1.0, 1.0 - 1e-9, 1.0 - 2e-9, 0.1, 0.1 - 1e-12, 0.01]),
        "wide": rng.normal(size=(6, 40)),
        "wide-of-low-rank": with_values(8, 40, [1.0, 1.0, 0.1]),
        "constant-columns": np.hstack([plain, np.ones((40, 2))]),
        "far-from-the-origin": plain + 1e6,
        "large": 1e150 * plain / np.abs(plain).max(),
        "small": 1e-150 * plain,
        "whole-numbers": rng.integers(-3, 4, (12, 4)).astype(float),
    }


def exact_shares(table: Table) -> Table:
    """What the best 1, 2, ... directions explain, by Jacobi's rotations in long doubles on a matrix from fractions."""
    rows = [[Fraction(float(cell)) for cell in row] for row in table]
    height, width = len(rows), len(rows[0])
    mean = [sum(row[j] for row in rows) / height for j in range(width)]
    centered = [[cell - mean[j] for j, cell in enumerate(row)] for row in rows]
    if height < width:
        small = [[sum(a * b for a, b in zip(one, other, strict=True)) for other in centered] for one in centered]
    else:
        columns = list(zip(*centered, strict=True))
        small = [[sum(a * b for a, b in zip(one, other, strict=True)) for other in columns] for one in columns]
    trace = sum(small[j][j] for j in range(len(small)))
    matrix = np.array([[_long(cell / trace) for cell in row] for row in small], dtype=np.longdouble)
    values = np.sort(_jacobi(matrix))[::-1]
    return np.cumsum(values).astype(float)


def _long(value: Fraction) -> np.longdouble:
    first = float(value)
    return np.longdouble(first) + np.longdouble(float(value - Fraction(first)))


def _jacobi(matrix: Table) -> Table:
    size = len(matrix)
    for _ in range(40):
        for p in range(size - 1):
            for q in range(p + 1, size):
                if abs(matrix[p, q]) < 1e-30:
                    continue
                theta = (matrix[q, q] - matrix[p, p]) / (2 * matrix[p, q])
                tangent = (1 if theta >= 0 else -1) / (abs(theta) + np.sqrt(theta * theta + 1))
                cosine = 1 / np.sqrt(tangent * tangent + 1)
                turn = np.eye(size, dtype=np.longdouble)
                turn[p, p] = turn[q, q] = cosine
                turn[p, q], turn[q, p] = tangent * cosine, -tangent * cosine
                matrix = turn.T @ matrix @ turn
        if abs(matrix - np.diag(np.diag(matrix))).max() < 1e-25:
            break
    return np.diag(matrix)
