"""The file that says for which contents of the tree the slow tests of a folder, or the tests of an extra, passed."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass
from pathlib import Path

FILE = Path(__file__).with_name("slow-passed.json")


@dataclass(frozen=True)
class Pass:
    """The hash of what was tested, and how long its tests took."""

    hash: str
    seconds: float


def read(path: Path) -> dict[str, Pass]:
    """What is on record; nothing if the file is missing, and without the entries that make no sense."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        print(f"note: {path.name} cannot be read, so nothing counts as tested ({type(error).__name__})")
        return {}
    entries = content if isinstance(content, dict) else {}
    return {name: Pass(**entry) for name, entry in entries.items() if _makes_sense(entry)}


def _makes_sense(entry: object) -> bool:
    if not isinstance(entry, dict) or set(entry) != {"hash", "seconds"}:
        return False
    seconds = entry["seconds"]
    number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    return isinstance(entry["hash"], str) and number and math.isfinite(seconds) and seconds >= 0


def write(passes: dict[str, Pass], path: Path) -> None:
    """Replace the file; one line per name, so that changes are easy to read and to merge."""
    lines = [f"  {json.dumps(name)}: {json.dumps(asdict(passes[name]))}" for name in sorted(passes)]
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
