"""Independent voters: how often a majority of them is wrong, exactly and by tail bounds."""

import math
from dataclasses import dataclass

from scipy import special

from certus.guarantees.records.bound_arguments import check_count


@dataclass(frozen=True)
class Crowd:
    """Chance that a majority of independent voters is wrong, and three bounds on it.

    Parameters
    ----------
    exact : float
        The binomial tail (Condorcet's jury theorem).
    hoeffding : float
        exp(-2 (mu - k)^2 / voters) with mu the expected number of right votes and k the largest losing one.
    chernoff : float
        exp(-(mu - k)^2 / (2 mu)).
    crude : float
        exp(-4 edge^2 T / 5) for 2 T + 1 voters.
    """

    exact: float
    hoeffding: float
    chernoff: float
    crude: float


def chernoff_lower_tail(mean: float, most: float) -> float:
    """Bound P(X <= most) <= exp(-(mean - most)^2 / (2 mean)) for a sum X of independent variables in [0, 1].

    Parameters
    ----------
    mean : float
        Expectation of the sum.
    most : float
        Between 0 and `mean`.

    Examples
    --------
    >>> round(chernoff_lower_tail(12.6, 10.0), 4)
    0.7647
    """
    if not 0.0 <= most <= mean < math.inf:
        raise ValueError(f"most must lie between 0 and mean, got most={most!r}, mean={mean!r}.")
    return 1.0 if mean == 0.0 else math.exp(-((mean - most) ** 2) / (2.0 * mean))


def condorcet(voters: int, edge: float) -> Crowd:
    """How often the majority of an odd number of independent voters is wrong, each right with chance 1/2 + edge.

    With voters = 2 T + 1::

        P(wrong) = sum_{i=0}^{T} C(2T+1, i) (1/2 + edge)^i (1/2 - edge)^(2T+1-i).

    Parameters
    ----------
    voters : int
        An odd number, so that there are no ties.
    edge : float
        From 0 to 1/2.

    Examples
    --------
    >>> crowd = condorcet(21, 0.1)
    >>> round(crowd.exact, 6), round(crowd.chernoff, 4), round(crowd.hoeffding, 4), round(crowd.crude, 4)
    (0.174378, 0.7647, 0.5253, 0.9231)
    """
    total = check_count(voters, "voters", minimum=1)
    if total % 2 == 0:
        raise ValueError(f"voters must be odd, got {total}.\nHint: an even number of voters can tie.")
    if not 0.0 <= edge <= 0.5:
        raise ValueError(f"edge must lie between 0 and 0.5, got {edge!r}.\nHint: a voter is right with 1/2 + edge.")
    losing, mean = total // 2, total * (0.5 + edge)
    return Crowd(
        exact=float(special.bdtr(losing, total, 0.5 + edge)),
        hoeffding=math.exp(-2.0 * (mean - losing) ** 2 / total),
        chernoff=chernoff_lower_tail(mean, float(losing)),
        crude=math.exp(-0.8 * edge**2 * losing),
    )
