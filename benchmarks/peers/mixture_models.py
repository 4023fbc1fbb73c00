"""Mixtures behind one face: so many steps from the same start for everyone."""

from importlib import import_module
from typing import Any

import numpy as np


class StartedMixture:
    """Steps of a GaussianMixture class from evenly spaced rows with the spread of the table."""

    def __init__(self, path: str, components: int, covariance_type: str, steps: int) -> None:
        self.path, self.components, self.covariance_type, self.steps = path, components, covariance_type, steps

    def fit(self, X: np.ndarray, _y: np.ndarray) -> Any:
        module, name = self.path.rsplit(".", 1)
        precisions = np.tile(1.0 / X.var(axis=0), (self.components, 1))
        full = self.covariance_type == "full"
        model = getattr(import_module(module), name)(
            self.components,
            covariance_type=self.covariance_type,
            weights_init=np.full(self.components, 1.0 / self.components),
            means_init=X[:: len(X) // self.components][: self.components],
            precisions_init=np.stack([np.diag(one) for one in precisions]) if full else precisions,
            max_iter=self.steps,
            tol=0.0,
        ).fit(X)
        self.likelihood_ = float(model.score(X[:10_000]))
        return self
