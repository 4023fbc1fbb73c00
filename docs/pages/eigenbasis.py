"""Draw docs/eigenbasis.svg, the picture of the page about linear algebra: python -m docs.pages.eigenbasis."""

from pathlib import Path
from typing import Any

import numpy as np

from certus.geometry import eigen_by_deflation

PICTURE = Path(__file__).parents[1] / "eigenbasis.svg"
MATRIX = np.array([[2.0, 0.8], [0.8, 1.0]])


def scaled(matrix: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Images by scaling coordinates along the eigenvectors: rows of V diag(values) V' x."""
    values, directions = eigen_by_deflation(matrix)
    return np.asarray((vectors @ directions) * values @ directions.T)


def drawn() -> Any:
    """The unit circle and its image, an ellipse along the eigenvectors."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    plt.rcParams["svg.hashsalt"] = "certus"
    turns = np.linspace(0.0, 2.0 * np.pi, 121)
    circle = np.column_stack([np.cos(turns), np.sin(turns)])
    image = scaled(MATRIX, circle)
    figure, ax = plt.subplots(figsize=(4.6, 3.6))
    ax.plot(*circle.T, color="gray", linewidth=1, label="vectors of length 1")
    ax.plot(*image.T, color="black", linewidth=1, label="their images")
    for start, end in zip(circle[::10], image[::10], strict=True):
        ax.annotate("", xy=end, xytext=start, arrowprops={"arrowstyle": "->", "color": "#4477aa", "lw": 0.8})
    values, directions = eigen_by_deflation(MATRIX)
    for value, direction in zip(values, directions.T, strict=True):
        ax.plot(*np.outer([-value, value], direction).T, color="#cc6677", linewidth=1.5, label=f"scaled by {value:.2f}")
    ax.set_aspect("equal")
    ax.legend(loc="upper left", fontsize=7)
    figure.tight_layout()
    return figure


if __name__ == "__main__":
    drawn().savefig(PICTURE, metadata={"Date": None})
