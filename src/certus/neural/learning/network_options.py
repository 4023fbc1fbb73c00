"""Options of multi-layer networks that depend on each other, checked and in one form."""

from __future__ import annotations

import numbers
from typing import Any

from certus.neural._native_calls import ACTIVATIONS


def hidden_sizes(learner: Any) -> tuple[int, ...]:
    """Units of the hidden layers."""
    given = learner.hidden_layer_sizes
    sizes = list(given) if hasattr(given, "__iter__") else [given]
    whole = all(isinstance(size, numbers.Real) and float(size).is_integer() for size in sizes)
    if not whole or any(size <= 0 for size in sizes):
        raise ValueError(f"hidden_layer_sizes must be > 0, got {sizes}.\nHint: whole numbers; () for no hidden layer.")
    return tuple(int(size) for size in sizes)


def activations_of(learner: Any) -> tuple[str, ...]:
    """The activation of every hidden layer."""
    hidden = len(learner._hidden_sizes())
    if isinstance(learner.activation, str):
        return (learner.activation,) * hidden
    names = tuple(str(name) for name in learner.activation)
    unknown = [name for name in names if name not in ACTIVATIONS]
    if len(names) != hidden or unknown:
        raise ValueError(
            f"activation must be one of {', '.join(ACTIVATIONS)}, or one of them per hidden layer, {hidden}; "
            f"got {learner.activation!r}.\nHint: hidden_layer_sizes and activation need the same length."
        )
    return names


def has_partial_fit(learner: Any) -> bool:
    """Whether the solver learns from batches."""
    if learner.solver == "lbfgs":
        raise AttributeError(
            "partial_fit is only available for stochastic optimizers. lbfgs is not stochastic.\nHint: solver='adam'."
        )
    return True


def check_options(learner: Any, *, incremental: bool) -> None:
    """Refuse combinations of parameters that cannot be."""
    hidden = len(learner._hidden_sizes())
    learner._activations()
    if learner.early_stopping and incremental:
        raise ValueError("partial_fit does not support early_stopping=True\nHint: watch validation rows yourself.")
    if learner.solver == "lbfgs":
        for name in ("l1", "dropout", "batch_norm", "clip_norm"):
            if getattr(learner, name):
                raise ValueError(
                    f"{name}={getattr(learner, name)!r} needs a stochastic solver; got solver='lbfgs'.\n"
                    "Hint: use solver='adam'."
                )
    if getattr(learner, "prior_fraction", None) is not None:
        refused = {"batch_norm": False, "auxiliary": 0.0, "n_init": 1, "warm_start": False, "pretraining": None}
        for name, off in {**refused, "start": None}.items():  # all rows, or unknown ones, would shape the prior
            if getattr(learner, name) != off:
                raise ValueError(
                    f"prior_fraction certifies networks of weights and intercepts from one fit; got {name}="
                    f"{getattr(learner, name)!r}.\nHint: set {name}={off!r}."
                )
        if isinstance(learner.class_weight, str):
            raise ValueError(
                f"prior_fraction needs weights of classes that do not come from the rows; got class_weight="
                f"{learner.class_weight!r}.\nHint: a dict, or class_weight=None."
            )
    if learner.frozen > hidden:
        raise ValueError(
            f"frozen must be at most the number of hidden layers, {hidden}; got {learner.frozen}.\n"
            "Hint: the output layer is always trained."
        )
    if learner.auxiliary > 0.0 and hidden < 2:
        raise ValueError(
            f"auxiliary={learner.auxiliary!r} needs two hidden layers; got {hidden}.\n"
            "Hint: the last hidden layer has the network's own output."
        )
