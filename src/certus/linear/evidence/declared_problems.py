"""Which convex problems the inputs of a certificate declare on given data, for the one checker of gaps.

Every function gets the certificate, the gap that it states and ``(X, y[, sample_weight])``, says what the loss and the
penalty are, and leaves the rest to `certus.losses.gap`.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from certus.guarantees import Certificate, CertificateError
from certus.guarantees.training import kept_array, training_data
from certus.linear.evidence.joint_hinge import JointHinge
from certus.losses import (
    L1,
    L2,
    ConvexLoss,
    ElasticNet,
    GroupL2,
    Hinge,
    Logistic,
    Multinomial,
    MultiTask,
    NoPenalty,
    Quantile,
    Squared,
    named_loss,
)
from certus.losses.gap import ConvexProblem, Point, Positive, check_dual_points, check_solution, compare_values


def least_squares(certificate: Certificate, gap: float, data: Any) -> None:
    """The sum of s (y - f)^2 and alpha |w|^2, with a strength of its own for every target; labels are -1 and 1."""
    X, y, weights = training_data(data)
    inputs, coef = certificate.inputs, kept_array(certificate, "coef").reshape(-1, np.shape(X)[1])
    intercept, Y = kept_array(certificate, "intercept").ravel(), np.reshape(y, (len(X), -1))
    if inputs.get("multilabel"):
        Y = np.where(Y > 0, 1.0, -1.0)
    elif inputs.get("classes") is not None:
        codes, weights = _classes(certificate, y, weights)
        Y = _signs(codes, len(coef))
    if Y.shape[1] != len(coef):
        raise CertificateError(f"{certificate.quantity}: y has {Y.shape[1]} targets, the witness {len(coef)}.")
    parts = []
    for k, alpha in enumerate(inputs["alpha"]):
        penalty = L2(2.0 * alpha)
        parts.append(
            _squared(
                X,
                Y[:, k : k + 1],
                2.0 * weights,
                Positive(penalty) if inputs["positive"] else penalty,
                (coef[k : k + 1], intercept[k : k + 1]),
                center=bool(inputs["fit_intercept"]),
            )
        )
    check_solution(certificate, gap, parts)


def _squared(X: Any, Y: Any, s: Any, penalty: Any, at: Any, *, center: bool) -> tuple[ConvexProblem, Point]:
    """A problem with the squared loss, whose targets are centered as well."""
    Y, s = np.asarray(Y, dtype=np.longdouble), np.asarray(s, dtype=np.longdouble)
    mean = s @ Y / s.sum() if center else np.zeros(Y.shape[1], dtype=np.longdouble)
    problem = ConvexProblem(X, Y - mean, s, Squared(), penalty, intercept=center)
    return problem, problem.point(at[0], at[1] - mean)


def elastic_net(certificate: Certificate, gap: float, data: Any) -> None:
    """Half the mean squared residual with an elastic net, or with one for all targets together."""
    coef, intercept = kept_array(certificate, "coef"), kept_array(certificate, "intercept").ravel()
    check_solution(certificate, gap, [elastic_net_problem(certificate, data, coef, intercept)])


def elastic_net_problem(
    certificate: Certificate, data: Any, coef: Any = 0.0, intercept: Any = 0.0
) -> tuple[ConvexProblem, Point]:
    """The problem with given coefficients, or none."""
    X, y, weights = training_data(data)
    inputs, Y = certificate.inputs, np.reshape(y, (len(X), -1))
    l1, l2 = inputs["alpha"] * inputs["l1_ratio"], inputs["alpha"] * (1.0 - inputs["l1_ratio"])
    penalty: Any = MultiTask(l1, l2) if inputs["joint"] and Y.shape[1] > 1 else _elastic_net(l1, l2)
    penalty = Positive(penalty) if inputs["positive"] else penalty
    share = np.asarray(weights, dtype=np.longdouble) / np.sum(weights)
    at = np.broadcast_to(coef, (Y.shape[1], X.shape[1])), np.broadcast_to(intercept, Y.shape[1])
    return _squared(X, Y, share, penalty, at, center=bool(inputs["fit_intercept"]))


def _elastic_net(l1: float, l2: float) -> Any:
    """The simplest penalty with these strengths."""
    if l1 == 0.0:
        return L2(l2) if l2 > 0.0 else NoPenalty()
    return ElasticNet(l1, l2) if l2 > 0.0 else L1(l1)


def _classes(certificate: Certificate, y: Any, weights: Any) -> tuple[Any, Any]:
    """Positions of the classes, and weights with those of the classes."""
    codes = np.searchsorted(np.array(certificate.inputs["classes"]), y)
    return codes, weights * np.array(certificate.inputs["class_weights"])[codes]


def _signs(codes: Any, outputs: int) -> Any:
    """Targets -1 and 1 (rows x outputs), every class against the rest; two classes are one problem."""
    return np.where(codes[:, None] == (np.arange(outputs) if outputs > 1 else 1), 1.0, -1.0)


def _with_constant(certificate: Certificate, X: Any) -> tuple[Any, Any]:
    """The table and coefficients with the intercept as those of one more, constant column."""
    scale = certificate.inputs["intercept_scaling"]
    coef = kept_array(certificate, "coef").reshape(-1, np.shape(X)[1])
    if scale is None:
        return X, coef
    intercept = kept_array(certificate, "intercept").reshape(-1, 1)
    return np.hstack([X, np.full((len(X), 1), scale)]), np.hstack([coef, intercept / scale])


def logistic(certificate: Certificate, gap: float, data: Any) -> None:
    """The logistic loss of two or several classes with an elastic net."""
    X, y, weights = training_data(data)
    inputs = certificate.inputs
    codes, weights = _classes(certificate, y, weights)
    Z, coef = _with_constant(certificate, X)
    several = len(coef) > 1
    free = bool(inputs["fit_intercept"]) and inputs["intercept_scaling"] is None
    problem = ConvexProblem(
        Z,
        codes if several else _signs(codes, 1),
        weights,
        Multinomial() if several else Logistic(),
        _elastic_net(inputs["l1"], inputs["l2"]),
        intercept=free,
    )
    at = problem.point(coef, kept_array(certificate, "intercept").ravel() if free else np.zeros(len(coef)))
    check_solution(certificate, gap, [(problem, at)])


def mean(certificate: Certificate, gap: float, data: Any) -> None:
    """Half the deviance of counts or positive numbers with a ridge penalty."""
    X, y, weights = training_data(data)
    inputs, strength = certificate.inputs, certificate.inputs["alpha"] * float(weights.sum())
    loss = named_loss(inputs["loss"], inputs.get("power"))
    problem = ConvexProblem(
        X, np.reshape(y, (-1, 1)), weights, loss, _elastic_net(0.0, strength), intercept=bool(inputs["fit_intercept"])
    )
    at = problem.point(kept_array(certificate, "coef"), kept_array(certificate, "intercept"))
    check_solution(certificate, gap, [(problem, at)])


def linear_machine(certificate: Certificate, gap: float, data: Any) -> None:
    """Hinge and tube losses with a ridge or L1 penalty that holds the intercept as well."""
    X, y, weights = training_data(data)
    inputs, costs = certificate.inputs, certificate.inputs["C"] * weights
    Z, coef = _with_constant(certificate, X)
    targets, loss = np.reshape(y, (len(X), -1)), cast(ConvexLoss, named_loss(inputs["loss"], inputs["epsilon"]))
    if inputs["classes"] is not None:
        codes, costs = _classes(certificate, y, costs)
        targets = _signs(codes, len(coef))
    if inputs["multi_class"] == "crammer_singer":
        targets, loss = codes, JointHinge()
        coef = np.vstack([-coef, coef]) / 2.0 if len(coef) == 1 else coef
    problem = ConvexProblem(Z, targets, costs, loss, L1() if inputs["penalty"] == "l1" else L2())
    at = problem.point(coef, np.zeros(len(coef)))
    if certificate.witness.get("dual_point") is None:
        check_solution(certificate, gap, [(problem, at)])
    else:
        check_dual_points(certificate, gap, [(problem, at, -_over(kept_array(certificate, "dual_point"), costs))])


def l1_hinge(certificate: Certificate, gap: float, data: Any) -> None:
    """The hinge loss with an L1 penalty, a problem for every class; strengths are those of columns in other units."""
    X, y, weights = training_data(data)
    inputs, coef = certificate.inputs, kept_array(certificate, "coef").reshape(-1, np.shape(X)[1])
    codes, costs = _classes(certificate, y, inputs["C"] * weights)
    signs, strengths = _signs(codes, len(coef)), kept_array(certificate, "strengths").reshape(coef.shape)
    dual, intercept = kept_array(certificate, "dual_point").reshape(len(X), -1), kept_array(certificate, "intercept")
    parts = []
    for k, (w, c) in enumerate(zip(coef, strengths, strict=True)):
        problem = ConvexProblem(
            X / c, signs[:, k : k + 1], costs, Hinge(), L1(), intercept=bool(inputs["fit_intercept"])
        )
        at = problem.point((c * w)[None], intercept.ravel()[k : k + 1])
        parts.append((problem, at, -_over(dual[:, k : k + 1] * signs[:, k : k + 1], costs)))
    check_dual_points(certificate, gap, parts)


def _over(dual: Any, weights: Any) -> Any:
    """Dual variables per unit of weight; rows without weight have none."""
    return np.divide(dual, weights[:, None], out=np.zeros_like(dual), where=weights[:, None] > 0.0)


def stochastic(certificate: Certificate, gap: float, data: Any) -> None:
    """The mean loss with an elastic net, a problem for every class against the rest."""
    if "classes" not in certificate.inputs:
        return  # certificates of version 0.1.0 hold no solution
    X, y, weights = training_data(data)
    inputs, coef = certificate.inputs, kept_array(certificate, "coef").reshape(-1, np.shape(X)[1])
    intercept, loss = kept_array(certificate, "intercept").ravel(), named_loss(inputs["loss"], inputs["epsilon"])
    penalty = _elastic_net(inputs["alpha"] * inputs["l1_ratio"], inputs["alpha"] * (1.0 - inputs["l1_ratio"]))
    targets, by_output = np.reshape(y, (len(X), -1)), np.ones((len(X), 1))
    if inputs["classes"] is not None:
        targets = _signs(np.searchsorted(np.array(inputs["classes"]), y), len(coef))
        inside, outside = np.array(inputs["class_weights"])
        by_output = np.where(targets > 0.0, inside, outside)
    weights = weights / np.count_nonzero(weights)
    parts = []
    for k in range(len(coef)):
        s = weights * by_output[:, k]
        problem = ConvexProblem(X, targets[:, k : k + 1], s, loss, penalty, intercept=bool(inputs["fit_intercept"]))
        parts.append((problem, problem.point(coef[k], intercept[k : k + 1])))
    check_solution(certificate, gap, parts)


def groups(certificate: Certificate, gap: float, data: Any) -> None:
    """The mean squared or logistic loss with a penalty on the lengths of groups, a problem for every class."""
    X, y, weights = training_data(data)
    inputs, coef = certificate.inputs, kept_array(certificate, "coef").reshape(-1, np.shape(X)[1])
    intercept, center = kept_array(certificate, "intercept").ravel(), bool(inputs["fit_intercept"])
    factors = [len(group) ** 0.5 for group in inputs["groups"]]
    penalty = GroupL2(inputs["groups"], inputs["alpha"], factors)
    share = np.asarray(weights, dtype=np.longdouble) / np.sum(weights)
    if inputs["classes"] is None:
        parts = [_squared(X, np.reshape(y, (-1, 1)), share, penalty, (coef, intercept), center=center)]
    else:
        signs = _signs(np.searchsorted(np.array(inputs["classes"]), y), len(coef))
        parts = []
        for k in range(len(coef)):
            problem = ConvexProblem(X, signs[:, k : k + 1], share, Logistic(), penalty, intercept=center)
            parts.append((problem, problem.point(coef[k], intercept[k : k + 1])))
    check_solution(certificate, gap, parts)


def robust(certificate: Certificate, gap: float, data: Any) -> None:
    """Quantile or Huber regression with a dual point."""
    X, y, weights = training_data(data)
    (_quantile if certificate.inputs["problem"] == "quantile" else _huber)(certificate, gap, X, y, weights)


def _quantile(certificate: Certificate, gap: float, X: Any, y: Any, weights: Any) -> None:
    """The pinball loss with an L1 penalty."""
    inputs, strength = certificate.inputs, certificate.inputs["alpha"] * float(weights.sum())
    loss = Quantile(inputs["quantile"])
    problem = ConvexProblem(
        X, np.reshape(y, (-1, 1)), weights, loss, _elastic_net(strength, 0.0), intercept=bool(inputs["fit_intercept"])
    )
    at = problem.point(kept_array(certificate, "coef"), kept_array(certificate, "intercept"))
    u = -_over(kept_array(certificate, "dual_point")[:, None], weights)
    check_dual_points(certificate, gap, [(problem, at, u)])


def _huber(certificate: Certificate, gap: float, X: Any, y: Any, s: Any) -> None:
    """Huber's loss with its scale as one more unknown, which makes it no function of one score: its own formulas."""
    inputs, scale = certificate.inputs, certificate.witness["scale"]
    w, v = kept_array(certificate, "coef"), kept_array(certificate, "dual_point")
    epsilon, alpha, total = inputs["epsilon"], inputs["alpha"], float(s.sum())
    X, y = np.asarray(X, dtype=np.longdouble), np.asarray(y, dtype=np.longdouble)
    feasible = float(np.abs(v).max(initial=0.0)) <= 2.0 * epsilon * (1 + 1e-12)
    feasible = feasible and float(s @ (v * v)) <= 4.0 * total * (1 + 1e-12)
    if not feasible or (inputs["fit_intercept"] and abs(float(s @ v)) > 1e-9 * total):
        raise CertificateError(f"{certificate.quantity}: the dual point is not feasible on these data.")
    size = np.abs(y - X @ w - certificate.witness["intercept"]) / scale
    losses = np.where(size <= epsilon, size**2, 2.0 * epsilon * size - epsilon**2)
    objective = float(s @ (scale + scale * losses) + alpha * w @ w)
    center = s @ X / total if inputs["fit_intercept"] else 0.0
    slope = (X - center).T @ (s * v)
    dual = float((s * v) @ y - slope @ slope / (4.0 * alpha)) if alpha > 0.0 else -np.inf
    noise = 1e-15 * len(X) * max(objective, float(certificate.witness["objective_at_zero"]))
    compare_values(certificate, gap, objective, dual, noise)
