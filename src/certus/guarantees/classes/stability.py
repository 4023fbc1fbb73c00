"""Stability bounds: a learner that hardly notices one row cannot have fitted its noise."""

import math
from collections.abc import Iterable

from numpy.typing import ArrayLike

from certus.guarantees.records import rules
from certus.guarantees.records.bound_arguments import check_count, check_positive
from certus.guarantees.records.certificate import Certificate
from certus.guarantees.records.quantity import Quantity
from certus.guarantees.records.rules import Derivation
from certus.guarantees.training.additive_bounds import AdditiveBound
from certus.guarantees.training.risk_record import check_divergence, check_level

THEOREM = "Stability and Generalization (Bousquet, Elisseeff 2002)"
RULES = {"training": "stability", "leave-one-out": "stability-leave-one-out"}


def stability_bound(
    risk: float,
    beta: float,
    rows: int,
    confidence: float = 0.95,
    *,
    largest_loss: float = 1.0,
    leave_one_out: bool = False,
    uses: int = 1,
    quantity: Quantity | str = "risk",
) -> Certificate:
    """Bound the risk of a uniformly stable learner from its training or leave-one-out risk.

    training risk + 2 beta + (4 rows beta + M) sqrt(log(1/delta) / (2 rows)); from the leave-one-out risk with beta in
    place of 2 beta. Informative only for strong regularization: beta has to be far below 1/rows^(1/2).

    Parameters
    ----------
    risk : float
        Average loss on the training rows, or leave-one-out.
    beta : float
        Replacing or dropping any one row changes no loss by more than that; see `svm_stability`, `ridge_stability`.
    rows : int
        Training rows.
    confidence : float, default=0.95
        Probability with which the bound holds.
    largest_loss : float, default=1.0
        M: the loss lies in [0, M].
    leave_one_out : bool, default=False
        Whether `risk` is a leave-one-out risk.
    uses : int, default=1
        Number of settings that were tried on these rows, this one included.
    quantity : str, default="risk"
        Name of the risk.

    Examples
    --------
    >>> round(stability_bound(0.05, svm_stability(1.0, 0.5, 5000), 5000).value, 3)
    0.137
    """
    level, paid = check_level(confidence, uses)
    which = "leave-one-out" if leave_one_out else "training"
    return _bound(which, risk, beta, rows, largest_loss, quantity).certificate(level, paid)


def svm_stability(kernel_bound: float, strength: float, rows: int) -> float:
    """Stability kernel_bound^2 / (2 strength rows) of the hinge loss with the penalty strength |f|^2.

    `kernel_bound` is at least sqrt(K(x, x)) for every row.

    Examples
    --------
    >>> svm_stability(1.0, 0.5, 1000)
    0.001
    """
    k, s = check_divergence(kernel_bound, "kernel_bound"), check_positive(strength, "strength")
    return k * k / (2.0 * s * check_count(rows, "rows", minimum=1))


def ridge_stability(kernel_bound: float, target_bound: float, strength: float, rows: int) -> float:
    """Stability of ridge regression: mean square loss with the penalty strength |f|^2, |y| <= target_bound.

    Predictions stay within P = kernel_bound target_bound / sqrt(strength), so the loss has slopes of at most
    2 (target_bound + P), and beta = slope^2 kernel_bound^2 / (2 strength rows).

    Examples
    --------
    >>> round(ridge_stability(1.0, 1.0, 1.0, 1000), 10)
    0.008
    """
    k, b = check_divergence(kernel_bound, "kernel_bound"), check_divergence(target_bound, "target_bound")
    s = check_positive(strength, "strength")
    slope = 2.0 * b * (1.0 + k / math.sqrt(s))
    return (slope * k) ** 2 / (2.0 * s * check_count(rows, "rows", minimum=1))


def sgd_stability(lipschitz: float, steps: Iterable[float], rows: int) -> float:
    """Stability (2 lipschitz^2 / rows) sum of step sizes of stochastic gradient descent (Hardt, Recht, Singer 2016).

    For convex, smooth losses, steps of at most 2 / smoothness and rows drawn at random: an average over the draws.
    It bounds the expected gap between risk and training risk, and is not meant for `stability_bound`, which needs a
    number for every run.

    Examples
    --------
    >>> sgd_stability(1.0, [0.1] * 50, 1000)
    0.01
    """
    total = math.fsum(check_divergence(step, "steps") for step in steps)
    return 2.0 * check_divergence(lipschitz, "lipschitz") ** 2 * total / check_count(rows, "rows", minimum=1)


def _bound(
    which: str, risk: object, beta: object, rows: object, largest: object, quantity: Quantity | str
) -> AdditiveBound:
    change, total = check_divergence(beta, "beta"), check_count(rows, "rows", minimum=1)
    top, mean = check_positive(largest, "largest_loss"), check_divergence(risk, "risk")
    if mean > top:
        raise ValueError(f"risk must be at most largest_loss ({top!r}), got {risk!r}.")
    return AdditiveBound(
        risk=mean,
        rows=total,
        capacity=change * (1.0 if which == "leave-one-out" else 2.0),
        factor=4.0 * total * change + top,
        parts=1,
        theorem=THEOREM,
        rule=RULES[which],
        assumptions=("stable-learner", "bounded-range", "symmetric-learner"),
        quantity=quantity,
        basis=f"{which} risk",
        largest=top,
        extra={"beta": change, "largest_loss": top},
    )


def _check(certificate: Certificate, data: ArrayLike | None) -> Derivation:
    witness, given = certificate.witness, certificate.inputs
    which = next(name for name, rule in RULES.items() if rule == certificate.rule)
    bound = _bound(which, witness["risk"], given["beta"], witness["rows"], given["largest_loss"], certificate.quantity)
    return bound.derivation(certificate, data)


for _rule in RULES.values():
    rules.checker(_rule)(_check)
