"""Run as a script: loads forged variants of the file of every learner and uses them.

Each array of the fitted state is replaced by one of another length, another type, or with indices that point
nowhere, and each whole number among the parameters by absurd ones; the digests agree. Every variant must be
refused, raise an ordinary error, or predict something. If compiled code trusted the file, this process would
die; that is why it is one of its own.
"""

from __future__ import annotations

import collections
import io
import json
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import certus
from certus.base import catalogue
from certus.base.catalogue import Entry
from tests.common.problems import answer, make, problem
from tests.persistence.forging import Forgery, npy

LARGEST_MEMBER_COUNT = 10


def array_members(node: Any) -> Iterator[str]:
    """Names of the array members that a node of the manifest refers to."""
    if isinstance(node, dict):
        if node.get("type") == "array":
            yield node["member"]
        for inner in node.values():
            yield from array_members(inner)
    elif isinstance(node, list):
        for inner in node:
            yield from array_members(inner)


def some(members: list[str]) -> list[str]:
    """All members, or of an ensemble's many some from its whole length."""
    return members[:: max(1, len(members) // LARGEST_MEMBER_COUNT)]


def variants(array: np.ndarray) -> Iterator[np.ndarray]:
    if array.ndim:
        yield array[:-1]
        yield array[:0]
    yield array.ravel()[: max(1, array.size // 2)]
    yield np.zeros(array.shape, np.int8)
    yield np.zeros(array.shape, np.float32)
    yield np.zeros(array.shape, "S3")
    if array.dtype.kind in "iu":
        yield np.full(array.shape, np.iinfo(array.dtype).max // 2, array.dtype)
        yield np.full(array.shape, -7).astype(array.dtype)


def outcome(path: Path, rows: np.ndarray) -> str:
    try:
        model = certus.load(path)
    except certus.CertusFileError:
        return "refused"
    try:
        answer(model, rows)
        if hasattr(model, "predict_proba"):
            model.predict_proba(rows)
    except Exception:
        return "error"
    return "used"


def outcomes(entry: Entry) -> dict[str, int]:
    """How often the variants of one learner's file were refused, raised an error, or could be used."""
    X, y = problem(entry)
    model = make(entry).fit(X, y)
    found: collections.Counter[str] = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.certus"
        original = Forgery(model)
        for member in some(list(array_members(original.manifest["model"]))):
            for forged_array in variants(np.load(io.BytesIO(original.members[member]))):
                forged = original.copy()
                forged.members[member] = npy(np.ascontiguousarray(forged_array), version=(1, 0))
                found[outcome(forged.write(path), X)] += 1
        for name, value in model.get_params(deep=False).items():
            for forged_value in (-5, 0, 2**62) if type(value) is int else ():
                forged = original.copy()
                forged.manifest["model"]["parameters"][name] = forged_value
                found[outcome(forged.write(path), X)] += 1
        if entry.takes == "tables":
            forged = original.copy()
            forged.manifest["model"]["state"]["n_features_in_"] = 10 * X.shape[1]
            found[outcome(forged.write(path), np.tile(X, (30, 10)))] += 1
    return found


def main() -> None:
    """One line per learner: its import path when it begins, its outcomes when it is done."""
    warnings.simplefilter("ignore")
    for entry in catalogue.entries():
        if entry.takes == "process" or entry.needs is not None:  # tests/reinforce and tests/deep forge those
            continue
        sys.stdout.write(f"{entry.path} ")
        sys.stdout.flush()
        sys.stdout.write(f"{json.dumps(outcomes(entry))}\n")


if __name__ == "__main__":
    main()
