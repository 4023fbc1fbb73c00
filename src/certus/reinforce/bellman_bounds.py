"""How good values and policies are that come from anywhere."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from certus.guarantees import Certificate, CertificateError
from certus.guarantees.records import Basis, Derivation, number, rules
from certus.reinforce.evaluate import induced, shares_of
from certus.reinforce.evidence.planning_certificates import DISCOUNTED, KEPT, UNDISCOUNTED
from certus.reinforce.evidence.residual_bounds import discounted_bounds
from certus.reinforce.mdp import MDP
from certus.reinforce.solve import Solution, planned

Floats = NDArray[np.float64]
LOSS = "reinforce/policy-loss"
QUANTITY = "loss of the policy"


def bellman_bounds(mdp: MDP, values: ArrayLike) -> tuple[Floats, Floats]:
    """Between what the optimal values lie, given values from anywhere: one sweep, outward rounding.

    Without discount a residual bounds nothing; the values then only say where to begin the search for two vectors
    that do.

    Parameters
    ----------
    mdp : MDP
        The process.
    values : array of shape (S,)
        Any finite values.

    Returns
    -------
    (lower, upper) : arrays of shape (S,)
        The bounds.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.reinforce import GridWorld, bellman_bounds, solve
    >>> world = GridWorld(discount=0.9)
    >>> lower, upper = bellman_bounds(world, np.zeros(11))
    >>> bool(np.all((lower <= solve(world).values) & (solve(world).values <= upper)))
    True
    """
    given = np.asarray(values, dtype=np.float64)
    if given.shape != (mdp.n_states,) or not np.isfinite(given).all():
        raise ValueError(f"values must be {mdp.n_states} finite numbers, got shape {given.shape}.")
    if mdp.discount == 1.0:
        plan = planned(mdp, "value-iteration", initial=given)
        return plan.lower, plan.upper
    start = np.where(mdp.terminal, mdp.pairs.fixed, given)
    bounds = discounted_bounds(mdp.pairs, mdp.pairs.native(mdp.discount), mdp.discount, start)
    return bounds.lower, bounds.upper


def policy_loss(mdp: MDP, policy: ArrayLike, *, tol: float = 1e-10) -> Certificate:
    """How much a policy loses against the best one, in the state where it loses most.

    Parameters
    ----------
    mdp : MDP
        The process.
    policy : array of shape (S,) or (S, A)
        Actions, or their probabilities.
    tol : float, default=1e-10
        How exactly both values are found.

    Returns
    -------
    Certificate
        ``value`` is an upper bound on the loss; ``check(data=mdp)`` derives it again by sweeps.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.reinforce import GridWorld, policy_loss
    >>> world = GridWorld(discount=0.9)
    >>> round(policy_loss(world, np.zeros(11, dtype=int)).value, 3)
    0.983
    """
    plan, own = _both(mdp, policy, tol)
    value, state = _largest_loss(plan, own)
    witness: dict[str, Any] = {"state": state, "upper": float(plan.upper[state]), "lower": float(own.lower[state])}
    if mdp.n_states <= KEPT:
        witness["policy"] = np.asarray(policy).tolist()
    return _record({"states": mdp.n_states, "discount": mdp.discount}, witness, value)


def _both(mdp: MDP, policy: ArrayLike, tol: float) -> tuple[Solution, Solution]:
    chain = induced(mdp, policy)
    return planned(mdp, tol=tol), planned(chain, "policy-iteration", tol=tol)


def _largest_loss(plan: Solution, own: Solution) -> tuple[float, int]:
    apart = plan.upper != own.lower
    losses = np.zeros(len(apart))
    losses[apart] = plan.upper[apart] - own.lower[apart]
    losses = np.maximum(losses, 0.0)
    state = int(np.argmax(losses))
    return float(losses[state]), state


def _record(inputs: Any, witness: Any, value: float) -> Certificate:
    theorem = UNDISCOUNTED if inputs["discount"] == 1.0 else DISCOUNTED
    claim = (
        f"In no state does the policy lose more than {number(value, 'upper')} against the best one "
        f"(state {witness['state']} is the worst)."
    )
    basis = Basis(LOSS, theorem, ("floating-point-model",))
    return basis.exact(claim, QUANTITY, "upper", value, math.inf, inputs, witness)


@rules.checker(LOSS)
def check_policy_loss(certificate: Certificate, data: Any = None) -> Derivation:
    """Derive the loss from its two ends; with the process as data, find both again with other methods."""
    witness = certificate.witness
    upper, lower = float(witness["upper"]), float(witness["lower"])
    value = 0.0 if upper == lower else max(0.0, upper - lower)
    if data is None:
        return Derivation(value, record=_record(certificate.inputs, witness, value))
    if "policy" not in witness:
        raise CertificateError(f"{certificate.quantity}: policies of more than {KEPT} states are not kept.")
    policy = np.asarray(witness["policy"])
    shares_of(data, policy)
    small = data.n_states <= 2000
    plan = planned(data, "linear-programming" if small else "modified-policy-iteration")
    own = planned(induced(data, policy), "policy-iteration")
    again, _ = _largest_loss(plan, own)
    ends = np.concatenate([plan.values, own.values])
    finite = np.abs(ends[np.isfinite(ends)])
    scale = float(np.max(finite, initial=0.0))
    return Derivation(again, error=1e-6, slack=1e-6, scale=scale)
