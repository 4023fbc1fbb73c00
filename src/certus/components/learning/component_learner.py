"""The base of learners whose components are orthonormal directions of centered rows."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin
from sklearn.utils import Tags, check_array

from certus.base import Transformer, predict_method, resolve_threads
from certus.base.inputs import TableLike, TargetLike, WeightsLike, check_weights, check_X
from certus.base.persistence import check_shapes
from certus.components.learning.projected_rows import projected_rows
from certus.guarantees import Certificate, Report
from certus.guarantees.holdout import mean_bound

Floats = NDArray[np.float64]
LARGEST = 1e150  # squares of greater numbers overflow
EPSILON = float(np.finfo(np.float64).eps)


class ComponentLearner(ClassNamePrefixFeaturesOutMixin, Transformer):
    """What learners of principal components share.

    Parameters
    ----------
    whiten : bool, default=False
        Divide the coordinates by their standard deviations.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The directions, orthonormal rows, by descending variance; the entry of largest magnitude is positive.
    explained_variance_ : ndarray of shape (n_components,)
        The variance along each, with divisor n - 1 (the sum of the weights minus 1).
    explained_variance_ratio_ : ndarray of shape (n_components,)
        The same as shares of the variance of all columns.
    singular_values_ : ndarray of shape (n_components,)
        Lengths of the columns of coordinates.
    mean_ : ndarray of shape (n_features,)
        The mean of the rows.
    n_components_ : int
        Number of components.
    noise_variance_ : float
        The mean variance along the directions that were left out, of min(n, p) in all.
    """

    _takes_missing: ClassVar[bool] = False  # whether cells may be missing

    whiten: bool
    components_: NDArray[Any]
    explained_variance_: Floats
    explained_variance_ratio_: Floats
    singular_values_: Floats
    mean_: NDArray[Any]
    n_components_: int
    noise_variance_: float
    n_features_in_: int

    def _scales(self) -> Floats:
        """Standard deviations, none of them 0: along directions without variance coordinates stay small."""
        scales = np.sqrt(self.explained_variance_)
        return np.maximum(scales, EPSILON * float(scales.max(initial=0.0))) if scales.any() else np.ones_like(scales)

    @predict_method
    def transform(self, X: TableLike) -> NDArray[Any]:
        """The coordinates of rows along the components.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        table = check_X(self, X, accept_sparse="csr", largest=LARGEST, allow_nan=self._takes_missing)
        return self._coordinates(table)

    def _coordinates(self, table: Any) -> NDArray[Any]:
        directions = np.asarray(self.components_, dtype=np.float64).T
        mean = np.asarray(self.mean_, dtype=np.float64)
        found = projected_rows(table, mean, directions, resolve_threads())
        if self.whiten:
            found /= self._scales()
        return np.asarray(found, dtype=table.dtype)

    @predict_method
    def inverse_transform(self, X: TableLike) -> NDArray[Any]:
        """Rows with these coordinates, in the space of the training rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components)
            Coordinates.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        given = check_array(X, dtype=(np.float64, np.float32))
        if given.shape[1] != len(self.components_):
            raise ValueError(f"X must have {len(self.components_)} columns, one per component, got {given.shape[1]}.")
        coordinates = given * self._scales() if self.whiten else given
        return np.asarray(coordinates @ self.components_ + self.mean_, dtype=given.dtype)

    def get_covariance(self) -> NDArray[Any]:
        """The covariance of the model: the components' variances, and the noise variance in all other directions.

        Returns
        -------
        ndarray of shape (n_features, n_features)
        """
        above = np.maximum(self.explained_variance_ - self.noise_variance_, 0.0)
        directions = np.asarray(self.components_, dtype=np.float64)
        found = (directions.T * above) @ directions
        found[np.diag_indices(len(found))] += self.noise_variance_
        return np.asarray(found, dtype=self.components_.dtype)

    def get_precision(self) -> NDArray[Any]:
        """The inverse of the covariance of the model; the pseudo-inverse where that is singular.

        Returns
        -------
        ndarray of shape (n_features, n_features)
        """
        return np.asarray(self._precision()[0], dtype=self.components_.dtype)

    def _precision(self) -> tuple[Floats, float, int]:
        """The inverse covariance, the logarithm of its determinant, and the dimensions that it is about."""
        width, noise = self.components_.shape[1], float(self.noise_variance_)
        directions = np.asarray(self.components_, dtype=np.float64)
        values = np.maximum(self.explained_variance_, noise)
        tiny = EPSILON * width * float(max(values.max(initial=0.0), noise))
        if noise > tiny:
            found = (directions.T * (1.0 / values - 1.0 / noise)) @ directions
            found[np.diag_indices(width)] += 1.0 / noise
            return found, -float(np.log(values).sum()) - (width - len(values)) * math.log(noise), width
        kept = values > tiny
        found = (directions[kept].T / values[kept]) @ directions[kept]
        return found, -float(np.log(values[kept]).sum()), int(kept.sum())

    def _log_densities(self, X: TableLike) -> Floats:
        table = np.asarray(check_X(self, X, largest=LARGEST), dtype=np.float64)
        centered = table - np.asarray(self.mean_, dtype=np.float64)
        precision, determinant, dimensions = self._precision()
        squares = np.einsum("ij,ij->i", centered, centered @ precision)
        return np.asarray(-0.5 * (squares + dimensions * math.log(2.0 * math.pi) - determinant))

    def _mean_density(self, X: TableLike, sample_weight: WeightsLike) -> float:
        found = self._log_densities(X)
        weights = check_weights(self, sample_weight, found[:, None])
        return float(found.mean() if weights is None else weights @ found / weights.sum())

    @predict_method
    def certify(
        self, X: TableLike, y: TargetLike | None = None, *, loss: Any = "auto", confidence: float = 0.95, **options: Any
    ) -> Report:
        """Bound the mean squared distance of new rows from what the components keep of them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Held-out rows.
        y : ignored
            There for compatibility.
        loss : {"auto"}, default="auto"
            There for compatibility.
        confidence : float, default=0.95
            Probability with which the bound holds.
        **options
            ``cap``: the squared distance from which on rows count alike, chosen without looking at these rows.
            ``allow_training_rows=True`` asks for an estimate on rows of training, which are refused otherwise.

        Returns
        -------
        Report
            The certificates of training together with the bound of these rows.
        """
        cap, allow = options.pop("cap", None), options.pop("allow_training_rows", False)
        if loss != "auto" or options or not (isinstance(cap, int | float) and 0.0 < cap < math.inf):
            raise ValueError(
                f"{type(self).__name__}.certify needs cap, a finite squared distance above 0, got cap={cap!r}, "
                f"loss={loss!r} and options {sorted(options)}.\n"
                "Hint: take a high quantile of the squared distances of other rows."
            )

        def judged() -> list[Certificate]:
            losses = np.minimum(self._squared_distances(X), cap)
            return [mean_bound(losses, high=cap, confidence=confidence, quantity="capped reconstruction error")]

        return self._with_new_rows(judged, allow_training_rows=allow)

    def _squared_distances(self, X: TableLike) -> Floats:
        """Of rows from what the components keep of them."""
        table = check_X(self, X, accept_sparse="csr", largest=LARGEST)
        rows = np.asarray(table.toarray() if hasattr(table, "toarray") else table, dtype=np.float64)
        centered = rows - np.asarray(self.mean_, dtype=np.float64)
        directions = np.asarray(self.components_, dtype=np.float64)
        missed = centered - (centered @ directions.T) @ directions
        return np.asarray(np.einsum("ij,ij->i", missed, missed))

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)

    def _restored(self) -> None:
        if "components_" not in vars(self):
            return
        count = self.n_components_
        check_shapes(
            self,
            components_=(count, self.n_features_in_),
            mean_=(self.n_features_in_,),
            explained_variance_=(count,),
            explained_variance_ratio_=(count,),
            singular_values_=(count,),
        )
        if not isinstance(self.noise_variance_, float) or not self.noise_variance_ >= 0.0:
            raise ValueError("noise_variance_ must be a number that is not negative.")
        if not (self.explained_variance_ >= 0.0).all():
            raise ValueError("explained_variance_ must not be negative.")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
