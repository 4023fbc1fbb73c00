"""What the tests of a folder depend on, as one hash of the contents of files.

A folder of tests named after a package depends on that package and the layers below it, in the order of
pyproject.toml's import contract, with their kernels in `cpp/`; any other folder depends on all packages. To that
come its own files, the helpers that it shares with other folders, and the settings of pytest.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

# Folders of cpp/ that are not called after their package; one that is neither here nor a package concerns everybody.
KERNELS_OF = {"boosting": "ensemble"}
EVERYBODY = "everybody"
# One line per family stands in these files: a new line concerns only the folders that depend on all packages.
LISTS = ("src/certus/__init__.py", "src/certus/__main__.py", "cpp/bindings/module.cpp")
LIST = "list"


def imported_packages(contract: dict[str, Any]) -> dict[str, set[str]]:
    """For every package of a contract of layers: itself and all that it may import, directly or through others."""
    direct: dict[str, set[str]] = {}
    lower: set[str] = set()
    for line in reversed(contract["layers"]):
        names = set(re.findall(r"\w+", line))
        for name in names:
            direct[name] = lower | ({name} if "|" in line else names)
        lower = lower | names
    for exception in contract.get("ignore_imports", []):
        importer, imported = re.findall(r"certus\.(\w+)", exception)
        direct.setdefault(importer, set()).add(imported)
    return {name: _reachable(name, direct) for name in direct}


def _reachable(start: str, direct: dict[str, set[str]]) -> set[str]:
    found = {start}
    waiting = [start]
    while waiting:
        new = direct.get(waiting.pop(), set()) - found
        found |= new
        waiting += new
    return found


def owner(path: str, packages: set[str]) -> str:
    """The package to which a file of `src/` or `cpp/` belongs."""
    if path in LISTS:
        return LIST
    parts = path.split("/")
    name = parts[2] if parts[0] == "src" else parts[1]
    if parts[:2] == ["cpp", "bindings"]:  # bind_linear_paths.cpp belongs to linear
        name = (re.findall(r"bind_([a-z]+)", parts[2]) or [EVERYBODY])[0]
    name = KERNELS_OF.get(name, name)
    return name if name in packages else EVERYBODY


class Tree:
    """The files of a checkout and what each folder of tests needs of them."""

    def __init__(self, root: Path, files: list[str]) -> None:
        self.root = root
        self.files = sorted(files)
        project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
        contract = next(c for c in project["tool"]["importlinter"]["contracts"] if c["type"] == "layers")
        self._imported = imported_packages(contract)
        self._settings = [project["tool"]["pytest"]["ini_options"], project["project"]["dependencies"]]

    def test_folders(self) -> list[str]:
        """The folders right below `tests/`, without `tests/` itself."""
        return sorted({path.split("/")[1] for path in self.files if re.match(r"tests/\w+/.*test_\w+\.py$", path)})

    def needed(self, folder: str, further: tuple[str, ...] = ()) -> list[str]:
        """The files on which the tests of a folder depend, and further ones that are named or in folders named."""
        packages = set(self._imported)
        owners = self._imported.get(folder, packages | {LIST}) | {EVERYBODY}
        helpers = self._folders_of_helpers(folder)

        def wanted(path: str) -> bool:
            first, second = (*path.split("/"), "")[:2]
            if first in ("src", "cpp"):
                return second != "tests" and owner(path, packages) in owners
            if first == "tests" and second != folder:
                shared = path.count("/") == 1 or second in helpers
                return shared and not path.rsplit("/", 1)[1].startswith("test_")
            # Beside its tests, a folder like benchmarks/ or docs/ belongs to the tests of that name.
            return first in ("CMakeLists.txt", "tests", folder, *further) or path in further

        return [path for path in self.files if wanted(path)]

    def _folders_of_helpers(self, folder: str) -> set[str]:
        """`tests/common` and the other folders that the files of a folder name as modules."""
        own = [path for path in self.files if path.startswith(f"tests/{folder}/") and path.endswith(".py")]
        named = [re.findall(r"\btests\.(\w+)", (self.root / path).read_text(encoding="utf-8")) for path in own]
        return {"common"}.union(*named)

    def hash(self, folder: str, further: tuple[str, ...] = ()) -> str:
        """One hash of the contents of all files that a folder's tests need, and of pytest's settings."""
        total = hashlib.sha256(json.dumps(self._settings, sort_keys=True).encode())
        for path in self.needed(folder, further):
            content = hashlib.sha256((self.root / path).read_bytes()).hexdigest()
            total.update(f"{path} {content}\n".encode())
        return total.hexdigest()[:32]


def checkout(root: Path) -> Tree:
    """The files that git knows in a folder; all files if it is no checkout, where strays make no hash agree."""
    command = ["git", "-C", str(root), "ls-files", "-z"]
    listed = subprocess.run(command, capture_output=True, text=True, check=False)
    names = listed.stdout.split("\0") if listed.returncode == 0 else map(str, _relative_paths(root))
    return Tree(root, [name for name in names if name and (root / name).is_file()])


def _relative_paths(root: Path) -> Iterator[Path]:
    return (path.relative_to(root) for path in root.rglob("*") if "__pycache__" not in path.parts)
