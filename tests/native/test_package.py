"""What is installed beside the extension module, and who may call it."""

from __future__ import annotations

import ast
from pathlib import Path

import certus
from certus import _native

HERE = Path(certus.__file__).parent


def test_the_stub_names_what_the_module_has():
    stub = Path(str(_native.__file__)).parent / "_native.pyi"
    if not stub.exists():  # a sanitizer build cannot make one; the regular build must
        assert "__asan_init" in Path(str(_native.__file__)).read_bytes().decode("latin-1")
        return
    tree = ast.parse(stub.read_text(encoding="utf-8"))
    declared = {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    assert declared == {name for name in dir(_native) if not name.startswith("_")}


def test_the_package_says_that_it_is_typed():
    assert (HERE / "py.typed").is_file()


def imports_native(path: Path) -> bool:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            names = {f"{node.module}.{alias.name}" for alias in node.names} | {node.module}
        elif isinstance(node, ast.Import):
            names = {alias.name for alias in node.names}
        else:
            continue
        if "certus._native" in names:
            return True
    return False


def test_each_package_has_one_door_to_the_kernels():
    """Only ``_native_calls`` of a family calls the module; the base layer has its input scan."""
    callers = {path.relative_to(HERE).as_posix() for path in HERE.rglob("*.py") if imports_native(path)}
    assert "base/inputs/reading.py" in callers
    assert {caller for caller in callers if "/_native_calls" not in caller} == {"base/inputs/reading.py"}
