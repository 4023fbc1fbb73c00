"""A classifying network as a list of affine layers and activations, and the ball of inputs around every row."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from certus.neural.modules import Dense, Dropout, ReLU, Sequential, Sigmoid, Softmax, Tanh, to_modules

Array = NDArray[np.float64]

KINDS: dict[type, str] = {ReLU: "relu", Tanh: "tanh", Sigmoid: "logistic"}
NORMS = ("inf", "2", "1")


@dataclass(frozen=True)
class DenseLayer:
    """z = a W + b, and the activation that goes after it ("identity" for none)."""

    weights: Array
    offsets: Array
    activation: str


@dataclass(frozen=True)
class ScoringNetwork:
    """Layers up to the scores; the label is the place of the largest, or whether a single score is positive.

    Parameters
    ----------
    layers : tuple of DenseLayer
        The last one has no activation.
    unit : float
        Unit of rounding in which the model computes: 2^-53, or 2^-24 for weights in single precision.
    model : object
        What predicts.
    scores : Sequential
        The same layers as modules.
    """

    layers: tuple[DenseLayer, ...]
    unit: float
    model: Any
    scores: Sequential

    @property
    def n_features(self) -> int:
        """Inputs."""
        return len(self.layers[0].weights)

    @property
    def n_units(self) -> int:
        """Hidden units that are not linear."""
        return sum(len(layer.offsets) for layer in self.layers[:-1] if layer.activation != "identity")

    @property
    def only_relu(self) -> bool:
        """Whether the scores are linear wherever no unit changes its sign."""
        return all(layer.activation in ("relu", "identity") for layer in self.layers)

    def places(self, X: Array) -> NDArray[np.intp]:
        """The label that the model gives to every row, as the number of its class."""
        if not len(X):  # which models refuse
            return np.zeros(0, dtype=np.intp)
        if hasattr(self.model, "predict"):
            return np.searchsorted(self.model.classes_, self.model.predict(X)).astype(np.intp)
        scores = self.scores.forward(X)
        return (scores[:, 0] > 0.0).astype(np.intp) if scores.shape[1] == 1 else scores.argmax(axis=1)

    def known_places(self, X: Array) -> NDArray[np.intp]:
        """The same, where the layers say so too: a model that does more than its layers is refused."""
        with np.errstate(over="ignore", invalid="ignore"):
            scores = self.scores.forward(X)
        far = np.flatnonzero(~np.isfinite(scores).all(axis=1))
        if len(far):
            raise ValueError(
                f"X must give finite scores, got {scores[far[0]].tolist()} for row {far[0]}.\n"
                "Hint: rows scaled as the network learned them."
            )
        places = self.places(X) if len(X) else np.zeros(0, dtype=np.intp)
        least = np.einsum("nqm,nm->nq", self.margins(places), scores).min(axis=1, initial=np.inf)
        wrong = np.flatnonzero(~(least >= -(2.0**30) * self.unit * (1.0 + np.abs(scores).max(axis=1, initial=0.0))))
        if len(wrong):
            raise TypeError(
                f"{type(self.model).__name__}: its label of row {wrong[0]} is not the one that its layers give, so "
                "bounds on "
                "the layers say nothing about it.\nHint: pass the network itself, and rows as it sees them."
            )
        return places

    def margins(self, places: NDArray[np.intp]) -> Array:
        """Differences of scores that are positive where the label is that one: (rows, others, scores)."""
        count = len(self.layers[-1].offsets)
        if count == 1:
            return np.where(places == 1, 1.0, -1.0)[:, None, None]
        unit = np.eye(count)
        others = np.array([np.delete(np.arange(count), place) for place in range(count)])
        return unit[places][:, None, :] - unit[others[places]]


def scoring_network(model: Any) -> ScoringNetwork:
    """The layers of a classifier with `coefs_`, or of a `Sequential` of dense layers and activations."""
    if not isinstance(model, Sequential) and not _gives_one_label(model):
        raise TypeError(
            f"{type(model).__name__}: robustness is about one label per row from one network, so the model must "
            "be a fitted "
            "classifier of two or more classes, or a Sequential that gives scores.\n"
            "Hint: lipschitz_bound is for any network of dense layers."
        )
    if isinstance(model, Sequential):
        model = copy.deepcopy(model)  # its gradients and its mode of training stay its own
        model.train(False)
    single = hasattr(model, "coefs_") and any(np.asarray(W).dtype == np.float32 for W in model.coefs_)
    return ScoringNetwork(layers_of(model), 2.0**-24 if single else 2.0**-53, model, _score_modules(model))


def _gives_one_label(model: Any) -> bool:
    """Whether a fitted network has classes, and its scores alone decide between them."""
    if not hasattr(model, "coefs_") or np.ndim(getattr(model, "classes_", 0)) != 1 or len(model.classes_) < 2:
        return False
    outputs = np.asarray(model.coefs_[-1]).shape[1]
    several = outputs > 1 and getattr(model, "out_activation_", "softmax") != "softmax"
    return not several and len(getattr(model, "members_", None) or ()) < 2


def layers_of(model: Any) -> tuple[DenseLayer, ...]:
    """Affine layers and their activations; what only maps scores to probabilities at the end is left out."""
    found: list[DenseLayer] = []
    for module in _score_modules(model).modules:
        kind = KINDS.get(type(module))
        if isinstance(module, Dense):
            W, b = module.parameters["weights"], module.parameters["bias"]
            found.append(DenseLayer(W.copy(), b.copy(), "identity"))
        elif kind is not None and found and found[-1].activation == "identity":
            found[-1] = DenseLayer(found[-1].weights, found[-1].offsets, kind)
        else:
            raise ValueError(
                f"{type(module).__name__}: bounds need dense layers with ReLU, tanh or sigmoid after them, got a "
                "network with "
                "something else.\nHint: certify it on held-out rows (certus.certify)."
            )
    if not found or found[-1].activation != "identity":
        raise ValueError(
            "the network must end in a dense layer that gives scores.\nHint: Sequential(..., Dense(n, k))."
        )
    if not all(np.isfinite(layer.weights).all() and np.isfinite(layer.offsets).all() for layer in found):
        raise ValueError(
            "the weights must be finite.\nHint: a network that diverged has no bounds; lower its learning rate."
        )
    return tuple(found)


def _score_modules(model: Any) -> Sequential:
    modules = [module for module in to_modules(model).modules if not isinstance(module, Dropout)]
    return Sequential(*modules[:-1] if len(modules) > 1 and isinstance(modules[-1], (Softmax, Sigmoid)) else modules)


def check_norm(norm: object) -> str:
    """The norm's name: "inf", "2" or "1"."""
    named = {"inf": "inf", "2": "2", "1": "1", np.inf: "inf", 2: "2", 1: "1"}
    if isinstance(norm, bool) or norm not in named:
        raise ValueError(
            f"norm must be one of {', '.join(NORMS)}, got {norm!r}.\nHint: 'inf' bounds the change per feature."
        )
    return named[norm]


def check_rows(network: ScoringNetwork, X: Any) -> Array:
    """Finite rows of the network's width."""
    try:
        rows: Array = np.asarray(X.toarray() if sparse.issparse(X) else X, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"X must be a table of numbers: {error}.\nHint: encode texts and categories first.") from error
    if rows.ndim != 2 or rows.shape[1] != network.n_features:
        raise ValueError(
            f"X must have {network.n_features} columns, got the shape {rows.shape}.\n"
            "Hint: scaled as the network learned them."
        )
    bad = np.argwhere(~np.isfinite(rows))
    if len(bad):
        raise ValueError(
            f"X must be finite, got {rows[tuple(bad[0])]} in row {bad[0][0]}, column {bad[0][1]}.\n"
            "Hint: fill missing values first."
        )
    return rows


def lengths(differences: Array, norm: str) -> Array:
    """Norms of rows, rounded up."""
    found = np.linalg.norm(differences, ord={"inf": np.inf, "2": 2, "1": 1}[norm], axis=1)
    return np.asarray(found * (1.0 + (differences.shape[1] + 4) * 2.0**-52))
