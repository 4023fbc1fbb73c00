"""What kernels that are made of other kernels share: their validity follows from that of the parts."""

from __future__ import annotations

from certus.kernels.functions.kernel import Kernel, Objects


class BuiltKernel(Kernel):
    """A kernel made of others, which it keeps in `_parts`; valid by `_rule` if they are valid."""

    def _parts(self) -> list[Kernel]:
        raise NotImplementedError

    def _probes(self) -> list[Objects]:
        return self._parts()[0]._probes()

    def _takes_rows(self) -> bool:
        return all(part._takes_rows() for part in self._parts())

    def _proof(self) -> str | None:
        return self._rule if all(part._proof() is not None for part in self._parts()) else None


class OfOneKernel(BuiltKernel):
    """A kernel made of one other."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel

    def _parts(self) -> list[Kernel]:
        return [self.kernel]


class OfTwoKernels(BuiltKernel):
    """A kernel made of two others."""

    def __init__(self, left: Kernel, right: Kernel) -> None:
        self.left = left
        self.right = right

    def _parts(self) -> list[Kernel]:
        return [self.left, self.right]
