"""What questions to a network are answered with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.distributions import Factor
from certus.guarantees import Certificate


class Posterior:
    """P(targets | evidence).

    Attributes
    ----------
    factor : Factor
        The table with names and labels.
    values : ndarray
        The probabilities, with an axis per target in the order in which they were asked for.
    log_evidence : float or None
        log P(evidence), where the method computes it.
    method : str
        How it was computed.
    certificate : Certificate
        What is promised about the probabilities.
    details : dict
        What the method tells: rows drawn, rounds, whether it converged.
    """

    def __init__(
        self,
        factor: Factor,
        method: str,
        log_evidence: float | None,
        certify: Callable[[], Certificate],
        details: Mapping[str, Any] | None = None,
    ) -> None:
        self.factor, self.method, self.log_evidence = factor, method, log_evidence
        self.details = dict(details or {})
        self._certify = certify

    @property
    def values(self) -> NDArray[np.float64]:
        return self.factor.values

    @cached_property
    def certificate(self) -> Certificate:
        return self._certify()

    def __repr__(self) -> str:
        return f"Posterior({self.factor!r}, method={self.method!r})"


class Explanation:
    """An assignment to nodes.

    Attributes
    ----------
    assignment : dict
        Node to label, observed nodes included.
    log_probability : float
        log P(assignment, evidence).
    certificate : Certificate
        How much better another assignment could be.
    """

    def __init__(self, assignment: dict[str, Any], log_probability: float, certify: Callable[[], Certificate]) -> None:
        self.assignment, self.log_probability = assignment, log_probability
        self._certify = certify

    @cached_property
    def certificate(self) -> Certificate:
        return self._certify()

    def __repr__(self) -> str:
        return f"Explanation({self.assignment!r}, log_probability={self.log_probability!r})"
