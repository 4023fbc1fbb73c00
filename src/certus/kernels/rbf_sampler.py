"""Random Fourier features of the Gaussian kernel with random offsets, as scikit-learn draws them."""

from __future__ import annotations

import numpy as np

from certus.base import Interval, OneOf, RandomState, RandomStateLike, register
from certus.base.persistence import check_shapes
from certus.kernels._native_calls import Array, Rows
from certus.kernels.learning.fourier_features import FOURIER_STATE, FourierFeatures
from certus.kernels.learning.landmarks import generator


@register(
    guarantees=("error of every approximated kernel value, with a probability",),
    cost="fit p m, transform p m per row with m components",
)
class RBFSampler(FourierFeatures):
    """Features whose inner products approximate the Gaussian kernel exp(-gamma |x - x'|^2).

    With normal frequencies w and uniform offsets b,

        F(x) = sqrt(2 / m) (cos(w_1.x + b_1), ..., cos(w_m.x + b_m)),        F(x).F(x') ~ k(x, x')

    `RandomFourierFeatures`, which takes a cosine and a sine of half as many frequencies, has smaller errors.

    Parameters
    ----------
    gamma : "scale" or float, default=1.0
        Of the kernel; "scale" means 1 / (n_features * X.var()).
    n_components : int, default=100
        Number of features.
    random_state : int, RandomState or None, default=None
        Seed of the draws, which are those of scikit-learn.

    Attributes
    ----------
    random_offset_ : ndarray of shape (n_components,)
        The offsets.

    Examples
    --------
    >>> from certus.kernels import RBFSampler
    >>> RBFSampler(gamma=0.5, n_components=3, random_state=0).fit_transform([[0.0], [1.0]]).shape
    (2, 3)
    """

    _constraints = {
        "gamma": [OneOf("scale"), Interval(0, None, closed="left")],
        "n_components": [Interval(1, None, integer=True)],
        "random_state": [RandomState()],
    }
    _state = (*FOURIER_STATE, "random_offset_", "_gamma")
    _span, _exact_diagonal = 4.0, False

    def __init__(
        self, *, gamma: str | float = 1.0, n_components: int = 100, random_state: RandomStateLike = None
    ) -> None:
        self._set_parameters(locals())

    def _draw(self, table: Rows) -> None:
        draws = generator(self.random_state)
        self._gamma = _scaled(table) if isinstance(self.gamma, str) else float(self.gamma)
        shape = (table.shape[1], self.n_components)
        self.random_weights_ = (np.sqrt(2.0 * self._gamma) * draws.normal(size=shape)).astype(table.dtype)
        self.random_offset_ = draws.uniform(0.0, 2.0 * np.pi, size=self.n_components).astype(table.dtype)
        self._n_features_out = int(self.n_components)

    def _waves(self, projections: Array) -> Array:
        return np.sqrt(2.0 / self.n_components) * np.cos(projections + self.random_offset_)

    def _restored(self) -> None:
        super()._restored()
        if hasattr(self, "random_weights_"):
            check_shapes(self, random_offset_=(self.random_weights_.shape[1],))


def _scaled(X: Rows) -> float:
    """1 / (n_features * variance of all entries)."""
    if isinstance(X, np.ndarray):
        variance = float(X.var(dtype=np.float64))
    else:
        cells = float(X.shape[0] * X.shape[1])
        values = X.data.astype(np.float64)
        variance = float((values**2).sum()) / cells - (float(values.sum()) / cells) ** 2
    return 1.0 / (X.shape[1] * variance) if variance != 0.0 else 1.0
