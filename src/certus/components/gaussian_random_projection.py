"""Projection onto directions with normal entries."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from certus.base import register
from certus.base.inputs import RandomStateLike
from certus.components.learning.random_projection import RandomProjection
from certus.guarantees import Report, projection_distortion


@register(
    guarantees=("bound on the change of every distance between the rows",),
    cost="fit n_components p; transform n p n_components",
)
class GaussianRandomProjection(RandomProjection):
    """Projection onto random directions with independent normal entries of variance 1 / n_components.

    Attributes
    ----------
    report_ : Report
        By how much any squared distance between two of the rows changes at most, with 95 % confidence over the draw of
        the directions: from exact tails for all pairs.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.components import GaussianRandomProjection
    >>> X = np.random.default_rng(0).normal(size=(50, 2000))
    >>> model = GaussianRandomProjection(800, random_state=0).fit(X)
    >>> print(model.transform(X).shape, round(model.report_["distance distortion"].value, 3))
    (50, 800) 0.21
    """

    def __init__(
        self,
        n_components: int | str = "auto",
        *,
        eps: float = 0.1,
        compute_inverse_components: bool = False,
        random_state: RandomStateLike = None,
    ) -> None:
        self._set_parameters(locals())

    def _drawn(self, count: int, width: int, rng: np.random.RandomState) -> Any:
        return rng.normal(scale=1.0 / math.sqrt(count), size=(count, width))

    def _promised(self, rows: int, count: int) -> Report:
        return Report([projection_distortion(rows, count)])
