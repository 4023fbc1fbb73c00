"""How many numbers a distribution of many features has, with and without independence."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from certus.guarantees.records import check_count


@dataclass(frozen=True)
class ParameterCounts:
    """Configurations and free parameters per class, of the full table and of naive Bayes.

    Parameters
    ----------
    configurations : int
        Combinations of values of all features.
    joint : int
        Free parameters of their joint distribution: one less.
    naive : int
        Free parameters if the features are independent given the class.
    """

    configurations: int
    joint: int
    naive: int


def parameter_counts(values: Sequence[int]) -> ParameterCounts:
    """Count the parameters of a class for features with these numbers of values.

    n binary features have 2^n configurations in each class, and n probabilities with naive Bayes.

    Examples
    --------
    >>> parameter_counts([2] * 30)
    ParameterCounts(configurations=1073741824, joint=1073741823, naive=30)
    """
    sizes = [check_count(size, "values", minimum=1) for size in values]
    return ParameterCounts(prod(sizes), prod(sizes) - 1, sum(size - 1 for size in sizes))
