"""Classical tests on cross-validation scores. All are approximations, and say so: kind "estimate"."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from certus.guarantees.holdout.exact_tests import ALTERNATIVES, TestResult
from certus.guarantees.records.bound_arguments import check_choice, check_positive
from certus.guarantees.records.confidence_levels import check_confidence, failure_of

_OVERLAP = "folds share training rows, so scores are not independent and the test rejects too often"


def t_quantile(degrees: float, upper_tail: float) -> float:
    """The point that Student's t exceeds with probability `upper_tail`.

    Examples
    --------
    >>> round(t_quantile(9, 0.025), 3)
    2.262
    """
    return -float(special.stdtrit(degrees, upper_tail)) if math.isfinite(degrees) else -float(special.ndtri(upper_tail))


def _t_pvalue(statistic: float, degrees: float, alternative: str) -> float:
    check_choice(alternative, "alternative", ALTERNATIVES)
    if alternative == "two-sided":
        return 2.0 * float(special.stdtr(degrees, -abs(statistic)))
    return float(special.stdtr(degrees, -statistic if alternative == "greater" else statistic))


def _differences(scores_a: ArrayLike, scores_b: ArrayLike) -> np.ndarray:
    a, b = np.asarray(scores_a, dtype=float), np.asarray(scores_b, dtype=float)
    if a.ndim != 1 or a.shape != b.shape or a.size < 2 or not np.isfinite(a - b).all():
        raise ValueError(
            f"scores_a and scores_b must be equally long vectors of at least 2 finite scores, "
            f"got shapes {a.shape} and {b.shape}."
        )
    return a - b


def _ratio(mean: float, error: float) -> float:
    if error == 0.0:
        return 0.0 if mean == 0.0 else math.copysign(math.inf, mean)
    return mean / error


def one_sample_t(values: ArrayLike, mean: float = 0.0, *, alternative: str = "two-sided") -> TestResult:
    """Student's test whether the mean of `values` is `mean`: t = (average - mean)/(s/sqrt n)."""
    x = _differences(values, np.full(np.shape(values), mean))
    statistic = _ratio(float(x.mean()), float(x.std(ddof=1)) / math.sqrt(len(x)))
    pvalue = _t_pvalue(statistic, len(x) - 1, alternative)
    return TestResult("t-test", statistic, pvalue, "estimate", "values are normal", {"degrees": len(x) - 1})


def z_test(values: ArrayLike, deviation: float, mean: float = 0.0, *, alternative: str = "two-sided") -> TestResult:
    """Test whether the mean of `values` is `mean` when their standard deviation is known."""
    x = _differences(values, np.full(np.shape(values), mean))
    statistic = float(x.mean()) / (check_positive(deviation, "deviation") / math.sqrt(len(x)))
    pvalue = _t_pvalue(statistic, math.inf, alternative)
    return TestResult("z-test", statistic, pvalue, "estimate", "values are normal with known variance")


def paired_t(scores_a: ArrayLike, scores_b: ArrayLike, *, alternative: str = "two-sided") -> TestResult:
    """Paired t-test on the scores of two learners on the same k folds.

    t = d / sqrt(sum_i (d_i - d)^2 / (k (k - 1))) with k - 1 degrees of freedom.

    Examples
    --------
    >>> a = [0.81, 0.82, 0.84, 0.78, 0.85, 0.86, 0.82, 0.83, 0.82, 0.81]
    >>> b = [0.80, 0.77, 0.70, 0.83, 0.80, 0.78, 0.75, 0.80, 0.78, 0.77]
    >>> round(paired_t(a, b).statistic, 3), round(corrected_t(a, b, test_share=1 / 9).statistic, 3)
    (2.98, 2.051)
    """
    d = _differences(scores_a, scores_b)
    error = float(d.std(ddof=1)) / math.sqrt(len(d))
    statistic = _ratio(float(d.mean()), error)
    details = {"degrees": len(d) - 1, "mean_difference": float(d.mean()), "standard_error": error}
    return TestResult(
        "paired t", statistic, _t_pvalue(statistic, len(d) - 1, alternative), "estimate", _OVERLAP, details
    )


def corrected_t(
    scores_a: ArrayLike, scores_b: ArrayLike, *, test_share: float, alternative: str = "two-sided"
) -> TestResult:
    """Paired t-test with the corrected variance of Nadeau and Bengio (2003).

    The variance of the mean is taken as (1/k + test_share) s^2, with test_share = test rows / training rows.
    """
    if not test_share > 0.0:
        raise ValueError(f"test_share must be greater than 0, got {test_share!r}.\nHint: 1/(k-1) for k folds.")
    d = _differences(scores_a, scores_b)
    error = float(d.std(ddof=1)) * math.sqrt(1.0 / len(d) + test_share)
    statistic = _ratio(float(d.mean()), error)
    caveat = "the correction is an approximation; no unbiased variance estimator exists (Bengio, Grandvalet 2004)"
    details = {"degrees": len(d) - 1, "mean_difference": float(d.mean()), "standard_error": error}
    return TestResult(
        "corrected t", statistic, _t_pvalue(statistic, len(d) - 1, alternative), "estimate", caveat, details
    )


