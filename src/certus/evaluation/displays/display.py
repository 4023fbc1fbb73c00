"""What all displays share: drawing on given axes or own ones, and the picture as SVG for pages."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Drawn with these colors; in SVG they become the page's own, so that a picture suits light and dark pages.
INK, ACCENT, SOFT = "#1c2430", "#0b6e63", "#8a949f"
_ON_PAGES = {INK: "currentColor", ACCENT: "var(--accent, #0b6e63)", SOFT: "var(--soft, #8a949f)"}

_STYLE: Any = {
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": SOFT,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": INK,
    "ytick.color": INK,
    "text.parse_math": False,  # a dollar sign in a name is a dollar sign
    "svg.fonttype": "none",
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
    "font.size": 9,
}


class Display:
    """A picture. Derive from it and draw in `_draw`.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where it was drawn last.
    """

    size: tuple[float, float] = (5.0, 3.6)

    ax_: Any
    figure_: Any

    def plot(self, ax: Axes | None = None) -> Any:
        """Draw on the given axes, or on new ones; returns the display itself."""
        import matplotlib as mpl
        from matplotlib.figure import Figure

        with mpl.rc_context(_STYLE):
            if ax is None:
                ax = Figure(figsize=self.size, layout="constrained").add_subplot()
            self._draw(ax)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _draw(self, ax: Axes) -> None:
        raise NotImplementedError

    def svg(self) -> str:
        """The picture as an SVG element whose colors follow the page."""
        import matplotlib as mpl

        # Equal pictures have equal text, and pictures of different kinds share no names on one page.
        with mpl.rc_context({**_STYLE, "svg.hashsalt": type(self).__name__}):
            self.plot()
            stream = io.StringIO()
            self.figure_.savefig(stream, format="svg", metadata={"Date": None, "Creator": None})
        text = stream.getvalue()
        text = re.sub(r"<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.DOTALL)
        for drawn, shown in _ON_PAGES.items():
            text = text.replace(drawn, shown)
        return text

    def _repr_html_(self) -> str:
        return self.svg()
