"""Kernel densities behind one face: the log-density of the test rows is the prediction."""

from typing import Any

import numpy as np


class GaussianDensity:
    """Ours or scikit-learn's, with a relative error of at most 1e-8 asked for."""

    def __init__(self, path: str, bandwidth: float, rtol: float) -> None:
        self.path, self.bandwidth, self.rtol = path, bandwidth, rtol

    def fit(self, X: np.ndarray, _y: np.ndarray) -> Any:
        from importlib import import_module

        module, name = self.path.rsplit(".", 1)
        self.model = getattr(import_module(module), name)(bandwidth=self.bandwidth, rtol=self.rtol).fit(X)
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        return np.asarray(self.model.score_samples(X))


class SciPyDensity:
    """SciPy's, whose kernel has the covariance of the rows times the squared bandwidth."""

    def __init__(self, bandwidth: float) -> None:
        self.bandwidth = bandwidth

    def fit(self, X: np.ndarray, _y: np.ndarray) -> Any:
        from scipy.stats import gaussian_kde

        self.model = gaussian_kde(X.T, bw_method=self.bandwidth)
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        return np.asarray(self.model.logpdf(X.T))
