"""No free lunch: over all labelings of a finite domain no learner beats chance on what it has not seen.

Wolpert (1996); Shalev-Shwartz, Ben-David, Understanding Machine Learning (2014), theorem 5.1.
"""

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from certus.guarantees.records import check_count
from certus.theory.text import aligned

Learner = Callable[[np.ndarray, np.ndarray, int], np.ndarray]
_MOST_ROWS = 4


@dataclass(frozen=True)
class NoFreeLunch:
    """What a learner reaches on average over all labelings of twice as many points as it sees.

    Parameters
    ----------
    rows : int
        Sample size m; the domain has 2 m equally likely points.
    average : float
        Expected error, averaged over all 2^(2m) labelings: at least (1/2)(1 - 1/(2m))^m >= 1/4 for every learner.
    errors : ndarray of shape (labelings,)
        Expected error for every labeling.
    chance_of_an_eighth : ndarray of shape (labelings,)
        For every labeling the chance of a sample after which the error is at least 1/8; some labeling has 1/7.
    """

    rows: int
    average: float
    errors: np.ndarray
    chance_of_an_eighth: np.ndarray

    @property
    def floor(self) -> float:
        """The smallest average that any learner can have."""
        return memorizer_average(self.rows)

    def __str__(self) -> str:
        return aligned(
            ["rows", "average error", "floor", "worst labeling", "largest chance of error >= 1/8"],
            [[self.rows, self.average, self.floor, float(self.errors.max()), float(self.chance_of_an_eighth.max())]],
        )


def memorizer_average(rows: int) -> float:
    """Average error (1/2)(1 - 1/(2 m))^m of a learner that knows what it has seen and guesses the rest.

    Examples
    --------
    >>> [round(memorizer_average(m), 5) for m in (1, 2, 3, 5)]
    [0.25, 0.28125, 0.28935, 0.29525]
    """
    m = check_count(rows, "rows", minimum=1)
    return 0.5 * (1.0 - 1.0 / (2 * m)) ** m


def memorize(points: np.ndarray, labels: np.ndarray, domain: int) -> np.ndarray:
    """Say what was seen; 0 elsewhere."""
    predicted = np.zeros(domain, dtype=np.int64)
    predicted[points] = labels
    return predicted


def no_free_lunch(rows: int, learner: Learner = memorize) -> NoFreeLunch:
    """Try a learner on every labeling of 2 m points and every sample of m of them, without chance.

    Parameters
    ----------
    rows : int
        Sample size m from 1 to 4.
    learner : callable, default=memorize
        Maps (points, labels, size of the domain) to a 0/1 label for every point of the domain. It is shown every
        sample in ascending order.

    Examples
    --------
    >>> no_free_lunch(2).average
    0.28125
    >>> always_one = lambda points, labels, domain: np.ones(domain, dtype=int)
    >>> no_free_lunch(2, always_one).average
    0.5
    """
    m = check_count(rows, "rows", minimum=1)
    if m > _MOST_ROWS:
        raise ValueError(f"rows must be at most {_MOST_ROWS}, got {m}: there are 2^{2 * m} labelings to try.")
    domain = 2 * m
    samples = [np.array(chosen) for chosen in itertools.combinations_with_replacement(range(domain), m)]
    chances = np.array([_orders(sample) / domain**m for sample in samples])
    labelings = np.array(list(itertools.product((0, 1), repeat=domain)))
    wrong = np.empty((len(labelings), len(samples)))
    for i, labeling in enumerate(labelings):
        for j, sample in enumerate(samples):
            predicted = np.asarray(learner(sample, labeling[sample], domain))
            if predicted.shape != (domain,):
                raise ValueError(f"learner must label all {domain} points, got shape {predicted.shape}.")
            wrong[i, j] = np.mean(predicted != labeling)
    errors = wrong @ chances
    return NoFreeLunch(m, float(errors.mean()), errors, (wrong >= 0.125) @ chances)


def _orders(sample: np.ndarray) -> int:
    """Number of sequences with the same points: m! over the factorials of the repetitions."""
    _, repeats = np.unique(sample, return_counts=True)
    return math.factorial(len(sample)) // math.prod(math.factorial(int(r)) for r in repeats)
