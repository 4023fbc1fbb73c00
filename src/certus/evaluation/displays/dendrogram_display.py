"""Which things belong together, and how closely."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from certus.evaluation.column_tree import RANK_DISTANCE, merge_columns
from certus.evaluation.displays.display import ACCENT, INK, Display

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LARGEST_SHOWN = 40
LINE = 0.16  # inches from one name to the next
LONGEST_NAME = 30


class DendrogramDisplay(Display):
    """A tree of mergers: two branches meet at the distance at which their groups were merged.

    Parameters
    ----------
    merges : array of shape (n - 1, 4)
        Mergers in scipy's form: the two groups, their distance, the size of the new group.
    labels : sequence of str
        Names of the n things.
    measure : str, default="distance"
        What the distance is.
    """

    def __init__(self, merges: ArrayLike, labels: Sequence[str], measure: str = "distance") -> None:
        self.merges: NDArray[np.float64] = np.asarray(merges, dtype=float)
        self.labels, self.measure = [str(label) for label in labels], measure
        shown = min(len(self.labels), LARGEST_SHOWN)
        self.size = (5.0, max(3.6, 0.6 + LINE * shown))  # as high as names that can be read need
        if self.merges.ndim != 2 or self.merges.shape != (len(self.labels) - 1, 4) or len(self.labels) < 2:
            raise ValueError(
                f"{len(self.labels)} labels need mergers of shape ({len(self.labels) - 1}, 4), got {self.merges.shape}."
            )

    @classmethod
    def from_columns(cls, columns: ArrayLike, labels: Sequence[str]) -> DendrogramDisplay:
        """Columns of numbers by 1 - |rank correlation|, mean distance of groups; constant columns are far from all.

        Examples
        --------
        >>> import numpy as np
        >>> from certus.evaluation import DendrogramDisplay
        >>> columns = np.array([[1.0, 2.0, 5.0], [2.0, 4.0, 1.0], [3.0, 9.0, 2.0], [4.0, 10.0, 4.0]])
        >>> DendrogramDisplay.from_columns(columns, ["a", "b", "c"]).merges[0, :2].tolist()
        [0.0, 1.0]
        """
        return cls(merge_columns(columns), labels, RANK_DISTANCE)

    @classmethod
    def from_estimator(cls, estimator: Any, *, labels: Sequence[str] | None = None) -> DendrogramDisplay:
        """The tree of a fitted hierarchical clustering: of rows, or of the columns that it merges.

        Parameters
        ----------
        estimator : fitted learner
            With ``linkage_matrix_``, or scikit-learn's ``children_`` and ``distances_``.
        labels : sequence of str, default=None
            Names of what was merged; by default names of merged columns if there are any, else numbers.

        Examples
        --------
        >>> from certus.cluster import AgglomerativeClustering
        >>> from certus.evaluation import DendrogramDisplay
        >>> tree = AgglomerativeClustering(2, linkage="average").fit([[0.0], [1.0], [10.0]])
        >>> print(DendrogramDisplay.from_estimator(tree).merges)
        [[0.  1.  1.  2. ]
         [2.  3.  9.5 3. ]]
        """
        merges = _merges_of(estimator)
        if labels is None:
            columns: Any = getattr(estimator, "feature_names_in_", ()) if hasattr(estimator, "pooling_func") else ()
            labels = [str(name) for name in (columns if len(columns) == len(merges) + 1 else range(len(merges) + 1))]
        return cls(merges, labels)

    def _draw(self, ax: Axes) -> None:
        from scipy.cluster.hierarchy import dendrogram

        shown = {"truncate_mode": "lastp", "p": LARGEST_SHOWN} if len(self.labels) > LARGEST_SHOWN else {}
        names = [name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…" for name in self.labels]
        tree = dendrogram(self.merges, labels=names, no_plot=True, **shown)
        for across, up in zip(tree["icoord"], tree["dcoord"], strict=True):
            ax.plot(up, across, color=ACCENT, linewidth=1.2)
        ax.set_yticks(np.arange(len(tree["ivl"])) * 10.0 + 5.0, tree["ivl"], fontsize=8, color=INK)
        ax.set_xlabel(self.measure)
        ax.set_xlim(left=0.0)


def _merges_of(estimator: Any) -> NDArray[np.float64]:
    """Merges in scipy's form."""
    given = getattr(estimator, "linkage_matrix_", None)
    if given is not None:
        return np.asarray(given, dtype=float)
    children, distances = getattr(estimator, "children_", None), getattr(estimator, "distances_", None)
    if children is None or distances is None:
        raise ValueError(
            f"{type(estimator).__name__} must have linkage_matrix_, or children_ and distances_, got neither.\n"
            "Hint: fit a hierarchical clustering of all rows; scikit-learn's needs compute_distances=True."
        )
    sizes = np.ones(2 * len(children) + 1)
    for step, (one, other) in enumerate(np.asarray(children)):
        sizes[len(children) + 1 + step] = sizes[one] + sizes[other]
    return np.column_stack([children, distances, sizes[len(children) + 1 :]]).astype(float)
