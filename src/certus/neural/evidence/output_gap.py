"""How far a network without hidden layers is from the best one: a duality gap.

    P(W, b) = sum_i p_i l(y_i, W'x_i + b) + (a / 2) |W|^2
    D(u)    = - sum_i p_i l*(u_i) - |sum_i p_i x_i u_i'|^2 / (2 a)

with p_i = s_i / sum s, a = alpha / sum s, and any u with sum_i p_i u_i = 0. The u used here is the losses' derivative
at the scores, made to sum to 0: shifted (squared loss), its larger side shrunk (two classes), or mixed with the
derivatives that belong to constant probabilities (several classes).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.guarantees import Certificate
from certus.guarantees.training import DUALITY, DualValue, GapEvidence, GapRule, kept_array, training_data
from certus.losses import L2, Logistic, Multinomial, NoPenalty, Squared
from certus.losses.gap import ConvexProblem, check_solution
from certus.neural.engine import NetworkEngine
from certus.neural.learning.training_data import TrainingData

Array = NDArray[np.float64]
LOSSES: dict[str, Any] = {"squared": Squared(), "logistic": Logistic(), "multinomial": Multinomial()}


def output_gap(learner: Any, engine: NetworkEngine, data: TrainingData) -> Certificate | None:
    """The certificate, where the loss has a dual here and there is a penalty."""
    plan = learner._output()
    if plan.loss[0] not in LOSSES or plan.smoothing > 0.0 or learner.alpha == 0:
        return None
    rows = np.arange(data.X.shape[0]) if data.rows is None else data.rows
    X = data.X[rows]
    weights = np.ones(len(rows)) if data.weights is None else data.weights[rows]
    strength, share = float(learner.alpha) / float(weights.sum()), weights / weights.sum()
    targets = learner._targets_of(data, rows)
    coef, intercept = engine.coefs[0].astype(np.float64), engine.intercepts[0].astype(np.float64)
    scores = np.asarray(X @ coef, dtype=np.float64) + intercept
    loss = LOSSES[plan.loss[0]]
    y = _labels(plan.loss[0], targets)
    u = _dual_point(plan.loss[0], y, loss.derivative(y, scores), share)
    image = np.asarray(X.T @ (share[:, None] * u), dtype=np.float64)
    primal = _mean(share, loss.value(y, scores)) + 0.5 * strength * float((coef**2).sum())
    dual = -_mean(share, loss.conjugate(y, u)) - float((image**2).sum()) / (2.0 * strength)
    at_zero = _mean(share, loss.value(y, np.zeros_like(scores)))
    # What sum_i p_i u_i keeps by rounding costs that times the best intercept.
    left = float(np.abs(share @ u).sum()) + 4e-16 * len(rows) ** 0.5
    noise = 1e-15 * (len(rows) + coef.size) ** 0.5 * (abs(primal) + abs(dual) + float(np.abs(scores).max(initial=0.0)))
    rounding = left * 1000.0 * max(1.0, float(np.abs(intercept).max(initial=0.0))) + noise
    evidence = GapEvidence(objective=primal, objective_at_zero=at_zero, bound=DualValue(dual, rounding))
    inputs = {"loss": plan.loss[0], "alpha": float(learner.alpha), "classes": _classes(learner)}
    inputs["class_weights"] = None if data.by_class is None else data.by_class.tolist()
    return GAP.certificate(evidence, inputs, {"coef": coef, "intercept": intercept}, assumed=("bounded-solution",))


def _classes(learner: Any) -> Any:
    classes = getattr(learner, "classes_", None)
    return None if classes is None or learner.several_labels_ else classes.tolist()


def _labels(loss: str, targets: NDArray[Any]) -> NDArray[Any]:
    """Targets as the losses take them."""
    if loss == "multinomial":
        return targets.astype(np.intp)
    values = targets.astype(np.float64)
    return 2.0 * values - 1.0 if loss == "logistic" else values


def _mean(share: Array, values: NDArray[Any]) -> float:
    """Weighted mean over the rows of the sums over the outputs."""
    return float(share @ (values if values.ndim == 1 else values.sum(axis=1)))


def _dual_point(loss: str, y: NDArray[Any], u: Array, share: Array) -> Array:
    """Derivatives changed as little as their sum 0 asks for."""
    if loss == "squared":
        return np.asarray(u - share @ u)
    if loss == "logistic":
        up, down = share @ np.maximum(u, 0.0), -(share @ np.minimum(u, 0.0))
        least = np.minimum(up, down)
        with np.errstate(invalid="ignore", divide="ignore"):
            positive, negative = np.where(up > 0.0, least / up, 0.0), np.where(down > 0.0, least / down, 0.0)
        return np.asarray(u * np.where(u > 0.0, positive, negative))
    residual = share @ u
    shares = np.bincount(y, weights=share, minlength=u.shape[1])
    mixed = float(np.clip(2.0 * (np.abs(residual) / shares).max(), 1e-15, 0.5))
    constant = np.maximum(shares - (1.0 - mixed) / mixed * residual, 0.0)
    constant /= constant.sum()
    blend = (1.0 - mixed) * u + mixed * constant
    blend[np.arange(len(y)), y] -= mixed
    return blend


def _recompute(certificate: Certificate, gap: float, data: Any) -> None:
    """The declared problem on given data, for the checker of gaps of any loss and penalty."""
    X, y, weights = training_data(data)
    inputs, name = certificate.inputs, certificate.inputs["loss"]
    coef, intercept = kept_array(certificate, "coef"), kept_array(certificate, "intercept").ravel()
    targets = y if inputs["classes"] is None else np.searchsorted(np.array(inputs["classes"]), y)
    if name != "multinomial":
        targets = np.reshape(targets, (len(X), -1))
    if inputs.get("class_weights") is not None:
        weights = weights * np.array(inputs["class_weights"])[np.ravel(targets)]
    labels = _labels(name, np.asarray(targets))
    share, total = weights / weights.sum(), float(weights.sum())
    penalty = L2(inputs["alpha"] / total) if inputs["alpha"] > 0.0 else NoPenalty()
    problem = ConvexProblem(X, labels, share, LOSSES[name], penalty, intercept=True)
    check_solution(certificate, gap, [(problem, problem.point(coef.T, intercept))])


GAP = GapRule("neural/duality-gap", {DUALITY: DualValue}, _recompute)
