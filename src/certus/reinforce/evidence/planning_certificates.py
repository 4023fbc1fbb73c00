"""What a plan is worth: certificates that one sweep over two stored vectors checks again."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from certus.guarantees import Certificate, CertificateError, Report
from certus.guarantees.records import Basis, Derivation, number, plural, rules
from certus.reinforce.evidence.residual_bounds import Bounds, rounding
from certus.reinforce.evidence.total_reward_bounds import staying, sure_to_end
from certus.reinforce.processes.undiscounted import undiscounted

if TYPE_CHECKING:
    from certus.reinforce.mdp import MDP

Floats = NDArray[np.float64]
VALUES, POLICY, ACTIONS = "reinforce/values", "reinforce/policy", "reinforce/actions"
ERROR_OF_VALUES, LOSS_OF_POLICY, PROVED = "error of the values", "loss of the policy", "share of states proved optimal"
DISCOUNTED = "Some methods for bounding discounted Markov decision problems (MacQueen 1966; Porteus 1971)"
UNDISCOUNTED = "An analysis of stochastic shortest path problems (Bertsekas, Tsitsiklis 1991)"
KEPT = 20_000  # states up to which the two vectors are written down
OUTWARD = 1.0 + 4.0 * 2.0**-52


def planning_report(
    mdp: MDP,
    bounds: Bounds,
    proved: NDArray[np.bool_],
    unbounded: NDArray[np.bool_],
    endless: NDArray[np.bool_],
    cycle: NDArray[np.int64],
) -> Report:
    """The certificates of values, policy and actions."""
    acting = ~mdp.terminal
    inputs = {"states": mdp.n_states, "discount": mdp.discount}
    if mdp.discount == 1.0:
        inputs |= {"unbounded": int(unbounded.sum()), "endless": int(endless.sum())}
    witness: dict[str, Any] = {"gap": bounds.gap, "proved": int((proved & acting).sum()), "acting": int(acting.sum())}
    if mdp.n_states <= KEPT:
        witness |= {"lower": bounds.lower.tolist(), "upper": bounds.upper.tolist(), "pairs": bounds.pairs.tolist()}
    if cycle.size:
        witness["cycle"] = cycle[:100].tolist()
    return Report([record(rule, inputs, witness) for rule in (VALUES, POLICY, ACTIONS)])


def record(rule: str, inputs: Any, witness: Any) -> Certificate:
    """The certificate that a witness gives."""
    theorem = UNDISCOUNTED if inputs["discount"] == 1.0 else DISCOUNTED
    basis = Basis(rule, theorem, ("floating-point-model",))
    gap = float(witness["gap"])
    if rule == ACTIONS:
        done, all_states = int(witness["proved"]), int(witness["acting"])
        share = done / all_states if all_states else 1.0
        claim = f"In {done} of {plural(all_states, 'state')} the chosen action is proved to be optimal."
        return basis.exact(claim, PROVED, "lower", share, 0.0, inputs, witness)
    if rule == VALUES:
        half = gap / 2.0 * OUTWARD
        claim = f"Every stated value is within {number(half, 'upper')} of the optimal one{_infinite(inputs, witness)}."
        return basis.exact(claim, ERROR_OF_VALUES, "upper", half, math.inf, inputs, witness)
    claim = f"In no state does the policy lose more than {number(gap, 'upper')} against the best one."
    return basis.exact(claim, LOSS_OF_POLICY, "upper", gap, math.inf, inputs, witness)


def _infinite(inputs: Any, witness: Any) -> str:
    text = ""
    if inputs.get("unbounded"):
        text += (
            f"; that of {plural(int(inputs['unbounded']), 'state')} is unbounded, since there is a cycle at a profit"
        )
        text += f" around state {witness['cycle'][0]}" if "cycle" in witness else ""
    if inputs.get("endless"):
        text += f"; {plural(int(inputs['endless']), 'state')} cannot be sure to end and are worth -inf"
    return text


@rules.checker(VALUES)
@rules.checker(POLICY)
@rules.checker(ACTIONS)
def check_planning(certificate: Certificate, data: Any = None) -> Derivation:
    """Derive the value again from the witness; with the process as data, the two vectors by one sweep too."""
    witness = certificate.witness
    if not float(witness["gap"]) >= 0.0:
        raise CertificateError(f"{certificate.quantity}: the gap cannot be {witness['gap']!r}.")
    if "lower" in witness:
        pairs = np.asarray(witness["pairs"], dtype=np.int32)
        kept = Bounds(_vector(witness, "lower"), _vector(witness, "upper"), pairs)
        if not (kept.lower <= kept.upper).all() or kept.gap != float(witness["gap"]):
            raise CertificateError(f"{certificate.quantity}: the gap is not that of the two vectors.")
        if data is not None:
            _compare(certificate, data, kept)
    elif data is not None:
        raise CertificateError(
            f"{certificate.quantity}: vectors of more than {KEPT} states are not kept in a certificate.\n"
            "Hint: bellman_bounds(mdp, values) gives them again."
        )
    again = record(certificate.rule, certificate.inputs, witness)
    return Derivation(again.value, error=1e-12, record=again)


def _vector(witness: Any, name: str) -> Floats:
    return np.asarray(witness[name], dtype=np.float64)


def _compare(certificate: Certificate, mdp: MDP, kept: Bounds) -> None:
    """One sweep, in plain NumPy: L <= T_pi L and U >= T U."""
    table = mdp.pairs
    if mdp.n_states != len(kept.lower) or mdp.discount != certificate.inputs["discount"]:
        raise CertificateError(f"{certificate.quantity}: the process is not the one behind the certificate.")
    if not _policy_fits(mdp, kept.pairs):
        raise CertificateError(f"{certificate.quantity}: the policy is not one of this process.")
    _compare_counts(certificate, mdp)
    ends = table.terminal
    finite = np.isfinite(kept.upper) & np.isfinite(kept.lower)
    sizes = (float(np.max(np.abs(end[finite]), initial=0.0)) for end in (kept.lower, kept.upper))
    errors = [rounding(table, mdp.discount, size) for size in sizes]
    acting = np.flatnonzero(~ends & finite)
    own = table.states
    below = _backups(mdp, kept.lower)[kept.pairs[acting]] - kept.lower[acting]
    with np.errstate(invalid="ignore"):  # of infinite values, which are not compared
        above = kept.upper[own] - _backups(mdp, kept.upper)
    if mdp.discount == 1.0:
        at_rest = _check_ends(certificate, mdp, kept, finite)
        below, above = below[~at_rest[kept.pairs[acting]]], above[finite[own] & ~at_rest]
    fixed = (kept.lower[ends] == table.fixed[ends]).all() and (kept.upper[ends] == table.fixed[ends]).all()
    if not (fixed and (below >= errors[0]).all() and (above >= errors[1]).all()):
        raise CertificateError(f"{certificate.quantity}: the vectors are no bounds for this process.")
    if certificate.rule == ACTIONS:
        _check_actions(certificate, mdp, kept, max(errors))


def _compare_counts(certificate: Certificate, mdp: MDP) -> None:
    told: dict[str, Any] = {"states": mdp.n_states, "discount": mdp.discount}
    cycle: list[int] = []
    if mdp.discount == 1.0:
        parts = undiscounted(mdp.pairs)
        told |= {"unbounded": int(parts.unbounded.sum()), "endless": int(parts.endless.sum())}
        cycle = np.unique(mdp.pairs.states[parts.profit])[:100].tolist()
    witness = certificate.witness
    acting = int((~mdp.terminal).sum())
    if dict(certificate.inputs) != told or int(witness["acting"]) != acting or list(witness.get("cycle", [])) != cycle:
        raise CertificateError(f"{certificate.quantity}: the process is not the one behind the certificate.")


def _policy_fits(mdp: MDP, pairs: NDArray[np.int32]) -> bool:
    own = mdp.pairs.states
    acting = np.flatnonzero(~mdp.terminal)
    inside = (pairs[acting] >= 0) & (pairs[acting] < len(own))
    return bool(len(pairs) == mdp.n_states and inside.all() and (own[pairs[acting]] == acting).all())


def _backups(mdp: MDP, values: Floats) -> Floats:
    """R + gamma P V of every pair, where 0 times infinity is 0."""
    rows = sparse.csr_array(mdp.pairs.rows, copy=True)  # zeros are taken out in place
    rows.eliminate_zeros()
    with np.errstate(invalid="ignore"):
        terms = rows.data * values[rows.indices]
        sums = np.add.reduceat(terms, rows.indptr[:-1]) if len(terms) else np.zeros(0)
    return mdp.pairs.rewards + mdp.discount * sums


def _check_ends(certificate: Certificate, mdp: MDP, kept: Bounds, finite: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Without discount: infinite values are where they must be, and the policy ends or stays where nothing is paid.

    Returns the pairs that stay there. Within such a place all values are equal, so that these change nothing.
    """
    parts, table = undiscounted(mdp.pairs), mdp.pairs
    right = ((kept.lower == np.inf) == parts.unbounded) & ((kept.upper == -np.inf) == parts.endless)
    rows = sparse.csr_array(table.rows)
    own = np.repeat(table.states, np.diff(rows.indptr))
    inner = np.repeat(parts.at_rest, np.diff(rows.indptr)) & (rows.data > 0.0) & finite[own]
    alike = all((end[own[inner]] == end[rows.indices[inner]]).all() for end in (kept.lower, kept.upper))
    resting = np.zeros(mdp.n_states, dtype=bool)
    chosen = kept.pairs[~mdp.terminal]
    resting[table.states[chosen]] = parts.at_rest[chosen]
    stays = staying(table, kept.pairs, resting & finite)
    ends = sure_to_end(table, kept.pairs, table.terminal | stays)
    settled = (kept.lower[stays] <= 0.0).all() and (kept.upper[parts.resting] >= 0.0).all()
    if not (right.all() and alike and settled and ends[finite].all()):
        raise CertificateError(f"{certificate.quantity}: the vectors are no bounds for this process.")
    return parts.at_rest


def _check_actions(certificate: Certificate, mdp: MDP, kept: Bounds, error: float) -> None:
    """Count the states whose action is at least as good as every other one, whatever the values between the vectors."""
    table = mdp.pairs
    best_other = _backups(mdp, kept.upper)
    acting = np.flatnonzero(~table.terminal)
    worst_own = np.full(mdp.n_states, np.inf)
    worst_own[acting] = _backups(mdp, kept.lower)[kept.pairs[acting]]
    best_other[kept.pairs[acting]] = -np.inf
    if mdp.discount == 1.0:
        best_other[undiscounted(table).at_rest] = -np.inf
    with np.errstate(invalid="ignore"):
        fails = best_other > worst_own[table.states] + 4.0 * error
    refuted = np.zeros(mdp.n_states, dtype=bool)
    refuted[table.states[fails & np.isfinite(kept.lower[table.states])]] = True
    if int((~refuted[acting]).sum()) < int(certificate.witness["proved"]):
        raise CertificateError(f"{certificate.quantity}: fewer actions are proved to be optimal.")
