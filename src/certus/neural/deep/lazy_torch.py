"""torch, imported when something of it is first used, so that ``import certus.neural.deep`` needs no torch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from certus.base import import_extra

if TYPE_CHECKING:
    import torch
else:

    class _LazyTorch:
        """Hands attributes of torch on."""

        def __getattr__(self, name: str) -> Any:
            if name.startswith("__"):  # asked by tools that look through modules
                raise AttributeError(name)
            return getattr(import_extra("deep", "certus.neural.deep"), name)

    torch = _LazyTorch()

__all__ = ["torch"]
