"""Draw the pictures of docs/mixtures.md: python -m docs.pages.mixture_pictures."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from certus.cluster import KMeans
from certus.evaluation import DensityDisplay, Display, EMDisplay, RegionsDisplay
from certus.mixture import GaussianMixture, KnownVarianceMixture

FOLDER = Path(__file__).parents[1] / "mixture-pictures"


def long_clouds(rows: int = 120) -> np.ndarray:
    """Two long parallel clouds."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(rows, 2)) * [4.0, 0.5] + np.repeat([[0.0, 0.0], [0.0, 3.0]], rows // 2, axis=0)


def regions() -> Display:
    """What k-means makes of them, and a mixture whose components share a covariance."""
    X = long_clouds()
    mixture = GaussianMixture(2, covariance_type="tied", n_init=10, init_params="random", random_state=0)
    return RegionsDisplay.from_estimator(
        {"k-means": KMeans(2, random_state=0).fit(X), "mixture, tied": mixture.fit(X)}, X, grid=60
    )


def density() -> Display:
    """Contours and ellipses of three components."""
    rng = np.random.default_rng(1)
    X = np.concatenate([rng.normal(size=(60, 2)) @ np.diag(scale) + middle for scale, middle in _CLOUDS])
    return DensityDisplay.from_estimator(GaussianMixture(3, random_state=0).fit(X), X, grid=60)


_CLOUDS = (([1.0, 0.4], [0.0, 0.0]), ([0.5, 1.2], [4.0, 1.0]), ([0.8, 0.8], [1.0, 4.0]))


def steps() -> Display:
    """Likelihood and Q of the steps from a bad start."""
    rows = np.random.default_rng(2).normal(size=(60, 1)) + np.repeat([[-2.0], [2.0]], 30, axis=0)
    model = KnownVarianceMixture(2, means_init=[[-0.1], [0.1]], tol=1e-4)
    return EMDisplay.from_estimator(model.fit(rows))


PICTURES: dict[str, Callable[[], Display]] = {
    "k-means-and-mixture": regions,
    "mixture-density": density,
    "em-steps": steps,
}


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, draw in PICTURES.items():
        (FOLDER / f"{name}.svg").write_text(draw().svg() + "\n", encoding="utf-8")
