"""An interval around the mean silhouette, from a sample of rows, each compared with all."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base.inputs import TableLike
from certus.evaluation.silhouettes import silhouettes_of
from certus.guarantees import Certificate, CertificateError, mean_bound
from certus.guarantees.records import (
    Basis,
    Derivation,
    check_confidence,
    check_count,
    confidence_percent,
    number,
    rules,
)

RULE = "evaluation/silhouette"
QUANTITY = "mean silhouette"
STREAM = 745_122_387
BASIS = Basis(
    RULE, "Estimating means of bounded random variables by betting (Waudby-Smith, Ramdas 2024)", ("independent-draws",)
)


def silhouette_bound(
    X: TableLike, labels: Any, *, rows: int = 2000, confidence: float = 0.95, seed: int = 0
) -> Certificate:
    """An interval that contains the mean silhouette of all rows, from a sample of them.

    Rows are drawn with replacement, and each is compared with all rows, in O(rows * n_samples) time. A score within a
    sample, as scikit-learn's ``sample_size`` gives, is biased instead: distances to few rows of a cluster, and clusters
    that are missing, change it.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows.
    labels : array-like of shape (n_samples,)
        The cluster of every row.
    rows : int, default=2000
        How many rows are drawn.
    confidence : float, default=0.95
        Probability with which the interval contains the mean silhouette.
    seed : int, default=0
        Decides the draws.

    Returns
    -------
    Certificate
        ``value`` is the interval; ``check`` takes ``(X, labels)``.

    Examples
    --------
    >>> from certus.evaluation import silhouette_bound
    >>> X, labels = [[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1]
    >>> low, high = silhouette_bound(X, labels).value
    >>> low < 0.899749 < high
    True
    """
    inputs = {
        "rows": check_count(rows, "rows", minimum=1),
        "confidence": check_confidence(confidence),
        "seed": check_count(seed, "seed"),
    }
    return _record(inputs, {"values": _drawn_silhouettes(X, labels, inputs).tolist()})


def _drawn_silhouettes(X: Any, labels: Any, inputs: Any) -> NDArray[np.float64]:
    rng = np.random.default_rng([int(inputs["seed"]), STREAM])
    drawn, places = np.unique(rng.integers(len(labels), size=int(inputs["rows"])), return_inverse=True)
    return silhouettes_of(X, labels, drawn)[places]


def _mean(inputs: Any, witness: Any) -> Certificate:
    values = np.clip(np.asarray(witness["values"], dtype=np.float64), -1.0, 1.0)
    return mean_bound(values, low=-1.0, high=1.0, side="both", confidence=float(inputs["confidence"]))


def _record(inputs: Any, witness: Any) -> Certificate:
    low, high = _mean(inputs, witness).value  # type: ignore[misc]
    claim = (
        f"With {confidence_percent(float(inputs['confidence']))} confidence over {inputs['rows']} random rows, the "
        f"mean silhouette of all rows is between {number(low, 'lower')} and {number(high, 'upper')}."
    )
    return BASIS.probable(
        float(inputs["confidence"]), claim, QUANTITY, "interval", (low, high), (-1.0, 1.0), inputs, witness
    )


@rules.checker(RULE)
def check_silhouette(certificate: Certificate, data: Any = None) -> Derivation:
    """Derive the interval again from the silhouettes; with ``(X, labels)`` draw the rows again too."""
    inputs, witness = certificate.inputs, certificate.witness
    _mean(inputs, witness).check()
    if data is not None:
        again = _drawn_silhouettes(data[0], data[1], inputs)
        if not np.allclose(again, np.asarray(witness["values"], dtype=np.float64), atol=1e-9):
            raise CertificateError(f"{certificate.quantity}: the rows have other silhouettes")
    record = _record(inputs, witness)
    return Derivation(record.value, record=record)
