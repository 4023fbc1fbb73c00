"""How far a fitted model is from the optimum of its objective, computed apart from every competitor."""

from typing import Any

import numpy as np
from scipy import linalg, optimize, special

from benchmarks.measure.task import Data


def quadratic_gram(X: np.ndarray, alpha: float) -> np.ndarray:
    """Hessian of 0.5 |y - X w - b|^2 + 0.5 alpha |w|^2 in (w, b); the intercept comes last."""
    n, d = X.shape
    hessian = np.empty((d + 1, d + 1))
    hessian[:d, :d] = X.T @ X + alpha * np.eye(d)
    hessian[d, :d] = hessian[:d, d] = X.sum(axis=0)
    hessian[d, d] = n
    return hessian


def quadratic_gap(model: Any, data: Data, alpha: float) -> float:
    """Relative distance to the least value: for a quadratic it is 0.5 g' H^-1 g, g the gradient."""
    X, y, w = data["X"], data["y"], np.ravel(model.coef_)
    residual = y - X @ w - model.intercept_
    gradient = np.append(alpha * w - X.T @ residual, -residual.sum())
    step = linalg.cho_solve(linalg.cho_factor(data["gram"]), gradient)
    value = 0.5 * (residual @ residual) + 0.5 * alpha * (w @ w)
    return float(0.5 * gradient @ step / value)


def coefficient_error(model: Any, data: Data) -> float:
    """Relative distance to the coefficients that made the target."""
    truth = data["coefficients"]
    return float(np.linalg.norm(np.ravel(model.coef_) - truth) / np.linalg.norm(truth))


def logistic_gap(model: Any, data: Data, C: float) -> float:
    """(F(w, b) - F*) / F(0) for F = C sum of log-losses + 0.5 |w|^2, as scikit-learn scales it."""
    reached = _logistic_value(data["X"], data["y"], np.atleast_2d(model.coef_), model.intercept_, C)
    return float((reached - data["optimum"]) / data["value_at_zero"])


def logistic_optimum(X: np.ndarray, y: np.ndarray, C: float) -> Data:
    """F* by damped Newton steps on all free classes (one for two classes), down to rounding."""
    classes = int(y.max()) + 1
    free = 1 if classes == 2 else classes
    wide = np.column_stack([X, np.ones(len(y))])
    parameters = np.zeros((free, wide.shape[1]))
    value_at_zero = value = _logistic_value(X, y, parameters[:, :-1], parameters[:, -1], C)
    for _ in range(100):
        step, decrement = _newton_step(wide, y, parameters, C, classes)
        size = 1.0
        while size > 1e-10:
            trial = parameters - size * step
            reached = _logistic_value(X, y, trial[:, :-1], trial[:, -1], C)
            if reached <= value - 1e-4 * size * decrement:
                break
            size /= 2
        else:
            break
        parameters, value = trial, reached
        if decrement < 1e-14 * value_at_zero:
            break
    return {"optimum": np.array(value), "value_at_zero": np.array(value_at_zero)}


def sparse_logistic_optimum(X: Any, y: np.ndarray, C: float) -> Data:
    """F* of a wide sparse table by quasi-Newton steps until the gradient is down to rounding."""
    classes, columns = int(y.max()) + 1, X.shape[1]
    hits = (y[:, None] == np.arange(classes)).astype(np.float64)
    turned = X.T.tocsr()

    def value_and_gradient(flat: np.ndarray) -> tuple[float, np.ndarray]:
        W = flat.reshape(columns + 1, classes)
        scores = X @ W[:-1] + W[-1]
        value = C * (special.logsumexp(scores, axis=1) - (scores * hits).sum(axis=1)).sum() + 0.5 * np.sum(W[:-1] ** 2)
        slopes = C * (special.softmax(scores, axis=1) - hits)
        return float(value), np.vstack([turned @ slopes + W[:-1], slopes.sum(axis=0)]).ravel()

    found = optimize.minimize(
        value_and_gradient,
        np.zeros((columns + 1) * classes),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": 200, "maxcor": 5, "ftol": 1e-16, "gtol": 1e-7},
    )
    return {"optimum": np.array(found.fun), "value_at_zero": np.array(C * len(y) * np.log(classes))}


def poisson_gap(model: Any, data: Data) -> float:
    """(F(w, b) - F*) / F(0) for F = half the mean deviance + 0.5 |w|^2, as scikit-learn scales it with alpha = 1."""
    reached = _poisson_value(data["X"], data["y"], model.coef_, float(model.intercept_))
    return float((reached - data["optimum"]) / data["value_at_zero"])


def poisson_optimum(X: np.ndarray, y: np.ndarray) -> Data:
    """F* by Newton steps from the mean."""
    wide = np.column_stack([X, np.ones(len(y))])
    w = np.append(np.zeros(X.shape[1]), np.log(y.mean()))
    at_zero = _poisson_value(X, y, w[:-1], w[-1])
    penalty = np.append(np.ones(X.shape[1]), 0.0)
    for _ in range(50):
        mean = np.exp(wide @ w)
        gradient = wide.T @ (mean - y) / len(y) + penalty * w
        step = linalg.solve((wide * mean[:, None]).T @ wide / len(y) + np.diag(penalty), gradient, assume_a="pos")
        w = w - step
        if gradient @ step < 1e-16 * at_zero:
            break
    return {"optimum": np.array(_poisson_value(X, y, w[:-1], w[-1])), "value_at_zero": np.array(at_zero)}


def _poisson_value(X: np.ndarray, y: np.ndarray, w: np.ndarray, b: float) -> float:
    scores = X @ w + b
    return float(np.mean(special.xlogy(y, y) - y - y * scores + np.exp(scores)) + 0.5 * w @ w)


def _scores(X: np.ndarray, coef: np.ndarray, intercept: np.ndarray) -> np.ndarray:
    scores = X @ coef.T + intercept
    return np.column_stack([np.zeros(len(scores)), scores]) if scores.shape[1] == 1 else scores


def _logistic_value(X: np.ndarray, y: np.ndarray, coef: np.ndarray, intercept: np.ndarray, C: float) -> float:
    scores = _scores(X, coef, intercept)
    losses = special.logsumexp(scores, axis=1) - scores[np.arange(len(y)), y]
    return float(C * losses.sum() + 0.5 * np.sum(coef**2))


def _newton_step(
    wide: np.ndarray, y: np.ndarray, parameters: np.ndarray, C: float, classes: int
) -> tuple[np.ndarray, float]:
    """Newton direction and decrement; least squares because intercepts of all classes may shift together."""
    free, width = parameters.shape
    penalty = np.ones(width)
    penalty[-1] = 0.0
    chances = special.softmax(_scores(wide[:, :-1], parameters[:, :-1], parameters[:, -1]), axis=1)
    chances = chances[:, classes - free :]
    target = y[:, None] == np.arange(classes - free, classes)
    gradient = C * (chances - target).T @ wide + penalty * parameters
    hessian = np.zeros((free, width, free, width))
    for k in range(free):
        for m in range(k, free):
            curvature = chances[:, k] * ((k == m) - chances[:, m])
            block = C * (wide * curvature[:, None]).T @ wide
            hessian[k, :, m, :] = hessian[m, :, k, :] = block
        hessian[k, :, k, :] += np.diag(penalty)
    square = hessian.reshape(free * width, free * width)
    step = linalg.lstsq(square, gradient.ravel())[0]
    return step.reshape(free, width), float(gradient.ravel() @ step)
