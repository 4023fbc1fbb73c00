"""Writes the files beside this script. It was run with version 0.1.0 of Certus, and is kept to show what they hold.

PYTHONPATH=<the source of 0.1.0> python tests/persistence/files/v0.1.0/write.py
"""

from __future__ import annotations

import json
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import sklearn
from answers import Numbers, fitted, gram, methods_of, promised, told, with_training_data
from bounds import bounds
from learners import FAMILIES, Case
from studies import monitor_states, run_studies, study_with_journal
from tables import Table, make_tables

import certus

HERE = Path(__file__).parent


def main() -> None:
    """Write everything."""
    if certus.__version__ != "0.1.0":
        sys.exit(f"this script belongs to version 0.1.0, not to {certus.__version__}")
    tables, numbers = make_tables(), Numbers()
    with packed("tables") as folder:
        np.savez(
            folder / "tables.npz", **{f"{name} {part}": table[part] for name, table in tables.items() for part in table}
        )
    models: dict[str, Any] = {}
    for family, cases in FAMILIES.items():
        models |= write_family(family, cases(), tables, numbers)
    studied: dict[str, Any] = {}
    with packed("studies") as folder:
        studied |= run_studies(folder, numbers)
    with packed("journal") as folder:
        study_with_journal(folder)
    with packed("monitors") as folder:
        monitor_states(folder)
    with packed("bounds") as folder:
        write_bounds(folder, bounds(tables))
    np.savez_compressed(HERE / "expected.npz", numbers=numbers.all())
    (HERE / "expected.json").write_text(_lines({"versions": versions(), "models": models, "studies": studied}))


def versions() -> dict[str, str]:
    """On what else the files depend: parts of scikit-learn are read by its same minor release, hashes are of polars."""
    hashed = pl.DataFrame({"number": [1.5, 2.5], "text": ["a", "b"]}).hash_rows(seed=0).to_list()
    return {"scikit-learn": sklearn.__version__, "hashes of polars": " ".join(map(str, hashed))}


@contextmanager
def packed(name: str) -> Iterator[Path]:
    """A folder whose files become one archive."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)
        pack(HERE / f"{name}.tar.xz", Path(folder))


def write_bounds(folder: Path, found: list[tuple[certus.Certificate, Any]]) -> None:
    """Bare certificates, each with its data; and all of them as one report."""
    records = [{"certificate": item.to_dict(), "data": _plain(data)} for item, data in found]
    (folder / "certificates.json").write_text("[\n" + ",\n".join(json.dumps(record) for record in records) + "\n]\n")
    (folder / "report.json").write_text(certus.Report([item for item, _ in found]).to_json())


def _plain(data: Any) -> Any:
    """Arrays as lists, tuples marked as such."""
    if isinstance(data, tuple):
        return {"tuple": [_plain(part) for part in data]}
    return data if data is None else np.asarray(data).tolist()


def write_family(family: str, cases: dict[str, Case], tables: dict[str, Table], numbers: Numbers) -> dict[str, Any]:
    """Train and save the models of a family into one archive; what is expected of each."""
    found = {}
    with packed(family) as folder:
        for label, case in cases.items():
            path = folder / f"{label}.certus"
            model = fitted(case, tables[case.table]) if case.table else case.learner
            certus.save(model, path)
            found[f"{family}/{path.name}"] = expectation(model, case, tables.get(case.table), numbers)
    return found


def expectation(model: Any, case: Case, table: Table | None, numbers: Numbers) -> dict[str, Any]:
    """What a saved model must say when it is loaded."""
    facts: dict[str, Any] = {"table": case.table, "weighted": case.weighted, "gram": case.gram}
    if table is None:
        return facts | {"parameters": {key: repr(value) for key, value in model.get_params().items()}}
    X = gram(table["new_X"], table["X"]) if case.gram else table["new_X"]
    facts |= {"answers": told(model, X, methods_of(model), numbers), "certificates": promised(model)}
    facts["data"] = with_training_data(model, case, table)
    if "predict" in facts["answers"]:
        checked = certus.check(model, (X, table["new_y"]))
        facts["on new rows"] = [[item.holds, item.recounted] for item in checked.certificates]
    return facts


def pack(archive: Path, folder: Path) -> None:
    """A compressed archive of all files in a folder; models have much in common, so that they shrink together."""
    with tarfile.open(archive, "w:xz", format=tarfile.USTAR_FORMAT) as target:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                info = tarfile.TarInfo(
                    str(path.relative_to(folder))
                )  # without date and owner: equal models, equal bytes
                info.size = path.stat().st_size
                with path.open("rb") as stream:
                    target.addfile(info, stream)


def _lines(record: dict[str, dict[str, Any]]) -> str:
    """JSON with one line for every model."""
    parts = []
    for name, entries in record.items():
        lines = ",\n".join(f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in entries.items())
        parts.append(f" {json.dumps(name)}: {{\n{lines}\n }}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


if __name__ == "__main__":
    main()
