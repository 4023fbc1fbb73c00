"""Tables with a known kind of spectrum, and how much of it given directions explain."""

from typing import Any

import numpy as np

from benchmarks.measure.task import Data


def falling_spectrum(n: int, d: int, dtype: str = "float64") -> Data:
    """Correlated columns around a mean that is not 0; standard deviations fall like a power."""
    rng = np.random.default_rng(0)
    turned = np.linalg.qr(rng.standard_normal((d, min(d, 200))))[0]
    factors = rng.standard_normal((n, turned.shape[1])) / np.sqrt(np.arange(1.0, turned.shape[1] + 1.0))
    table = factors @ turned.T + 0.05 * rng.standard_normal((n, d)) + 2.0
    return {"X": table.astype(dtype), "y": np.zeros(n)}


def digits_table() -> Data:
    """1797 images of 8 x 8 pixels."""
    from sklearn.datasets import load_digits

    table = load_digits().data
    return {"X": table, "y": np.zeros(len(table))}


def unexplained_share(model: Any, _prediction: Any, given: Data) -> float:
    """The share of the variance that the components leave, measured on the rows."""
    table = np.asarray(given["X"], dtype=np.float64)
    centered = table - table.mean(axis=0)
    kept = centered @ np.asarray(model.components_, dtype=np.float64).T
    return 1.0 - float((kept**2).sum() / (centered**2).sum())


def round_cloud(n: int, d: int, queries: int = 10_000) -> Data:
    """Rows whose covariance is the identity, so that all bandwidths mean the same, and queries among them."""
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((n, d)) + 4.0 * rng.integers(0, 2, (n, 1))
    rows -= rows.mean(axis=0)
    rows = np.linalg.solve(np.linalg.cholesky(np.cov(rows.T).reshape(d, d)), rows.T).T
    return {"X": rows, "y": np.zeros(n), "X_test": rng.standard_normal((min(queries, n), d))}


def density_error(_model: Any, prediction: Any, given: Data, bandwidth: float) -> float:
    """The largest relative error of the density at the first test rows, by the definition."""
    few, rows = given["X_test"][:50], given["X"]
    squares = ((few[:, None] - rows) ** 2).sum(axis=2) / bandwidth**2
    least = squares.min(axis=1, keepdims=True)
    sums = np.log(np.exp(-0.5 * (squares - least)).sum(axis=1)) - 0.5 * least[:, 0]
    width = rows.shape[1]
    exact = sums - np.log(len(rows)) - width * np.log(bandwidth) - 0.5 * width * np.log(2.0 * np.pi)
    return float(np.abs(np.expm1(np.asarray(prediction)[:50] - exact)).max())


def two_tables(n: int, d: int, targets: int) -> Data:
    """Two tables that share ten hidden columns."""
    rng = np.random.default_rng(0)
    hidden = rng.standard_normal((n, 10))
    tables = [hidden @ rng.standard_normal((10, size)) + 2.0 * rng.standard_normal((n, size)) for size in (d, targets)]
    return {"X": tables[0], "y": tables[1]}


def unpaired_share(model: Any, _prediction: Any, given: Data) -> float:
    """One minus the mean squared correlation of the paired scores."""
    first, second = model.transform(given["X"], given["y"])
    found = [np.corrcoef(one, other)[0, 1] ** 2 for one, other in zip(first.T, second.T, strict=True)]
    return 1.0 - float(np.mean(found))


def unpredicted_share(model: Any, _prediction: Any, given: Data) -> float:
    """The share of the variance of the second table that predictions leave."""
    left, whole = given["y"] - model.predict(given["X"]), given["y"] - given["y"].mean(axis=0)
    return float((left**2).sum() / (whole**2).sum())
