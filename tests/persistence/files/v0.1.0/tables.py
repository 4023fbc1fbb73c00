"""The tables on which the models beside this file were trained; part of `write.py`, run with version 0.1.0."""

from __future__ import annotations

import numpy as np

Table = dict[str, np.ndarray]
NEW = 9  # rows of every table that no model was trained on


def _parted(X: np.ndarray, y: np.ndarray) -> Table:
    """Training rows and the last ones, which are only predicted."""
    return {"X": X[:-NEW], "y": y[:-NEW], "new_X": X[-NEW:], "new_y": y[-NEW:]}


def make_tables() -> dict[str, Table]:
    """All tables by name."""
    rng = np.random.default_rng(20)
    X = rng.normal(size=(24 + NEW, 3)).round(3)
    noise = rng.normal(size=len(X))
    side = X[:, 0] - 0.5 * X[:, 1]
    ranked = np.digitize(side + 0.4 * noise, [-0.6, 0.5])
    number = np.round(2.0 * X[:, 0] - X[:, 1] + 0.3 * noise + 1.0, 3)
    wide = rng.normal(size=(12 + NEW, 20)).round(3)
    blobs = rng.normal(size=(20 + NEW, 2)).round(3) + np.array([[0, 0], [6, 1], [2, 7]])[np.arange(20 + NEW) % 3]
    mixed = np.column_stack([rng.integers(0, 4, len(X)), X[:, :2], rng.integers(0, 3, len(X))]).astype(float)
    mixed[::7, 1] = np.nan
    inside = np.abs(rng.normal(size=(24 + NEW, 3))).round(3) * 0.2  # for kernels that ask for rows in [0, 1)
    counts = rng.poisson(np.exp(0.5 * X[:, 0] + 0.2)).astype(float)
    apart = X[np.abs(side) > 0.3]
    labels = np.column_stack([side + 0.4 * noise > 0, X[:, 2] + 0.4 * noise > 0]).astype(int)
    return {
        "binary": _parted(X, np.where(side + 0.6 * noise > 0, "yes", "no")),
        "separable": _parted(apart, np.where(apart[:, 0] - 0.5 * apart[:, 1] > 0, 1, -1)),
        "classes": _parted(X, ranked * 10),
        "numbers": _parted(X, number),
        "targets": _parted(X, np.column_stack([number, np.round(X[:, 2] + 0.2 * noise, 3)])),
        "wide": _parted(wide, np.round(wide[:, 0] - 2.0 * wide[:, 1] + 0.1 * rng.normal(size=len(wide)), 3)),
        "counts": _parted(X, counts),
        "zeros": _parted(np.column_stack([X[:, :2], counts == 0]), counts),  # a column tells which counts are 0
        "positive": _parted(X, np.round(rng.gamma(3.0, np.exp(0.3 * X[:, 1])), 3) + 0.1),
        "blobs": _parted(blobs, np.arange(len(blobs)) % 3),
        "mixed": _parted(mixed, np.where((mixed[:, 0] > 1) ^ (noise > 0.8), "in", "out")),
        "mixed_numbers": _parted(mixed, np.round(mixed[:, 0] + np.nan_to_num(mixed[:, 1]) + 0.2 * noise, 3)),
        "labels": _parted(X, labels),
        "places": _parted(np.arange(len(X))[:, None].astype(float), number),
        "inside": _parted(inside, np.round(np.sin(5 * inside[:, 0]) + inside[:, 1], 3)),
    }
