"""One large support vector machine: time, peak memory and certified gap of a single fit.

    python -m benchmarks.measure.svm_large                   200 000 rows, 50 columns: minutes
    python -m benchmarks.measure.svm_large --rows 20000      seconds

The default size writes benchmarks/results/svm_large.json. The peers are not run: they need hours at this size.
"""

import argparse
import json
import platform
import sys
import time
from datetime import UTC, datetime

from benchmarks.measure.child import peak_memory, reset_peak_memory
from benchmarks.measure.plain_json import to_json
from benchmarks.measure.record import cpu_name, versions
from benchmarks.measure.rounds import limit_cores
from benchmarks.measure.task import FOLDER
from benchmarks.problems import data
from certus.svm import SVC

_ROWS, _COLUMNS, _QUERIES = 200_000, 50, 10_000


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=_ROWS)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args(arguments)
    limit_cores(options.threads)
    found = measure(options.rows)
    print(json.dumps(found, indent=1))
    if options.rows == _ROWS:
        path = FOLDER / "results" / "svm_large.json"
        path.write_text(to_json({**found, "threads": options.threads}) + "\n")
    return 0


def measure(rows: int) -> dict[str, object]:
    """Fit once and predict once."""
    table = data.surface_classes(n=rows, d=_COLUMNS, classes=2, queries=_QUERIES)
    X, y = table["X"], table["y"]
    before = reset_peak_memory()
    start = time.perf_counter()
    model = SVC().fit(X, y)
    fitted = time.perf_counter()
    correct = float((model.predict(table["X_test"]) == table["y_test"]).mean())
    return {
        "about": "SVC with the Gaussian kernel, default parameters, one fit",
        "rows": rows,
        "columns": _COLUMNS,
        "fit_seconds": fitted - start,
        "predict_10000_rows_seconds": time.perf_counter() - fitted,
        "peak_memory_bytes": peak_memory(),
        "memory_growth_bytes": peak_memory() - before,
        "support_vectors": len(model.support_),
        "relative_gap": model.gap_ / rows,
        "accuracy": correct,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": {"cpu": cpu_name(), "system": platform.system()},
        "versions": versions({"certus"}),
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
