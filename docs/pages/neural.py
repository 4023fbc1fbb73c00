"""Draw docs/neural.svg, the picture of the page about networks: python -m docs.pages.neural."""

from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_digits

from certus.neural import MLPClassifier, MLPRegressor

PICTURE = Path(__file__).parents[1] / "neural.svg"
RATES = {"sgd": 0.1, "adagrad": 0.02, "rmsprop": 0.001, "adam": 0.002}


def drawn() -> Any:
    """Quantiles that never cross, and the loss under four optimizers."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    plt.rcParams["svg.hashsalt"] = "certus"
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6))
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, (600, 1))
    y = np.sin(3 * x[:, 0]) + rng.normal(size=600) * (0.1 + 0.3 * (x[:, 0] > 0))
    bands = MLPRegressor("quantile", (32,), "tanh", quantiles=(0.05, 0.5, 0.95), learning_rate="cosine", random_state=0)
    bands.set_params(learning_rate_init=0.01, batch_size=50).fit(x, y)
    line = np.linspace(-1, 1, 200)[:, None]
    left.scatter(x[:, 0], y, s=3, color="grey", rasterized=True)
    left.plot(line, bands.predict(line), linewidth=1.5, label=["5 %", "50 %", "95 %"])
    left.set(xlabel="x", ylabel="quantiles of y")
    left.legend(fontsize=8)
    X, labels = load_digits(return_X_y=True)
    for solver, rate in RATES.items():
        model = MLPClassifier(
            (32,), solver=solver, learning_rate_init=rate, tol=1e9, n_iter_no_change=38, random_state=0
        )
        right.plot(model.fit(X / 16, labels).loss_curve_, label=solver)
    right.set(xlabel="epoch", ylabel="loss, handwritten digits", yscale="log")
    right.legend(fontsize=8)
    figure.tight_layout()
    return figure


if __name__ == "__main__":
    drawn().savefig(PICTURE, metadata={"Date": None})
