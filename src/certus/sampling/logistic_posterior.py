"""The posterior of logistic regression: log density, gradient, Hessian and mode."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import minimize
from scipy.special import expit, softmax

from certus.losses import Logistic, Multinomial, loss_gradient
from certus.sampling.sampler import Floats
from certus.sampling.target import Target
from certus.sampling.whitening import Whitening

MOST = 1000  # coefficients of which the whole Hessian is used
STEPS = 100  # of Newton's method, far more than a concave function with a normal prior takes


class LogisticPosterior:
    """``sum_i s_i log P(y_i | x_i) - prior_precision / 2 |W|^2`` as a function of theta = (W row by row, intercepts).

    Two classes have one row of coefficients. More have a row each, and the intercept of the first class is 0, because
    only differences of intercepts matter. Columns are centered if there are intercepts, which these take up.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        Rows.
    codes : ndarray of shape (n,)
        Positions of their classes.
    classes : int
        Number of classes.
    weights : ndarray of shape (n,) or None
        Weights.
    prior_precision : float
        Precision of the coefficients.
    fit_intercept : bool
        Whether there are intercepts.
    """

    def __init__(
        self,
        X: Floats,
        codes: NDArray[np.intp],
        classes: int,
        weights: Floats | None,
        prior_precision: float,
        fit_intercept: bool,
    ) -> None:
        X = np.ascontiguousarray(X)  # sums then add in one order, whatever the table's
        self.center = np.average(X, axis=0, weights=weights) if fit_intercept else np.zeros(X.shape[1])
        self.X = np.ascontiguousarray(X - self.center)
        self.rows = 1 if classes == 2 else classes
        self.free = classes - 1 if fit_intercept else 0
        self.loss = Logistic() if classes == 2 else Multinomial()
        self.target = codes.astype(np.float64)[:, np.newaxis]
        self.weights, self.prior_precision = weights, prior_precision
        self.inner = self.rows * X.shape[1]  # number of coefficients
        self.dim = self.inner + self.free

    def parts(self, thetas: Floats) -> tuple[Floats, Floats]:
        """Coefficients and intercepts of centered columns."""
        return parts(thetas, self.rows, self.X.shape[1])

    def uncentered(self, thetas: Floats) -> Floats:
        """The same models, for the columns as they were given."""
        if not self.free:
            return thetas
        coef, intercept = self.parts(thetas)
        shifted = intercept - coef @ self.center
        if self.rows > 1:
            shifted = shifted - shifted[..., :1]
        return np.concatenate([thetas[..., : self.inner], shifted[..., -self.free :]], axis=-1)

    def value_and_gradient(self, theta: Floats) -> tuple[float, Floats]:
        """Log density and gradient, in one reading of the rows."""
        coef, intercept = self.parts(theta)
        loss, slopes, slope, _ = loss_gradient(
            self.loss, self.X, self.target, self.weights, np.ascontiguousarray(coef), intercept, 1
        )
        pull = self.prior_precision * theta[: self.inner]
        gradient = np.append(-slopes.ravel() - pull, -slope[len(slope) - self.free :])
        return -float(loss) - 0.5 * float(theta[: self.inner] @ pull), gradient

    def hessian(self, theta: Floats) -> Floats:
        """Of minus the log density: ``sum_i s_i (diag(p_i) - p_i p_i') x (x_i, 1)(x_i, 1)'`` and the prior."""
        p, s = self._probabilities(theta)
        Z = np.column_stack([self.X, np.ones(len(p))])
        width = Z.shape[1]
        full = np.empty((self.rows * width, self.rows * width))
        for k in range(self.rows):
            for j in range(k + 1):
                block = Z.T @ (Z * (s * p[:, k] * ((1.0 if j == k else 0.0) - p[:, j]))[:, np.newaxis])
                full[k * width : (k + 1) * width, j * width : (j + 1) * width] = block
                full[j * width : (j + 1) * width, k * width : (k + 1) * width] = block.T
        places = np.arange(len(full)).reshape(self.rows, width)
        order = np.concatenate([places[:, :-1].ravel(), places[self.rows - self.free :, -1]])
        prior = np.concatenate([np.full(self.inner, self.prior_precision), np.zeros(self.free)])
        return np.asarray(full[np.ix_(order, order)] + np.diag(prior))

    def whitening(self) -> Whitening:
        """Round coordinates around the mode; of very many coefficients only the scales."""
        if self.dim <= MOST:
            mode = self._mode()
            return Whitening.at_mode(mode, self.hessian(mode))
        found = minimize(
            lambda t: tuple(-part for part in self.value_and_gradient(t)),
            np.zeros(self.dim),
            jac=True,
            method="L-BFGS-B",
        ).x
        return Whitening(found, 1.0 / np.sqrt(self._curvature(found)))

    def _curvature(self, theta: Floats) -> Floats:
        """The diagonal of the Hessian."""
        p, s = self._probabilities(theta)
        curvature = s[:, np.newaxis] * p * (1.0 - p)
        inner = (curvature.T @ self.X**2).ravel() + self.prior_precision
        return np.append(inner, curvature.sum(axis=0)[self.rows - self.free :])

    def _probabilities(self, theta: Floats) -> tuple[Floats, Floats]:
        """Of every row and class that has coefficients; and the weights."""
        coef, intercept = self.parts(theta)
        scores = self.X @ coef.T + intercept
        p = expit(scores) if self.rows == 1 else softmax(scores, axis=1)
        return p, np.ones(len(p)) if self.weights is None else self.weights

    def _mode(self) -> Floats:
        """Where the density is largest: Newton's method, a step halved until the density rises."""
        theta = np.zeros(self.dim)
        value, gradient = self.value_and_gradient(theta)
        for _ in range(STEPS):
            step = cho_solve(cho_factor(self.hessian(theta)), gradient)
            promise, length = float(gradient @ step), 1.0
            if promise <= 1e-10:
                break
            while length > 1e-9:
                new, slope = self.value_and_gradient(theta + length * step)
                if new >= value + 1e-4 * length * promise:
                    break
                length /= 2
            else:
                break
            theta, value, gradient = theta + length * step, new, slope
        return theta

    def as_target(self) -> Target:
        """For samplers."""
        names = [f"coef[{c},{j}]" for c in range(self.rows) for j in range(self.X.shape[1])]
        names += [f"intercept[{c}]" for c in range(self.rows - self.free, self.rows)]
        both = self.value_and_gradient
        return Target(lambda t: both(t)[0], lambda t: both(t)[1], dim=self.dim, names=names, value_and_gradient=both)


def parts(thetas: Floats, rows: int, width: int) -> tuple[Floats, Floats]:
    """Coefficients (…, rows, width) and intercepts (…, rows; 0 where there are none) of vectors of parameters."""
    inner = rows * width
    intercept = np.zeros((*thetas.shape[:-1], rows))
    free = thetas.shape[-1] - inner
    intercept[..., rows - free :] = thetas[..., inner:]
    return thetas[..., :inner].reshape(*thetas.shape[:-1], rows, width), intercept


def probabilities(X: Floats, coef: Floats, intercept: Floats) -> NDArray[Any]:
    """Of every row, draw and class, from the coefficients (draws, rows, p) of many draws."""
    draws, rows, width = coef.shape
    scores = (X @ coef.reshape(-1, width).T).reshape(len(X), draws, rows) + intercept
    if rows == 1:
        high = expit(scores)
        return np.concatenate([1.0 - high, high], axis=2)
    return np.asarray(softmax(scores, axis=2))
