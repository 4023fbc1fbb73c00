"""Bounds and tests against statsmodels, SciPy, MAPIE and confseq: equal validity first, then width, then time.

Every competitor works through the rows of a table, one call per row, because that is how a bound is asked for;
only MAPIE's bounds on a mean take many samples in one call, and get them so. The time is that of the whole table.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from scipy import stats

from benchmarks.measure.task import Data, Quality, Task
from benchmarks.peers.conformal_models import Library

_SEED = 20240229
_DELTA = 0.05
_MEAN = 0.1  # of Beta(1, 9)


def _counts(cases: int) -> Data:
    """Numbers of errors and of rows, from a few rows to a hundred thousand."""
    rng = np.random.default_rng(_SEED)
    rows = np.exp(rng.uniform(math.log(10), math.log(1e5), size=cases)).astype(np.int64)
    errors = (rows * 0.3 * rng.random(cases) ** 2).astype(np.int64)
    return {"X": np.column_stack([errors, rows]), "y": np.zeros(cases)}


def _disagreements(cases: int) -> Data:
    """Rows that only the one model and only the other got wrong."""
    rng = np.random.default_rng(_SEED)
    return {"X": rng.integers(1, 60, size=(cases, 2)), "y": np.zeros(cases)}


def _losses(samples: int, rows: int) -> Data:
    """Samples of losses from Beta(1, 9)."""
    rng = np.random.default_rng(_SEED)
    return {"X": rng.beta(1.0, 9.0, size=(samples, rows)), "y": np.zeros(samples)}


class _PerRow:
    """Calls `one` for every row of X."""

    def fit(self, X: np.ndarray, y: np.ndarray) -> "_PerRow":
        self.values = np.array([self.one(row) for row in (X.tolist() if X.dtype.kind == "i" else X)])
        return self


class CertusRate(_PerRow):
    def one(self, row: Any) -> float:
        from certus.guarantees import error_bound

        return error_bound(*row, confidence=1 - _DELTA).value


class StatsmodelsRate(_PerRow):
    def one(self, row: Any) -> float:
        from statsmodels.stats.proportion import proportion_confint

        return proportion_confint(*row, alpha=2 * _DELTA, method="beta")[1]


class ScipyRate(_PerRow):
    def one(self, row: Any) -> float:
        interval = stats.binomtest(*row, alternative="less").proportion_ci(1 - _DELTA, method="exact")
        return interval.high


class CertusMcNemar(_PerRow):
    def one(self, row: Any) -> float:
        from certus.guarantees import mcnemar

        return mcnemar(*row).pvalue


class StatsmodelsMcNemar(_PerRow):
    def one(self, row: Any) -> float:
        from statsmodels.stats.contingency_tables import mcnemar

        return mcnemar([[100, row[0]], [row[1], 100]], exact=True).pvalue


class ScipyMcNemar(_PerRow):
    def one(self, row: Any) -> float:
        return stats.binomtest(row[0], row[0] + row[1]).pvalue


@dataclass
class CertusMean(_PerRow):
    method: str

    def one(self, row: np.ndarray) -> float:
        from certus.guarantees import mean_bound

        return mean_bound(row, confidence=1 - _DELTA, method=self.method).value


class ConfseqMean(_PerRow):
    def one(self, row: np.ndarray) -> float:
        from confseq.betting import betting_ci

        return betting_ci(row, alpha=2 * _DELTA)[1]


@dataclass
class MapieMean:
    """MAPIE takes as many samples at once as there are candidates for the bound, at a cost of their square."""

    bound: str
    candidates: int = 50

    def fit(self, X: np.ndarray, y: np.ndarray) -> "MapieMean":
        from mapie.risk_control.methods import get_r_hat_plus

        # All bounds by betting fall into this stretch; a wide one would only make MAPIE's answers coarser.
        grid = np.linspace(0.09, 0.13, self.candidates)
        starts = range(0, len(X), self.candidates)
        blocks = [X[start : start + self.candidates].T for start in starts]
        bounds = [get_r_hat_plus(block, grid, "rcps", self.bound, _DELTA, 0.25)[1] for block in blocks]
        self.values = np.concatenate(bounds)
        return self


def _tail_error(model: Any, _prediction: Any, made: Data) -> float:
    """Largest relative difference between the chance of so few errors at the bound and delta."""
    tails = stats.binom.cdf(made["X"][:, 0], made["X"][:, 1], model.values)
    return float(np.max(np.abs(tails / _DELTA - 1)))


def _pvalue_error(model: Any, _prediction: Any, made: Data) -> float:
    """Largest relative difference from the p-value in rational numbers."""
    exact = [_exact_mcnemar(int(a), int(b)) for a, b in made["X"]]
    return float(np.max(np.abs(model.values / np.array(exact) - 1)))


def _exact_mcnemar(a: int, b: int) -> float:
    ways = sum(math.comb(a + b, k) for k in range(min(a, b) + 1))
    return float(min(Fraction(1), Fraction(2 * ways, 2 ** (a + b))))


def _allowed(samples: int) -> float:
    return _DELTA + 4 * math.sqrt(_DELTA * (1 - _DELTA) / samples)


def _violations(model: Any, _prediction: Any, _made: Data) -> float:
    return float(np.mean(model.values < _MEAN))


def _valid_excess(model: Any, prediction: Any, made: Data) -> float:
    """Mean distance of the bound from the mean, or infinity when the bound fails more often than it says."""
    valid = _violations(model, prediction, made) <= _allowed(len(model.values))
    return float(np.mean(model.values) - _MEAN) if valid else math.inf


def _competitor(name: str, adapter: str, **parameters: Any) -> Library:
    return Library(name, f"{__name__}.{adapter}", parameters, library=name.split("-")[0])


_WSR = _competitor("mapie", "MapieMean", bound="wsr")
_CONFSEQ = _competitor("confseq", "ConfseqMean")
_SAMPLES = {"samples": 4_000, "rows": 1_000}
_FEW_SAMPLES = {"samples": 50, "rows": 1_000}


def _mean_task(name: str, method: str, *peers: Library) -> Task:
    return Task(
        name=name,
        about=f"upper bound on the mean of Beta(1, 9) losses, {method}",
        action="fit",
        make_data=_losses,
        size=_SAMPLES,
        quick_size=_FEW_SAMPLES,
        quality=Quality("excess of valid bounds", _valid_excess, slack=1e-6),
        competitors=(_competitor("certus", "CertusMean", method=method), *peers),
    )


TASKS = (
    Task(
        name="clopper-pearson",
        about="exact upper limit of an error rate, one call per pair of counts",
        action="fit",
        make_data=_counts,
        size={"cases": 500},
        quick_size={"cases": 20},
        quality=Quality("relative error of the tail", _tail_error, wanted=1e-6),
        competitors=(
            _competitor("certus", "CertusRate"),
            _competitor("statsmodels", "StatsmodelsRate"),
            _competitor("scipy", "ScipyRate"),
        ),
    ),
    Task(
        name="mcnemar",
        about="exact McNemar test, one call per pair of counts",
        action="fit",
        make_data=_disagreements,
        size={"cases": 500},
        quick_size={"cases": 20},
        quality=Quality("relative error of p", _pvalue_error, wanted=1e-9),
        competitors=(
            _competitor("certus", "CertusMcNemar"),
            _competitor("statsmodels", "StatsmodelsMcNemar"),
            _competitor("scipy", "ScipyMcNemar"),
        ),
    ),
    _mean_task("mean-betting", "betting", _WSR, _CONFSEQ),
    _mean_task("mean-star", "star", _WSR, _CONFSEQ),
    _mean_task("mean-empirical-bernstein", "empirical-bernstein", _competitor("mapie", "MapieMean", bound="bernstein")),
    _mean_task("mean-hoeffding", "hoeffding", _competitor("mapie", "MapieMean", bound="hoeffding")),
    Task(
        name="mean-violations",
        about="how often an upper bound with confidence 95 % lies below the mean, Beta(1, 9) losses",
        action="fit",
        make_data=_losses,
        size=_SAMPLES,
        quick_size=_FEW_SAMPLES,
        quality=Quality("share of violations", _violations, wanted=_allowed(_SAMPLES["samples"])),
        competitors=(
            _competitor("certus", "CertusMean", method="betting"),
            _competitor("certus-star", "CertusMean", method="star"),
            _competitor("certus-empirical-bernstein", "CertusMean", method="empirical-bernstein"),
            _competitor("mapie-wsr", "MapieMean", bound="wsr"),
            _competitor("mapie-bernstein", "MapieMean", bound="bernstein"),
            _CONFSEQ,
        ),
    ),
)