def five_by_two(differences: ArrayLike) -> TestResult:
    """Dietterich's 5x2cv paired t-test (1998) from a 5 x 2 array of score differences.

    t = d_11 / sqrt(mean_i s_i^2), s_i^2 the variance of the two differences of replication i; 5 degrees.
    """
    d = np.asarray(differences, dtype=float)
    if d.shape != (5, 2) or not np.isfinite(d).all():
        raise ValueError(f"differences must be a finite array of shape (5, 2), got shape {d.shape}.")
    variances = ((d - d.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    statistic = _ratio(float(d[0, 0]), math.sqrt(float(variances.mean())))
    caveat = "half of the rows train each model; the ten differences are treated as independent"
    return TestResult("5x2cv t", statistic, _t_pvalue(statistic, 5, "two-sided"), "estimate", caveat, {"degrees": 5})


def wilcoxon(scores_a: ArrayLike, scores_b: ArrayLike) -> TestResult:
    """Wilcoxon's signed-rank test on paired scores, two-sided; exact null law for few pairs without ties."""
    from scipy import stats  # heavy: only here and for the studentized range

    d = _differences(scores_a, scores_b)
    if not d.any():
        return TestResult("Wilcoxon", 0.0, 1.0, "estimate", _OVERLAP)
    found = stats.wilcoxon(d)
    return TestResult("Wilcoxon", float(found.statistic), float(found.pvalue), "estimate", _OVERLAP)


def friedman(scores: ArrayLike) -> TestResult:
    """Friedman's test that k learners are equal on n data sets (rows), with the form of Iman and Davenport.

    chi^2 = 12 n/(k(k+1)) (sum_j R_j^2 - k (k+1)^2/4) corrected for ties, R_j the average rank (1 is the best,
    that is the highest score); F = (n-1) chi^2/(n(k-1) - chi^2).
    """
    ranks = _ranks(scores)
    n, k = ranks.shape
    ties = sum(float((counts**3 - counts).sum()) for counts in (np.unique(row, return_counts=True)[1] for row in ranks))
    spread = float(((ranks.mean(axis=0) - (k + 1) / 2) ** 2).sum())
    correction = 1.0 - ties / (n * k * (k * k - 1.0))
    chi2 = 0.0 if correction == 0.0 else 12.0 * n * spread / (k * (k + 1.0)) / correction
    rest = n * (k - 1) - chi2
    f = math.inf if rest <= 1e-12 else (n - 1) * chi2 / rest
    f_pvalue = 0.0 if math.isinf(f) else float(special.fdtrc(k - 1, (k - 1) * (n - 1), f))
    return TestResult(
        "Friedman",
        chi2,
        float(special.chdtrc(k - 1, chi2)),
        "estimate",
        "data sets are independent; large-sample law",
        {
            "average_ranks": tuple(map(float, ranks.mean(axis=0))),
            "iman_davenport": f,
            "iman_davenport_pvalue": f_pvalue,
        },
    )


def nemenyi(scores: ArrayLike, *, confidence: float = 0.95) -> dict[str, Any]:
    """Nemenyi's critical difference of average ranks, and the pairs of learners that exceed it.

    CD = q sqrt(k(k+1)/(6n)), q the studentized range divided by sqrt 2. An estimate: it rests on normality of
    the average ranks. Keys: "critical_difference", "average_ranks", "different".
    """
    from scipy import stats

    ranks = _ranks(scores)
    n, k = ranks.shape
    tail = failure_of(check_confidence(confidence))
    q = float(stats.studentized_range.isf(tail, k, np.inf)) / math.sqrt(2.0)
    critical = q * math.sqrt(k * (k + 1) / (6.0 * n))
    means = ranks.mean(axis=0)
    pairs = [(i, j) for i in range(k) for j in range(i + 1, k) if abs(means[i] - means[j]) > critical]
    return {
        "critical_difference": critical,
        "average_ranks": tuple(map(float, means)),
        "different": tuple(pairs),
        "kind": "estimate",
    }


def _ranks(scores: ArrayLike) -> np.ndarray:
    """Average ranks within each row, 1 for the highest score."""
    table = np.asarray(scores, dtype=float)
    if table.ndim != 2 or min(table.shape) < 2 or not np.isfinite(table).all():
        raise ValueError(f"scores must be a finite table of data sets x learners, at least 2 x 2, got {table.shape}.")
    above = (table[:, None, :] > table[:, :, None]).sum(axis=2)
    equal = (table[:, None, :] == table[:, :, None]).sum(axis=2)
    return above + (equal + 1) / 2.0


def t_table(degrees: Sequence[float], upper_tails: Sequence[float]) -> np.ndarray:
    """Table of t quantiles: one row per degrees of freedom (infinity allowed), one column per upper tail."""
    return np.array([[t_quantile(degree, tail) for tail in upper_tails] for degree in degrees])
