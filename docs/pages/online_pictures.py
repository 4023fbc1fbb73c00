"""Draw the pictures of docs/online.md and docs/experts.md: python -m docs.pages.online_pictures."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from certus.evaluation import Display
from certus.online import FixedShare, OGDClassifier, RegretDisplay, WeightsDisplay

FOLDER = Path(__file__).parents[1] / "online-pictures"


def regret() -> Display:
    """Gradient steps along a noisy stream: loss, linearized regret and its bound."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 5))
    y = (X[:, 0] + X[:, 1] > rng.normal(size=2000)).astype(int)
    learner = OGDClassifier("hinge", geometry="euclidean", radius=2.0, horizon=2000, max_norm=5.0, classes=(0, 1))
    return RegretDisplay.from_stream(learner, X, y)


def shifting_advice(trials: int = 300) -> tuple[np.ndarray, np.ndarray]:
    """Four forecasters, each of them good for a while."""
    rng = np.random.default_rng(1)
    outcomes = rng.integers(0, 2, trials).astype(float)
    good = np.arange(trials) * 4 // trials
    noise = np.where(np.arange(4) == good[:, None], 0.15, 0.45) * rng.random((trials, 4))
    return np.abs(outcomes[:, None] - noise), outcomes


def weights() -> Display:
    """Fixed Share follows the forecaster that is good now."""
    return WeightsDisplay.from_stream(
        FixedShare(0.01, switches=3), *shifting_advice(), names=["first", "second", "third", "fourth"]
    )


def switching() -> Display:
    """Its loss against the best sequence with three switches."""
    learner = FixedShare(0.01, switches=3)
    return RegretDisplay.from_stream(learner, *shifting_advice(), quantity="regret against 3 switches")


PICTURES: dict[str, Callable[[], Display]] = {
    "regret-and-bound": regret,
    "weights-of-experts": weights,
    "regret-against-switches": switching,
}


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, draw in PICTURES.items():
        (FOLDER / f"{name}.svg").write_text(draw().svg() + "\n", encoding="utf-8")
