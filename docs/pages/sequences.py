"""Draw docs/sequences.svg, the picture of the page about sequences: python -m docs.pages.sequences."""

from pathlib import Path
from typing import Any

import numpy as np

from certus.graphical import GaussianHMM

PICTURE = Path(__file__).parents[1] / "sequences.svg"
COLORS = ("#4477aa", "#ccbb44", "#ee6677")


def drawn() -> Any:
    """The picture."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    plt.rcParams["svg.hashsalt"] = "certus"
    rng = np.random.default_rng(0)
    states = np.repeat([0, 1, 2, 1, 0, 2] * 5, 20)
    X = rng.normal(np.array([0.0, 3.0, 6.0])[states], 1.0)[:, None]
    model = GaussianHMM(3, n_iter=100, n_init=3, random_state=0).fit(X)
    order = np.argsort(model.means_.ravel())
    shown = np.arange(240)
    figure, (above, below) = plt.subplots(2, 1, figsize=(8, 4), sharex=True, height_ratios=(2, 1))
    above.scatter(shown, X[:240, 0], s=6, color="gray", label="rows")
    above.step(shown, model.means_[model.predict(X)[:240], 0], where="mid", color="black", label="decoded mean")
    above.legend(loc="upper right", fontsize=8)
    below.stackplot(shown, model.predict_proba(X)[:240, order].T, colors=COLORS)
    below.set(ylabel="P(state)", xlabel="row", ylim=(0, 1), xlim=(0, 239))
    figure.tight_layout()
    return figure


if __name__ == "__main__":
    drawn().savefig(PICTURE, metadata={"Date": None})
