"""Learners of streams behind one face: one pass over the rows in their order, whole, in batches or one by one."""

from importlib import import_module
from typing import Any

import numpy as np
from scipy import sparse


def _built(path: str, parameters: dict[str, Any]) -> Any:
    module, name = path.rsplit(".", 1)
    return getattr(import_module(module), name)(**parameters)


class OnePass:
    """A pass by ``run``, or by ``partial_fit`` in batches."""

    def __init__(self, path: str, batch: int | None = None, **parameters: Any) -> None:
        self.path, self.batch, self.parameters = path, batch, parameters

    def fit(self, X: np.ndarray, y: np.ndarray) -> Any:
        X = hashed_rows(X) if X.shape[1] == 61 else X
        self.model = _built(self.path, self.parameters)
        if self.batch is None:
            self.model.run(X, y)
            return self
        classes = np.unique(y)
        for start in range(0, len(y), self.batch):
            part = slice(start, start + self.batch)
            self.model.partial_fit(X[part], y[part], classes=classes)
        return self

    def predict(self, X: np.ndarray) -> Any:
        return self.model.predict(hashed_rows(X) if X.shape[1] == 61 else X)


class OneByOne:
    """A pass by ``learn_one`` over dicts."""

    def __init__(self, path: str, **parameters: Any) -> None:
        self.path, self.parameters = path, parameters
        self.names: list[str] = []

    def fit(self, X: list[dict[str, float]], y: list[int]) -> Any:
        self.model = _built(self.path, self.parameters)
        for x, label in zip(X, y, strict=True):
            self.model.learn_one(x, label)
        return self

    def predict(self, X: list[dict[str, float]]) -> Any:
        return np.array([self.model.predict_one(x) for x in X])


class RiverBatches:
    """River's logistic regression behind its scaler, batch by batch, from data frames."""

    def __init__(self, batch: int) -> None:
        self.batch = batch

    def fit(self, X: np.ndarray, y: np.ndarray) -> Any:
        import pandas as pd
        from river import linear_model, preprocessing

        self.model = preprocessing.StandardScaler() | linear_model.LogisticRegression()
        frame, labels = pd.DataFrame(X), pd.Series(y)
        for start in range(0, len(y), self.batch):
            part = slice(start, start + self.batch)
            self.model.learn_many(frame.iloc[part], labels.iloc[part])
        return self

    def predict(self, X: np.ndarray) -> Any:
        import pandas as pd

        return self.model.predict_many(pd.DataFrame(X)).to_numpy()


def hashed_rows(X: np.ndarray) -> Any:
    """Rows of 30 columns and 30 values, and a column that is not used, as compressed rows of 2^18 columns."""
    columns = np.sort(X[:, :30].astype(np.int32), axis=1)
    starts = np.arange(0, 30 * len(X) + 1, 30, dtype=np.int32)
    rows = sparse.csr_array((X[:, 30:60].ravel(), columns.ravel(), starts), shape=(len(X), 2**18))
    rows.sum_duplicates()
    return rows
