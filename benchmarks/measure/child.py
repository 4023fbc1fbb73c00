"""One measurement in a fresh process: ``python -m benchmarks.measure.child`` reads a request and writes a JSON answer.

The first call, the warm calls, the growth of memory over the state with the data loaded, and the quality.
"""

import json
import os
import resource
import sys
import time
import warnings
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks.measure import actions
from benchmarks.measure.task import Competitor, Data, Task, load_tasks

LONG = 5.0  # seconds; a longer call is repeated once


def main() -> None:
    request = json.loads(sys.stdin.read())
    task = load_tasks(request["family"])[request["task"]]
    answer = {"prepare": prepare, "climb": climb, "measure": measure}[request["step"]](task, request)
    sys.stdout.write("\n" + json.dumps(answer) + "\n")


def prepare(task: Task, request: dict[str, Any]) -> dict[str, Any]:
    """Generate the data once; every competitor reads the same files."""
    arrays = task.make_data(**(task.quick_size if request["quick"] else task.size))
    for name, values in arrays.items():
        if sparse.issparse(values):
            sparse.save_npz(Path(request["folder"]) / f"{name}.npz", values, compressed=False)
        else:
            np.save(Path(request["folder"]) / f"{name}.npy", values)
    rows, columns = arrays["shape"].tolist() if "shape" in arrays else arrays["X"].shape
    return {"rows": rows, "columns": columns}


def climb(task: Task, request: dict[str, Any]) -> dict[str, Any]:
    """The loosest rung of the competitor's ladder with the wanted quality; the last one if none has it.

    Whoever needs longer than the limit on a rung that is not good enough cannot win on a finer one. The first call
    does not count, since some compile their code in it.
    """
    competitor, data = participants(task, request)
    for rung in range(len(competitor.ladder)):
        build = partial(competitor.build, rung, request["threads"])
        build()  # the import of the class is not part of the call
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            elapsed, (model, prediction) = timed(getattr(actions, task.action)(build, data))
        quality = float(task.quality.measure(model, prediction, data))
        if task.quality.suffices(quality, quality):
            break
        if rung > 0 and elapsed > request["limit"]:
            reason = f"{elapsed:.3g} s for {task.quality.name} {quality:.2g}, not refined"
            return {"rung": rung, "skipped": reason, "stopped_after": elapsed}
    return {"rung": rung, "skipped": ""}


def participants(task: Task, request: dict[str, Any]) -> tuple[Competitor, Data]:
    competitor = next(c for c in task.competitors if c.name == request["competitor"])
    folder = Path(request["folder"])
    dense = {path.stem: np.load(path) for path in folder.glob("*.npy")}
    return competitor, {**dense, **{path.stem: sparse.load_npz(path) for path in folder.glob("*.npz")}}


def measure(task: Task, request: dict[str, Any]) -> dict[str, Any]:
    competitor, data = participants(task, request)
    build = partial(competitor.build, request["rung"], request["threads"])
    build()  # the import of the class is not part of the first call
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call = getattr(actions, task.action)(build, data)
        before = reset_peak_memory()
        first, (model, prediction) = timed(call)
        growth = peak_memory() - before
        warm = []
        spent = 0.0
        repeats = request["repeats"] if first < min(request["limit"], LONG) else 1
        while len(warm) < repeats or (spent < request["seconds"] and len(warm) < 1000):
            elapsed, (model, prediction) = timed(call)
            warm.append(elapsed)
            spent += elapsed
    return {
        "first": first,
        "warm": warm,
        "memory": max(growth, 0),
        "quality": float(task.quality.measure(model, prediction, data)),
        "warnings": sorted({item.category.__name__ for item in caught}),
    }


def timed(call: actions.Call) -> tuple[float, tuple[Any, Any]]:
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result


def reset_peak_memory() -> int:
    """Bytes resident now; on Linux the high-water mark is lowered to it."""
    clear = Path("/proc/self/clear_refs")
    if clear.exists() and os.access(clear, os.W_OK):
        clear.write_text("5")
    return peak_memory()


def peak_memory() -> int:
    """High-water mark of resident memory in bytes."""
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
        return int(line.split()[1]) * 1024
    scale = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * scale


if __name__ == "__main__":
    main()
