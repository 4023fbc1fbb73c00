"""Kernel ridge regression against scikit-learn (scikit-learn-intelex has none of its own)."""

import numpy as np

from benchmarks.measure.task import Competitor, Quality, Task
from benchmarks.problems import data, predictions

_ALPHA, _GAMMA = 1.0, 0.02
_SETTINGS = {"alpha": _ALPHA, "kernel": "rbf", "gamma": _GAMMA}
_COMPETITORS = (
    Competitor("certus", "certus.kernels.KernelRidge", _SETTINGS),
    Competitor("scikit-learn", "sklearn.kernel_ridge.KernelRidge", _SETTINGS),
)


def _gap(model, prediction, arrays):  # noqa: ARG001
    """Bound |y - Kc - alpha c|^2 on the gap, relative to the objective at the zero function."""
    from sklearn.metrics.pairwise import rbf_kernel

    X, y, coef = arrays["X"], arrays["y"], np.ravel(model.dual_coef_)
    residual = y - rbf_kernel(X, gamma=_GAMMA) @ coef - _ALPHA * coef
    return float(residual @ residual / (y @ y))


_SIZES = {
    "make_data": data.smooth_surface,
    "size": {"n": 5_000, "d": 50, "queries": 5_000},
    "quick_size": {"n": 200, "d": 5, "queries": 50},
    "competitors": _COMPETITORS,
}

TASKS = (
    Task(
        name="kernel-ridge-fit",
        about="KernelRidge with the Gaussian kernel",
        action="fit",
        quality=Quality("relative gap", _gap, wanted=1e-12),
        **_SIZES,
    ),
    Task(
        name="kernel-ridge-predict",
        about="KernelRidge with the Gaussian kernel",
        action="predict",
        quality=predictions.root_mean_square(slack=1e-6),
        **_SIZES,
    ),
)
