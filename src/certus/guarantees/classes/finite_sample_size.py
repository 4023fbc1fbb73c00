"""How many rows a finite class of hypotheses needs."""

import math

from certus.guarantees.records.bound_arguments import check_choice, check_count
from certus.guarantees.records.confidence_levels import check_confidence, failure_of

SETTINGS = ("realisable", "uniform", "agnostic")


def sample_size(hypotheses: int, error: float, confidence: float, setting: str = "realisable") -> int:
    """Rows after which a finite class is learned to within `error` with probability `confidence`.

    With N hypotheses, accuracy e and delta = 1 - confidence (losses in [0, 1])::

        realisable   log(N/delta)/e            every hypothesis without training errors has error at most e
        uniform      log(2N/delta)/(2 e^2)     all training errors are within e of the true ones
        agnostic     2 log(2N/delta)/e^2       the best on the training rows is within e of the best there is

    Parameters
    ----------
    hypotheses : int
        Size of the class.
    error : float
        Accuracy e, strictly between 0 and 1.
    confidence : float
        Strictly between 0 and 1.
    setting : {"realisable", "uniform", "agnostic"}, default="realisable"
        Which of the three statements.

    Examples
    --------
    >>> [sample_size(1000, 0.05, 0.99, setting) for setting in ("realisable", "uniform", "agnostic")]
    [231, 2442, 9765]
    """
    count = check_count(hypotheses, "hypotheses", minimum=1)
    accuracy = check_confidence(error, "error")
    delta = failure_of(check_confidence(confidence))
    check_choice(setting, "setting", SETTINGS)
    if setting == "realisable":
        exact = (math.log(count) - math.log(delta)) / accuracy
    else:
        exact = (math.log(2 * count) - math.log(delta)) / accuracy**2 * (0.5 if setting == "uniform" else 2.0)
    return math.ceil(exact * (1.0 - 1e-14))
