"""What ``penalty``, ``C`` and ``l1_ratio`` of LogisticRegression mean together, with scikit-learn's warnings."""

from __future__ import annotations

from typing import Any

import numpy as np

from certus.base import warn_deprecated, warn_user
from certus.losses import ElasticNet


def resolve_penalty(learner: Any) -> ElasticNet:
    """The penalty of a LogisticRegression; raises where its solver cannot have it."""
    kind = _kind(learner)
    check_combination(learner.solver, kind, learner.dual)
    _warn_inconsistent(learner, kind)
    if kind is None or (kind == "l2" and learner.C == np.inf):
        return ElasticNet(0.0, 0.0)
    strength = 0.0 if learner.C == np.inf else 1.0 / learner.C
    share = {"l1": 1.0, "l2": 0.0}.get(kind, learner.l1_ratio)
    return ElasticNet(strength * share, strength * (1.0 - share))


def _kind(learner: Any) -> str | None:
    """One of "l1", "l2", "elasticnet", None."""
    if learner.penalty != "deprecated":
        warn_deprecated("penalty")
        if learner.penalty is None and learner.C != 1.0:
            warn_user("Setting penalty=None will ignore the C and l1_ratio parameters")
        return learner.penalty
    if learner.l1_ratio is None:
        warn_deprecated("l1_ratio")
    if learner.C == np.inf:
        return None
    return {0: "l2", None: "l2", 1: "l1"}.get(learner.l1_ratio, "elasticnet")


def check_combination(solver: str, kind: str | None, dual: bool) -> None:
    """Raise where a solver of this name cannot have the penalty."""
    if solver not in ("liblinear", "saga") and kind not in ("l2", None):
        raise ValueError(
            f"Solver {solver} supports only 'l2' or None penalties, got {kind} penalty.\n"
            "Hint: use solver='saga' for L1 and elastic-net penalties."
        )
    if solver != "liblinear" and dual:
        raise ValueError(f"Solver {solver} supports only dual=False, got dual={dual}.")
    if kind == "elasticnet" and solver != "saga":
        raise ValueError(f"Only 'saga' solver supports elasticnet penalty, got solver={solver}.")
    if solver == "liblinear" and kind is None:
        raise ValueError("C=np.inf as well as penalty=None is not supported for the liblinear solver.")
    if solver == "liblinear" and kind == "l1" and dual:
        raise ValueError("The combination of penalty='l1' and dual=True is not supported.\nHint: set dual=False.")


def _warn_inconsistent(learner: Any, kind: str | None) -> None:
    ratio = learner.l1_ratio
    if kind != "elasticnet" and ratio is not None and 0 < ratio < 1:
        warn_user(f"l1_ratio parameter is only used when penalty is 'elasticnet'. Got (penalty={kind})")
    if (learner.penalty == "l2" and ratio != 0) or (learner.penalty == "l1" and ratio != 1):
        warn_user(
            f"Inconsistent values: penalty={learner.penalty} with l1_ratio={ratio}. penalty is deprecated. "
            "Please use l1_ratio only."
        )
    if kind == "elasticnet" and ratio is None:
        raise ValueError("l1_ratio must be specified when penalty is elasticnet.")
