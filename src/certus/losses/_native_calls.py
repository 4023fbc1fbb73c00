"""The native twins of the losses, for the kernels of other packages."""

from __future__ import annotations

from functools import lru_cache

from certus import _native
from certus.losses.loss import KnownLoss
from certus.losses.registry import BY_NAME


@lru_cache(maxsize=256)
def native_loss(loss: KnownLoss) -> _native.Loss:
    """The loss as kernels take it."""
    assert loss.native is not None
    return _native.Loss(loss.native, loss.parameter)


def native_loss_named(name: str, parameter: float) -> _native.Loss:
    """The same by a name, ours or scikit-learn's, with a parameter that need not be a sensible one."""
    native = BY_NAME[name].native
    assert native is not None
    return _native.Loss(native, parameter)
