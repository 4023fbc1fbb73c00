"""Split conformal calibration: from scores of held-out rows to a threshold with its certificates.

A score s(x, y) is any number that is large when y is odd for x. The set {y : s(x, y) <= q}, with q the score
of rank k = ceil((n + 1) p), contains the true y of a new row with probability k / (n + 1) >= p on average
over calibration sets (exactly so without ties), and for this calibration set at least with the Beta floor.

Reference: Papadopoulos et al., Inductive Confidence Machines for Regression (2002); Vovk, Conditional
Validity of Inductive Conformal Predictors (2012).
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from certus.guarantees.conformal.conformal_ranks import ConformalRank, Level
from certus.guarantees.conformal.rank_certificate import floor_certificate, rank_certificate
from certus.guarantees.records.certificate import Certificate
from certus.guarantees.records.report import Report


@dataclass(frozen=True)
class Calibration:
    """A threshold, the rank that it comes from, and the certificates that follow.

    Attributes
    ----------
    threshold : float
        A candidate belongs to the set when its score is at most this; infinite when rows are too few.
    rank : ConformalRank
        Rank k of n, the delivered level and the floor.
    subject : {"interval", "set"}
        What the sets are called in the claims.
    group : str or None
        Name of the group for which this threshold is meant.
    """

    threshold: float
    rank: ConformalRank
    subject: str = "set"
    group: str | None = None

    @property
    def delivered(self) -> float:
        """Average coverage k / (n + 1)."""
        return self.rank.delivered

    @property
    def floor(self) -> float:
        """Coverage of this very calibration set, with the probability `rank.floor_assurance`."""
        return self.rank.floor

    @cached_property
    def certificates(self) -> tuple[Certificate, ...]:
        """The average promise and the promise for this calibration set."""
        return (
            rank_certificate(self.rank, self.threshold, self.subject, self.group),
            floor_certificate(self.rank, self.threshold, self.subject, self.group),
        )

    @property
    def report(self) -> Report:
        """The certificates as a report."""
        return Report(self.certificates)


def calibrate(
    scores: ArrayLike,
    *,
    confidence: Level = 0.9,
    assurance: Level | None = None,
    floor_assurance: Level = 0.95,
    subject: str = "set",
) -> Calibration:
    """Calibrate one threshold on the scores of rows that the model has not seen.

    Parameters
    ----------
    scores : array of shape (n,)
        Scores of the calibration rows; infinite ones are allowed, missing ones are not.
    confidence : number strictly between 0 and 1, default=0.9
        The coverage wanted, read as the decimal that is written.
    assurance : number strictly between 0 and 1, optional
        Without it the coverage holds on average over calibration sets. With it, it holds for this
        calibration set with that probability, at the price of a higher rank.
    floor_assurance : number, default=0.95
        Probability that belongs to the reported floor.
    subject : {"interval", "set"}, default="set"
        Word for the claims.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.guarantees import calibrate
    >>> result = calibrate(np.arange(100.0), confidence=0.9)
    >>> result.rank.rank, result.threshold, round(result.floor, 3)
    (91, 90.0, 0.848)
    """
    values = check_scores(scores)
    rank = ConformalRank.of(len(values), confidence, assurance, floor_assurance)
    return Calibration(rank.threshold(values), rank, subject)


@dataclass(frozen=True)
class GroupCalibration:
    """One calibration per group (Mondrian): the promise holds inside every group, not only on average."""

    by_group: Mapping[Hashable, Calibration]

    def thresholds(self, groups: ArrayLike) -> NDArray[np.float64]:
        """Threshold of every row; a group without calibration rows is an error."""
        labels, codes = np.unique(np.asarray(groups), return_inverse=True)
        keys = labels.tolist()
        unknown = [key for key in keys if key not in self.by_group]
        if unknown:
            known = ", ".join(repr(key) for key in list(self.by_group)[:10])
            raise ValueError(
                f"groups: {unknown[0]!r} has no calibration rows; the calibrated groups are {known}.\n"
                "Hint: calibrate with rows of that group, or map it to one of these before predicting."
            )
        return np.array([self.by_group[key].threshold for key in keys])[codes.reshape(-1)]

    @cached_property
    def certificates(self) -> tuple[Certificate, ...]:
        """Certificates of all groups."""
        return tuple(c for calibration in self.by_group.values() for c in calibration.certificates)

    @property
    def report(self) -> Report:
        """The certificates as a report; each line is about its own group."""
        return Report(self.certificates)


def calibrate_groups(
    scores: ArrayLike,
    groups: ArrayLike,
    *,
    confidence: Level = 0.9,
    assurance: Level | None = None,
    floor_assurance: Level = 0.95,
    subject: str = "set",
    group_word: str = "group",
) -> GroupCalibration:
    """Calibrate a threshold for each group separately; `groups` holds one label per score.

    Parameters are those of `calibrate`. A group with too few rows gets an infinite threshold, and its
    certificate says how many rows it would need.
    """
    values = check_scores(scores)
    labels = np.asarray(groups)
    if labels.shape != values.shape:
        raise ValueError(
            f"groups must have one label for each of the {len(values)} scores, got shape {labels.shape}.\n"
            "Hint: pass the group column of the calibration rows."
        )
    names, codes, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    # Small integers are sorted by counting.
    small = codes.reshape(-1).astype(np.min_scalar_type(len(names)))
    parts = np.split(values[np.argsort(small, kind="stable")], np.cumsum(sizes)[:-1])
    result: dict[Hashable, Calibration] = {}
    for name, part in zip(names.tolist(), parts, strict=True):
        rank = ConformalRank.of(len(part), confidence, assurance, floor_assurance)
        result[name] = Calibration(rank.threshold(part), rank, subject, f"{group_word} {name}")
    return GroupCalibration(result)


def check_scores(scores: ArrayLike) -> NDArray[np.float64]:
    """One-dimensional, not empty, no NaN; returned as doubles."""
    values = np.asarray(scores, dtype=np.float64)
    if values.ndim != 1:
        raise ValueError(
            f"scores must be one-dimensional, one per calibration row, got shape {values.shape}.\n"
            "Hint: take the score of the true label only."
        )
    if values.size == 0:
        raise ValueError("scores must hold at least one calibration row, got none.\nHint: pass held-out rows.")
    missing = np.isnan(values)
    if missing.any():
        first, total = int(np.argmax(missing)), int(missing.sum())
        raise ValueError(
            f"scores must not be NaN; row {first} is, and {total} of {values.size} in all.\n"
            "Hint: look for missing targets or predictions in the calibration rows."
        )
    return values
