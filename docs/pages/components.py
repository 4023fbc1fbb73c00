"""Draw docs/components.svg, the picture of the page about components: python -m docs.pages.components."""

from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_digits

from certus.components import PCA

PICTURE = Path(__file__).parents[1] / "components.svg"


def drawn() -> Any:
    """What the best directions explain, and rows along two of them."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    plt.rcParams["svg.hashsalt"] = "certus"
    digits = load_digits()
    counts = [1, 2, 4, 8, 16, 32, 64]
    ends = [
        PCA(k, svd_solver="randomized", iterated_power=0, n_oversamples=1, random_state=0)
        .fit(digits.data)
        .report_["explained variance ratio"]
        .value
        for k in counts
    ]
    lows, highs = np.array(ends).T
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6))
    exact = np.cumsum(PCA().fit(digits.data).explained_variance_ratio_)
    left.plot(np.arange(1, 65), exact, color="black", linewidth=1, label="exact")
    left.vlines(counts, lows, highs, color="#4477aa", linewidth=4, alpha=0.6, label="proved for a rough solver")
    left.set(xscale="log", xlabel="directions", ylabel="explained share of the variance", ylim=(0, 1.05))
    left.legend(loc="lower right", fontsize=8)
    places = PCA(2).fit_transform(digits.data)
    right.scatter(*places.T, c=digits.target, cmap="tab10", s=4, rasterized=True)
    right.set(xlabel="first component", ylabel="second component")
    figure.tight_layout()
    return figure


if __name__ == "__main__":
    drawn().savefig(PICTURE, metadata={"Date": None})
