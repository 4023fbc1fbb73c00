"""Hidden Markov models by their import path, all from the same start and with the same number of rounds."""

from importlib import import_module
from typing import Any

import numpy as np

ROUNDS = 10


class SequenceModel:
    """A hidden Markov model; ``length`` rows are a sequence, 0 for one sequence of all rows."""

    def __init__(
        self, path: str, states: int, length: int = 0, symbols: int = 0, kind: str = "", how: str = "log"
    ) -> None:
        module, name = path.rsplit(".", 1)
        options = {"n_features": symbols} if symbols else {"covariance_type": kind}
        self.model = getattr(import_module(module), name)(
            states, n_iter=ROUNDS, tol=-np.inf, init_params="", implementation=how, **options
        )
        self.length, self.symbols, self.kind = length, symbols, kind

    def lengths(self, X: np.ndarray) -> Any:
        return [self.length] * (len(X) // self.length) if self.length else None

    def fit(self, X: np.ndarray, _y: np.ndarray) -> Any:
        model, states = self.model, self.model.n_components
        rng = np.random.default_rng(1)
        model.startprob_ = np.full(states, 1.0 / states)
        model.transmat_ = 0.1 * rng.dirichlet(np.ones(states), states) + 0.9 * np.eye(states)
        if self.symbols:
            model.emissionprob_ = rng.dirichlet(np.ones(self.symbols), states)
        else:
            width = X.shape[1]
            model.means_ = X[:: len(X) // states][:states].copy()
            model.covars_ = (
                np.full((states, width), 3.0) if self.kind == "diag" else np.tile(3.0 * np.eye(width), (states, 1, 1))
            )
        model.fit(X, lengths=self.lengths(X))
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        return self.model.predict(X, self.lengths(X))

    def log_likelihood(self, X: np.ndarray) -> float:
        # By name: what follows the table is known states in one library, lengths in the other.
        return self.model.score(X, lengths=self.lengths(X))
