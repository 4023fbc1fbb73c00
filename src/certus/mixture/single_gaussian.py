"""Are these rows one Gaussian? A test that is valid for every number of rows."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array

from certus.base import Interval, TableLike, blas_on_one_thread, check_parameters
from certus.guarantees import Report
from certus.mixture.evidence.split_likelihood import largest_log_likelihood, log_evidence, split_certificate
from certus.mixture.gaussian_mixture import GaussianMixture

_RULES: Any = {"components": [Interval(2, None, integer=True)], "seed": [Interval(0, None, integer=True)]}


@dataclass(frozen=True)
class OneComponentTest:
    """Evidence against one Gaussian.

    Parameters
    ----------
    pvalue : float
        Rejecting one Gaussian where it is at most 5% is wrong at most 5% of the time, for any number of rows.
    log_evidence : float
        The logarithm of the mean split likelihood ratio, whose expectation under one Gaussian is at most 1.
    estimate : int
        The number of components that the alternative had: an estimate, of which nothing is proved.
    report : Report
        The same as a certificate; ``check`` takes the rows.
    """

    pvalue: float
    log_evidence: float
    estimate: int
    report: Report


def one_component_test(X: TableLike, components: int = 2, *, seed: int = 0) -> OneComponentTest:
    """Test whether independent rows come from one Gaussian, by the split likelihood ratio.

    The usual likelihood ratio has no known distribution where the number of components is in question. Here one half of
    the rows gives a mixture, and its likelihood on the other half is compared with the largest one of a Gaussian.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows, without missing cells.
    components : int, default=2
        Components of the alternative; any number is valid, and power differs.
    seed : int, default=0
        Decides the halves. Choosing it by the result invalidates the test.

    Returns
    -------
    OneComponentTest
        ``pvalue``, ``log_evidence``, ``estimate`` and ``report``.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.mixture import one_component_test
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(0, 1, 50), rng.normal(8, 1, 50)])[:, None]
    >>> one_component_test(X).pvalue < 1e-6
    True
    """
    check_parameters("one_component_test", _RULES, {"components": components, "seed": seed})
    rows = check_array(X, dtype=np.float64, ensure_min_samples=2 * max(components, 2))
    order = np.random.default_rng(seed).permutation(len(rows))
    halves = np.sort(order[: len(rows) // 2]), np.sort(order[len(rows) // 2 :])
    with blas_on_one_thread():
        found = [
            _ratio(rows[half], rows[other], components, seed)
            for half, other in zip(halves, reversed(halves), strict=True)
        ]
    ratios, models = [one[0] for one in found], [one[1] for one in found]
    certificate = split_certificate(ratios, [half.tolist() for half in halves], models)
    return OneComponentTest(float(certificate.value), log_evidence(ratios), components, Report([certificate]))  # type: ignore[arg-type]


def _ratio(rows: NDArray[Any], others: NDArray[Any], components: int, seed: int) -> tuple[float, dict[str, Any]]:
    """The logarithm of the ratio on some rows, and the mixture that the other rows gave."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # any mixture is valid
        model = GaussianMixture(components, prior="conjugate", n_init=2, random_state=seed).fit(others)
    plain = {
        "covariance_type": "full",
        "weights": model.weights_.tolist(),
        "means": model.means_.tolist(),
        "covariances": model.covariances_.tolist(),
    }
    largest = largest_log_likelihood(rows)
    return (float(model.score_samples(rows).sum()) - largest if math.isfinite(largest) else -math.inf), plain
