"""A density over two columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from certus.evaluation.displays.display import ACCENT, INK, Display

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MARGIN = 0.15
LEVELS = 8
MOST_POINTS = 2000


class DensityDisplay(Display):
    """Contours of a log-density over the plane, with rows and, of mixtures of Gaussians, their ellipses.

    Parameters
    ----------
    density : array of shape (grid, grid)
        The log-density, the second column upwards.
    limits : tuple of four floats
        Left, right, bottom, top.
    points : array of shape (n, 2)
        Rows.
    ellipses : sequence of (mean, covariance)
        Components: two standard deviations are drawn.
    """

    def __init__(
        self,
        density: ArrayLike,
        limits: tuple[float, float, float, float],
        points: ArrayLike,
        ellipses: Any = (),
    ) -> None:
        self.density: NDArray[np.float64] = np.asarray(density, dtype=float)
        self.limits, self.points = limits, np.asarray(points, dtype=float)
        self.ellipses = [(np.asarray(mean, dtype=float), np.asarray(matrix, dtype=float)) for mean, matrix in ellipses]
        if self.density.ndim != 2 or not np.isfinite(self.density).any():
            raise ValueError("density must be a matrix of log-densities, some of which are finite.")

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, *, grid: int = 120) -> DensityDisplay:
        """From a fitted learner of densities of two columns, and rows.

        Examples
        --------
        >>> import numpy as np
        >>> from certus.evaluation import DensityDisplay
        >>> from certus.mixture import GaussianMixture
        >>> X = np.random.default_rng(0).normal(size=(60, 2))
        >>> display = DensityDisplay.from_estimator(GaussianMixture().fit(X), X, grid=40)
        >>> display.density.shape, len(display.ellipses)
        ((40, 40), 1)
        """
        points = np.asarray(X, dtype=float)
        if points.ndim != 2 or points.shape[1] != 2:
            raise ValueError(f"X must have two columns to be drawn, got the shape {points.shape}.")
        low, high = np.nanmin(points, axis=0), np.nanmax(points, axis=0)
        spare = MARGIN * np.where(high > low, high - low, 1.0)
        low, high = low - spare, high + spare
        across, up = np.meshgrid(np.linspace(low[0], high[0], grid), np.linspace(low[1], high[1], grid))
        density = estimator.score_samples(np.column_stack([across.ravel(), up.ravel()])).reshape(grid, grid)
        return cls(density, (low[0], high[0], low[1], high[1]), points, _ellipses(estimator))

    def _draw(self, ax: Axes) -> None:
        from matplotlib.patches import Ellipse

        finite = self.density[np.isfinite(self.density)]
        levels = np.unique(np.quantile(finite, np.linspace(0.3, 0.98, LEVELS)))
        shown = np.where(np.isfinite(self.density), self.density, finite.min() - 1.0)
        left, right, bottom, top = self.limits
        if len(levels) > 1:
            ax.contour(
                np.linspace(left, right, shown.shape[1]),
                np.linspace(bottom, top, shown.shape[0]),
                shown,
                levels=levels,
                colors=[ACCENT],
                linewidths=0.8,
                linestyles="solid",
            )
        step = max(1, -(-len(self.points) // MOST_POINTS))
        ax.plot(*self.points[::step].T, ".", color=INK, markersize=2, alpha=0.6)
        for mean, matrix in self.ellipses:
            values, vectors = np.linalg.eigh(matrix)
            width, height = 4.0 * np.sqrt(np.maximum(values[::-1], 0.0))
            angle = np.degrees(np.arctan2(vectors[1, 1], vectors[0, 1]))
            ax.add_patch(Ellipse(tuple(mean), width, height, angle=angle, fill=False, edgecolor=INK, linewidth=1.2))
        ax.set(xlim=(left, right), ylim=(bottom, top))


def _ellipses(estimator: Any) -> list[tuple[Any, Any]]:
    """Means and covariances of the components, if the learner has any."""
    kind, means = getattr(estimator, "covariance_type", None), getattr(estimator, "means_", None)
    if means is None:
        return []
    if kind is None:
        width = float(getattr(estimator, "sigma", 0.0))
        return [(mean, width**2 * np.eye(2)) for mean in means] if width > 0.0 else []
    values = np.asarray(estimator.covariances_, dtype=float)
    if kind == "full":
        return list(zip(means, values, strict=True))
    if kind == "tied":
        return [(mean, values) for mean in means]
    spread = np.broadcast_to(values, len(means)) if values.ndim == 1 else values
    return [(mean, np.eye(2) * one) for mean, one in zip(means, spread, strict=True)]
