"""Networks behind one face: so many epochs, without a word about the end."""

import warnings
from importlib import import_module
from typing import Any

import numpy as np
from scipy import sparse


class Epochs:
    """A multi-layer perceptron that runs for exactly so many epochs."""

    def __init__(self, path: str, **parameters: Any) -> None:
        self.path, self.parameters = path, parameters

    def fit(self, X: Any, y: np.ndarray) -> Any:
        module, name = self.path.rsplit(".", 1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = getattr(import_module(module), name)(**self.parameters, random_state=0, n_iter_no_change=10_000)
            self.model = model.fit(X, y)
        self.loss_ = float(model.loss_)
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        return self.model.predict(X)


class SparseEpochs(Epochs):
    """The same for a table that comes as rows, columns and values."""

    def fit(self, X: np.ndarray, y: np.ndarray) -> Any:
        rows, columns = X[0].astype(np.int32), X[1].astype(np.int32)
        return super().fit(sparse.csr_array((X[2], (rows, columns)), shape=(len(y), int(columns.max()) + 1)), y)
