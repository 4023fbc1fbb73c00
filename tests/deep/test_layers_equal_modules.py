"""Layers of images and sequences in torch give what the modules in NumPy give with the same weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from certus.neural import modules
from certus.neural.deep.blocks.convolution_blocks import ConvNetwork
from certus.neural.deep.blocks.sequence_blocks import SequenceNetwork
from tests.deep.test_blocks_equal_modules import copy_dense, same, tensor

nn = torch.nn
RNG = np.random.default_rng(0)
IMAGES, SEQUENCES = RNG.normal(size=(3, 2, 9, 8)), RNG.normal(size=(3, 7, 5))


def copy_filters(layer: Any, module: Any) -> None:
    layer.weight.data = tensor(module.parameters["weights"])
    if layer.bias is not None:
        layer.bias.data = tensor(module.parameters["bias"])


def copy_norm(layer: Any, module: Any) -> None:
    """Gains, offsets and running statistics, drawn first: the first ones change nothing."""
    module.parameters["gamma"][:] = RNG.normal(size=module.parameters["gamma"].shape)
    module.parameters["beta"][:] = RNG.normal(size=module.parameters["beta"].shape)
    layer.weight.data, layer.bias.data = tensor(module.parameters["gamma"]), tensor(module.parameters["beta"])
    if hasattr(module, "running_mean"):
        layer.running_mean.copy_(tensor(module.running_mean))
        layer.running_var.copy_(tensor(module.running_variance))


def channels_last(module: Any, images: np.ndarray) -> np.ndarray:
    """What a module of features says of images' channels."""
    return module.forward(images.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2)


def copy_recurrent(layer: Any, module: Any) -> None:
    layer.weight_ih_l0.data = tensor(module.parameters["input_weights"].T)
    layer.weight_hh_l0.data = tensor(module.parameters["hidden_weights"].T)
    layer.bias_ih_l0.data = tensor(module.parameters["bias"])
    layer.bias_hh_l0.data.zero_()


@pytest.mark.parametrize(("stride", "padding"), [(1, 0), (1, 1), (2, 0), (2, 2), (3, 1)])
def test_convolution(stride: int, padding: int) -> None:
    theirs = modules.Conv2d(2, 4, 3, stride=stride, padding=padding, random_state=0)
    theirs.parameters["bias"][:] = RNG.normal(size=4)
    ours = nn.Conv2d(2, 4, 3, stride=stride, padding=padding)
    copy_filters(ours, theirs)
    given = tensor(IMAGES).requires_grad_()
    found = ours(given)
    same(found, theirs.forward(IMAGES))
    gradient = RNG.normal(size=found.shape)
    found.backward(tensor(gradient))
    same(given.grad, theirs.backward(gradient))
    same(ours.weight.grad, theirs.gradients["weights"])


@pytest.mark.parametrize("size", [2, 3])
def test_max_pooling(size: int) -> None:
    same(nn.MaxPool2d(size)(tensor(IMAGES)), modules.MaxPool2d(size).forward(IMAGES))


def test_batch_normalization_while_learning_and_afterwards() -> None:
    theirs, ours = modules.BatchNorm(2), nn.BatchNorm2d(2)
    copy_norm(ours, theirs)
    for _ in range(3):
        batch = 2.0 + 3.0 * RNG.normal(size=IMAGES.shape)
        same(ours(tensor(batch)), channels_last(theirs, batch))
    theirs.train(False)
    same(ours.eval()(tensor(IMAGES)), channels_last(theirs, IMAGES))
    same(ours.running_var, theirs.running_variance)


def test_layer_normalization() -> None:
    theirs, ours = modules.LayerNorm(5), nn.LayerNorm(5)
    copy_norm(ours, theirs)
    same(ours(tensor(SEQUENCES)), theirs.forward(SEQUENCES))


@pytest.mark.parametrize(("cell", "kind"), [("rnn", modules.Recurrent), ("lstm", modules.LSTM)])
def test_sequence_network(cell: str, kind: Any) -> None:
    theirs, read = kind(5, 4, random_state=0), modules.Dense(4, 3, random_state=1)
    for per_step in (True, False):
        ours = SequenceNetwork(cell, 5, 4, 1, 3, per_step=per_step).eval()
        copy_recurrent(ours.body, theirs)
        copy_dense(ours.scores, read)
        every = read.forward(theirs.forward(SEQUENCES))
        lengths = torch.tensor([7, 3, 1])
        last = every[[0, 1, 2], [6, 2, 0]]
        same(ours(tensor(SEQUENCES), lengths), every if per_step else last)


def test_forget_gates_begin_as_those_of_the_module() -> None:
    ours, theirs = SequenceNetwork("lstm", 5, 4, 2, 3).body, modules.LSTM(5, 4)
    for layer in ("l0", "l1"):
        total = getattr(ours, f"bias_ih_{layer}") + getattr(ours, f"bias_hh_{layer}")
        assert total[4:8].tolist() == theirs.parameters["bias"][4:8].tolist() == [1.0] * 4


def test_network_of_images() -> None:
    """The whole default architecture, layer by layer."""
    ours = ConvNetwork((9, 8, 2), (3, 4), 3, 6, 5, 0.25).eval()
    convolutions = [
        modules.Conv2d(2, 3, 3, padding=1, random_state=0),
        modules.Conv2d(3, 4, 3, padding=1, random_state=1),
    ]
    norms, pool = [modules.BatchNorm(3), modules.BatchNorm(4)], modules.MaxPool2d(2)
    dense = [modules.Dense(16, 6, random_state=2), modules.Dense(6, 5, random_state=3)]
    picture = IMAGES
    for place, (convolution, norm) in enumerate(zip(convolutions, norms, strict=True)):
        copy_filters(ours[4 * place], convolution)
        copy_norm(ours[4 * place + 1], norm)
        norm.train(False)
        picture = pool.forward(modules.ReLU().forward(channels_last(norm, convolution.forward(picture))))
    copy_dense(ours[10], dense[0])
    copy_dense(ours[13], dense[1])
    hidden = modules.ReLU().forward(dense[0].forward(modules.Flatten().forward(picture)))
    same(ours(tensor(IMAGES)), dense[1].forward(hidden))


def moved(images: np.ndarray, down: int, right: int) -> np.ndarray:
    return np.roll(images, (down, right), axis=(2, 3))


def test_shifts_under_convolution_and_pooling() -> None:
    """A picture that moves on an empty ground: filters answer moved along, pooled squares by half of it, and the
    largest answer of all stays what it was.
    """
    ground = np.zeros((1, 1, 24, 24))
    ground[:, :, 8:14, 6:12] = RNG.normal(size=(1, 1, 6, 6))
    layer, pool = nn.Conv2d(1, 3, 3, padding=1, bias=False), nn.MaxPool2d(2)
    theirs, their_pool = modules.Conv2d(1, 3, 3, padding=1, random_state=0), modules.MaxPool2d(2)
    copy_filters(layer, theirs)
    straight = layer(tensor(ground)).detach().numpy()
    for down, right in ((1, 0), (2, 4), (-3, 5)):
        other = moved(ground, down, right)
        same(layer(tensor(other)), moved(straight, down, right))
        same(layer(tensor(other)), theirs.forward(other))
        assert np.isclose(layer(tensor(other)).amax().item(), straight.max(), rtol=1e-5)
        if down % 2 == right % 2 == 0:
            pooled = pool(tensor(straight)).numpy()
            same(pool(layer(tensor(other))), moved(pooled, down // 2, right // 2))
            same(pool(layer(tensor(other))), their_pool.forward(theirs.forward(other)))
