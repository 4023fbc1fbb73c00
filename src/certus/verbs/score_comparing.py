"""Learners compared by scores of folds or of data sets: the classical tests, which are all approximations."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from certus.guarantees.holdout import (
    TestResult,
    Verdict,
    corrected_t,
    five_by_two,
    friedman,
    holm,
    nemenyi,
    paired_t,
    wilcoxon,
    z_test,
)
from certus.guarantees.records import check_choice, check_confidence, failure_of

Test = Callable[[ArrayLike, ArrayLike], TestResult]

PAIRED = ("paired-t", "corrected-t", "z", "5x2cv", "wilcoxon")
TOGETHER = ("friedman", "nemenyi")
TESTS = (*PAIRED, *TOGETHER)


@dataclass(frozen=True)
class ScoreComparison:
    """Learners compared by their scores, the higher the better. Nothing here is a guarantee.

    Attributes
    ----------
    names : tuple of str
        The learners.
    test : str
        The test that was asked for.
    results : tuple of TestResult
        One per pair, in the order of the names; one for all learners with "friedman" and "nemenyi".
    adjusted : tuple of float
        Holm-adjusted p-values of the results.
    better : tuple of (str, str)
        Pairs (better, worse) that the test tells apart at the confidence.
    confidence : float
        Nominal level of the test.
    kind : str
        Always "estimate": every test rests on an approximation that its result names.
    """

    names: tuple[str, ...]
    test: str
    results: tuple[TestResult, ...]
    adjusted: tuple[float, ...]
    better: tuple[tuple[str, str], ...]
    confidence: float
    kind: str = "estimate"

    @property
    def verdict(self) -> str:
        """Which learners score higher than which, that some differ, or "cannot tell"."""
        if self.better:
            return "; ".join(f"{one} is better than {other}" for one, other in self.better)
        differ = self.test in TOGETHER and self.adjusted[0] <= failure_of(self.confidence)
        return "some learners differ" if differ else str(Verdict.CANNOT_TELL)

    @property
    def pvalue(self) -> float | None:
        """The p-value, if there is one test only."""
        return self.results[0].pvalue if len(self.results) == 1 else None

    def to_dict(self) -> dict[str, Any]:
        """Plain values for machines."""
        tests = [
            {"name": found.name, "statistic": found.statistic, "pvalue": found.pvalue, "caveat": found.caveat}
            for found in self.results
        ]
        return {
            "names": list(self.names),
            "test": self.test,
            "verdict": self.verdict,
            "kind": self.kind,
            "confidence": self.confidence,
            "tests": tests,
            "adjusted_pvalues": list(self.adjusted),
        }

    def __str__(self) -> str:
        return "\n".join([f"{self.verdict} (an estimate, not a guarantee)", *map(str, self.results)])


def compare_scores(
    scores: Mapping[str, ArrayLike],
    test: str,
    *,
    confidence: float = 0.95,
    test_share: float | None = None,
    deviation: float | None = None,
) -> ScoreComparison:
    """Compare learners by the scores that cross-validation gave them on the same folds.

    Parameters
    ----------
    scores : mapping of str to array-like
        Scores of every learner on the same folds (or data sets), the higher the better; of shape (5, 2) for "5x2cv".
    test : {"paired-t", "corrected-t", "z", "5x2cv", "wilcoxon", "friedman", "nemenyi"}
        The test. "nemenyi" is Friedman's test followed by the critical difference of the average ranks.
    confidence : float, default=0.95
        Nominal level; with several pairs the p-values are adjusted by Holm's method.
    test_share : float, optional
        For "corrected-t": test rows / training rows of a fold; by default 1 / (folds - 1).
    deviation : float, optional
        For "z": the known standard deviation of a difference.

    Examples
    --------
    >>> a = [0.81, 0.82, 0.84, 0.78, 0.85, 0.86, 0.82, 0.83, 0.82, 0.81]
    >>> b = [0.80, 0.77, 0.70, 0.83, 0.80, 0.78, 0.75, 0.80, 0.78, 0.77]
    >>> found = compare_scores({"A": a, "B": b}, "corrected-t")
    >>> found.verdict, round(found.pvalue, 2), found.kind
    ('cannot tell', 0.07, 'estimate')
    """
    check_choice(test, "test", TESTS)
    level = failure_of(check_confidence(confidence))
    tables = {str(name): np.asarray(values, dtype=np.float64) for name, values in scores.items()}
    names = tuple(tables)
    if test in TOGETHER:
        return _together(tables, test, confidence)
    judge = _paired(test, test_share, deviation)
    pairs = list(combinations(names, 2))
    results = tuple(judge(tables[one], tables[other]) for one, other in pairs)
    adjusted = tuple(holm([found.pvalue for found in results]))
    decided = [
        (one, other) if tables[one].mean() > tables[other].mean() else (other, one)
        for (one, other), pvalue in zip(pairs, adjusted, strict=True)
        if pvalue <= level
    ]
    return ScoreComparison(names, test, results, adjusted, tuple(decided), confidence)


def _paired(test: str, test_share: float | None, deviation: float | None) -> Test:
    """The test of two columns of scores."""
    if (deviation is None) == (test == "z"):
        raise ValueError(
            f"deviation={deviation!r} does not go with test={test!r}.\n"
            "Hint: only the z-test needs the known standard deviation of a difference."
        )
    if test_share is not None and test != "corrected-t":
        raise ValueError(f"test_share does not go with test={test!r}.\nHint: only 'corrected-t' corrects for overlap.")
    if test == "corrected-t":
        return lambda a, b: corrected_t(a, b, test_share=test_share or 1.0 / max(1, np.size(a) - 1))
    if test == "z":
        assert deviation is not None
        return lambda a, b: z_test(np.subtract(a, b), deviation)
    if test == "5x2cv":
        return lambda a, b: five_by_two(np.subtract(a, b))
    return paired_t if test == "paired-t" else wilcoxon


def _together(tables: Mapping[str, np.ndarray], test: str, confidence: float) -> ScoreComparison:
    """One test for all learners; Nemenyi's pairs count only where Friedman's test rejects."""
    names = tuple(tables)
    if len({table.shape for table in tables.values()}) != 1:
        raise ValueError(f"scores must be equally long, got the shapes {[table.shape for table in tables.values()]}.")
    scores = np.column_stack(list(tables.values()))
    found = friedman(scores)
    better: list[tuple[str, str]] = []
    if test == "nemenyi" and found.pvalue <= failure_of(confidence):
        ranks = found.details["average_ranks"]
        for i, j in nemenyi(scores, confidence=confidence)["different"]:
            better.append((names[i], names[j]) if ranks[i] < ranks[j] else (names[j], names[i]))
    return ScoreComparison(names, test, (found,), (found.pvalue,), tuple(better), confidence)
