"""Draw the pictures of docs/neural-modules.md: python -m docs.pages.module_pictures."""

import itertools
from collections.abc import Callable
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from sklearn.datasets import make_moons

from certus.evaluation import Display, GradientFlowDisplay, LossCurveDisplay, NetworkDisplay, RegionsDisplay
from certus.evaluation.displays.display import INK
from certus.neural import MLPClassifier, robust_radius
from certus.neural.modules import (
    BinaryCrossEntropy,
    Dense,
    ReLU,
    Sequential,
    Sigmoid,
    Tanh,
    batch_descent,
    gradient_norms,
)

FOLDER = Path(__file__).parents[1] / "pictures" / "modules"


def learned_xor() -> tuple[Sequential, list[float]]:
    """A network that learns XOR, and its loss after every step."""
    X = np.array([[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]])
    net = Sequential(Dense(2, 8, random_state=1), Tanh(), Dense(8, 1, random_state=2))
    steps = batch_descent(net, BinaryCrossEntropy(), X, np.array([[0], [1], [1], [0]]), 0.5)
    return net, [step.loss for step in itertools.islice(steps, 100)]


def loss_curve() -> Display:
    """Loss against steps."""
    return LossCurveDisplay(learned_xor()[1], unit="step")


def network() -> Display:
    """The network as a graph."""
    net, _ = learned_xor()
    return NetworkDisplay([net.parameters["0.weights"], net.parameters["2.weights"]])


def gradient_flow() -> Display:
    """Gradients of fifteen layers of sigmoids and of ReLU."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 16)), rng.normal(size=(50, 1))
    norms = {}
    for name, unit, init in (("sigmoid", Sigmoid, "glorot"), ("ReLU", ReLU, "he")):
        layers = [[Dense(16, 16, init=init, random_state=place), unit()] for place in range(15)]
        norms[name] = gradient_norms(Sequential(*itertools.chain(*layers), Dense(16, 1, random_state=99)), X, y)
    return GradientFlowDisplay(norms)


class RadiiDisplay(RegionsDisplay):
    """Regions of labels, and around some rows the squares that are proved to have one label."""

    squares: list[np.ndarray]

    def _draw(self, ax: Axes) -> None:
        super()._draw(ax)
        for corners in self.squares:
            ax.plot(*corners.T, color=INK, linewidth=0.7)


def radii() -> Display:
    """Two half-moons, and how far some of their rows can move."""
    X, y = make_moons(316, noise=0.1, random_state=0)
    model = MLPClassifier((16,), solver="lbfgs", alpha=0.1, max_iter=1000, random_state=0).fit(X[:300], y[:300])
    display = RadiiDisplay.from_estimator(model, X[300:], grid=90)
    radius = robust_radius(model, X[300:]).lower
    around = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1], [-1, -1]])
    display.squares = [row + r * around for row, r in zip(X[300:], radius, strict=True)]
    return display


PICTURES: dict[str, Callable[[], Display]] = {
    "loss-curve": loss_curve,
    "network": network,
    "gradient-flow": gradient_flow,
    "radii": radii,
}


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, draw in PICTURES.items():
        (FOLDER / f"{name}.svg").write_text(draw().svg() + "\n", encoding="utf-8")
