"""A study without a target also learns where rows lie dense: a mixture of Gaussians over the columns of numbers.

It is chosen by the log-density of rows that were held out, which says more of shapes than distances to centers do. Its
own certificate bounds how many new rows are as improbable as the most improbable twentieth of the learned ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.metrics import adjusted_rand_score

from certus.guarantees import Certificate
from certus.guarantees.holdout import RateSetting, rate_bound
from certus.mixture import GaussianMixture, choose_components
from certus.tables import as_floats

COMPONENTS = range(1, 7)
FORMS = ("full", "diag")
FEWEST_ROWS = 50
MOST_ROWS, MOST_COLUMNS = 2_000, 30  # that choose the form
LOWEST_SHARE = 0.05
QUANTITY = "share of rows that are less dense than 95 % of the learned rows"


@dataclass(frozen=True)
class DensityFound:
    """A mixture of Gaussians over the columns of numbers.

    Attributes
    ----------
    components : int
        How many Gaussians.
    covariance_type : str
        The form of their covariances.
    columns : list of str
        Which columns.
    test_log_density, single_log_density : float
        Mean log-density of the test rows (numbers in units of their spread), and that of one Gaussian alone.
    agreement : float
        Adjusted Rand index of components and the winner's clusters on the test rows: 1 is the same, about 0 chance.
    bound : Certificate or None
        On the share of new rows below the level that a twentieth of the learned rows are below; None where test rows
        were not drawn one by one.
    """

    components: int
    covariance_type: str
    columns: list[str]
    test_log_density: float
    single_log_density: float
    agreement: float
    bound: Certificate | None = None

    @property
    def told(self) -> str:
        """The mixture in words."""
        noun = "Gaussian" if self.components == 1 else "Gaussians"
        many = f"a mixture of {self.components} {noun}" if self.components > 1 else "one Gaussian"
        form = {"full": "with covariances of their own", "diag": "of independent columns"}[self.covariance_type]
        told = f"by held-out density the columns of numbers are {many} {form}"
        if self.components == 1:
            return f"{told}: no groups are needed to describe them"
        gain = self.test_log_density - self.single_log_density
        return (
            f"{told} (log-density of a test row {gain:+.3g} against one Gaussian; adjusted Rand index with the "
            f"clusters {self.agreement:.2f})"
        )

    def to_dict(self) -> dict[str, Any]:
        """The record as plain values."""
        return {**vars(self), "bound": None if self.bound is None else self.bound.to_dict()}


def find_density(
    learned: pl.DataFrame,
    tested: pl.DataFrame,
    columns: list[str],
    groups: NDArray[Any],
    *,
    confidence: float,
    seed: int,
    by_rows: bool,
) -> DensityFound | None:
    """The mixture of the learning rows, held against the test rows; ``groups`` are their clusters.

    None with too few rows or columns for it, or too many columns.
    """
    X, rows = (_numbers(frame, columns) for frame in (learned, tested))
    spread = np.nanstd(X, axis=0) if len(X) else np.zeros(len(columns))
    kept = np.flatnonzero(spread > 0.0)
    if len(X) < FEWEST_ROWS or not 0 < len(kept) <= min(MOST_COLUMNS, len(X) // 10):
        return None
    center = np.nanmean(X[:, kept], axis=0)
    X, rows = ((one[:, kept] - center) / spread[kept] for one in (X, rows))
    X = X[~np.isnan(X).all(axis=1)]
    drawn = np.sort(np.random.default_rng(seed).permutation(len(X))[:MOST_ROWS])
    choice = choose_components(X[drawn], COMPONENTS, criterion="held-out", covariance_types=FORMS, random_state=seed)
    mixture = choice.model
    single = GaussianMixture(1, random_state=seed).fit(X[drawn])
    level = float(np.quantile(mixture.score_samples(X[drawn]), LOWEST_SHARE))
    setting = RateSetting(confidence=confidence, quantity=QUANTITY, noun="such row")
    below = int(np.sum(mixture.score_samples(rows) < level))
    bound = rate_bound(below, len(rows), setting) if by_rows else None
    return DensityFound(
        choice.n_components,
        choice.covariance_type,
        [columns[place] for place in kept],
        float(mixture.score(rows)),
        float(single.score(rows)),
        float(adjusted_rand_score(groups, mixture.predict(rows))),
        bound,
    )


def _numbers(frame: pl.DataFrame, columns: list[str]) -> NDArray[np.float64]:
    values = np.column_stack([np.empty((frame.height, 0)), *(as_floats(frame[name]) for name in columns)])
    values[~np.isfinite(values)] = np.nan
    return values
