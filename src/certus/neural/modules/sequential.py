"""One module after the other."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from certus.neural.modules.module import Module


class Sequential(Module):
    """f = F_L(... F_2(F_1(x))); the error's gradient goes back through the same modules in reverse.

    Parameters
    ----------
    *modules : Module
        In the order of the forward pass, every one once. The first may take several inputs.

    Examples
    --------
    >>> from certus.neural.modules import Dense, ReLU, Sequential
    >>> net = Sequential(Dense(2, 3, random_state=0), ReLU(), Dense(3, 1, random_state=1))
    >>> net.forward([[0.0, 0.0]]).tolist(), sorted(net.parameters)
    ([[0.0]], ['0.bias', '0.weights', '2.bias', '2.weights'])
    """

    def __init__(self, *modules: Module) -> None:
        super().__init__()
        if not modules or len({id(module) for module in modules}) < len(modules):
            raise ValueError(
                f"Sequential: needs at least one module, and none twice, got {len(modules)}.\n"
                "Hint: a module keeps the inputs of its last forward call, so that it has one place in a network."
            )
        self.modules = modules

    def __len__(self) -> int:
        return len(self.modules)

    def __getitem__(self, place: int) -> Module:
        return self.modules[place]

    def children(self) -> dict[str, Module]:
        """The modules, by their places."""
        return {str(place): module for place, module in enumerate(self.modules)}

    def forward(self, *inputs: Any) -> Any:
        """All modules in turn."""
        output: Any = self.modules[0].forward(*inputs)
        for module in self.modules[1:]:
            output = module.forward(output)
        return output

    def backward(self, gradient: ArrayLike) -> Any:
        """All modules in reverse."""
        for module in reversed(self.modules):
            gradient = module.backward(gradient)
        return gradient
