"""Learners of streams behind one face: one pass over the rows in their order, whole, in batches or one by one."""

import atexit
import shutil
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from scipy import sparse


def _built(path: str, parameters: dict[str, Any]) -> Any:
    module, name = path.rsplit(".", 1)
    return getattr(import_module(module), name)(**parameters)


_tables: dict[tuple[int, ...], Any] = {}


def _table(X: np.ndarray) -> Any:
    """The table as learners take it; compressed rows are made by the first call of a process."""
    if X.shape[1] != 61:
        return X
    if X.shape not in _tables:
        _tables[X.shape] = hashed_rows(X)
    return _tables[X.shape]


class OnePass:
    """A pass by ``run``, or by ``partial_fit`` in batches."""

    def __init__(self, path: str, batch: int | None = None, **parameters: Any) -> None:
        self.path, self.batch, self.parameters = path, batch, parameters

    def fit(self, X: np.ndarray, y: np.ndarray) -> Any:
        X = _table(X)
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
        return self.model.predict(_table(X))


class OneByOne:
    """A pass by ``learn_one`` over dicts, which the first call of a process makes."""

    _made: ClassVar[dict[tuple[int, ...], list[dict[str, float]]]] = {}

    def __init__(self, path: str, **parameters: Any) -> None:
        self.path, self.parameters = path, parameters

    def fit(self, X: np.ndarray, y: np.ndarray) -> Any:
        self.model = _built(self.path, self.parameters)
        for x, label in zip(self._dicts(X), y.tolist(), strict=True):
            self.model.learn_one(x, label)
        return self

    def predict(self, X: np.ndarray) -> Any:
        return np.array([self.model.predict_one(x) for x in self._dicts(X)])

    def _dicts(self, X: np.ndarray) -> list[dict[str, float]]:
        if X.shape not in self._made:
            names = [f"x{column}" for column in range(X.shape[1])]
            self._made[X.shape] = [dict(zip(names, row, strict=True)) for row in X.tolist()]
        return self._made[X.shape]


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


class VowpalWabbit:
    """Vowpal Wabbit's logistic regression from its cache files, which the first call of a process writes."""

    _files: ClassVar[dict[tuple[int, ...], Path]] = {}

    def fit(self, X: np.ndarray, y: np.ndarray) -> Any:
        self._run(X, y, "-f {model}")
        return self

    def predict(self, X: np.ndarray) -> Any:
        told = self._run(X, np.zeros(len(X)), "-t -i {model} -p {told}")
        return np.loadtxt(told) > 0.0

    def _run(self, X: np.ndarray, y: np.ndarray, options: str) -> Path:
        from vowpalwabbit import Workspace

        if not self._files:
            self._files[()] = Path(tempfile.mkdtemp(prefix="vowpal-"))
            atexit.register(shutil.rmtree, self._files[()], ignore_errors=True)
        folder, key = self._files[()], X.shape
        if key not in self._files:
            self._files[key] = folder / f"{len(X)}x{X.shape[1]}.txt"
            _write_vowpal(self._files[key], X, y)
        file, told = self._files[key], folder / "told.txt"
        paths = options.format(model=folder / "model", told=told)
        Workspace(f"-d {file} --cache_file {file}.cache --loss_function logistic -b 18 --quiet {paths}").finish()
        return told


def _write_vowpal(file: Path, X: np.ndarray, y: np.ndarray) -> None:
    hashed = X.shape[1] == 61
    with file.open("w") as out:
        for row, label in zip(X.tolist(), y.tolist(), strict=True):
            names = [int(name) for name in row[:30]] if hashed else range(len(row))
            cells = " ".join(
                f"{name}:{value:.9g}" for name, value in zip(names, row[30:60] if hashed else row, strict=True)
            )
            out.write(f"{1 if label else -1} | {cells}\n")


def hashed_rows(X: np.ndarray) -> Any:
    """Rows of 30 columns and 30 values, and a column that is not used, as compressed rows of 2^18 columns."""
    columns = np.sort(X[:, :30].astype(np.int32), axis=1)
    starts = np.arange(0, 30 * len(X) + 1, 30, dtype=np.int32)
    rows = sparse.csr_array((X[:, 30:60].ravel(), columns.ravel(), starts), shape=(len(X), 2**18))
    rows.sum_duplicates()
    return rows
