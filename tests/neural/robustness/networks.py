"""Random networks, and the exact radius by looking at every region of a tiny one."""

from __future__ import annotations

import itertools

import numpy as np
from scipy import optimize

from certus.neural.modules import Dense, ReLU, Sequential, Sigmoid, Tanh

UNITS = {"relu": ReLU, "tanh": Tanh, "logistic": Sigmoid}


def network(widths: tuple[int, ...], kind: str = "relu", seed: int = 0, scale: float = 1.5) -> Sequential:
    """Random weights and offsets."""
    rng = np.random.default_rng(seed)
    parts = []
    for n_in, n_out in itertools.pairwise(widths):
        layer = Dense(n_in, n_out)
        layer.parameters["weights"][:] = scale * rng.normal(size=(n_in, n_out)) / np.sqrt(n_in)
        layer.parameters["bias"][:] = 0.3 * rng.normal(size=n_out)
        parts += [layer, UNITS[kind]()]
    return Sequential(*parts[:-1])


def labels(net: Sequential, X: np.ndarray) -> np.ndarray:
    """The network's own labels."""
    scores = net.forward(X)
    return (scores[:, 0] > 0).astype(int) if scores.shape[1] == 1 else scores.argmax(axis=1)


def radius_by_regions(net: Sequential, row: np.ndarray, norm: str = "inf") -> float:
    """Every combination of signs is a polyhedron on which the scores are linear: a program for each and every rival."""
    dense = [module for module in net.modules if isinstance(module, Dense)]
    hidden = [len(layer.parameters["bias"]) for layer in dense[:-1]]
    scores = net.forward(row[None])[0]
    own = int(scores.argmax()) if len(scores) > 1 else int(scores[0] > 0)
    best = np.inf
    for signs in itertools.product((0.0, 1.0), repeat=sum(hidden)):
        M, c, start, conditions = np.eye(len(row)), np.zeros(len(row)), 0, []
        for layer, width in zip(dense[:-1], hidden, strict=True):
            W, b = layer.parameters["weights"], layer.parameters["bias"]
            on = np.array(signs[start : start + width])
            M, c, start = M @ W, c @ W + b, start + width
            side = 1.0 - 2.0 * on  # z >= 0 where the unit is on
            conditions.append((side[:, None] * M.T, -side * c))
            M, c = M * on, c * on
        M, c = M @ dense[-1].parameters["weights"], c @ dense[-1].parameters["weights"] + dense[-1].parameters["bias"]
        if M.shape[1] == 1:
            rivals = [(M[:, 0] * (2 * own - 1), c[0] * (2 * own - 1))]
        else:
            rivals = [(M[:, own] - M[:, j], c[own] - c[j]) for j in range(M.shape[1]) if j != own]
        for slope, offset in rivals:
            best = min(best, _least(row, [*conditions, (slope[None], -np.array([offset]))], norm))
    return best


def _least(row: np.ndarray, conditions: list, norm: str) -> float:
    """The least distance of a point with A x <= b."""
    d = len(row)
    A, b = np.vstack([part[0] for part in conditions]), np.concatenate([part[1] for part in conditions])
    extra = np.ones((d, 1)) if norm == "inf" else np.eye(d)
    k = extra.shape[1]
    above = np.block([[A, np.zeros((len(A), k))], [np.eye(d), -extra], [-np.eye(d), -extra]])
    limits = np.concatenate([b, row, -row])
    found = optimize.linprog(np.r_[np.zeros(d), np.ones(k)], above, limits, bounds=[(None, None)] * d + [(0, None)] * k)
    return float(found.fun) if found.status == 0 else np.inf
