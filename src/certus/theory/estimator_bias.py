"""Is an estimator right on average? Its expectation by simulation, beside what it estimates."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from certus.distributions import Distribution
from certus.guarantees.records import check_count

FAR = 64  # so many times as many rows stand for infinitely many


@dataclass(frozen=True)
class EstimatorBias:
    """The mean of an estimator over many samples.

    Parameters
    ----------
    mean : float or ndarray
        Mean of the estimates.
    standard_error : float or ndarray
        How far that mean can be from the expectation: one standard deviation of it.
    truth : float or ndarray
        What is estimated.
    rows : int
        Rows of every sample.
    repeats : int
        Number of samples.
    """

    mean: Any
    standard_error: Any
    truth: Any
    rows: int
    repeats: int

    @property
    def bias(self) -> Any:
        """Mean minus truth."""
        return self.mean - self.truth

    @property
    def unbiased(self) -> bool:
        """Whether every bias is within four standard errors of 0, where simulation cannot tell it from none."""
        return bool(np.all(np.abs(self.bias) <= 4.0 * np.maximum(self.standard_error, 1e-14 * np.abs(self.mean))))

    def __str__(self) -> str:
        said = "no bias to be seen" if self.unbiased else "biased"
        return f"bias {self.bias} +- {self.standard_error} with {self.rows} rows: {said}"


def estimator_bias(
    estimator: Callable[[np.ndarray], Any],
    sample: Distribution | Callable[[np.random.Generator, int], np.ndarray],
    rows: int,
    *,
    truth: Any = None,
    repeats: int = 10_000,
    seed: int = 0,
) -> EstimatorBias:
    """Compare the mean of an estimator over many samples with what it estimates.

    Parameters
    ----------
    estimator : callable
        Takes the rows of a sample and returns a number or an array.
    sample : Distribution or callable
        What rows are drawn from: a distribution, or a function of a generator and the number of rows.
    rows : int
        Rows of every sample.
    truth : float or array-like, default=None
        What is estimated. None takes the estimator's own limit: its mean on samples of 64 times as many rows.
    repeats : int, default=10000
        Number of samples.
    seed : int, default=0
        Of the samples.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.distributions import Gaussian
    >>> from certus.theory import estimator_bias
    >>> found = estimator_bias(np.var, Gaussian(0.0, 9.0), 5, truth=9.0)  # the maximum-likelihood variance
    >>> round(found.bias, 1), found.unbiased  # exactly -9 / 5
    (-1.8, False)
    """
    n, many = check_count(rows, "rows", minimum=1), check_count(repeats, "repeats", minimum=2)
    rng = np.random.default_rng(seed)

    def draw(size: int) -> np.ndarray:
        return sample.sample(size, rng) if isinstance(sample, Distribution) else np.asarray(sample(rng, size))

    estimates = np.array([estimator(draw(n)) for _ in range(many)], dtype=float)
    if not np.isfinite(estimates).all():
        raise ValueError("estimator must return finite numbers for every sample.\nHint: it may need more rows.")
    if truth is None:
        aim = np.mean([estimator(draw(FAR * n)) for _ in range(max(2, many // 16))], axis=0)
    else:
        aim = np.asarray(truth, dtype=float)
    mean, error = estimates.mean(axis=0), estimates.std(axis=0, ddof=1) / math.sqrt(many)
    if np.ndim(mean) == 0:
        return EstimatorBias(float(mean), float(error), float(aim), n, many)
    return EstimatorBias(mean, error, aim, n, many)
