"""What a model says and promises, in the form that the test reads; part of `write.py`, run with version 0.1.0."""

from __future__ import annotations

from typing import Any

import numpy as np
from learners import GAMMA, Case
from scipy import sparse
from scipy.spatial.distance import cdist
from tables import Table

import certus

METHODS = ("predict", "predict_proba", "decision_function", "transform", "score_samples")
# What a rule documents as its data, where it looks at them; the first form that serves a model is kept.
DATA = {
    **dict.fromkeys(
        (
            "linear/duality-gap",
            "linear/logistic-gap",
            "linear/machine-gap",
            "linear/mean-gap",
            "linear/penalized-gap",
            "linear/perceptron-mistakes",
            "linear/provable-zeros",
            "linear/separation",
        ),
        ("rows",),
    ),
    "linear/quadratic-gap": ("rows", "signs"),
    **dict.fromkeys(("svm/duality-gap", "svm/impossible-norm", "svm/least-violation"), ("rows", "gram")),
    **dict.fromkeys(("kernels/machine-gap", "kernels/perceptron-mistakes", "kernels/ridge-gap"), ("gram",)),
    **dict.fromkeys(("kernels/fourier-error", "kernels/nystroem-error"), ("features",)),
    **dict.fromkeys(("cluster/dual-cost", "cluster/spectral-cost"), ("table",)),
}


class Numbers:
    """All expected numbers, one after the other; a record holds where an array begins and its shape."""

    def __init__(self) -> None:
        self.parts: list[np.ndarray] = []
        self.length = 0

    def add(self, array: Any) -> Any:
        """The record of an array: its place, or the values themselves for labels and whole numbers."""
        values = np.hstack(array) if isinstance(array, list) else np.asarray(array)
        if values.dtype.kind != "f":
            return values.tolist()
        self.parts.append(values.ravel().astype(np.float64))
        self.length += values.size
        return {"start": self.length - values.size, "shape": list(values.shape)}

    def all(self) -> np.ndarray:
        """The numbers."""
        return np.concatenate(self.parts)


def gram(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Gaussian kernel values by their definition."""
    return np.exp(-GAMMA * cdist(left, right, "sqeuclidean"))


def weights_of(case: Case, table: Table) -> np.ndarray | None:
    """The weights that go with a weighted case."""
    return 0.5 + np.arange(len(table["y"])) % 3 if case.weighted else None


def fitted(case: Case, table: Table) -> Any:
    """The learner after training."""
    X, weights = table["X"], weights_of(case, table)
    X = sparse.csr_array(X) if case.sparse else gram(X, X) if case.gram else X
    model = case.learner.fit(X, table["y"], **({} if weights is None else {"sample_weight": weights}))
    if case.certify is not None:
        model.report_ = model.certify(table["new_X"], table["new_y"], **case.certify)
    return model


def methods_of(model: Any) -> list[str]:
    """By which methods a learner answers."""
    return [name for name in METHODS if hasattr(model, name)]


def told(model: Any, X: Any, methods: list[str], numbers: Numbers) -> dict[str, Any]:
    """What the methods say about rows."""
    return {name: numbers.add(getattr(model, name)(X)) for name in methods}


def promised(model: Any) -> list[dict[str, Any]]:
    """Rule, quantity and value of all certificates, in the order of `certus.check`."""
    return [
        {"rule": item.certificate.rule, "quantity": item.certificate.quantity, "value": item.certificate.value}
        for item in certus.check(model).certificates
    ]


def training_data(kind: str, model: Any, case: Case, table: Table) -> Any:
    """The training data as a rule wants them."""
    X, weights = table["X"], weights_of(case, table)
    extra = () if weights is None else (weights,)
    if kind == "table":
        return (X, *extra) if extra else X
    if kind == "features":
        return gram(X, X), model.transform(X)
    if kind == "signs":
        return X, signs(table["y"]), *extra
    return gram(X, X) if kind == "gram" else X, table["y"], *extra


def signs(y: np.ndarray) -> np.ndarray:
    """Labels as the targets 1 and -1 of ridge classifiers."""
    labels = np.unique(y)
    return np.where(y == labels[1], 1.0, -1.0) if len(labels) == 2 else np.where(y[:, None] == labels, 1.0, -1.0)


def with_training_data(model: Any, case: Case, table: Table) -> dict[str, str]:
    """The kind of data for every quantity that can be checked with them."""
    found = {}
    for item in model.report_ if hasattr(model, "report_") else ():
        for kind in DATA.get(item.rule, ()):
            if _checks(model, item.quantity, kind, case, table):
                found[item.quantity] = kind
                break
    return found


def _checks(model: Any, quantity: str, kind: str, case: Case, table: Table) -> bool:
    try:
        return certus.check(model, {quantity: training_data(kind, model, case, table)}).holds
    except ValueError:  # data of another shape than the rule wants
        return False
