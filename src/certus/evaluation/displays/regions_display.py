"""Which prediction each place of the plane gets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from certus.evaluation.displays.display import ACCENT, INK, SOFT, Display

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GRID = 160  # places across and up
MARGIN = 0.08  # of the range of the rows, around them
MOST_POINTS = 1_000
PANEL_GAP = 0.04
PALEST, DARKEST = 0.06, 0.5


class RegionsDisplay(Display):
    """The regions of a model on two columns: of centers or medoids their Voronoi cells, of neighbors their votes.

    Several models stand side by side, which shows the effect of a parameter, such as the number of neighbors.

    Parameters
    ----------
    regions : mapping of str to array of shape (up, across)
        Title -> the prediction at every place of a grid.
    limits : tuple of float
        Left, right, lower and upper end of the grid.
    points : array of shape (n, 2)
        Rows to be drawn.
    centers : mapping of str to array of shape (k, 2), default={}
        Title -> centers to be marked.
    names : tuple of str, default=("", "")
        Names of the two columns.
    """

    def __init__(
        self,
        regions: Mapping[str, ArrayLike],
        limits: tuple[float, float, float, float],
        points: ArrayLike,
        centers: Mapping[str, ArrayLike] | None = None,
        names: tuple[str, str] = ("", ""),
    ) -> None:
        self.regions: dict[str, NDArray[Any]] = {title: np.asarray(grid) for title, grid in regions.items()}
        self.limits, self.names = limits, names
        self.points: NDArray[np.float64] = np.asarray(points, dtype=float)
        self.centers: dict[str, NDArray[np.float64]] = {
            title: np.asarray(found, dtype=float) for title, found in (centers or {}).items()
        }

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, *, grid: int = GRID) -> RegionsDisplay:
        """From a fitted model of two columns, or a mapping of titles to such models, and rows around which to look.

        Examples
        --------
        >>> import numpy as np
        >>> from certus.evaluation import RegionsDisplay
        >>> from sklearn.neighbors import KNeighborsClassifier
        >>> X, y = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]), [0, 1, 1]
        >>> models = {f"k = {k}": KNeighborsClassifier(k).fit(X, y) for k in (1, 3)}
        >>> display = RegionsDisplay.from_estimator(models, X, grid=40)
        >>> [sorted(set(region.ravel().tolist())) for region in display.regions.values()]
        [[0, 1], [1]]
        """
        points, names = _two_columns(X)
        models = dict(estimator) if isinstance(estimator, Mapping) else {"": estimator}
        low, high = points.min(axis=0), points.max(axis=0)
        spare = MARGIN * np.where(high > low, high - low, 1.0)
        low, high = low - spare, high + spare
        across, up = np.meshgrid(np.linspace(low[0], high[0], grid), np.linspace(low[1], high[1], grid))
        places = _like(X, np.column_stack([across.ravel(), up.ravel()]))
        regions = {title: np.asarray(model.predict(places)).reshape(grid, grid) for title, model in models.items()}
        centers = {
            title: model.cluster_centers_
            for title, model in models.items()
            if getattr(model, "cluster_centers_", None) is not None
        }
        return cls(regions, (low[0], high[0], low[1], high[1]), points, centers, names)

    def _draw(self, ax: Axes) -> None:
        if len(self.regions) == 1:
            self._draw_one(ax, *next(iter(self.regions.items())))
            return
        ax.set_axis_off()
        width = (1.0 - PANEL_GAP * (len(self.regions) - 1)) / len(self.regions)
        for place, (title, grid) in enumerate(self.regions.items()):
            panel = ax.inset_axes((place * (width + PANEL_GAP), 0.0, width, 1.0))
            self._draw_one(panel, title, grid)
            if place:
                panel.set_yticks([])
                panel.set_ylabel("")

    def _draw_one(self, ax: Axes, title: str, grid: NDArray[Any]) -> None:
        from matplotlib.colors import LinearSegmentedColormap, to_rgb

        labels, codes = np.unique(grid, return_inverse=True)
        codes = codes.reshape(grid.shape)
        color = to_rgb(ACCENT)
        shades = LinearSegmentedColormap.from_list("certus", [(*color, PALEST), (*color, DARKEST)])
        # Neighboring labels get unlike shades: every other label is counted from the dark end.
        places = np.arange(len(labels))
        shade = np.where(places % 2, len(labels) - 1 - places // 2, places // 2)
        ax.imshow(
            shade[codes],
            extent=self.limits,
            origin="lower",
            aspect="auto",
            cmap=shades,
            vmin=0,
            vmax=max(1, shade.max()),
        )
        lines: Any = {"extent": self.limits, "origin": "lower", "levels": [0.5], "colors": [ACCENT], "linewidths": 0.8}
        for code in range(len(labels)):
            inside = (codes == code).astype(float)
            if 0.0 < inside.mean() < 1.0:
                ax.contour(inside, **lines)
        step = max(1, -(-len(self.points) // MOST_POINTS))
        ax.plot(*self.points[::step].T, ".", color=INK, markersize=2, alpha=0.7)
        if title in self.centers:
            ax.plot(*self.centers[title].T, "x", color=INK, markersize=6)
        ax.set(xlim=self.limits[:2], ylim=self.limits[2:], xlabel=self.names[0], ylabel=self.names[1])
        ax.tick_params(labelsize=7, color=SOFT)
        if title:
            ax.set_title(title, fontsize=8)


def _two_columns(X: Any) -> tuple[NDArray[np.float64], tuple[str, str]]:
    """The rows as points, and the names of the columns if they have any."""
    points = np.asarray(X, dtype=float)
    if points.ndim != 2 or points.shape[1] != 2 or not len(points):
        raise ValueError(
            f"X must have two columns to be drawn in the plane, got shape {points.shape}.\n"
            "Hint: fit the model on two columns, or on two components of the rows."
        )
    names = [str(name) for name in getattr(X, "columns", ("", ""))]
    return points, (names[0], names[1])


def _like(X: Any, places: NDArray[np.float64]) -> Any:
    """Places as a table of the same kind, so that models find the names of columns that they were fitted with."""
    if not hasattr(X, "columns"):
        return places
    return type(X)({name: places[:, place] for place, name in enumerate(X.columns)})
