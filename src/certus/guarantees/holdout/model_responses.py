"""One number per class from any classifier: probabilities, or decision values where there are none."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def class_response(model: Any, X: Any, *, probabilities: bool = False) -> NDArray[np.float64]:
    """Table of shape (rows, classes), larger for likelier classes.

    Parameters
    ----------
    model : fitted classifier
        With `predict_proba` or `decision_function`.
    X : array-like
        Rows.
    probabilities : bool, default=False
        Whether decision values will not do.
    """
    if hasattr(model, "predict_proba"):
        return np.asarray(model.predict_proba(X), dtype=np.float64)
    if probabilities or not hasattr(model, "decision_function"):
        raise ValueError(
            f"{type(model).__name__} must have predict_proba{'' if probabilities else ' or decision_function'}.\n"
            "Hint: wrap it in sklearn.calibration.CalibratedClassifierCV, or pass a table of probabilities."
        )
    values = np.asarray(model.decision_function(X), dtype=np.float64)
    # Two classes share one decision value; its sign says which is meant.
    return np.column_stack([-values, values]) if values.ndim == 1 else values
