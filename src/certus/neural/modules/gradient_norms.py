"""How much of the error's gradient reaches every layer."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from certus.neural.modules.converting import to_modules
from certus.neural.modules.module import Array, floats
from certus.neural.modules.module_losses import BinaryCrossEntropy, CrossEntropy, Loss, SquaredError


def gradient_norms(model: Any, X: ArrayLike, y: ArrayLike, *, loss: Loss | None = None) -> Array:
    """Euclidean length of the error's gradient by the weights of every layer, from the first to the last.

    Sigmoids multiply it by at most 1/4 per layer on the way back, so that the first layers of a deep network hardly
    learn; ReLU does not.

    Parameters
    ----------
    model : Sequential or fitted network
        Modules, or anything with `coefs_`, `intercepts_` and `activation` (scikit-learn's attributes).
    X, y : array-like
        Rows and targets.
    loss : Loss, optional
        By default `SquaredError` for a Sequential with real targets and for regressors, otherwise the cross entropy
        that fits the number of outputs.

    Returns
    -------
    array of shape (layers with weights,)
    """
    network, targets = to_modules(model), np.asarray(y)
    scores = network.forward(floats(X))
    if loss is None:
        loss = _loss_for(model, scores, targets)
    if hasattr(model, "classes_"):
        targets = np.searchsorted(model.classes_, targets)
    if isinstance(loss, (SquaredError, BinaryCrossEntropy)):
        targets = targets.reshape(scores.shape)
    loss.forward(scores, targets)
    network.backward(loss.backward())
    layers = [module.gradients for module in network.modules if module.gradients]
    return np.array(
        [np.sqrt(sum(float((g**2).sum()) for name, g in layer.items() if name != "bias")) for layer in layers]
    )


def _loss_for(model: Any, scores: Array, targets: np.ndarray) -> Loss:
    if hasattr(model, "classes_"):
        return BinaryCrossEntropy() if scores.shape[-1] == 1 else CrossEntropy()
    whole = targets.dtype.kind in "iub" and scores.shape[-1] > 1 and targets.ndim < scores.ndim
    return CrossEntropy() if whole else SquaredError()
