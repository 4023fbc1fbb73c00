"""Print the requirements of an extra of pyproject.toml, one a line, without the package itself."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path


def requirements(extra: str) -> list[str]:
    """What has to be installed for an extra; nothing if there is none of that name."""
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    listed: list[str] = project["optional-dependencies"].get(extra, [])
    return [requirement for requirement in listed if not requirement.startswith("certus")]


if __name__ == "__main__":
    print("\n".join(requirements(sys.argv[1])))
