"""Ways to begin that are better than random weights.

Layer by layer: hidden layer d is trained under an output layer of its own, the layers below it frozen; supervised, for
the target (Bengio et al. 2007), or as an autoencoder, to reproduce the columns of the table (Hinton, Salakhutdinov
2006). Transfer: hidden layers come from a network fitted elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from certus.neural import _native_calls as kernels
from certus.neural.engine import NetworkEngine
from certus.neural.learning.descent import batch_rows, step_rule
from certus.neural.learning.training_data import OutputPlan, TrainingData


def layerwise(learner: Any, engine: NetworkEngine, data: TrainingData, random: np.random.RandomState) -> None:
    """Train hidden layers for the target, one after the other."""
    _layer_by_layer(learner, engine, data, random, learner._output())


def autoencoder(learner: Any, engine: NetworkEngine, data: TrainingData, random: np.random.RandomState) -> None:
    """Train hidden layers to reproduce the table, one after the other."""
    if sparse.issparse(data.X):
        raise ValueError(
            "pretraining='autoencoder' reproduces the columns of the table and needs a dense one; got a sparse one.\n"
            "Hint: use pretraining='layerwise', or make it dense with .toarray()."
        )
    values = np.ascontiguousarray(data.X)
    plan = OutputPlan(values.shape[1], "identity", ("squared", 0.0))
    _layer_by_layer(learner, engine, replace(data, classes=None, values=values), random, plan)


def _layer_by_layer(
    learner: Any, engine: NetworkEngine, data: TrainingData, random: np.random.RandomState, plan: OutputPlan
) -> None:
    for depth in range(1, len(engine.sizes) - 1):
        small = NetworkEngine(
            (*engine.sizes[: depth + 1], plan.n_outputs),
            engine.activations[:depth],
            loss=plan.loss,
            dtype=engine.dtype,
            smoothing=plan.smoothing,
            quantiles=plan.quantiles,
            frozen=depth - 1,
            seed=int(random.randint(2**31)),
            threads=engine.threads,
        )
        small.initialize(random, init=learner.init, fraction=float(learner.init_fraction))
        _copy_layers(small, engine.coefs[: depth - 1], engine.intercepts[: depth - 1])
        _train(learner, small, data, frozen=depth - 1)
        _copy_layers(engine, small.coefs[:depth], small.intercepts[:depth])


def copy_start(learner: Any, engine: NetworkEngine) -> None:
    """The hidden layers of ``learner.start`` as first weights; its output layer is left out."""
    given = learner.start
    layers = getattr(given, "n_hidden_", len(getattr(given, "coefs_", ())) - 1)
    if layers < 1:
        raise ValueError(f"start must be a fitted network with hidden layers; got {given!r}.\nHint: fit it first.")
    coefs, intercepts = given.coefs_[:layers], given.intercepts_[:layers]
    wanted = [view.shape for view in engine.coefs[: min(layers, len(engine.coefs) - 1)]]
    found = [np.shape(coef) for coef in coefs[: len(wanted)]]
    if found != wanted:
        raise ValueError(
            f"start has hidden layers of the shapes {found}, but hidden_layer_sizes and the table ask for {wanted}.\n"
            "Hint: use the same columns and hidden_layer_sizes."
        )
    _copy_layers(engine, coefs[: len(wanted)], intercepts[: len(wanted)])


def _train(learner: Any, engine: NetworkEngine, data: TrainingData, *, frozen: int) -> None:
    """Some epochs of the learner's optimizer, at its first step size; Adam's where it has none."""
    batch = batch_rows(learner, data.count)
    rule = replace(
        step_rule(learner, -(-data.count // batch), float(learner.learning_rate_init)),
        schedule="constant",
        l1=0.0,
        frozen=frozen,
    )
    table, targets = kernels.network_table(data.X), data.targets()
    for number in range(int(learner.pretraining_iter)):
        order = data.order(shuffle=learner.shuffle)
        engine.epoch(table, targets, rule, order=order, shuffle=bool(learner.shuffle), batch=batch, number=number)


def _copy_layers(engine: NetworkEngine, coefs: Any, intercepts: Any) -> None:
    for place, (coef, intercept) in enumerate(zip(coefs, intercepts, strict=True)):
        engine.coefs[place][...] = coef
        engine.intercepts[place][...] = intercept


METHODS: dict[str, Callable[..., None]] = {"layerwise": layerwise, "autoencoder": autoencoder}
