"""Small models, and everything about them by summing over all paths of states."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from scipy import stats

from certus.graphical import CategoricalHMM, GaussianHMM


def random_chain(rng: np.random.Generator, states: int, zeros: bool = False) -> tuple[np.ndarray, np.ndarray]:
    start, transitions = rng.dirichlet(np.ones(states)), rng.dirichlet(np.ones(states), states)
    if zeros:  # forward only, and no way to begin in the last state
        transitions = np.triu(transitions)
        transitions /= transitions.sum(axis=1, keepdims=True)
        start[-1] = 0.0
        start /= start.sum()
    return start, transitions


def symbol_model(rng: np.random.Generator, states: int = 3, symbols: int = 4, zeros: bool = False, **parameters: Any):
    model = CategoricalHMM(states, **parameters)
    model.startprob_, model.transmat_ = random_chain(rng, states, zeros)
    model.emissionprob_ = rng.dirichlet(np.ones(symbols), states)
    return model


def gaussian_model(rng: np.random.Generator, kind: str = "full", states: int = 3, width: int = 2, **parameters: Any):
    model = GaussianHMM(states, kind, **parameters)
    model.startprob_, model.transmat_ = random_chain(rng, states)
    model.means_ = rng.normal(size=(states, width))
    roots = rng.normal(size=(states, width, width))
    matrices = roots @ roots.transpose(0, 2, 1) + 0.3 * np.eye(width)
    model.covars_ = {
        "spherical": matrices[:, 0, 0],
        "diag": np.diagonal(matrices, axis1=1, axis2=2),
        "full": matrices,
        "tied": matrices[0],
    }[kind]
    return model


def symbol_densities(model: CategoricalHMM, X: np.ndarray) -> np.ndarray:
    table = np.array(model.emissionprob_)
    return np.array([np.ones(len(table)) if np.isnan(x) else table[:, int(x)] for x in np.ravel(X)])


def gaussian_densities(model: GaussianHMM, X: np.ndarray) -> np.ndarray:
    found = np.ones((len(X), model.n_components))
    for t, row in enumerate(X):
        there = ~np.isnan(row)
        for k in range(model.n_components) if there.any() else ():
            matrix = model.covars_[k][np.ix_(there, there)]
            found[t, k] = stats.multivariate_normal.pdf(row[there], model.means_[k][there], matrix)
    return found


class Enumerated:
    """All paths of one sequence with their probabilities."""

    def __init__(self, start: Any, transitions: Any, densities: np.ndarray) -> None:
        rows, states = densities.shape
        self.paths = np.array(list(itertools.product(range(states), repeat=rows)))
        steps = np.array(transitions)[self.paths[:, :-1], self.paths[:, 1:]].prod(axis=1)
        emitted = densities[np.arange(rows), self.paths].prod(axis=1)
        self.joint = np.array(start)[self.paths[:, 0]] * steps * emitted
        self.likelihood = self.joint.sum()
        self.shares = self.joint / self.likelihood
        self.states = states

    @property
    def posterior(self) -> np.ndarray:
        return np.stack([self.shares @ (self.paths == state) for state in range(self.states)], axis=1)

    @property
    def pairs(self) -> np.ndarray:
        found = np.zeros((self.states, self.states))
        for path, share in zip(self.paths, self.shares, strict=True):
            np.add.at(found, (path[:-1], path[1:]), share)
        return found

    @property
    def best(self) -> tuple[np.ndarray, float]:
        place = int(self.joint.argmax())
        return self.paths[place], float(np.log(self.joint[place]))
