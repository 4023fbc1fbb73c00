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
