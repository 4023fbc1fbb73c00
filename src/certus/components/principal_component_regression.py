"""Least squares on the leading principal components. Massy (1965)."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import linalg
from sklearn.base import MultiOutputMixin

from certus.base import Regressor, fit_method, predict_method, register
from certus.base.inputs import TableLike, TargetLike, WeightsLike, check_weights, check_X, check_Xy
from certus.base.params import Exactly, Interval
from certus.base.persistence import check_shapes
from certus.components.learning.component_learner import LARGEST
from certus.guarantees import Report

Floats = NDArray[np.float64]
RANK = 1e-12  # share of the largest variance below which a direction has none
CELLS = 2**21  # numbers of the matrices that are decomposed at a time


@register(
    guarantees=("held-out error bound",),
    cost="fit n p min(n, p), and n r^3 for rank r to choose the number of components; predict n p",
)
class PrincipalComponentRegression(MultiOutputMixin, Regressor):
    """Least squares on the coordinates of the rows along their leading principal components.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of components. None is the number with the least squared error under leave-one-out, in which the row that
        is left out takes no part in the mean, the components or the coefficients.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
        Coefficients of the columns.
    intercept_ : float or ndarray of shape (n_targets,)
        Intercepts.
    n_components_ : int
        Number of components.
    components_ : ndarray of shape (n_components_, n_features)
        The directions.
    leave_one_out_errors_ : ndarray of shape (n,) or None
        Mean squared errors under leave-one-out for 0, 1, 2, ... components, if they were asked for.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.components import PrincipalComponentRegression
    >>> rng = np.random.default_rng(0)
    >>> latent = rng.normal(size=(60, 2))
    >>> X = latent @ rng.normal(size=(2, 30)) + 0.1 * rng.normal(size=(60, 30))
    >>> model = PrincipalComponentRegression().fit(X, latent[:, 0] + 0.1 * rng.normal(size=60))
    >>> model.leave_one_out_errors_[:4].round(2)
    array([0.91, 0.53, 0.01, 0.01])
    """

    _constraints: ClassVar[Any] = {"n_components": [Interval(1, None, integer=True), Exactly(None)]}
    _state: ClassVar[tuple[str, ...]] = (
        "coef_",
        "intercept_",
        "n_components_",
        "components_",
        "leave_one_out_errors_",
    )

    n_components: int | None
    coef_: Floats
    intercept_: Any
    n_components_: int
    components_: Floats
    leave_one_out_errors_: Floats | None
    n_features_in_: int

    def __init__(self, n_components: int | None = None) -> None:
        self._set_parameters(locals())

    @fit_method
    def fit(self, X: TableLike, y: TargetLike, sample_weight: WeightsLike = None) -> PrincipalComponentRegression:
        """Find the components and the coefficients.

        Parameters
        ----------
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            The targets.
        """
        table, target = check_Xy(
            self, X, y, multi_output=True, y_numeric=True, dtype=np.float64, min_rows=2, largest=LARGEST
        )
        given = check_weights(self, sample_weight, table)
        weights = np.ones(len(table)) if given is None else given
        kept = weights > 0.0
        rows, weights = table[kept], weights[kept]
        targets = np.asarray(target, dtype=np.float64).reshape(len(target), -1)[kept]
        if len(rows) < 2:
            raise ValueError(f"{type(self).__name__} needs at least 2 rows with a weight above 0, got {len(rows)}.")
        if self.n_components is not None and self.n_components > min(rows.shape):
            raise ValueError(
                f"n_components must be at most min(n_samples, n_features)={min(rows.shape)}, got {self.n_components}."
            )
        total = float(weights.sum())
        mean, center = weights @ rows / total, weights @ targets / total
        roots = np.sqrt(weights)[:, None]
        moved = rows - mean
        size = math.ldexp(1.0, math.frexp(float(np.abs(moved).max()))[1])  # squares then neither vanish nor overflow
        left, values, directions = linalg.svd(moved / size * roots, full_matrices=False, check_finite=False)
        varied = values**2 > RANK * values.max(initial=0.0) ** 2
        left, values, directions = left[:, varied], values[varied], directions[varied]
        signs = np.sign(directions[np.arange(len(values)), np.abs(directions).argmax(axis=1)])
        left, directions = left * signs, directions * signs[:, None]
        self.leave_one_out_errors_ = None
        count = len(values) if self.n_components is None else min(self.n_components, len(values))
        if self.n_components is None:
            errors = leave_one_out_errors(left * values / roots, targets - center, weights)
            self.leave_one_out_errors_, count = errors, int(errors.argmin())
        along = (left[:, :count].T @ ((targets - center) * roots)) / values[:count, None]
        slopes = directions[:count].T @ along / size
        self.n_components_, self.components_ = count, directions[:count]
        intercept = center - mean @ slopes
        single = target.ndim == 1
        self.coef_ = slopes[:, 0] if single else slopes.T
        self.intercept_ = float(intercept[0]) if single else intercept
        self.report_ = Report([])
        return self

    @predict_method
    def predict(self, X: TableLike) -> Floats:
        """The targets of the rows."""
        rows = check_X(self, X, dtype=np.float64, largest=LARGEST)
        return np.asarray(rows @ self.coef_.T + self.intercept_)

    def _restored(self) -> None:
        if "coef_" in vars(self):
            check_shapes(self, components_=(self.n_components_, self.n_features_in_))
            if self.coef_.shape[-1] != self.n_features_in_ or np.shape(self.intercept_) != self.coef_.shape[:-1]:
                raise ValueError("coef_ and intercept_ do not belong to the columns.")


def leave_one_out_errors(scores: Floats, targets: Floats, weights: Floats) -> Floats:
    """Mean squared errors for 0, 1, ... components of rows that took no part, from centered scores and targets.

    Without a weight of a of row i, the scatter of the scores loses c t_i t_i' for c = a W / (W - a), and so do the
    products with the targets. Of a row of larger weight than 1, one copy is left out.
    """
    total, rank = float(weights.sum()), scores.shape[1]
    scatter = (scores * weights[:, None]).T @ scores
    products = (scores * weights[:, None]).T @ targets
    squares = np.zeros(rank + 1)
    step = max(1, CELLS // max(rank * rank, 1))
    for first in range(0, len(scores), step):
        part = slice(first, first + step)
        out = np.minimum(weights[part], 1.0)
        factor = out * total / (total - out)
        t, y = scores[part], targets[part]
        without = scatter - factor[:, None, None] * t[:, :, None] * t[:, None, :]
        values, vectors = np.linalg.eigh(without)
        values, vectors = values[:, ::-1], vectors[:, :, ::-1]
        inverse = np.where(values > RANK * values[:, :1], 1.0 / np.maximum(values, 1e-300), 0.0)
        moved = products - factor[:, None, None] * t[:, :, None] * y[:, None, :]
        slopes = np.einsum("nrk,nrq->nkq", vectors, moved) * inverse[:, :, None]
        along = np.einsum("nrk,nr->nk", vectors, t) * (total / (total - out))[:, None]
        predicted = np.cumsum(along[:, :, None] * slopes, axis=1)
        error = y * (total / (total - out))[:, None]  # from the mean of the others
        squares[0] += float(weights[part] @ (error**2).sum(axis=1))
        squares[1:] += weights[part] @ ((error[:, None, :] - predicted) ** 2).sum(axis=2)
    return squares / (total * targets.shape[1])
