"""Scores for classification: how odd each label is for a row, from a table with one column per class.

* lac: minus the probability (or decision value) of the label. Smallest sets on average.
* aps: total probability of the labels that are at least as likely as this one. Larger sets where the model is
  unsure, smaller differences between easy and hard rows; without randomization, hence on the safe side.

Reference: Sadinle, Lei, Wasserman, Least Ambiguous Set-Valued Classifiers (2019); Romano, Sesia, Candes,
Classification with Valid and Adaptive Coverage (2020).
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def _lac(response: Floats) -> Floats:
    return -response


def _aps(response: Floats) -> Floats:
    order = np.argsort(-response, axis=1, kind="stable")
    ordered = np.take_along_axis(response, order, axis=1)
    totals = np.cumsum(ordered, axis=1)
    # Equally likely labels share the total of the last of them, so that the order of classes does not matter.
    for column in range(response.shape[1] - 2, -1, -1):
        tied = ordered[:, column] == ordered[:, column + 1]
        totals[tied, column] = totals[tied, column + 1]
    result = np.empty_like(totals)
    np.put_along_axis(result, order, totals, axis=1)
    return result


LABEL_SCORES = {"lac": _lac, "aps": _aps}


def check_response(response: object, n_classes: int, score: str) -> Floats:
    """The response as a table of doubles with one column per class."""
    table = np.asarray(response, dtype=np.float64)
    if table.ndim != 2 or table.shape[1] != n_classes:
        raise ValueError(
            f"predictions must have one column for each of the {n_classes} classes, got shape {table.shape}.\n"
            "Hint: pass the table of class probabilities."
        )
    bad = np.isnan(table).any(axis=1)
    if bad.any():
        raise ValueError(
            f"predictions must not be NaN; row {int(np.argmax(bad))} is.\n"
            "Hint: impute or drop the rows that the model cannot predict."
        )
    if score == "aps" and (table < 0).any():
        row = int(np.argmax((table < 0).any(axis=1)))
        raise ValueError(
            f"the aps score needs probabilities, but row {row} holds a negative value.\n"
            "Hint: use score='lac', which takes decision values too."
        )
    return table
