"""Bounds on the regret of expert rules, as formulas of what was fixed before and of what was observed.

Losses are those of numbers in [0, 1], n is the number of experts, T of trials, k of switches. `factor` is the c of a
loss with its eta: the learner pays at most c (-ln sum_i v_i exp(-eta l_i)).

References: Littlestone, Warmuth 1994; Vovk 1990, 1998; Freund, Schapire 1997; Herbster, Warmuth 1998, 2001;
Bousquet, Warmuth 2002; de Rooij, van Erven, Grunwald, Koolen 2014; Koolen, van Erven 2015.
"""

from __future__ import annotations

import math

CONSTANTS: dict[tuple[str, str], tuple[float, float]] = {  # loss, prediction -> (largest eta, its c)
    ("log", "average"): (1.0, 1.0),
    ("log", "vovk"): (1.0, 1.0),
    ("square", "average"): (0.5, 2.0),
    ("square", "vovk"): (2.0, 0.5),
}

ROUNDING = 1e-14  # of a prediction and its loss, per trial: where the bound is 0 (one expert) the regret is that


def absolute_factor(eta: float) -> float:
    """The c of the absolute loss under the aggregating prediction: 1 / (2 ln(2 / (1 + exp(-eta))))."""
    return 0.5 / math.log(2.0 / (1.0 + math.exp(-eta)))


def outward(bound: float) -> float:
    """The bound, above what rounding errors of its own evaluation can hide."""
    return bound + 1e-12 * abs(bound)


def loss_factor(loss: str, prediction: str, eta: float) -> float:
    """The c that belongs to eta; infinite if no theorem holds for so large an eta."""
    if loss == "absolute":
        return absolute_factor(eta) if prediction == "vovk" else math.inf
    largest, _ = CONSTANTS[loss, prediction]
    return 1.0 / eta if eta <= largest else math.inf


def static_bound(factor: float, eta: float, share_of_best: float, loss_of_best: float) -> float:
    """(c eta - 1) L* + c ln(1 / w*), for the best expert with the prior weight w*.

    Examples
    --------
    >>> round(static_bound(2.0, 0.5, 1 / 4, 0.54), 4)    # square loss, weighted average, 4 experts: 2 ln 4
    2.7726
    """
    return _extra(factor, eta, loss_of_best) + factor * math.log(1.0 / share_of_best)


def fixed_share_bound(
    factor: float, eta: float, experts: int, trials: int, switches: int, alpha: float, loss_of_best: float = 0.0
) -> float:
    """(c eta - 1) L* + c [ln n + (T-1-k) ln 1/(1-alpha) + k ln((n-1)/alpha)], against at most k switches.

    Examples
    --------
    >>> [round(fixed_share_bound(c, 1 / c, 64, 800, 3, 0.024), 3) for c in (0.5, 2.0)]
    [23.557, 94.229]
    >>> round(fixed_share_bound(0.5, 2.0, 64, 800, 3, 3 / 799), 3)
    18.168
    """
    if experts == 1 or trials == 0:
        return _extra(factor, eta, loss_of_best)
    most = min(switches, trials - 1)
    return _extra(factor, eta, loss_of_best) + factor * max(
        math.log(experts) + _cost(trials - 1 - k, 1.0 - alpha) + _cost(k, alpha / (experts - 1)) for k in (0, most)
    )


def tuned_share(trials: int, switches: int) -> float:
    """The alpha with the smallest bound of Fixed Share: k / (T - 1)."""
    return switches / (trials - 1)


def closed_share_bound(factor: float, experts: int, trials: int, switches: int) -> float:
    """C [k ln((T-1)/k) + k ln(n-1) + ln n + k], at least Fixed Share's bound at alpha = k/(T-1).

    Examples
    --------
    >>> round(closed_share_bound(0.5, 64, 800, 3), 3)
    18.171
    """
    k = switches
    return factor * (k * math.log((trials - 1) / k) + k * math.log(experts - 1) + math.log(experts) + k)


def variable_share_bound(
    factor: float, eta: float, experts: int, switches: int, alpha: float, loss_of_best: float
) -> float:
    """(c eta - 1 + c ln 1/(1-alpha)) L* + c ln n + c k [eta + max(ln((n-1)/alpha), ln 1/(1-alpha))].

    While the expert before a switch loses its next unit (at most 2 in all), it hands on at least
    alpha exp(-eta) / (n-1) of its weight; if it never loses that unit, it may as well go on.
    """
    if experts == 1:
        return _extra(factor, eta, loss_of_best)
    move = eta + max(_cost(1, alpha / (experts - 1)), _cost(1, 1.0 - alpha))
    staying = factor * _cost(1, 1.0 - alpha) * loss_of_best if loss_of_best else 0.0
    moving = factor * switches * move if switches else 0.0
    return _extra(factor, eta, loss_of_best) + staying + factor * math.log(experts) + moving


