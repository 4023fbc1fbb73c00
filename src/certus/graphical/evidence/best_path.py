"""That no path of states is more probable than the decoded one: Bellman's recursion from the other end.

The decoded path is found from the first row to the last; its own probability is added up along it. The largest
probability of any path is found a second time from the last row to the first, by which no path can exceed it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from certus.graphical import _native_calls
from certus.graphical.evidence.plain_model import best_value, plain_model, sequences_of
from certus.graphical.learning.baum_welch import refuse_impossible
from certus.graphical.sequences.sequence_input import SequenceBatch
from certus.guarantees import Certificate, CertificateError
from certus.guarantees.records import Basis, Derivation, number, plural, rules

RULE = "graphical/best-path"
QUANTITY = "log-probability by which a path could beat the decoded one"
UNIT = float(np.finfo(np.float64).eps)
BASIS = Basis(
    RULE,
    "Error bounds for convolutional codes and an asymptotically optimum decoding algorithm (Viterbi 1967)",
    ("floating-point-model",),
)


def path_certificate(model: Any, batches: Iterable[SequenceBatch]) -> Certificate:
    """The certificate of the paths that a model decodes."""
    path = best = rounding = 0.0
    rows = sequences = 0
    known = False
    start, transitions = model._chain()
    for batch in batches:
        densities = model._log_densities(batch)
        most = _native_calls.best_values(start, transitions, batch.begins, densities)
        refuse_impossible(most)
        states = _native_calls.best_paths(start, transitions, batch.begins, densities)[0]
        path += model._path_value(states, batch, densities)
        best += float(most.sum())
        rounding += 4.0 * UNIT * float(np.diff(batch.begins) @ (1.0 + np.abs(most)))
        rows, sequences = rows + len(batch.rows), sequences + batch.sequences
        known = known or batch.allowed is not None
    inputs = {"rows": rows, "sequences": sequences, "known_states": known}
    return _record(inputs, {"path": path, "best": best, "rounding": rounding, "model": plain_model(model)})


def _record(inputs: Any, witness: Any) -> Certificate:
    path, best, rounding = (float(witness[name]) for name in ("path", "best", "rounding"))
    if not all(math.isfinite(value) for value in (path, best, rounding)) or rounding < 0.0:
        raise CertificateError(f"{QUANTITY}: the witness holds a number that cannot occur")
    value = max(0.0, best - path) + rounding
    which = " that agrees with the known states" if inputs["known_states"] else ""
    claim = (
        f"The decoded states of {plural(int(inputs['rows']), 'row')} in "
        f"{plural(int(inputs['sequences']), 'sequence')} have the log-probability {number(path)} together with the "
        f"rows, and no path{which} has one that is higher by more than {number(value, 'upper')}."
    )
    return BASIS.exact(claim, QUANTITY, "upper", value, math.inf, inputs, witness)


@rules.checker(RULE)
def check_path(certificate: Certificate, data: Any = None) -> Derivation:
    """Subtract again; with the rows (X, or X and lengths) find the best path's probability by a plain recursion."""
    inputs, witness = certificate.inputs, certificate.witness
    record = _record(inputs, witness)
    if data is not None and not inputs["known_states"]:
        found = sum(best_value(witness["model"], part) for part in sequences_of(witness["model"], data))
        if abs(found - float(witness["best"])) > 1e-8 * (1.0 + abs(found)) + float(witness["rounding"]):
            raise CertificateError(f"{QUANTITY}: on these rows the best path has the log-probability {found!r}")
    return Derivation(record.value, error=1e-12, record=record)
