"""Modules made of torch's standard layers as plain data, and back: a file holds no code."""

from __future__ import annotations

import inspect
from typing import Any

from certus.guarantees.records import CertusFileError
from certus.neural.deep.lazy_torch import torch

# Layers that are nothing but their arguments and their weights.
LAYERS = (
    "AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveMaxPool1d", "AdaptiveMaxPool2d", "AvgPool1d", "AvgPool2d",
    "BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "Bilinear", "CELU", "Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d",
    "ConvTranspose2d", "Dropout", "Dropout1d", "Dropout2d", "ELU", "Embedding", "Flatten", "GELU", "GroupNorm",
    "Hardsigmoid", "Hardswish", "Hardtanh", "Identity", "InstanceNorm1d", "InstanceNorm2d", "LayerNorm", "LeakyReLU",
    "Linear", "LogSigmoid", "LogSoftmax", "MaxPool1d", "MaxPool2d", "Mish", "PReLU", "RMSNorm", "ReLU", "ReLU6", "SELU",
    "Sequential", "SiLU", "Sigmoid", "Softmax", "Softplus", "Softsign", "Tanh", "Unflatten", "Upsample", "ZeroPad2d",
)  # fmt: skip
_ELSEWHERE = ("device", "dtype", "inplace", "_weight", "_freeze")


def plan_of(module: Any, where: str) -> dict[str, Any]:
    """A module as plain data; refuses one that cannot be rebuilt from it, by name."""
    names = [name for name, _ in module.named_parameters(remove_duplicate=False)]
    twice = sorted(set(names) - {name for name, _ in module.named_parameters()})
    if twice:
        raise CertusFileError(
            f"{where} uses the weights {twice[0]!r} in several places, which a file cannot rebuild.\n"
            "Hint: give every layer with weights a place of its own."
        )
    return _plan(module, where)


def _plan(module: Any, where: str) -> dict[str, Any]:
    """Of one layer, or of a Sequential with its layers."""
    kind = type(module)
    if kind.__name__ not in LAYERS or kind is not getattr(torch.nn, kind.__name__, None):
        raise CertusFileError(
            f"{where} is a {kind.__module__}.{kind.__qualname__}, which a file cannot rebuild: it holds no code.\n"
            "Hint: make the module of torch.nn's standard layers in a Sequential, or keep its weights_ yourself."
        )
    if module._forward_hooks or module._forward_pre_hooks or "forward" in vars(module):
        raise CertusFileError(
            f"{where} is a {kind.__name__} with a hook, which a file cannot rebuild: it holds no code.\n"
            "Hint: remove hooks before saving, or keep the weights_ yourself."
        )
    if kind.__name__ == "Sequential":
        # Not named_children: that leaves out a layer, such as an activation, that stands in several places.
        layers = {name: _plan(layer, f"{where}.{name}") for name, layer in module._modules.items()}
        return {"layer": "Sequential", "layers": layers}
    plan = {"layer": kind.__name__, "arguments": _arguments(module, kind, where)}
    if is_double(module):
        plan["double"] = True
    rebuilt = build_module(plan)
    if rebuilt.extra_repr() != module.extra_repr().replace(", inplace=True", "").replace("inplace=True", ""):
        raise CertusFileError(
            f"{where} is a {kind.__name__} that was changed after it was made, which a file cannot rebuild.\n"
            "Hint: give its options to the constructor."
        )
    return plan


def _arguments(module: Any, kind: type, where: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, parameter in inspect.signature(kind.__init__).parameters.items():  # type: ignore[misc]
        if name == "self" or name in _ELSEWHERE or parameter.kind is not parameter.POSITIONAL_OR_KEYWORD:
            continue
        value = getattr(module, name, None)
        if name == "bias":
            value = value is not None
        found[name] = _plain(value, f"{where}.{name}")
    if kind.__name__ == "PReLU":
        found.pop("init", None)
    return found


def _plain(value: Any, where: str) -> Any:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, tuple | list):
        return tuple(_plain(item, where) for item in value)
    raise CertusFileError(
        f"{where} is a {type(value).__name__}, which a file cannot hold.\nHint: use numbers, names and tuples."
    )


def build_module(plan: Any) -> Any:
    """The untrained module of a plan; refuses anything but listed layers with plain arguments."""
    name = plan.get("layer") if isinstance(plan, dict) else None
    if name not in LAYERS:
        raise ValueError(f"a module must be a layer of torch.nn that is listed, got {name!r}")
    if name == "Sequential":
        layers = plan.get("layers")
        if not isinstance(layers, dict):
            raise ValueError("a Sequential must have layers")
        sequence = torch.nn.Sequential()
        for key, layer in layers.items():
            sequence.add_module(str(key), build_module(layer))
        return sequence
    arguments = plan.get("arguments")
    if not isinstance(arguments, dict):
        raise ValueError(f"a {name} must have arguments")
    layer = getattr(torch.nn, name)(**{key: _plain(value, key) for key, value in arguments.items()})
    return layer.double() if plan.get("double") is True else layer


def is_double(given: Any) -> bool:
    """Whether a module, or the module of a plan, computes in double precision."""
    if isinstance(given, dict):
        layers = given.get("layers")
        inner = layers.values() if isinstance(layers, dict) else ()
        return given.get("double") is True or any(map(is_double, inner))
    return isinstance(given, torch.nn.Module) and any(tensor.dtype == torch.float64 for tensor in given.parameters())