def past_posteriors_bound(
    factor: float, eta: float, experts: int, trials: int, switches: int, alpha: float, loss_of_best: float = 0.0
) -> float:
    """(c eta - 1) L* + c [m ln n + (T-1-k) ln 1/(1-alpha) + k ln((T-1)/alpha)], m = min(k+1, n) experts in use."""
    if experts == 1 or trials == 0:
        return _extra(factor, eta, loss_of_best)
    most = min(switches, trials - 1)
    return _extra(factor, eta, loss_of_best) + factor * max(
        min(k + 1, experts) * math.log(experts)
        + _cost(trials - 1 - k, 1.0 - alpha)
        + (_cost(k, alpha / (trials - 1)) if k else 0.0)
        for k in range(most + 1)
    )


def weight_floor_bound(
    factor: float, eta: float, experts: int, switches: int, alpha: float, loss_of_best: float, mean_losses: float
) -> float:
    """C eta [(1-alpha) L* + alpha sum_t mean_i l] - L* + c [d(u, uniform) + k (1-alpha) ln(n/alpha)].

    The comparator mixes the best expert with the mean of all, u = (1-alpha) e_i + alpha/n, so that it lies above the
    floor, where projections lose nothing.
    """
    if experts == 1:
        return _extra(factor, eta, loss_of_best)
    top, low = 1.0 - alpha + alpha / experts, alpha / experts
    start = top * math.log(top * experts) + (experts - 1) * (low * math.log(low * experts) if low else 0.0)
    moving = (1.0 - alpha) * _cost(switches, alpha / experts) if switches and alpha < 1.0 else 0.0
    mixed = (1.0 - alpha) * loss_of_best + (alpha * mean_losses if alpha else 0.0)
    return factor * eta * mixed - loss_of_best + factor * (start + moving)


def halving_bound(experts: int, fewest: int = 0) -> int:
    """floor(lg n) mistakes with a perfect expert; m* (floor(lg n) + 1) + floor(lg n) if the best errs m* times."""
    halvings = experts.bit_length() - 1
    return fewest * (halvings + 1) + halvings


def majority_constants(beta: float) -> tuple[float, float]:
    """(a, b) of weighted majority: M <= a min_i M_i + b ln n.

    Examples
    --------
    >>> [round(value, 3) for beta in (math.exp(-1), 0.25) for value in majority_constants(beta)]
    [2.632, 2.632, 2.95, 2.128]
    """
    b = -1.0 / math.log1p(-0.5 * (1.0 - beta))  # 1 / ln(2/(1+beta)), also for a beta near 1
    return math.log(1.0 / beta) * b if beta > 0.0 else math.inf, b


def majority_bound(beta: float, experts: int, fewest: int) -> float:
    """Mistakes of weighted majority: (ln(1/beta) m* + ln n) / ln(2/(1+beta))."""
    a, b = majority_constants(beta)
    return (a * fewest if fewest else 0.0) + b * math.log(experts)


def randomized_majority_bound(beta: float, experts: int, fewest: int, trials: int) -> float:
    """Expected mistakes: the smaller of (ln(1/beta) m* + ln n)/(1-beta) and m* + ln n/eta + eta T/8."""
    eta = math.log(1.0 / beta)
    multiplied = (eta * fewest + math.log(experts)) / (1.0 - beta)
    return min(multiplied, fewest + hedge_bound(eta, experts, trials))


def hedge_bound(eta: float, experts: int, trials: float, width: float = 1.0) -> float:
    """Ln n/eta + eta T width^2 / 8 (Hoeffding's lemma)."""
    return math.log(experts) / eta + eta * trials * width * width / 8.0


def second_order_hedge_bound(eta: float, experts: int, squares: float) -> float:
    """Ln n/eta + (eta/2) sum_t sum_i v_i l_i^2, for losses that are not negative."""
    return math.log(experts) / eta + 0.5 * eta * squares


def tuned_hedge(experts: int, trials: int, width: float = 1.0) -> tuple[float, float]:
    """sqrt(8 ln n/T)/width and its bound width sqrt(T ln n/2).

    Examples
    --------
    >>> [round(value, 4) for value in tuned_hedge(10, 1000)]
    [0.1357, 33.9307]
    """
    eta = math.sqrt(8.0 * math.log(experts) / trials) / width
    return eta, width * math.sqrt(trials * math.log(experts) / 2.0)


def tuned_second_order(experts: int, trials: int, width: float = 1.0) -> tuple[float, float]:
    """sqrt(2 ln n/T)/width and its bound width sqrt(2 T ln n).

    Examples
    --------
    >>> [round(value, 6) for value in tuned_second_order(10, 1000)], round(tuned_second_order(100, 10_000)[1], 1)
    ([0.067861, 67.861404], 303.5)
    """
    eta = math.sqrt(2.0 * math.log(experts) / trials) / width
    return eta, width * math.sqrt(2.0 * trials * math.log(experts))


def _extra(factor: float, eta: float, loss_of_best: float) -> float:
    """What is paid beyond L* where c eta is above 1 (the absolute loss)."""
    excess = factor * eta - 1.0
    return excess * loss_of_best if loss_of_best and abs(excess) > 1e-12 else 0.0


def _cost(times: int, share: float) -> float:
    """Times ln(1/share), which is 0 for 0 times even where the share is 0."""
    if times == 0:
        return 0.0
    return times * math.log(1.0 / share) if share > 0.0 else math.inf
