"""One system on one table in a process of its own: JSON on standard input says which, a last line of it what came."""

from __future__ import annotations

import json
import resource
import sys
import time
import warnings

import numpy as np
import pandas as pd

from benchmarks.study.systems import SYSTEMS
from benchmarks.study.tables import TARGET, find

HIDDEN_SHARE = 0.3


def split(frame: pd.DataFrame, seed: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Rows that the systems get, and rows that nobody sees before the end."""
    order = np.random.default_rng(seed).permutation(len(frame))
    hidden = round(HIDDEN_SHARE * len(frame))
    given, kept = (frame.iloc[np.sort(part)].reset_index(drop=True) for part in (order[hidden:], order[:hidden]))
    return given, kept


def main(system: str, name: str, seconds: float, seed: int, rows: list[int]) -> None:
    """Train on ``rows`` of the given ones (ours finds them itself) and judge on the hidden ones."""
    table = find(name)
    given, hidden = split(table.load(), seed)
    train = given if system.startswith("Certus") else given.iloc[rows].reset_index(drop=True)
    begin = time.perf_counter()
    answers, told = SYSTEMS[system](train, hidden.drop(columns=TARGET), table.task, seconds, seed)
    spent = time.perf_counter() - begin
    truth = hidden[TARGET].to_numpy()
    if table.task == "classification":
        value = float(np.mean(answers.astype(str) != truth.astype(str)))
    else:
        value = float(np.sqrt(np.mean((answers.astype(float) - truth) ** 2)))
    kept = kept_on(told, answers, truth, table.task)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    outcome = {
        "value": value,
        "seconds": spent,
        "peak_mb": memory,
        "trained_rows": len(rows),
        **told,
    }
    print(json.dumps({**outcome, **kept}))


def kept_on(told: dict[str, object], answers: np.ndarray, truth: np.ndarray, task: str) -> dict[str, float]:
    """What the promise is about, measured on the hidden rows."""
    quantity = str(told.get("quantity", ""))
    if task == "classification" and quantity == "error":
        return {"hidden_rate": float(np.mean(answers.astype(str) != truth.astype(str))), "hidden_rows": len(truth)}
    if quantity.startswith("share of rows with |error| > "):
        limit = float(quantity.rsplit(" ", 1)[1])
        return {"hidden_rate": float(np.mean(np.abs(answers.astype(float) - truth) > limit)), "hidden_rows": len(truth)}
    return {}


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    asked = json.load(sys.stdin)
    main(asked["system"], asked["table"], asked["seconds"], asked["seed"], asked["rows"])
